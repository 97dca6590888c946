import Bonjourish
import Foundation
import FramedSecurity
import FramedTransport
import MatchServer
import Rooms
import TestSupport
import Testing
import TwentyFour

/// What a dedicated host tells its administrator: over its socket, in its log, and in its first line.
@Suite(.timeLimit(.minutes(1))) struct AdministrationTests {
  private let folder: TemporaryFolder
  private var socket: String { folder.path + "/admin" }

  init() throws {
    folder = try TemporaryFolder()
  }

  private struct Opened: Decodable, Equatable {
    let event: String
    let name: String
    let port: UInt16
    let passcode: String?
    let key: String?
    let link: String?
    let web: String?
  }

  private func open(_ arguments: String...) async throws -> (host: RunningProgram, opened: Opened) {
    let host = try RunningProgram.host(
      [
        "--dedicated", "--unlisted", "--json", "--interface", "lo", "--port", "0", "--pause-seconds", "0", "--admin", socket,
        "--per-address", "0",
      ] + arguments)
    return (host, try JSONDecoder().decode(Opened.self, from: Data(try #require(await host.line()).utf8)))
  }

  private func tell(_ command: String, _ options: String...) async throws -> (lines: [String], error: String?, code: Int32?) {
    let program = try RunningProgram.host(["--admin", socket, "--admin-command", command] + options)
    let (lines, errors) = (await program.restOfOutput(), await program.restOfErrors())
    return (lines, errors.first, await program.exitCode())
  }

  @Test func `a host with a passcode and a page tells both to its administrator, and neither to its log`() async throws {
    let (host, opened) = try await open("--name", "Arena", "--passcode", "471123", "--web-port", "0", "--rooms", "7")
    #expect(opened.event == "open" && opened.name == "Arena" && opened.passcode == "471123")
    let link = try #require(opened.link.flatMap { RoomLink($0) })
    #expect(link.name == "Arena" && link.key.description == opened.key && link.invitation != nil)
    let web = try #require(opened.web)
    #expect(try await tell("web").lines.first?.split(separator: "#").first == web.split(separator: "#").first)
    #expect(try await tell("passcode").lines == ["the passcode is 471123"])
    #expect(try await tell("passcode", "--json").lines == [#"{"done":"the passcode is 471123"}"#])
    // Somebody guesses.
    let address = try #require(SocketAddress(numericHost: "127.0.0.1", port: opened.port))
    let security = ConnectionSecurity.passcode("471124", service: RoomHost.serviceType.description)
    await #expect(throws: TransportError.self) {
      try await Connection.connect(to: [address], format: RoomMessage.format, security: security)
    }
    #expect(try await tell("reopen").lines == ["passcodes are evaluated again"])
    host.signal(SIGTERM)
    let log = await host.restOfErrors()
    #expect(await host.exitCode() == 0)
    let page = try #require(web.split(separator: "#").first)
    let opening = try #require(log.first)
    #expect(opening.contains("\"Arena\" is open at 127.0.0.1:\(opened.port)") && opening.hasSuffix(" for 7 matches"))
    #expect(
      log.dropFirst().map { $0.replacing("twentyfour-host: ", with: "") } == [
        "the passcode is told by the administrator's command passcode",
        "phones join at \(page), with the code that the administrator's command web tells",
        "somebody at 127.0.0.1 gave a wrong passcode; 9 more may be wrong",
        "the passcode is told by the administrator's command passcode",
        "passcodes are evaluated again, on an administrator's command", "closed",
      ])
  }

  @Test func `a host without a passcode and a page says so`() async throws {
    let (host, opened) = try await open("--insecure")
    #expect(
      opened == Opened(event: "open", name: "TwentyFour", port: opened.port, passcode: nil, key: nil, link: nil, web: nil))
    for command in ["passcode", "reopen"] {
      let (lines, error, code) = try await tell(command)
      #expect(lines.isEmpty && code == 69 && error == "twentyfour-host: There is no passcode to ask for.")
    }
    let (_, error, code) = try await tell("web")
    #expect(code == 69 && error == "twentyfour-host: phones are not let in; start with --web for that")
    #expect(try await tell("close 1").error == "twentyfour-host: there is no match 1")
    #expect(try await tell("lock 1").error == "twentyfour-host: There is no match 1.")
    #expect(try await tell("dance").error?.contains("--admin-command must be list, stats") == true)
    #expect(try await tell("list", "--json").lines == [#"{"matches":[]}"#])
    host.signal(SIGTERM)
    #expect(await host.exitCode() == 0)
    #expect(try await tell("list").code == 69)
  }

  @Test func `with --verbose the log tells who came, went and came back`() async throws {
    let (host, opened) = try await open("--players", "2:2", "--rounds", "1", "--verbose")
    let (ada, bob) = (try await Guest("Ada", at: opened.port), try await Guest("Bob", at: opened.port))
    let seat = try #require(try await ada.untilWelcome())
    _ = try await bob.untilWelcome()
    try await ada.send(.act(round: 1, .answer("1")))
    _ = try await ada.first { if case .event(.refused) = $0 { true } else { nil } }
    let match = "match \(seat.room)"
    for line in ["\(match) is open", "\(match): Ada came", "\(match): Bob came"] {
      #expect(await host.errorLine(with: line) != nil)
    }
    ada.disconnect()
    #expect(await host.errorLine(with: "\(match): Ada is away") != nil)
    let again = try await Guest("Ada", at: opened.port, backTo: seat)
    _ = try await again.untilWelcome()
    #expect(await host.errorLine(with: "\(match): Ada is back") != nil)
    try await again.send(.leaving)
    #expect(await host.errorLine(with: "\(match): Ada left") != nil)
    try await bob.send(.leaving)
    #expect(await host.errorLine(with: "\(match) is over: ") != nil)
    host.signal(SIGTERM)
    #expect(await host.exitCode() == 0)
  }

  @Test func `an address opens two matches at a time unless it is said otherwise`() async throws {
    for (options, expected) in [([], 2), (["--matches-per-address", "1"], 1)] as [([String], Int)] {
      let host = try RunningProgram.host(
        ["--dedicated", "--unlisted", "--json", "--interface", "lo", "--port", "0", "--players", "2:8"] + options)
      let port = try await host.port()
      var guests: [Guest] = []
      for number in 0...2 {
        let guest = try await Guest("Player \(number)", at: port, players: number + 2...number + 2)
        guests.append(guest)
        if number < expected {
          #expect(try await guest.untilWelcome() != nil)
        } else {
          #expect(try await guest.ending() == .share)
        }
      }
      withExtendedLifetime(guests) {}
      host.signal(SIGTERM)
      #expect(await host.exitCode() == 0)
    }
  }
}
