package import TwentyFour

/// A room as a player sees it who is connected to its host, or trying to be again.
///
/// A value without socket and clock, like ``RoomMachine``. The shell hands in what happens on its one connection, makes it anew
/// when it is told to, and hands in what its player does. What still comes from a connection that the machine gave up must not
/// be handed in.
package struct PlayerMachine: Sendable {
  let entry: PlayerEntry
  var phase = Phase.unconnected
  var watch = Watch(from: .zero)
  var jitter: SeededGenerator
  /// The secret of our seat, once we have one.
  package internal(set) var token: String?
  /// How long the host keeps our seat when the connection breaks; zero when we are not inside, or the host does not.
  var returnLimit = Duration.zero
  /// When we came in last.
  var entered = Duration.zero
  /// How often in a row the connection has broken, or could not be made.
  var failures = 0

  enum Phase {
    /// Goes to `greeting`.
    case unconnected
    /// Hello was said. Goes to `inside` when welcomed, or to `away` when we were inside before.
    case greeting(deadline: Duration, keptUntil: Duration?)
    /// `round` is the number of the round that can be answered now. Goes to `away` when the connection breaks.
    case inside(round: Int?, isPlaying: Bool)
    /// Goes to `reconnecting`.
    case away(nextAttempt: Duration, keptUntil: Duration)
    /// A connection is being made. Goes to `greeting`, or to `away`.
    case reconnecting(keptUntil: Duration)
    /// Final.
    case closed
  }

  /// Makes a machine whose connection does not stand yet.
  ///
  /// - Parameter jitter: Spreads the attempts of those who all lost their host at once.
  package init(_ entry: PlayerEntry, jitter: SeededGenerator) {
    self.entry = entry
    self.jitter = jitter
    token = entry.token
  }

  /// What can happen to a player.
  package enum Event: Hashable, Sendable {
    /// The connection stands: first of all, and whenever it was made again.
    case connected
    /// The connection could not be made again.
    case unreachable
    case received(RoomMessage)
    /// A frame that is no message, or no frame.
    case malformed(MalformedMessage)
    case disconnected
    case answer(String)
    case giveUp
    case hint
    case leave
    /// Nothing but time passed.
    case timePassed
  }

  /// What the shell is to do.
  package enum Effect: Hashable, Sendable {
    case send(RoomMessage)
    /// Close the connection once what was sent, and this message, has gone out.
    case disconnect(after: RoomMessage?)
    /// Make the connection anew.
    case connect
    /// Tell the app. After ``RoomEvent/closed(_:)`` nothing follows.
    case report(RoomEvent)
  }

  /// Takes in what happened at `now`, after whatever fell due until then, and says what to do, in order.
  package mutating func handle(_ event: Event, at now: Duration) -> [Effect] {
    switch event {
    case .received, .malformed: watch.heard(at: now)
    case .connected, .unreachable, .disconnected, .answer, .giveUp, .hint, .leave, .timePassed: break
    }
    let due = expire(at: now)
    switch event {
    case .connected: return due + connected(at: now)
    case .unreachable: return due + unreachable(at: now)
    case .received(let message): return due + received(message, at: now)
    case .malformed(let malformed): return due + received(malformed)
    case .disconnected: return due + broke(at: now)
    case .answer(let text): return due + inRound { .answer(round: $0, expression: text) }
    case .giveUp: return due + giveUp()
    case .hint: return due + inRound { .hint(round: $0) }
    case .leave: return due + hangUp(.left, saying: .leaving)
    case .timePassed: return due
    }
  }
}

extension PlayerMachine {
  /// When something falls due by itself; `nil` when nothing will.
  package var nextDeadline: Duration? {
    switch phase {
    case .greeting(let deadline, _): deadline
    case .inside: watch.nextDeadline
    case .away(let nextAttempt, _): nextAttempt
    case .reconnecting(let keptUntil): keptUntil
    case .unconnected, .closed: nil
    }
  }

  private mutating func expire(at now: Duration) -> [Effect] {
    guard let nextDeadline, now >= nextDeadline else { return [] }
    switch phase {
    case .unconnected, .closed: return []
    case .greeting(_, nil): return hangUp(.noWelcome)
    case .greeting(_, .some): return [.disconnect(after: nil)] + broke(at: now)
    case .inside:
      switch watch.check(at: now) {
      case .alive: return []
      case .quiet: return [.send(.ping)]
      case .dead: return [.disconnect(after: nil)] + broke(at: now, .silent)
      }
    case .away(_, let keptUntil) where now >= keptUntil: return end(.lost)
    case .away(_, let keptUntil):
      phase = .reconnecting(keptUntil: keptUntil)
      return [.connect]
    case .reconnecting: return end(.lost)
    }
  }

  /// Says something of the running round.
  private func inRound(_ message: (Int) -> RoomMessage) -> [Effect] {
    switch phase {
    case .inside(let round?, isPlaying: true): [.send(message(round))]
    case .inside(nil, isPlaying: true): [.report(.refused(RoomReason(Match.AnswerRefusal.noSuchRound)))]
    case .inside(_, isPlaying: false): [.report(.refused(.watching))]
    case .away, .reconnecting, .greeting(_, .some): [.report(.refused(.away))]
    case .unconnected, .greeting(_, nil), .closed: []
    }
  }

  private func giveUp() -> [Effect] {
    switch phase {
    case .inside(.some, isPlaying: true): inRound { .giveUp(round: $0) }
    case .inside, .away, .reconnecting, .unconnected, .greeting, .closed: []
    }
  }

  /// Ends the connection from our side, and does not come back.
  mutating func hangUp(_ reason: RoomReason, saying message: RoomMessage? = nil) -> [Effect] {
    switch phase {
    case .unconnected, .away, .reconnecting, .closed: end(reason)
    case .greeting, .inside: [.disconnect(after: message)] + end(reason)
    }
  }

  mutating func end(_ reason: RoomReason) -> [Effect] {
    if case .closed = phase { return [] }
    phase = .closed
    return [.report(.closed(reason))]
  }
}
