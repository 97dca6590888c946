import Bonjourish
import FramedTransport
import PacketDuel
import TestSupport
import Testing
import _BonjourishConsole
import _BonjourishEventLoop

@testable import packet_duel

/// How a host is found, with a network that the test plays, and who plays.
@Suite(.timeLimit(.minutes(1))) struct FindingTests {
  private let backend: FakeBackend
  private let bonjour: Bonjour
  private let warnings = Observed<[String]>([])

  init() throws {
    backend = try FakeBackend()
    bonjour = Bonjour(backend: backend, time: ManualTime().clock)
  }

  private func invocation(_ command: Command, _ arguments: String...) throws -> DuelInvocation {
    let diagnostics = Diagnostics(level: .warning) { [warnings] _, text in warnings.change { $0.append(text) } }
    return try DuelInvocation(command.parseOrExit(["--name", "Ada"] + arguments), diagnostics)
  }

  private func warning() async -> String { await warnings.take { $0.isEmpty ? nil : $0.removeFirst() } ?? "" }

  @Test func `a host can be found until its opponent has joined, and learns when it cannot`() async throws {
    let listener = try await Listener.bind(interface: "lo", format: .duel)
    let hosting = Hosting(
      invocation: try invocation(DuelCommands.host, "--json", "--interface", "lo"), port: 0, isHidden: false)
    let duel = Duel(.host, as: "Ada") { _ in }
    async let advertised: Void = hosting.advertise(listener, until: duel, on: bonjour)
    await backend.commands { $0.count == 1 }
    let registration = Registration(
      "Ada", type: Duel.serviceType, domain: .local, port: listener.port, txt: TXTRecord(), interfaces: .only("lo"))
    #expect(backend.commands == [.publish(registration)])
    await backend.sayToPublishers(.established("Ada"))
    await backend.sayToPublishers(.renamed(from: "Ada", to: "Ada (2)"))
    #expect(await warning() == "others see you as \"Ada (2)\": another host uses your name")
    await backend.sayToPublishers(.interrupted(DiscoveryError(.timedOut, "no network")))
    #expect(await warning() == "opponents cannot find you: no network")
    await backend.sayToPublishers(.established("Ada (2)"))
    #expect(await warning() == "you can be found again")
    await duel.leave()
    try await advertised
    #expect(backend.commands.last == .endPublish(registration))
    await #expect(throws: TransportError.self) { try await Connection.connect(to: listener.addresses, format: .duel) }
    #expect(warnings.change { $0 }.isEmpty)
  }

  @Test func `a command line tells who plays, and where`() throws {
    let bot = try invocation(DuelCommands.join, "--bot", "--json", "--interface", "lo")
    #expect(bot.name == "Ada" && bot.isBot && bot.json && bot.interfaces == .only("lo") && bot.lines == nil)
    let person = try invocation(DuelCommands.join)
    #expect(!person.isBot && !person.json && person.interfaces == .all && person.lines != nil)
    for (given, port) in [([], 0), (["--port", "0"], 0), (["--port", "65535"], 65_535)] as [([String], Int)] {
      #expect(DuelCommands.host.parseOrExit(["--name", "Ada"] + given)[DuelCommands.port] == port)
    }
    #expect(throws: Failure.self) { try invocation(DuelCommands.join, "--interface", "nowhere0") }
  }
}
