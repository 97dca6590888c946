import Synchronization
import TwentyFour

@testable import Rooms

/// Makes secrets that are none: `token 1`, `token 2`, and so on.
final class SecretMint: Sendable {
  private let count = Atomic(0)

  func next() -> String { "token \(count.add(1, ordering: .relaxed).newValue)" }
}

/// A host machine on a clock that is moved by hand.
struct TestRoom {
  var machine: RoomMachine
  var now = Duration.seconds(50)

  init(_ rules: Match.Rules = Match.Rules(), player: String? = "Ada", shares: ShareLimits = ShareLimits()) throws {
    machine = RoomMachine(
      room: RoomMessageTests.room, player: try player.map { try PlayerName($0) }, rules: rules, shares: shares,
      generator: SeededGenerator(seed: 24), secrets: SecretMint().next)
  }

  @discardableResult
  mutating func handle(_ event: RoomMachine.Event, after time: Duration = .zero) -> [HostEffect] {
    now += time
    return machine.handle(event, at: now)
  }

  /// The host's own player acts.
  @discardableResult
  mutating func act(_ action: Match.Action) -> [HostEffect] { handle(.command(.act(action))) }

  @discardableResult
  mutating func receive(_ message: RoomMessage, from id: ConnectionID, after time: Duration = .zero) -> [HostEffect] {
    handle(.received(id, message), after: time)
  }

  @discardableResult
  mutating func enter(_ id: ConnectionID, _ name: String) -> [HostEffect] {
    handle(.connected(id)) + receive(.hello(.init(name: name)), from: id)
  }

  @discardableResult
  mutating func passTime(_ time: Duration) -> [HostEffect] { handle(.timePassed(RoomMessageTests.room), after: time) }
}

extension [HostEffect] {
  /// What one connection gets, in order; if it is admitted here, nothing of what everyone was told before.
  func messages(to id: ConnectionID) -> [RoomMessage] {
    var isInside = !contains(.admit(id, to: RoomMessageTests.room))
    return compactMap { effect in
      switch effect {
      case .broadcast(_, let event): return isInside ? .event(event) : nil
      case .send(let message, id): return message
      case .disconnect(id, let reason): return reason.map { .event(.closed($0)) }
      case .admit(id, _): isInside = true
      default: break
      }
      return nil
    }
  }

  /// The events that one connection is told of.
  func told(_ id: ConnectionID) -> [RoomEvent] {
    messages(to: id).compactMap { if case .event(let event) = $0 { event } else { nil } }
  }

  func welcome(of id: ConnectionID) -> RoomMessage.Welcome? {
    for case .welcome(let welcome) in messages(to: id) { return welcome }
    return nil
  }

  /// What the host's app is told of.
  var events: [RoomEvent] {
    compactMap {
      switch $0 {
      case .broadcast(_, let event), .report(_, let event): event
      default: nil
      }
    }
  }

  var advertisements: [RoomAdvertisement] {
    compactMap { if case .advertise(let pairs) = $0 { try? RoomAdvertisement(pairs: pairs) } else { nil } }
  }

  var hand: Hand? {
    for case .round(let deal) in events { return deal.hand }
    return nil
  }

  /// The code with which a connection was ended.
  func refusal(of id: ConnectionID) -> RoomReason.Code? {
    for case .disconnect(id, let reason?) in self { return reason.code }
    return nil
  }

  /// Without the deadlines.
  var told: [HostEffect] { filter { if case .wake = $0 { false } else { true } } }
}
