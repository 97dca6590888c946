import Bonjourish
import TestSupport
import Testing
import _BonjourishDiscovery

@testable import _BonjourishConsole
@testable import bonjourish_cli

/// What commands write of what discovery tells. Each test is a process of its own, whose standard output is read.
@Suite(.timeLimit(.minutes(1))) struct CommandRunTests {
  /// A command that runs on a network of the test's.
  struct Run {
    let backend: FakeBackend
    let time = ManualTime()
    private let task: Task<Void, any Error>

    init(_ words: String...) async throws { try await self.init(words) }

    init(_ words: [String]) async throws {
      guard case .command(let verb, let arguments) = try Commands.all.parse(words) else { throw CancellationError() }
      let invocation = try await Invocation(verb, arguments)
      backend = try FakeBackend()
      let bonjour = Bonjour(backend: backend, time: time.clock)
      task = Task { try await invocation.run(on: bonjour) }
    }

    /// Answers the questions that are asked, once there are so many of them.
    func answer(_ events: LookupEvent..., to count: Int = 1) async {
      await backend.commands { $0.count { if case .lookUp = $0 { true } else { false } } >= count }
      for case .lookUp(let question) in backend.commands {
        for event in events { await backend.say(event, to: question) }
      }
    }

    /// What is published, once it is so much.
    func published(_ count: Int = 1) async -> [Registration] {
      @Sendable func registrations(_ commands: [FakeBackend.Command]) -> [Registration] {
        commands.compactMap { if case .publish(let registration) = $0 { registration } else { nil } }
      }
      await backend.commands { registrations($0).count >= count }
      return registrations(backend.commands)
    }

    /// Tells those who browse, once there are so many of them.
    func tell(_ events: BrowseEvent..., toBrowsers count: Int) async {
      await backend.commands { $0.count { if case .browse = $0 { true } else { false } } >= count }
      for event in events { await backend.sayToBrowsers(event) }
    }

    func end() async throws { try await task.value }

    /// Asks it to end, as a signal does, and waits for that.
    func stop() async throws {
      task.cancel()
      try await task.value
    }

    /// Waits for its end, whose error has the code of ``ExitCode/negative`` and says nothing more.
    func endsInVain() async {
      let failure = await #expect(throws: Failure.self) { try await end() }
      #expect(failure == Failure(.negative, ""))
    }
  }

  static let eth0 = Link(NetworkInterface(index: 2, name: "eth0"), .ipv4)
  static let address = ResourceRecord(
    name: "x.local" as DomainName, type: .a, bytes: [10, 0, 0, 5], isUnique: true, on: eth0)

  static func type(_ labels: String...) -> ResourceRecord {
    let bytes = (labels + ["local"]).flatMap { (label) -> [UInt8] in [UInt8(label.utf8.count)] + Array(label.utf8) } + [0]
    return ResourceRecord(name: "_services._dns-sd._udp.local" as DomainName, type: .ptr, bytes: bytes, on: eth0)
  }

  private static func lines(_ result: ExitTest.Result?) -> [String] {
    String(decoding: result?.standardOutputContent ?? [], as: UTF8.self).split(separator: "\n").map(String.init)
  }

  static func service(_ name: InstanceName) -> BrowseEvent {
    .appeared(ServiceInstance(name, type: "_http._tcp"), eth0)
  }

  @Test func `types are listed with the number of their services when all have been counted`() async {
    for (option, expected) in [
      ("--plain", #"+ _http._tcp eth0 2 "Web server""#),
      (
        "--json",
        #"{"domain":"local","event":"found","instances":2,"interfaces":["eth0"],"schema":1,"title":"Web server","type":"_http._tcp"}"#
      ),
    ] {
      let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
        [option = option as String] in
        let run = try await Run("types", "--once", option)
        await run.answer(.added(CommandRunTests.type("_http", "_tcp")), .settled)
        await run.tell(CommandRunTests.service("Ada"), CommandRunTests.service("Bob"), .settled, toBrowsers: 1)
        try await run.end()
      }
      #expect(Self.lines(result).contains(expected), "\(Self.lines(result))")
    }
  }

  @Test func `domains are listed with what they are recommended for`() async {
    for (option, expected) in [
      ("--plain", "+ office.example b,dr eth0"),
      // The first time, if both have come by then.
      ("--json", #","interfaces":["eth0"],"purposes":["b","dr"],"schema":1}"#),
    ] {
      let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
        [option = option as String] in
        let run = try await Run("domains", "--once", option)
        await run.backend.commands { $0.count == 5 }
        for case .lookUp(let question) in run.backend.commands {
          if case .domain(let name) = question.name, ["b", "dr"].contains(name.text.prefix { $0 != "." }) {
            await run.backend.say(
              .added(ResourceRecord(.pointer("office.example"), name: name, on: CommandRunTests.eth0)), to: question)
          }
        }
        await run.answer(.settled)
        try await run.end()
      }
      #expect(Self.lines(result).contains { $0.contains(expected) }, "\(Self.lines(result))")
    }
  }

  @Test(arguments: [["types"], ["domains"], ["query", "x.local", "A"]], [[], ["--json"]])
  func `nothing found once is a no of grep, which has been told`(words: [String], json: [String]) async throws {
    let run = try await Run(words + ["--once"] + json)
    if words == ["domains"] { await run.backend.commands { $0.count == 5 } }
    await run.answer(.settled)
    await run.endsInVain()
  }

  @Test func `services are shown in the columns that are asked for`() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      let run = try await Run("browse", "http", "--once", "--columns", "interface,name,type")
      await run.tell(CommandRunTests.service("Ada's pages"), .settled, toBrowsers: 1)
      try await run.end()
    }
    #expect(Self.lines(result).contains(#"+ eth0 "Ada's pages" _http._tcp"#))
  }

  @Test func `where the network is reached is told with the details`() async {
    await #expect(processExitsWith: .success) {
      let output = WrittenLines()
      let reach = Reach([Reach.Item(CommandRunTests.eth0, .works)])
      for words in [["browse", "http"], ["publish", "Ada", "http", "80"]] {
        let run = try await Run(words + ["--json", "--verbose"])
        if words[0] == "publish" {
          _ = await run.published()
          await run.backend.sayToPublishers(.established("Ada"))
        }
        await run.backend.follows { !$0.isEmpty }
        await run.backend.sayReach(reach)
        #expect(
          try await output.next { $0.contains("reach") }
            == #"{"causes":[],"event":"reach","links":[{"family":"ipv4","interface":"eth0","state":"works"}],"schema":1}"#)
        try await run.stop()
      }
    }
  }

  @Test func `the names of services that a shell can take are collected for it`() async throws {
    let (backend, time) = (try FakeBackend(), ManualTime())
    let names = NameCompletion.Names(limit: 2)
    let task = Task {
      await NameCompletion.collect(names, on: Bonjour(backend: backend, time: time.clock), for: .seconds(3_600))
    }
    await backend.commands { $0.count == 1 }
    for case .lookUp(let question) in backend.commands {
      await backend.say(.added(CommandRunTests.type("_http", "_tcp")), to: question)
    }
    await backend.commands { $0.contains { if case .browse = $0 { true } else { false } } }
    for name in ["-h", "Ada's", "$(touch x)"] as [InstanceName] {
      await backend.sayToBrowsers(Self.service(name))
    }
    await task.value
    #expect(names.all == ["Ada's", "$(touch x)"])
  }

  @Test(arguments: [
    ("Ada's pages", true), ("日本 \\ \"x\" `id` $(id) !1 *", true), ("-x", false), ("a\tb", false), ("a\u{1B}[2J", false),
    ("a\u{200B}", false), ("B\u{FC}ro", true), ("Bu\u{308}ro", false),
  ])
  func `a name is completed if it shows what it is, is no option and is read as the same`(name: String, isFit: Bool) throws {
    #expect(NameCompletion.canBeCompleted(try #require(InstanceName(received: name))) == isFit)
  }

  @Test func `records are listed once all have answered that answer at once`() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      let run = try await Run("query", "x.local", "A", "--once")
      // The owner of the name has answered, and others may still do.
      await run.answer(.added(CommandRunTests.address))
      await run.answer(.settled)
      try await run.end()
    }
    #expect(Self.lines(result).contains(Line.record(Self.address)))
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
    #expect(failure?.code == .negative)
    #expect(failure?.message == "looking up A records of x.local: no host has any, or none answered within 0.5 seconds")
  }

  @Test func `who has asked for a name that only DNS has is told so`() async throws {
    let refusal = DiscoveryError(.refused, "looking up: refused")
    let far = try await Run("query", "example.org", "A")
    await far.answer(.failed(refusal))
    let failure = await #expect(throws: Failure.self) { try await far.end() }
    #expect(failure?.message.contains("ask DNS, as with `getent hosts example.org`") == true)
    #expect(failure?.code == .unavailable)
    let near = try await Run("query", "x.LOCAL", "A")
    await near.answer(.failed(refusal))
    let error = await #expect(throws: DiscoveryError.self) { try await near.end() }
    #expect(error == refusal)
  }

  @Test(arguments: [
    (["query"], "NAME is missing"), (["query", "x.local", "--for", "1"], "--for needs --watch"),
    (["browse", "http", "--sort", "name", "--plain"], "--sort needs an end"),
    (
      ["browse", "http", "--columns", "nmae,host"],
      "--columns has no column 'nmae'; the columns are name, type"
    ),
    (["browse", "http", "--columns", "name,,host"], "--columns has no column ''"),
    (["browse", "http", "--columns", "name,name"], "--columns has 'name' more than once"),
    (["browse", "http", "--columns", "txt,name"], "--columns must have txt last"),
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
