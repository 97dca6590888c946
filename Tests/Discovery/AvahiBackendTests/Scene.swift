#if Avahi
import CBonjourishLinux
import Foundation
import _BonjourishDiscovery
import _BonjourishEventLoop

@testable import _BonjourishAvahiBackend

/// A backend on a bus of its own, in a process of its own: libdbus reads from the environment where the bus is.
final class Scene: Sendable {
  let bus: FakeBus
  let loop: EventLoop
  let home: EventLoop
  let backend: AvahiBackend
  let messages = Observed<[LogMessage]>([])
  let availability = Observed<[AvahiBackend.Availability]>([])
  /// Whether the daemon that is connected to next is in another network namespace.
  let isElsewhere = Observed(false)
  /// The interfaces of the machine.
  let interfaces = Observed<[InterfaceState]>([])

  private init() throws {
    bus = try FakeBus()
    setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=\(bus.path)", 1)
    loop = try EventLoop(name: "calls")
    home = try EventLoop(name: "handlers")
    backend = AvahiBackend(
      on: loop, handlersOn: home, interfaces: { [interfaces] in interfaces.value { $0 } },
      in: DaemonNetwork { [isElsewhere] in isElsewhere.value { $0 } },
      log: { [messages] message in messages.change { $0.append(message) } }
    ) { [availability] now in availability.change { $0.append(now) } }
  }

  /// Calls a closure with a new scene; in the end nobody is connected to the bus. Whoever waits in vain ends the process.
  static func play(_ body: (Scene) async throws -> Void) async throws {
    alarm(30)
    let scene = try Scene()
    try await body(scene)
    await scene.backend.close()
    await scene.bus.untilLeft()
    await scene.loop.shutdown()
    await scene.home.shutdown()
  }

  // MARK: - Operations

  /// What the handler of an operation is told.
  struct Heard<Event: Hashable & Sendable>: Sendable {
    let id = OperationID()
    private let events = Observed<[Event]>([])

    func hear(_ event: Event) { events.change { $0.append(event) } }

    /// Takes the next events.
    func next(_ count: Int = 1) async -> [Event] {
      await events.take { events in
        guard events.count >= count else { return nil }
        defer { events.removeFirst(count) }
        return Array(events.prefix(count))
      } ?? []
    }

    /// The events that are there and were not taken.
    var rest: [Event] { events.value { $0 } }
  }

  func lookUp(_ question: RecordQuestion) -> Heard<LookupEvent> {
    let heard = Heard<LookupEvent>()
    backend.lookUp(question, as: heard.id) { heard.hear($0) }
    return heard
  }

  func publish(_ registration: Registration) -> Heard<RegistrationEvent> {
    let heard = Heard<RegistrationEvent>()
    backend.publish(registration, as: heard.id) { heard.hear($0) }
    return heard
  }

  /// Returns when the backend has become available, or no longer is, so many times.
  func changes(_ count: Int) async -> [AvahiBackend.Availability] {
    await availability.take { $0.count >= count ? $0 : nil } ?? []
  }

  /// The loopback interface as the backend names it.
  var loopback: NetworkInterface { NetworkInterface(index: 1, name: backend.network.isForeign ? "if1" : "lo") }
}

extension Scene.Heard where Event == RegistrationEvent {
  /// The code of the next event, an interruption or a failure.
  func nextError() async -> DiscoveryError? {
    switch await next().first {
    case .interrupted(let error), .failed(let error): error
    default: nil
    }
  }
}

extension Scene.Heard where Event == LookupEvent {
  func nextError() async -> DiscoveryError? {
    switch await next().first {
    case .interrupted(let error), .failed(let error): error
    default: nil
    }
  }
}
#endif
