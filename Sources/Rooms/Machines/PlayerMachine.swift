package import TwentyFour

/// A room as a player sees it who is connected to its host.
///
/// A value without socket and clock, like ``RoomMachine``. The shell hands in what happens on its one connection and what its
/// player does.
package struct PlayerMachine: Sendable {
  private let name: PlayerName
  private var phase = Phase.unconnected
  private var watch = Watch(from: .zero)

  private enum Phase {
    /// Goes to `greeting`.
    case unconnected
    /// Hello was said. Goes to `inside` when welcomed.
    case greeting(deadline: Duration)
    /// `round` is the number of the round that can be answered now.
    case inside(round: Int?)
    /// Final.
    case closed
  }

  package init(name: PlayerName) {
    self.name = name
  }

  /// What can happen to a player.
  package enum Event: Hashable, Sendable {
    /// The connection stands. First and once.
    case connected
    case received(RoomMessage)
    /// A frame that is no message, or no frame.
    case malformed(MalformedMessage)
    case disconnected
    case answer(String)
    case giveUp
    case leave
    /// Nothing but time passed.
    case timePassed
  }

  /// What the shell is to do.
  package enum Effect: Hashable, Sendable {
    case send(RoomMessage)
    /// Close the connection once what was sent, and this message, has gone out.
    case disconnect(after: RoomMessage?)
    /// Tell the app. After ``RoomEvent/closed(_:)`` nothing follows.
    case report(RoomEvent)
  }

  /// Takes in what happened at `now`, after whatever fell due until then, and says what to do, in order.
  package mutating func handle(_ event: Event, at now: Duration) -> [Effect] {
    switch event {
    case .received, .malformed: watch.heard(at: now)
    case .connected, .disconnected, .answer, .giveUp, .leave, .timePassed: break
    }
    let due = expire(at: now)
    switch event {
    case .connected: return due + connected(at: now)
    case .received(let message): return due + received(message)
    case .malformed(.unknownKind): return due
    case .malformed(let malformed): return due + hangUp(RoomReason(malformed))
    case .disconnected: return due + end(.lost)
    case .answer(let text): return due + answer(text)
    case .giveUp: return due + giveUp()
    case .leave: return due + hangUp(.left, saying: .leaving)
    case .timePassed: return due
    }
  }

  /// When something falls due by itself; `nil` when nothing will.
  package var nextDeadline: Duration? {
    switch phase {
    case .greeting(let deadline): deadline
    case .inside: watch.nextDeadline
    case .unconnected, .closed: nil
    }
  }
}

extension PlayerMachine {
  private mutating func connected(at now: Duration) -> [Effect] {
    switch phase {
    case .unconnected: break
    // The player left before the connection stood.
    case .closed: return [.disconnect(after: nil)]
    case .greeting, .inside: preconditionFailure("a player connects once")
    }
    phase = .greeting(deadline: now + Watch.helloLimit)
    watch = Watch(from: now)
    return [.send(.hello(version: RoomMessage.version, name: name.text))]
  }

  private mutating func expire(at now: Duration) -> [Effect] {
    guard let nextDeadline, now >= nextDeadline else { return [] }
    switch phase {
    case .unconnected, .closed: return []
    case .greeting: return hangUp(.noWelcome)
    case .inside:
      switch watch.check(at: now) {
      case .alive: return []
      case .quiet: return [.send(.ping)]
      case .dead: return hangUp(.silent)
      }
    }
  }

  private mutating func received(_ message: RoomMessage) -> [Effect] {
    switch phase {
    case .unconnected, .closed: []
    case .greeting: receivedGreeting(message)
    case .inside: receivedInside(message)
    }
  }

  private mutating func receivedGreeting(_ message: RoomMessage) -> [Effect] {
    switch message {
    case .welcome(let version, let room, let player, _):
      guard version == RoomMessage.version else { return hangUp(.otherVersion) }
      phase = .inside(round: nil)
      return [.report(.open(room: room, player: player))]
    case .refused(let reason), .closed(let reason):
      return hangUp(reason)
    case .hello, .joined, .left, .round, .answer, .giveUp, .accepted, .answerRefused, .standings, .roundEnded, .leaving, .ping,
      .pong:
      return hangUp(.outOfOrder(message))
    }
  }

  private mutating func receivedInside(_ message: RoomMessage) -> [Effect] {
    switch message {
    case .joined(let player): return [.report(.joined(player))]
    case .left(let player): return [.report(.left(player))]
    case .round(let deal):
      phase = .inside(round: deal.number)
      return [.report(.round(deal))]
    case .accepted(let player, let time): return [.report(.answer(player, time: time))]
    case .answerRefused(let reason): return [.report(.refused(reason))]
    case .standings(let standings): return [.report(.standings(standings))]
    case .roundEnded(let result):
      phase = .inside(round: nil)
      return [.report(.roundEnded(result))]
    case .refused(let reason), .closed(let reason): return hangUp(reason)
    case .ping: return [.send(.pong)]
    case .pong: return []
    case .hello, .welcome, .answer, .giveUp, .leaving: return hangUp(.outOfOrder(message))
    }
  }

  private func answer(_ text: String) -> [Effect] {
    switch phase {
    case .inside(let round?): [.send(.answer(round: round, expression: text))]
    case .inside(nil): [.report(.refused(RoomReason(Match.AnswerRefusal.noSuchRound)))]
    case .unconnected, .greeting, .closed: []
    }
  }

  private func giveUp() -> [Effect] {
    switch phase {
    case .inside(let round?): [.send(.giveUp(round: round))]
    case .inside(nil), .unconnected, .greeting, .closed: []
    }
  }

  /// Ends the connection from our side.
  private mutating func hangUp(_ reason: RoomReason, saying message: RoomMessage? = nil) -> [Effect] {
    switch phase {
    case .unconnected, .closed: end(reason)
    case .greeting, .inside: [.disconnect(after: message)] + end(reason)
    }
  }

  private mutating func end(_ reason: RoomReason) -> [Effect] {
    if case .closed = phase { return [] }
    phase = .closed
    return [.report(.closed(reason))]
  }
}
