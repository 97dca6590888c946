/// A client of a race server: finds its way into a match, and runs its racer by chance.
///
/// A value without sockets, clock and chance of its own. The shell hands in what happens, carries out the effects in order, and
/// hands in ``Event/timePassed`` when ``nextDeadline`` has come. It connects whenever the state is ``ClientState/connecting``.
package struct ClientMachine: Sendable {
  package enum Event: Hashable, Sendable {
    /// Begins: it is to be found out who plays.
    case start
    case authenticated(RacePlayer)
    case notAuthenticated(RacePlayer.Invalid)
    case connected
    case received(ServerMessage)
    /// What came can not be read.
    case violated(ClientEvent.Violation)
    case disconnected
    case timePassed
    /// The client is to end.
    case stop
  }

  package enum Effect: Hashable, Sendable {
    /// Find out who plays, and say so.
    case authenticate
    case send(ClientMessage)
    case report(ClientEvent)
    /// Let what was sent leave, close the connection, and make no other.
    case end
  }

  /// How long a racer takes for a step.
  package static let stepTime = Duration.milliseconds(250)
  /// How many steps there are in a second.
  private static let stepsPerSecond: Int32 = 4

  package private(set) var state = ClientState.notAvailable

  private let range: PlayerRange
  /// Whether to continue the match that the player is in, if he is in one.
  private var continues: Bool
  private var player: RacePlayer?
  private var match: MatchView?
  private var nextStep: Duration?
  private var isOver = false

  /// - Parameters:
  ///   - range: What match to ask for.
  ///   - continues: Whether to continue one that the player is in at first; later, after a connection was lost, it is continued.
  package init(range: PlayerRange, continues: Bool) {
    self.range = range
    self.continues = continues
  }

  /// When something falls due by itself; `nil` when nothing will.
  package var nextDeadline: Duration? { nextStep }

  /// Takes in what happened at `now`, and says what to do, in order.
  package mutating func handle(
    _ event: Event, at now: Duration, using generator: inout some RandomNumberGenerator
  ) -> [Effect] {
    guard !isOver else { return [] }
    switch event {
    case .start:
      precondition(state == .notAvailable, "A client starts once")
      return enter(.pendingAuthentication) + [.authenticate]
    case .authenticated(let player):
      precondition(state == .pendingAuthentication, "Nobody asked who plays")
      self.player = player
      return enter(.authenticated) + enter(.connecting)
    case .notAuthenticated(let reason):
      return end(.notAuthenticated(reason))
    case .connected:
      guard let player, state == .connecting else { preconditionFailure("A client connects when it is time to") }
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

// MARK: - What the server says

extension ClientMachine {
  private mutating func received(_ message: ServerMessage, at now: Duration) -> [Effect] {
    switch message {
    case .notInMatch:
      guard state == .pendingMatchStatus else { return outOfOrder() }
      match = nil
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
      return change(number) { racer, _ in
        racer.presence = presence
        return .presence(racer: Int(number), presence)
      }
    case .over(let ranking):
      guard state == .matchActive, let match else { return outOfOrder() }
      guard ranking.sorted().elementsEqual((0..<match.racers.count).map { UInt8($0) }) else {
        return end(
          .violated(.impossible("a ranking of \(ranking.count) for \(match.racers.count) racers, or not of each once")))
      }
      self.match = nil
      continues = false
      return [.report(.over(ranking: ranking.map(Int.init)))] + enter(.receivedMatchStatus) + end(.finished)
    case .refused(let refusal):
      // A server that ends may begin again.
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
    // Whatever happens to the connection, the match is to go on.
    continues = true
    if view.racers[Int(view.own)].place == 0 { nextStep = now + Self.stepTime }
    return (continued ? enter(.receivedMatchStatus) : []) + [.report(.match(view, continued: continued))] + enter(.matchActive)
  }

  /// Changes what is known of a racer, and reports it; the closure returns nothing when it cannot be.
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
  /// Lets the own racer go some way, as far as it gets in the time of a step at most.
  private mutating func step(at now: Duration, using generator: inout some RandomNumberGenerator) -> [Effect] {
    guard let nextStep, now >= nextStep, var match else { return [] }
    let own = Int(match.own)
    let from = match.racers[own].position
    let way = Int32.random(in: 1...match.topSpeed / Self.stepsPerSecond, using: &generator)
    let position = min(from + way, match.courseLength)
    match.racers[own].position = position
    self.match = match
    // From the present on: who was late must not seem to run faster.
    self.nextStep = position == match.courseLength ? nil : now + Self.stepTime
    return [.send(.position(position)), .report(.moved(racer: own, position: Int(position)))]
  }
}
