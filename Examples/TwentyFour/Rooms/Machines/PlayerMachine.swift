public import TwentyFour

/// A player's side of a room, while connected to the host or reconnecting.
///
/// A value without socket and clock, like ``RoomMachine``. The shell passes in the events of its single connection, reconnects
/// whenever the connection has ended, and passes in the player's actions.
public struct PlayerMachine: Sendable {
  /// The time limit for the host's answer to hello.
  static let helloLimit = Duration.seconds(5)

  private let entry: PlayerEntry
  private let invitation: Invitation?
  /// The name under which the player has found the room.
  private let joined: String?
  /// Whether the passcode can be proved again.
  private var canProve: Bool
  private var phase = Phase.outside
  /// The seat, once there is one.
  private var seat: Seat?
  /// The host, at the other end of the present connection.
  private var host: Peer?
  /// The time for which the host keeps the seat when the connection breaks.
  private var returnLimit = Duration.zero
  /// Why the room was not connected to again, although it was found.
  private var obstacle: RoomReason?
  /// The name under which a directory lists the match.
  private var place: String?
  /// The number of attempts to come back since the player was last inside.
  private var attempts = 0

  private struct Seat {
    let room: RoomID
    let player: PlayerID
    /// Proved, and never sent.
    let secret: String
  }

  private enum Phase {
    /// Goes to `greeting`.
    case outside
    /// Hello was sent; the host may ask for more time. Goes to `inside` when welcomed, or to `away` if the player was inside
    /// before.
    case greeting(deadline: Duration, keptUntil: Duration?)
    /// `round` is the number of the round in which the player can act. Goes to `away` when the connection breaks.
    case inside(round: Int?, isPlaying: Bool)
    /// The shell must reconnect. Goes to `greeting`.
    case away(keptUntil: Duration)
    /// Final.
    case closed
  }

  /// Makes a machine that is not connected yet.
  ///
  /// - Parameters:
  ///   - invitation: The invitation of a link.
  ///   - canProve: Whether the player has a passcode that the shell can prove again.
  ///   - joined: The name under which the player has found the room; nil if that is an address.
  public init(_ entry: PlayerEntry, invitation: Invitation? = nil, canProve: Bool = false, joined: String? = nil) {
    self.entry = entry
    self.joined = joined
    self.invitation = invitation
    self.canProve = canProve
  }

  /// An event of a player.
  public enum Event: Hashable, Sendable {
    /// The connection to the host is established: the first event, and again after each reconnection.
    case connected(Peer)
    case received(RoomMessage)
    /// An invalid message or frame.
    case malformed(RoomReason)
    case disconnected
    /// The room is on another host now. The shell goes on trying, because that may be forged.
    case moved(RoomReason)
    /// The room does not let the player in again. The shell must not go on trying.
    case refused(RoomReason)
    /// The next attempt to reconnect begins after this time.
    case waiting(Duration)
    case act(Match.Action)
    case leave
    /// Time passed, without another event.
    case timePassed
  }

  /// An effect for the shell.
  public enum Effect: Hashable, Sendable {
    case send(RoomMessage)
    /// Break the connection, then reconnect.
    case drop
    /// Prove the passcode over all later connections.
    case prove
    /// Close the connection after everything sent, and this message, has gone out, and do not reconnect.
    case end(after: RoomMessage?)
    /// A directory lists the match under this name; nil if none does.
    case comeBack(by: String?)
    /// Tell the app. ``RoomEvent/closed(_:)`` is the last effect.
    case report(RoomEvent)
  }

  /// Handles everything due by `now`, then an event at `now`; returns the effects, in order.
  public mutating func handle(_ event: Event, at now: Duration) -> [Effect] {
    let due = expire(at: now)
    switch event {
    case .connected(let host): return due + connected(to: host, at: now)
    case .received(let message): return due + received(message, at: now)
    case .malformed(let reason): return due + malformed(reason)
    case .disconnected: return due + disconnected(at: now)
    case .moved(let reason):
      obstacle = reason
      return due
    case .refused(let reason): return due + end(reason)
    case .waiting(let wait): return due + waiting(wait, at: now)
    case .act(let action): return due + act(action)
    case .leave: return due + end(.left, after: .leaving)
    case .timePassed: return due
    }
  }

  /// The time of the next change without an event; `nil` for none.
  public var nextDeadline: Duration? {
    switch phase {
    case .greeting(let deadline, _): deadline
    case .away(let keptUntil): keptUntil
    case .outside, .inside, .closed: nil
    }
  }
}

// MARK: - The connection

extension PlayerMachine {
  private mutating func connected(to host: Peer, at now: Duration) -> [Effect] {
    let keptUntil: Duration?
    switch phase {
    case .outside: keptUntil = nil
    case .away(let end): keptUntil = end
    // The player left before the connection was established.
    case .closed: return [.end(after: nil)]
    case .greeting, .inside: preconditionFailure("there must be only one connection at a time")
    }
    phase = .greeting(deadline: now + Self.helloLimit, keptUntil: keptUntil)
    self.host = host
    let proof = seat.map { SeatProof(room: $0.room, player: $0.player, secret: $0.secret, over: host.binding) }
    let hello = RoomMessage.Hello(
      name: entry.name.text, seat: proof, invitation: invitation?.proof(over: host.binding), players: entry.players,
      spectates: entry.spectates, place: joined)
    return [.send(.hello(hello))]
  }

  private mutating func disconnected(at now: Duration) -> [Effect] {
    switch phase {
    case .inside where returnLimit > .zero: phase = .away(keptUntil: now + returnLimit)
    case .greeting(_, let keptUntil?): phase = .away(keptUntil: keptUntil)
    case .outside, .inside, .greeting: return end(.lost)
    case .away, .closed: break
    }
    return []
  }

  private mutating func waiting(_ wait: Duration, at now: Duration) -> [Effect] {
    guard case .away(let keptUntil) = phase else { return [] }
    attempts += 1
    return [.report(.reconnecting(attempt: attempts, in: max(.zero, min(wait, keptUntil - now))))]
  }

  private mutating func expire(at now: Duration) -> [Effect] {
    guard let nextDeadline, now >= nextDeadline else { return [] }
    switch phase {
    case .greeting(_, let keptUntil?):
      phase = .away(keptUntil: keptUntil)
      return [.drop]
    case .greeting: return end(.noWelcome)
    case .away: return end(obstacle ?? .lost)
    case .outside, .inside, .closed: return []
    }
  }

  /// Ends everything from this side.
  private mutating func end(_ reason: RoomReason, after message: RoomMessage? = nil) -> [Effect] {
    if case .closed = phase { return [] }
    phase = .closed
    return [.end(after: message), .report(.closed(reason))]
  }
}

// MARK: - Messages of the host

extension PlayerMachine {
  private mutating func received(_ message: RoomMessage, at now: Duration) -> [Effect] {
    switch (message, phase) {
    case (_, .outside), (_, .away), (_, .closed), (.unknown, _), (.pong, _): return []
    case (.welcome(let welcome), .greeting(_, let keptUntil)): return welcomed(welcome, isBack: keptUntil != nil)
    case (.approval(let limit), .greeting(let deadline, let keptUntil)):
      phase = .greeting(deadline: max(deadline, now + limit + Self.helloLimit), keptUntil: keptUntil)
      return [.report(.waiting(limit))]
    case (.event(.closed(let reason)), .greeting(_, let keptUntil?)) where reason.code == .passcode && canProve:
      // There is no seat to prove: only of those who have answered is it kept.
      canProve = false
      phase = .away(keptUntil: keptUntil)
      return [.prove, .drop]
    case (.event(.closed(let reason)), _): return end(reason)
    // A host of version 1 refuses a player with this message.
    case (.event(.refused(let reason)), .greeting): return end(reason)
    case (.event(let event), .inside(_, let isPlaying)):
      if case .round(let deal) = event { phase = .inside(round: deal.number, isPlaying: isPlaying) }
      if case .roundEnded = event { phase = .inside(round: nil, isPlaying: isPlaying) }
      return [.report(event)]
    case (.hello, _), (.look, _), (.room, _), (.act, _), (.leaving, _), (.ping, _), (.welcome, .inside), (.approval, .inside),
      (.event, .greeting):
      return end(.outOfOrder)
    }
  }

  private mutating func malformed(_ reason: RoomReason) -> [Effect] {
    switch phase {
    case .greeting, .inside: end(reason)
    case .outside, .away, .closed: []
    }
  }

  private mutating func welcomed(_ welcome: RoomMessage.Welcome, isBack: Bool) -> [Effect] {
    guard welcome.version == RoomMessage.version else { return end(.otherVersion) }
    // A spectator has no seat that could change.
    let isSameSeat = isBack && welcome.player?.id == seat?.player && welcome.room == seat?.room ?? welcome.room
    phase = .inside(round: nil, isPlaying: welcome.player != nil)
    seat = nil
    if let player = welcome.player, let secret = welcome.secret {
      seat = Seat(room: welcome.room, player: player.id, secret: secret)
    }
    (returnLimit, attempts) = (welcome.returnLimit, 0)
    obstacle = nil
    let place: [Effect] = welcome.place == self.place ? [] : [.comeBack(by: welcome.place)]
    self.place = welcome.place
    if isSameSeat { return place + [.report(.resumed)] }
    return place + [.report(.open(room: welcome.room, player: welcome.player, rules: welcome.rules))] + identification
  }

  /// Tells the player who the host is.
  private var identification: [Effect] {
    guard let host, host.key != nil || host.comparison != nil else { return [] }
    // The host is not told of spectators.
    return [.report(.identified(nil, key: host.key, comparison: entry.spectates ? nil : host.comparison))]
  }

  // MARK: - Actions of the player

  private func act(_ action: Match.Action) -> [Effect] {
    let refusal: RoomReason
    switch phase {
    case .inside(let round?, isPlaying: true): return [.send(.act(round: round, action))]
    case .inside(nil, isPlaying: true): refusal = RoomReason(Match.Refusal.noSuchRound)
    case .inside(_, isPlaying: false): refusal = .watching
    case .away, .greeting(_, .some): refusal = .away
    case .outside, .greeting(_, nil), .closed: return []
    }
    // Giving up with nothing to guess is not an error.
    return action == .giveUp ? [] : [.report(.refused(refusal))]
  }
}
