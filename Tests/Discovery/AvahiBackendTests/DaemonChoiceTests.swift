#if Avahi
import CBonjourishLinux
import TestSupport
import Testing
import _BonjourishBusProtocol
import _BonjourishDiscovery
import _BonjourishEventLoop
import _BonjourishInterfaces

@testable import Bonjourish
@testable import _BonjourishAvahiBackend

private let question = RecordQuestion(.domain("x.local"), .a, interfaces: .only("lo").over(.ipv4))

/// A program on a bus of its own, which chooses between the daemon and the built-in engine. It uses the loopback interface alone.
private final class Program: Sendable {
  let bus: FakeBus
  let loop: EventLoop
  private let choices = Observed<[Bonjour.Backend]>([])
  private let messages = Observed<[LogMessage]>([])

  private init() throws {
    bus = try FakeBus()
    setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=\(bus.path)", 1)
    loop = try EventLoop(name: "program")
  }

  /// Calls a closure with a new program; in the end nobody is connected to the bus. Whoever waits in vain ends the process.
  static func run(_ body: (Program) async throws -> Void) async throws {
    alarm(30)
    let program = try Program()
    try await body(program)
    await program.bus.untilLeft()
    await program.loop.shutdown()
  }

  func automatic() async throws -> AutomaticBackend {
    try await AutomaticBackend(
      on: loop, log: { [messages] message in messages.change { $0.append(message) } },
      chosen: { [choices] choice in choices.change { $0.append(choice) } },
      among: { LocalInterface.all().filter(\.isLoopback) })
  }

  func onlyDaemon() async throws -> AutomaticBackend {
    try await AutomaticBackend(onlyAvahiOn: loop, log: { _ in }, among: { LocalInterface.all().filter(\.isLoopback) })
  }

  /// The backends that were chosen, when there are so many.
  func choices(_ count: Int) async -> [Bonjour.Backend] { await choices.take { $0.count >= count ? $0 : nil } ?? [] }

  /// All backends that were chosen so far.
  var choicesSoFar: [Bonjour.Backend] { choices.value { $0 } }

  /// The texts of the log without those for developers, and the backends that they name.
  var log: [(text: String, backend: String?)] {
    messages.value { $0 }.filter { $0.level > .debug }.map { ($0.text, $0.metadata["backend"]) }
  }

  /// Looks up something, and notes only when that is interrupted and begins again.
  func lookUp(with backend: AutomaticBackend) -> Scene.Heard<LookupEvent> {
    let heard = Scene.Heard<LookupEvent>()
    backend.lookUp(question, as: heard.id) { event in
      switch event {
      case .interrupted, .restarted, .failed: heard.hear(event)
      default: break
      }
    }
    return heard
  }
}

/// Which backend a program uses that leaves the choice to the toolkit, while the daemon comes and goes.
@Suite(.timeLimit(.minutes(1))) struct DaemonChoiceTests {
  @Test func `a daemon that hangs is left for the engine at once, and used again when it is back`() async {
    await #expect(processExitsWith: .success) {
      try await Program.run { program in
        let backend = try await program.automatic()
        #expect(program.choicesSoFar == [.avahi])
        let (lookup, service) = (program.lookUp(with: backend), Scene.Heard<RegistrationEvent>())
        backend.publish(
          Registration("Ada", type: "_x._tcp", domain: .local, port: 80, txt: ["a": "1"], interfaces: question.interfaces),
          as: service.id
        ) { service.hear($0) }
        let path = await program.bus.calls("Commit")[0].path
        program.bus.say(
          "StateChanged", of: "org.freedesktop.Avahi.EntryGroup", at: path,
          [.int32(2), .text("org.freedesktop.Avahi.Success")])
        #expect(await service.next() == [.established("Ada")])
        var metrics = await backend.metrics
        #expect(metrics.backend == "avahi" && metrics.backendChanges == 0 && metrics.avahi.connections == 1)

        program.bus.beginWithoutDaemon()
        await backend.avahi?.line.cut()
        #expect(await program.choices(2) == [.avahi, .builtin])
        #expect(await lookup.nextError()?.message.contains("does not answer in time") == true)
        #expect(await lookup.next() == [.restarted])
        #expect(await service.nextError()?.message.contains("does not answer in time") == true)
        await backend.drain()
        metrics = await backend.metrics
        #expect(metrics.backend == "builtin" && metrics.backendChanges == 1 && metrics.builtin.links == 1)
        #expect(metrics.lookups == 1 && metrics.registrations == 1)
        #expect(metrics.avahi.connectionsLost == 1 && metrics.avahi.callsCut == 1)

        // The new connection waits on the bus.
        _ = await program.bus.calls("Ping", count: 2)
        program.bus.setDaemon(true)
        #expect(await program.choices(3) == [.avahi, .builtin, .avahi])
        let end = await lookup.nextError()
        #expect(end?.code == .unavailable)
        #expect(end?.message == "avahi-daemon has appeared, and takes over from the built-in engine")
        #expect(await lookup.next() == [.restarted])
        let services = await program.bus.calls("AddService", count: 2)
        #expect(services[0].values == services[1].values)
        #expect(await program.bus.objects(4).count == 4)
        metrics = await backend.metrics
        #expect(metrics.backend == "avahi" && metrics.backendChanges == 2 && metrics.builtin.links == 0)
        let named = program.log.filter { $0.backend != nil }
        #expect(named.map(\.text) == ["discovery by avahi", "discovery by builtin", "discovery by avahi"])
        #expect(named.map(\.backend) == ["avahi", "builtin", "avahi"])
        await backend.close()
      }
    }
  }

  @Test func `without a daemon the engine is used until there is one`() async {
    await #expect(processExitsWith: .success) {
      try await Program.run { program in
        program.bus.beginWithoutDaemon()
        let backend = try await program.automatic()
        #expect(program.choicesSoFar == [.builtin])
        #expect(program.log.first?.text.hasPrefix("looking for avahi-daemon: avahi-daemon does not answer") == true)
        let lookup = program.lookUp(with: backend)
        await backend.drain()
        let metrics = await backend.metrics
        #expect(metrics.backend == "builtin" && metrics.backendChanges == 0 && metrics.builtin.links == 1)
        program.bus.setDaemon(true)
        #expect(await program.choices(2) == [.builtin, .avahi])
        #expect(await lookup.nextError()?.code == .unavailable)
        #expect(await lookup.next() == [.restarted])
        #expect(await program.bus.objects(1).map(\.call.values[2]) == [.text("x.local")])
        await backend.close()
      }
    }
  }

  @Test func `a daemon that starts again soon stays in use`() async {
    await #expect(processExitsWith: .success) {
      try await Program.run { program in
        let backend = try await program.automatic()
        let lookup = program.lookUp(with: backend)
        _ = await program.bus.objects(1)
        program.bus.setDaemon(false)
        #expect(await lookup.nextError()?.message.contains("avahi-daemon does not answer") == true)
        _ = await program.bus.calls("Ping", count: 2)
        program.bus.setDaemon(true)
        #expect(await lookup.next() == [.restarted])
        #expect(await program.bus.objects(2).count == 2)
        let metrics = await backend.metrics
        #expect(program.choicesSoFar == [.avahi] && metrics.backendChanges == 0 && metrics.avahi.connections == 2)
        await backend.close()
      }
    }
  }

  @Test func `a program that wants the daemon alone fails without it, and leaves the bus`() async {
    await #expect(processExitsWith: .success) {
      try await Program.run { program in
        program.bus.beginWithoutDaemon()
        let none = await #expect(throws: DiscoveryError.self) { _ = try await program.onlyDaemon() }
        #expect(none?.code == .unavailable)
        await program.bus.untilLeft()
        program.bus.setDaemon(true)
        let backend = try await program.onlyDaemon()
        let lookup = program.lookUp(with: backend)
        #expect(await program.bus.objects(1).map(\.call.values[2]) == [.text("x.local")])
        // Another backend never takes over.
        program.bus.setDaemon(false)
        #expect(await lookup.nextError()?.code == .unavailable)
        #expect(await backend.metrics.backend == "avahi")
        await backend.close()
      }
    }
  }

  @Test func `whoever is cancelled while the daemon is looked for gets no backend`() async {
    await #expect(processExitsWith: .success) {
      try await Program.run { program in
        let search = Task {
          await untilCancelled()
          return await #expect(throws: DiscoveryError.self) { _ = try await program.automatic() }?.code
        }
        search.cancel()
        #expect(await search.value == .cancelled && program.choicesSoFar.isEmpty)
        // What was begun has been ended in the order of the calls.
        let calls = try Bonjour.avahiLoop()
        await withCheckedContinuation { continuation in calls.execute { continuation.resume() } }
      }
    }
  }

  @Test func `where operations reach the network is known while the daemon is used`() async {
    await #expect(processExitsWith: .success) {
      try await Program.run { program in
        let backend = try await program.automatic()
        let isForeign = await backend.avahi?.network.isForeign == true
        let reaches = Scene.Heard<Reach>()
        backend.followReach(of: question.interfaces, as: reaches.id) { reaches.hear($0) }
        let first = await reaches.next().first
        #expect(first?.causes.map(\.code) == (isForeign ? [.daemonElsewhere] : []))
        #expect(first?.working.map(\.source.name) == (isForeign ? [] : ["lo"]))
        backend.end(reaches.id)
        await backend.drain()
        #expect(reaches.rest == [])
        await backend.close()
      }
    }
  }
}
#endif
