import Bonjourish
import TestSupport
import Testing
import _BonjourishDiscovery

@testable import _BonjourishConsole
@testable import bonjourish_cli

/// What commands write of what discovery tells. Each test is a process of its own, whose standard output is read.
@Suite(.timeLimit(.minutes(1))) struct CommandRunTests {
  /// A command that runs on a network of the test's.
  private struct Run {
    let backend: FakeBackend
    let time = ManualTime()
    private let task: Task<Void, any Error>

    init(_ words: String...) async throws {
      guard case .command(let verb, let arguments) = try Commands.all.parse(words) else { throw CancellationError() }
      let invocation = try await Invocation(verb, arguments)
      backend = try FakeBackend()
      let bonjour = Bonjour(backend: backend, time: time.clock)
      task = Task { try await invocation.run(on: bonjour) }
    }

    /// Answers the questions that are asked.
    func answer(_ events: LookupEvent...) async {
      await backend.commands { $0.contains { if case .lookUp = $0 { true } else { false } } }
      for case .lookUp(let question) in backend.commands {
        for event in events { await backend.say(event, to: question) }
      }
    }

    func end() async throws { try await task.value }
  }

  private static let eth0 = Link(NetworkInterface(index: 2, name: "eth0"), .ipv4)
  private static let address = ResourceRecord(
    name: "x.local" as DomainName, type: .a, bytes: [10, 0, 0, 5], isUnique: true, on: eth0)

  private static func type(_ labels: String...) -> ResourceRecord {
    let bytes = (labels + ["local"]).flatMap { (label) -> [UInt8] in [UInt8(label.utf8.count)] + Array(label.utf8) } + [0]
    return ResourceRecord(name: "_services._dns-sd._udp.local" as DomainName, type: .ptr, bytes: bytes, on: eth0)
  }

  private static func lines(_ result: ExitTest.Result?) -> [String] {
    String(decoding: result?.standardOutputContent ?? [], as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test func `types are listed until all have answered that answer at once`() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      let run = try await Run("types", "--once")
      await run.answer(.added(CommandRunTests.type("_zz-test", "_tcp")), .settled)
      try await run.end()
    }
    #expect(Self.lines(result).contains("+ _zz-test._tcp eth0"))
  }

  @Test func `records are written as in a zone file, or as JSON`() async {
    let plain = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      let run = try await Run("query", "x.local", "A")
      await run.answer(.added(CommandRunTests.address), .settled)
      try await run.end()
    }
    #expect(Self.lines(plain).contains(Line.record(Self.address)))
    #expect(Line.record(Self.address).hasPrefix("x.local. - IN/unique A 10.0.0.5 (eth0 "))
    let json = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      let run = try await Run("query", "x.local", "A", "--json")
      await run.answer(.added(CommandRunTests.address), .settled)
      try await run.end()
    }
    #expect(Self.lines(json).contains { $0.contains(#""event":"found""#) && $0.contains("10.0.0.5") })
  }

  @Test func `records that nobody has are a failure`() async throws {
    let run = try await Run("query", "x.local", "A", "--timeout", "0.5")
    await run.time.sleepers(until: .milliseconds(500))
    await run.time.advance(to: .milliseconds(500))
    let failure = await #expect(throws: Failure.self) { try await run.end() }
    #expect(failure?.code == .unavailable)
    #expect(failure?.message == "looking up A records of x.local: no host has any, or none answered within 0.5 seconds")
  }

  @Test func `who has asked for a name that only DNS has is told so`() async throws {
    let refusal = DiscoveryError(.refused, "looking up: refused")
    let far = try await Run("query", "example.org", "A")
    await far.answer(.failed(refusal))
    let failure = await #expect(throws: Failure.self) { try await far.end() }
    #expect(failure?.message.contains("ask DNS, as with `getent hosts example.org`") == true)
    let near = try await Run("query", "x.LOCAL", "A")
    await near.answer(.failed(refusal))
    let error = await #expect(throws: DiscoveryError.self) { try await near.end() }
    #expect(error == refusal)
  }

  @Test(arguments: [
    (["query"], "NAME is missing"), (["query", "x.local", "--for", "1"], "--for needs --watch"),
    (["browse", "http", "--sort", "name", "--plain"], "--sort needs an end"),
  ])
  func `what does not belong together is refused with a reason`(words: [String], reason: String) async throws {
    guard case .command(let verb, let arguments) = try Commands.all.parse(words) else { throw CancellationError() }
    let error = await #expect(throws: UsageError.self) { _ = try await Invocation(verb, arguments) }
    #expect(error?.message.contains(reason) == true, "\(String(describing: error))")
  }

  @Test func `a name without a dot is one in local`() throws {
    #expect(try LookUp.name("printer") == "printer.local")
    #expect(try LookUp.name("printer.example.org") == "printer.example.org")
    #expect(throws: DiscoveryError.self) { try LookUp.name("a..b") }
  }
}
