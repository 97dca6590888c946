import Bonjourish
import CBonjourishLinux
import Foundation
import TestSupport
import Testing
import _BonjourishDiscovery

@testable import _BonjourishConsole
@testable import bonjourish_cli

/// What commands write while services come and go, line by line. Each test is a process of its own, whose output is read.
@Suite(.timeLimit(.minutes(1))) struct LiveRunTests {
  private typealias Run = CommandRunTests.Run

  private static let (ada, eth0) = (ServiceInstance("Ada", type: "_http._tcp"), CommandRunTests.eth0)
  private static let gone = DiscoveryError(.unavailable, "gone")

  /// Answers all that is asked to resolve a service.
  private static func resolve(_ run: Run) async {
    await run.backend.commands { $0.contains(.lookUp(RecordQuestion(.instance(ada), .txt))) }
    await run.backend.say(
      .added(ResourceRecord(.server(host: "h1.local", port: 8080, priority: 0, weight: 0), on: eth0)), .settled,
      to: RecordQuestion(.instance(ada), .srv))
    await run.backend.say(
      .added(ResourceRecord(.text(["path": "/"]), on: eth0)), .settled, to: RecordQuestion(.instance(ada), .txt))
    let addresses = [IPAddress("10.77.0.1"), IPAddress("2001:db8::1")].compactMap(\.self)
    for (address, type) in zip(addresses, [RecordType.a, .aaaa]) {
      await run.backend.say(
        .added(ResourceRecord(.address(address), on: eth0)), .settled, to: RecordQuestion(.domain("h1.local"), type))
    }
  }

  @Test func `a service is resolved to its host, port, addresses and text`() async {
    await #expect(processExitsWith: .success) {
      let output = WrittenLines()
      var run = try await Run("resolve", "Ada", "http")
      await LiveRunTests.resolve(run)
      try await run.end()
      #expect(try await output.next() == #"h1.local:8080 10.77.0.1,2001:db8::1 path="/""#)
      run = try await Run("resolve", "Ada", "http", "--json")
      await LiveRunTests.resolve(run)
      try await run.end()
      #expect(
        try await output.next()
          == #"{"addresses":["10.77.0.1","2001:db8::1"],"domain":"local","event":"resolved","host":"h1.local","name":"Ada","#
          + #""port":8080,"schema":1,"txt":{"path":"/"},"type":"_http._tcp"}"#)
    }
  }

  @Test func `a host's addresses, and an address's host, are written one a line`() async {
    await #expect(processExitsWith: .success) {
      let output = WrittenLines()
      for (option, expected) in [
        ("--timeout=5", "10.0.0.5"),
        ("--json", #"{"address":"10.0.0.5","event":"resolved","host":"printer.local","schema":1}"#),
      ] {
        let run = try await Run("lookup", "printer", option)
        await run.answer(.added(ResourceRecord(.address(.ipv4(0x0A00_0005)), on: LiveRunTests.eth0)), .settled, to: 2)
        try await run.end()
        #expect(try await output.next() == expected)
      }
      for (option, expected) in [
        ("--timeout=5", "x.local"), ("--json", #"{"address":"10.0.0.5","event":"resolved","host":"x.local","schema":1}"#),
      ] {
        let run = try await Run("lookup", "10.0.0.5", option)
        await run.answer(.added(ResourceRecord(.pointer("x.local"), on: LiveRunTests.eth0)), .settled)
        try await run.end()
        #expect(try await output.next() == expected)
      }
    }
  }

  @Test func `a service is published until the end, and what happens to it is written`() async {
    await #expect(processExitsWith: .success) {
      let output = WrittenLines()
      let run = try await Run("publish", "Ada", "http", "8080", "path=/", "--subtype", "_x", "--no-rename", "--json")
      let registration = await run.published().first
      #expect(registration?.name == "Ada" && registration?.conflictPolicy == .fail)
      #expect(registration?.service?.port == 8080 && registration?.service?.txt == ["path": "/"])
      #expect(registration?.service?.type == "_http._tcp" && registration?.service?.subtypes == ["_x"])
      await run.backend.sayToPublishers(.established("Ada"))
      func line(_ event: String) -> String {
        #"{"event":"\#(event)","name":"Ada","port":8080,"schema":1,"type":"_http._tcp"}"#
      }
      #expect(try await output.next() == line("published"))
      await run.backend.sayToPublishers(.interrupted(LiveRunTests.gone))
      #expect(try await output.next() == #"{"event":"interrupted","reason":"gone","schema":1}"#)
      await run.backend.sayToPublishers(.established("Ada"))
      #expect(try await output.next() == #"{"event":"restored","schema":1}"#)
      try await run.stop()
      #expect(try await output.next() == line("withdrawn"))
    }
  }

  @Test func `what a file lists is published, each under its name`() async throws {
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      let path = folder.path + "/services.json"
      let json = #"""
        {"services": [{"name": "Ada", "type": "http", "port": 80}, {"name": "Label", "type": "ipp", "port": 631}],
         "hosts": [{"name": "wiki.local", "addresses": ["10.0.0.1"]}],
         "records": [{"name": "docs.local", "alias": "wiki.local"}]}
        """#
      try Data(json.utf8).write(to: URL(filePath: path))
      let output = WrittenLines()
      let run = try await Run("publish", "--file", path)
      #expect(await Set(run.published(4).map(\.name)) == ["Ada", "Label", "wiki", "docs"])
      for name in ["Ada", "Label"] as [InstanceName] { await run.backend.say(.established(name), toPublishersOf: name) }
      #expect(
        try await Set(output.next(2)) == [
          #"published "Ada" as _http._tcp, port 80"#, #"published "Label" as _ipp._tcp, port 631"#,
        ])
      await run.backend.say(.established("wiki"), toPublishersOf: "wiki")
      #expect(try await output.next() == "published the host wiki.local: 10.0.0.1")
      await run.backend.say(.established("docs"), toPublishersOf: "docs")
      #expect(try await output.next() == "published 1 record")
      try await run.stop()
      let last = try await output.next(4)
      #expect(
        Set(last) == [#"withdrew "Ada""#, #"withdrew "Label""#, "withdrew the host wiki.local", "withdrew 1 record"])
    }
  }

  @Test func `what is not published in time is a failure that says so`() async throws {
    let run = try await Run("publish", "Ada", "http", "8080", "--for", "1")
    _ = await run.published()
    let failure = await #expect(throws: Failure.self) { try await run.stop() }
    #expect(failure?.code == .unavailable)
    #expect(
      failure?.message.hasPrefix("nothing was published before the time of --for was over; ") == true,
      "\(failure?.message ?? "")")
  }

  @Test func `types are followed, with the numbers of their services`() async {
    await #expect(processExitsWith: .success) {
      let output = WrittenLines()
      let run = try await Run("types")
      let type = CommandRunTests.type("_http", "_tcp")
      await run.answer(.added(type), .settled)
      await run.tell(CommandRunTests.service("Ada"), .settled, toBrowsers: 1)
      #expect(try await output.next() == #"+ _http._tcp eth0 1 "Web server""#)
      await run.tell(CommandRunTests.service("Bob"), toBrowsers: 1)
      #expect(try await output.next() == #"~ _http._tcp eth0 2 "Web server""#)
      await run.answer(.removed(type))
      #expect(try await output.next() == #"- _http._tcp eth0 2 "Web server""#)
      try await run.stop()
    }
  }

  @Test func `types that are followed are lines of JSON, and so is what is wrong`() async {
    await #expect(processExitsWith: .success) {
      let output = WrittenLines()
      let run = try await Run("types", "--json")
      await run.answer(.added(CommandRunTests.type("_x", "_udp")), .settled)
      await run.tell(.settled, toBrowsers: 1)
      #expect(
        try await output.next(2) == [
          #"{"domain":"local","event":"found","instances":0,"interfaces":["eth0"],"schema":1,"type":"_x._udp"}"#,
          #"{"event":"settled","schema":1}"#,
        ])
      await run.tell(.interrupted(LiveRunTests.gone), toBrowsers: 1)
      #expect(try await output.next() == #"{"event":"interrupted","reason":"gone","schema":1}"#)
      await run.tell(.restored, toBrowsers: 1)
      #expect(try await output.next() == #"{"event":"restored","schema":1}"#)
      try await run.stop()
    }
  }

  @Test func `records that are watched come and go`() async {
    await #expect(processExitsWith: .success) {
      let output = WrittenLines()
      var run = try await Run("query", "x.local", "A", "--watch")
      await run.answer(.added(CommandRunTests.address))
      #expect(try await output.next() == "+ \(Line.record(CommandRunTests.address))")
      await run.answer(.removed(CommandRunTests.address))
      #expect(try await output.next() == "- \(Line.record(CommandRunTests.address))")
      try await run.stop()
      run = try await Run("query", "x.local", "A", "--watch", "--json")
      await run.answer(.added(CommandRunTests.address))
      #expect(try await output.next().contains(#""event":"found""#))
      await run.answer(.settled)
      #expect(try await output.next() == #"{"event":"settled","schema":1}"#)
      await run.answer(.interrupted(LiveRunTests.gone))
      #expect(try await output.next() == #"{"event":"interrupted","reason":"gone","schema":1}"#)
      await run.answer(.restarted)
      #expect(try await output.next() == #"{"event":"restored","schema":1}"#)
      try await run.stop()
    }
  }

  @Test func `services of all types are listed once their types are known`() async {
    await #expect(processExitsWith: .success) {
      let output = WrittenLines()
      let run = try await Run("browse", "--all", "--once", "--sort", "type")
      await run.answer(.added(CommandRunTests.type("_http", "_tcp")), .settled)
      await run.tell(CommandRunTests.service("Bob"), CommandRunTests.service("Ada"), .settled, toBrowsers: 1)
      try await run.end()
      #expect(try await output.next(2) == [#"+ "Ada" _http._tcp eth0"#, #"+ "Bob" _http._tcp eth0"#])
    }
  }

  @Test func `the numbers are written at the end, on SIGUSR1, and after an error`() async {
    await #expect(processExitsWith: .success) {
      let (output, errors) = (WrittenLines(), WrittenLines(to: STDERR_FILENO))
      let bonjour = Bonjour(backend: try FakeBackend(), time: ManualTime().clock)
      try await Statistics.showing(of: bonjour, json: true) {
        kill(getpid(), SIGUSR1)
        let line = try await output.next()
        #expect(line.contains(#""event":"stats""#))
      }
      let last = try await output.next()
      #expect(last.contains(#""event":"stats""#))
      await #expect(throws: LiveRunTests.gone) {
        try await Statistics.showing(of: bonjour, json: false) { throw LiveRunTests.gone }
      }
      let lines = try await errors.next(2)
      #expect(lines == ["bonjourish: backend: nothing", "bonjourish: operations: nothing"])
    }
  }

  @Test func `that only this machine is reached is a line of JSON`() async {
    await #expect(processExitsWith: .success) {
      let output = WrittenLines()
      Limit.show(LiveRunTests.gone, json: true)
      Limit.show(nil, json: true)
      let lines = try await output.next(2)
      #expect(lines == [#"{"event":"limited","reason":"gone","schema":1}"#, #"{"event":"unlimited","schema":1}"#])
    }
  }

  @Test(arguments: [
    (DiscoveryError.Code.timedOut, Verb.resolve, ExitCode.negative), (.timedOut, .lookup, .negative),
    (.timedOut, .query, .unavailable), (.invalidServiceType, .browse, .usage), (.invalidInstanceName, .resolve, .usage),
    (.invalidTXTRecord, .publish, .usage), (.invalidPort, .publish, .usage), (.invalidDomain, .browse, .usage),
    (.noSuchInterface, .browse, .usage), (.invalidBackend, .browse, .usage), (.invalidDirectory, .browse, .usage),
    (.invalidRecordType, .query, .usage), (.cancelled, .browse, .done), (.notPermitted, .browse, .notPermitted),
    (.unavailable, .browse, .unavailable), (.refused, .lookup, .unavailable),
  ])
  func `each error has its exit code`(code: DiscoveryError.Code, verb: Verb, exit: ExitCode) {
    #expect(DiscoveryError(code, "").exitCode(of: verb) == exit)
  }

  @Test func `that nothing was found counts only where others can be found`() {
    let none = Failure(.negative, "none")
    #expect(none.orUnavailable(if: true) == Failure(.unavailable, "none") && none.orUnavailable(if: false) == none)
    let wrong = Failure(.usage, "wrong")
    #expect(wrong.orUnavailable(if: true) == wrong)
  }

  @Test func `hints need the engine`() {
    #expect(throws: UsageError.self) { try Bonjour.Configuration(backend: .avahi).requireHints() }
    #expect(throws: Never.self) { try Bonjour.Configuration(backend: .builtin).requireHints() }
  }

  @Test func `a body ends at its limit, and its own error counts`() async throws {
    // The limit ends it, and that it was cancelled is no error.
    try await forAtMost(.milliseconds(1)) {
      await untilCancelled()
      throw DiscoveryError(.cancelled, "cancelled")
    }
    await #expect(throws: LiveRunTests.gone) { try await forAtMost(.seconds(3_600)) { throw LiveRunTests.gone } }
    await #expect(throws: LiveRunTests.gone) {
      try await forAtMost(.milliseconds(1)) {
        await untilCancelled()
        throw LiveRunTests.gone
      }
    }
    await #expect(throws: CancellationError.self) { try await forAtMost(nil) { throw CancellationError() } }
  }

  @Test func `the time of day is that of the place`() async {
    await #expect(processExitsWith: .success) {
      setenv("TZ", "UTC-2", 1)
      // The time zone may have been read before.
      tzset()
      let time = WallTime(milliseconds: 1_795_354_801_007)
      #expect(time.timeOfDay == "15:40:01.007" && time.secondOfDay == 15 * 3_600 + 40 * 60 + 1)
    }
    let former = WallTime.now(before: .seconds(10)).milliseconds
    #expect(10_000..<600_000 ~= WallTime.now(before: .zero).milliseconds - former)
  }

  @Test func `the addresses of this machine are those of its interfaces`() throws {
    let all = LocalAddresses.all()
    #expect(all.contains(.ipv4(0x7F00_0001)))
    #expect(all.allSatisfy { ($0.zone != nil) == ($0.family == .ipv6 && $0.isLinkLocal) })
  }
}
