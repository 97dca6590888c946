/// A client of a race server, which joins a match and moves its racer by random steps: a value without sockets, clock and
/// randomness of its own.
///
/// The shell passes in events, carries out the effects in order, and passes in ``Event/timePassed`` at ``nextDeadline``. It
/// connects whenever the state is ``ClientState/connecting``.
public struct ClientMachine: Sendable {
  public enum Event: Hashable, Sendable {
    /// The client begins.
    case start
    case authenticated(RacePlayer)
    case notAuthenticated(RacePlayer.Invalid)
    case connected
    case received(ServerMessage)
    /// A frame arrived that cannot be read.
    case violated(ClientEvent.Violation)
    case disconnected
    case timePassed
    /// The client is asked to end.
    case stop
  }

  public enum Effect: Hashable, Sendable {
    /// Identify the player, and pass in the result.
    case authenticate
    case send(ClientMessage)
    case report(ClientEvent)
    /// Close the connection after everything has been sent, and do not connect again.
    case end
  }

  /// The time between two steps of a racer.
  public static let stepTime = Duration.milliseconds(250)
  /// The number of steps in a second.
  private static let stepsPerSecond: Int32 = 4

  public private(set) var state = ClientState.notAvailable

  private let range: PlayerRange
  /// Whether to continue the match that the player is in, if there is one.
  private var continues: Bool
  private var player: RacePlayer?
  private var match: MatchView?
  private var nextStep: Duration?
  private var isOver = false

  /// - Parameters:
  ///   - range: The number of players that the match may have.
  ///   - continues: Whether to continue a match at the start; after a lost connection, the match is always continued.
  public init(range: PlayerRange, continues: Bool) {
    self.range = range
    self.continues = continues
  }

  /// The time to pass in ``Event/timePassed``; `nil` for never.
  public var nextDeadline: Duration? { nextStep }

  /// Handles an event that happened at `now`, and returns the effects, in order.
  public mutating func handle(
    _ event: Event, at now: Duration, using generator: inout some RandomNumberGenerator
  ) -> [Effect] {
    guard !isOver else { return [] }
    switch event {
    case .start:
      precondition(state == .notAvailable, "start must be the first event")
      return enter(.pendingAuthentication) + [.authenticate]
    case .authenticated(let player):
      precondition(state == .pendingAuthentication, "the state must be pendingAuthentication")
      self.player = player
      return enter(.authenticated) + enter(.connecting)
    case .notAuthenticated(let reason):
      return end(.notAuthenticated(reason))
    case .connected:
      guard let player, state == .connecting else { preconditionFailure("the state must be connecting") }
      let hello = ClientMessage.playerConnected(player, continuesMatch: continues)
      return enter(.connected) + [.send(hello)] + enter(.pendingMatchStatus)
    case .received(let message):
      return received(message, at: now)
    case .violated(let violation):
      return end(.violated(violation))
    case .disconnected:
      nextStep = nil
      return enter(.connecting)
    case .timePassed:
      return step(at: now, using: &generator)
    case .stop:
      return end(.stopped)
    }
  }

  private mutating func enter(_ state: ClientState) -> [Effect] {
    guard state != self.state else { return [] }
    self.state = state
    return [.report(.state(state))]
  }

  private mutating func end(_ ending: ClientEvent.Ending) -> [Effect] {
    let effects = enter(.notAvailable)
    isOver = true
    nextStep = nil
    return effects + [.report(.ended(ending)), .end]
  }
}

// MARK: - Messages of the server

extension ClientMachine {
  private mutating func received(_ message: ServerMessage, at now: Duration) -> [Effect] {
    switch message {
    case .notInMatch:
      guard state == .pendingMatchStatus else { return outOfOrder() }
      return enter(.receivedMatchStatus) + [.send(.matchWanted(range))] + enter(.pendingMatch)
    case .waiting(let missing):
      return waiting(missing: missing)
    case .match(let view):
      return began(view, at: now)
    case .moved(let number, let position):
      return change(number) { racer, course in
        guard (racer.position...course).contains(position) else { return nil }
        racer.position = position
        return .moved(racer: Int(number), position: Int(position))
      }
    case .arrived(let number, let place):
      return change(number) { racer, _ in
        guard (1...Int32(PlayerRange.limit)).contains(place) else { return nil }
        racer.place = place
        return .arrived(racer: Int(number), place: Int(place))
      }
    case .presence(let number, let presence):
      return change(number) { _, _ in .presence(racer: Int(number), presence) }
    case .over(let ranking):
      guard state == .matchActive, let match else { return outOfOrder() }
      guard ranking.sorted().elementsEqual((0..<match.racers.count).map { UInt8($0) }) else {
        return end(
          .violated(.impossible("a ranking of \(ranking.count) for \(match.racers.count) racers, or not each exactly once")))
      }
      return [.report(.over(ranking: ranking.map(Int.init)))] + enter(.receivedMatchStatus) + end(.finished)
    case .refused(let refusal):
      // A server that is closing may be started again.
      return refusal.reason == .closing ? [] : end(.refused(refusal))
    }
  }

  private mutating func waiting(missing: Int32) -> [Effect] {
    guard state == .pendingMatch || state == .pendingMatchStart else { return outOfOrder() }
    guard (0...Int32(PlayerRange.limit)).contains(missing) else {
      return end(.violated(.impossible("\(missing) missing players")))
    }
    return enter(missing == 0 ? .pendingMatchStart : .pendingMatch) + [.report(.waiting(missing: Int(missing)))]
  }

  private mutating func began(_ view: MatchView, at now: Duration) -> [Effect] {
    let continued = state == .pendingMatchStatus
    switch state {
    case .pendingMatchStatus where continues, .pendingMatch, .pendingMatchStart: break
    case .pendingMatchStatus, .notAvailable, .pendingAuthentication, .authenticated, .connecting, .connected,
      .receivedMatchStatus, .matchActive:
      return outOfOrder()
    }
    match = view
    // From now on, a lost connection must not end the match.
    continues = true
    if view.racers[Int(view.own)].place == 0 { nextStep = now + Self.stepTime }
    return (continued ? enter(.receivedMatchStatus) : []) + [.report(.match(view, continued: continued))] + enter(.matchActive)
  }

  /// Changes a racer and reports the change; the closure returns nil for a violation.
  private mutating func change(
    _ number: UInt8, _ body: (inout MatchView.Racer, _ course: Int32) -> ClientEvent?
  ) -> [Effect] {
    guard state == .matchActive, var match else { return outOfOrder() }
    guard match.racers.indices.contains(Int(number)) else { return end(.violated(.noSuchRacer(number))) }
    guard let event = body(&match.racers[Int(number)], match.courseLength) else {
      return end(.violated(.impossible("a position or a place of racer \(number)")))
    }
    self.match = match
    if number == match.own, match.racers[Int(number)].place > 0 { nextStep = nil }
    return [.report(event)]
  }

  private mutating func outOfOrder() -> [Effect] { end(.violated(.outOfOrder(state))) }
}

// MARK: - The racer

extension ClientMachine {
  /// Moves the player's own racer, by at most the top speed.
  private mutating func step(at now: Duration, using generator: inout some RandomNumberGenerator) -> [Effect] {
    guard let nextStep, now >= nextStep, var match else { return [] }
    let own = Int(match.own)
    let from = match.racers[own].position
    let way = Int32.random(in: 1...match.topSpeed / Self.stepsPerSecond, using: &generator)
    let position = min(from + way, match.courseLength)
    match.racers[own].position = position
    self.match = match
    // Counted from now, so that no faster step follows a late one.
    self.nextStep = position == match.courseLength ? nil : now + Self.stepTime
    return [.send(.position(position)), .report(.moved(racer: own, position: Int(position)))]
  }
}
