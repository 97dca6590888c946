import Bonjourish
import CBonjourishLinux
import TestSupport
import Testing
import _BonjourishDiscovery

@testable import _BonjourishConsole
@testable import bonjourish_cli

/// What commands ask the network for, and how long they wait for it.
@Suite(.timeLimit(.minutes(1))) struct AskingTests {
  private typealias Run = CommandRunTests.Run

  private static let eth0 = CommandRunTests.eth0

  /// What is asked for or published in words, and on which interfaces.
  private static func asked(_ command: FakeBackend.Command) -> (words: String, interfaces: InterfaceSelection)? {
    switch command {
    case .browse(let query):
      ("\(query.typeName) in \(query.domain)\(query.wantsEndpoints ? ", with endpoints" : "")", query.interfaces)
    case .lookUp(let question): ("\(question.type) of \(question.name)", question.interfaces)
    case .publish(let registration): ("\(registration.name) in \(registration.domain)", registration.interfaces)
    default: nil
    }
  }

  @Test(arguments: [
    (["browse", "http"], "_http._tcp in local"), (["browse", "http", "--domain", "d.example"], "_http._tcp in d.example"),
    (["browse", "http", "--resolve"], "_http._tcp in local, with endpoints"),
    (["browse", "http", "--filter", "path=/"], "_http._tcp in local, with endpoints"),
    (["browse", "http", "--columns", "name,port"], "_http._tcp in local, with endpoints"),
    (["browse", "http", "--count", "1", "--sort", "host"], "_http._tcp in local, with endpoints"),
    (["browse", "_printer._sub._http._tcp"], "_printer._sub._http._tcp in local"),
    (["browse", "--all", "--domain", "d.example"], "PTR of _services._dns-sd._udp.d.example"),
    (["types"], "PTR of _services._dns-sd._udp.local"),
    (["types", "--domain", "d.example"], "PTR of _services._dns-sd._udp.d.example"),
    (["domains"], "PTR of b._dns-sd._udp.local"), (["domains", "--domain", "d.example"], "PTR of dr._dns-sd._udp.d.example"),
    (["resolve", "Ada", "http"], "SRV of Ada._http._tcp.local"),
    (["resolve", "Ada", "http", "--domain", "d.example"], "TXT of Ada._http._tcp.d.example"),
    (["lookup", "printer"], "AAAA of printer.local"), (["lookup", "10.0.0.5"], "PTR of 5.0.0.10.in-addr.arpa"),
    (["query", "x.local"], "ANY of x.local"), (["query", "x.local", "srv"], "SRV of x.local"),
    (["query", "x.local", "SRV", "--watch"], "SRV of x.local"), (["query", "x.local", "TYPE65", "--once"], "HTTPS of x.local"),
    (["publish", "Ada", "http", "80", "--domain", "d.example"], "Ada in d.example"),
    (["publish", "--host", "x", "--address", "10.0.0.1"], "x in local"),
  ])
  func `what is asked for, and on which interfaces, is what the command line says`(words: [String], asked: String) async throws
  {
    let run = try await Run(words + ["--interface", "eth*", "--interface", "!eth9", "--family", "6"] + Self.lines(words))
    await run.backend.commands { $0.contains { Self.asked($0)?.words == asked } }
    let interfaces = Set(run.backend.commands.compactMap { Self.asked($0)?.interfaces })
    #expect(interfaces == [InterfaceSelection(included: ["eth*"], excluded: ["eth9"], families: [.ipv6])])
    _ = try? await run.stop()
  }

  /// What keeps the explorer away where the tests run on a terminal.
  private static func lines(_ words: [String]) -> [String] { words[0] == "browse" ? ["--plain"] : [] }

  @Test(arguments: [["resolve", "Ada", "http"], ["lookup", "printer"], ["lookup", "10.0.0.5"], ["query", "x.local"]])
  func `an answer is waited for as long as was asked, or for five seconds`(words: [String]) async throws {
    for (options, time) in [([], Duration.seconds(5)), (["--timeout", "0.75"], .milliseconds(750))] {
      let run = try await Run(words + options)
      await run.time.advance(to: time)
      let error = await #expect(throws: (any Error).self) { try await run.end() }
      #expect(
        (error as? DiscoveryError)?.code == .timedOut || (error as? Failure)?.code == .negative, "\(String(describing: error))")
    }
  }

  @Test func `addresses of the other family are waited for, at most for half of the time`() async {
    await #expect(processExitsWith: .success) {
      let output = WrittenLines()
      let ada = ServiceInstance("Ada", type: "_http._tcp")
      for (timeout, time) in [("5", Duration.milliseconds(1_600)), ("0.5", .milliseconds(250))] {
        let run = try await Run("resolve", "Ada", "http", "--timeout", timeout)
        await run.backend.commands { $0.contains(.lookUp(RecordQuestion(.instance(ada), .txt))) }
        await run.backend.say(
          .added(ResourceRecord(.server(host: "h1.local", port: 8080, priority: 0, weight: 0), on: AskingTests.eth0)), .settled,
          to: RecordQuestion(.instance(ada), .srv))
        await run.backend.say(
          .added(ResourceRecord(.text(["path": "/"]), on: AskingTests.eth0)), .settled,
          to: RecordQuestion(.instance(ada), .txt))
        await run.backend.say(
          .added(ResourceRecord(.address(.ipv4(0x0A4D_0001)), on: AskingTests.eth0)), .settled,
          to: RecordQuestion(.domain("h1.local"), .a))
        await run.time.advance(to: time)
        try await run.end()
        #expect(try await output.next() == #"h1.local:8080 10.77.0.1 path="/""#)
      }
    }
  }

  @Test func `that nothing was found is a sentence, unless a program reads`() async {
    await #expect(processExitsWith: .success) {
      let errors = WrittenLines(to: STDERR_FILENO)
      for (words, sentence) in [
        (["browse", "http"], "No _http._tcp services found."),
        (["browse", "http", "ipp", "_x._sub._ssh._tcp"], "No _http._tcp, _ipp._tcp or _x._sub._ssh._tcp services found."),
        (["browse", "http", "ipp", "--filter", "path=/"], "No matching _http._tcp or _ipp._tcp services found."),
        (["browse", "--all"], "No services found."), (["types"], "No services found."),
        (["domains"], "No domains found: the network recommends none, and local is the only one."),
        (["query", "x.local"], "No records of x.local found."),
        (["query", "x.local", "SRV"], "No SRV records of x.local found."),
      ] {
        for json in [["--json"], []] {
          let run = try await Run(words + ["--once", "--interface", "a*", "--interface", "b*"] + json)
          if words[0] == "browse", words[1] != "--all" {
            await run.tell(.settled, toBrowsers: words.prefix { !$0.hasPrefix("--") }.count - 1)
          } else {
            await run.answer(.settled, to: words == ["domains"] ? 5 : 1)
          }
          await run.endsInVain()
        }
        // The one of the second run: the first one has written none.
        #expect(try await errors.next() == sentence)
      }
    }
  }
}
