import Foundation
import MatchServer
import Rooms
import TestSupport
import Testing
import TwentyFour

/// A dedicated host as a program: its sockets, its signals, its administration, its results.
@Suite(.timeLimit(.minutes(1))) struct DedicatedTests {
  private let folder: TemporaryFolder
  private var socket: String { folder.path + "/admin" }

  init() throws {
    folder = try TemporaryFolder()
  }

  /// Starts a server that only this machine knows of, for players who all have one address.
  private func open(
    _ arguments: [String] = [], perAddress: Int? = 0, environment: [String: String] = [:]
  ) throws -> RunningProgram {
    try RunningProgram.host(
      [
        "--dedicated", "--unlisted", "--json", "--interface", "lo", "--port", "0", "--pause-seconds", "0", "--admin", socket,
      ] + (perAddress.map { ["--per-address", "\($0)"] } ?? []) + arguments, environment: environment)
  }

  private func tell(_ command: String, _ options: [String] = []) async throws -> (lines: [String], code: Int32?) {
    try await RunningProgram.hostToEnd(["--admin", socket, "--admin-command", command] + options)
  }

  @Test func `a room for one is refused, and the modes say what their files are for`() async throws {
    let (_, code) = try await RunningProgram.hostToEnd(["--name", "Ada", "--max", "1", "--interface", "lo", "--json"])
    #expect(code == 64)
    let help = try await RunningProgram.hostToEnd(["--leaderboard", "--help"]).lines.joined(separator: "\n")
    #expect(help.contains("read the results of this file") && !help.contains("save the results"))
    let server = try await RunningProgram.hostToEnd(["--dedicated", "--help"]).lines.joined(separator: " ")
    #expect(server.split(separator: " ").joined(separator: " ").contains("made if it is missing"))
  }

  @Test func `SIGTERM closes the server in order, and everyone is told`() async throws {
    let host = try open()
    let port = try await host.port()
    let ada = try await Guest("Ada", at: port)
    #expect(try await ada.untilWelcome()?.player?.name.text == "Ada")
    host.signal(SIGTERM)
    #expect(try await ada.ending() == .hostLeft)
    #expect(await host.exitCode() == 0)
    #expect(!FileManager.default.fileExists(atPath: socket))
  }

  @Test func `SIGUSR1 writes statistics, SIGUSR2 drains the server and then closes it`() async throws {
    let host = try open(["--players", "2:2", "--rounds", "1"])
    let port = try await host.port()
    let (ada, bob) = (try await Guest("Ada", at: port), try await Guest("Bob", at: port))
    let seat = try #require(try await ada.untilWelcome())
    _ = try await bob.untilWelcome()
    host.signal(SIGUSR1)
    let line = try #require(await host.errorLine(with: "statistics: "))
    let json = try #require(line.split(separator: "statistics: ").last)
    let statistics = try JSONDecoder().decode(ServerStatistics.self, from: Data(json.utf8))
    #expect(statistics.counts.players == 2)
    try await bob.solve()
    host.signal(SIGUSR2)
    #expect(await host.errorLine(with: "draining") != nil)
    #expect(try await Guest("Cy", at: port).ending() == .closing)
    // A player who has lost the connection comes back all the same.
    try await ada.send(.act(round: 1, .answer("1")))
    _ = try await ada.first { if case .event(.refused) = $0 { true } else { nil } }
    ada.disconnect()
    let again = try await Guest("Ada", at: port, backTo: seat)
    try await again.solve()
    #expect(try await again.ending() == .finished)
    #expect(await host.exitCode() == 0)
  }

  @Test func `a full server refuses new players without effect on others`() async throws {
    let host = try open(["--players", "2:2", "--rooms", "1", "--rounds", "1"])
    let port = try await host.port()
    let (ada, bob) = (try await Guest("Ada", at: port), try await Guest("Bob", at: port))
    _ = try await (ada.untilWelcome(), bob.untilWelcome())
    for number in 0..<20 { #expect(try await Guest("Late \(number)", at: port).ending() == .full) }
    try await ada.solve()
    try await bob.solve()
    let result = try #require(try await ada.untilRoundEnds())
    #expect(result.standings.count == 2)
    #expect(result.standings.allSatisfy { $0.points > 10 })
    host.signal(SIGTERM)
    #expect(await host.exitCode() == 0)
  }

  @Test func `a server is administered over its socket`() async throws {
    let host = try open(["--players", "2:4"])
    let port = try await host.port()
    let attributes = try FileManager.default.attributesOfItem(atPath: socket)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    #expect(try await tell("list").lines == ["there are no matches"])

    let (ada, bob) = (try await Guest("Ada", at: port), try await Guest("Bob \u{1F3B2}", at: port))
    let other = try await Guest("Ada", at: port, players: 3...3)
    _ = try await (ada.untilWelcome(), bob.untilWelcome(), other.untilWelcome())
    let list = try await tell("list")
    #expect(list.lines.first?.hasPrefix("match 1: ") == true)
    #expect(list.lines.contains("match 2: waiting, round 0, 1 of 3 to 3 players"))
    let json = try #require(try await tell("list", ["--json"]).lines.first)
    #expect(json.contains(#""name":"Bob 🎲","number":2"#))
    #expect(list.lines.contains("  2 Bob 🎲 from 127.0.0.1"))

    for command in ["kick Ada", "kick 1 Ada", "kick 1", "approve 1"] { #expect(try await tell(command).code == 64) }
    for command in ["kick 1 9", "kick 9 1", "unban 1 1", "lock 9"] { #expect(try await tell(command).code == 69) }
    #expect(try await tell("lock 1").code == 0)
    #expect(try await tell("list").lines.contains { $0.hasSuffix(", locked") })
    #expect(try await tell("kick 1 1").lines == ["match 1: kick 1"])
    #expect(try await ada.ending() == .kicked)
    #expect(try await tell("ban 1 2").code == 0)
    #expect(try await bob.ending() == .banned)
    let banned = try await Guest("Somebody else", at: port).ending()
    #expect(banned == .banned)
    #expect(try await tell("unban 1 2").code == 0)
    #expect(try await Guest("Bob", at: port, players: 3...3).untilWelcome() != nil)
    #expect(try await tell("close 7").code == 69)
    #expect(try await tell("close 2").code == 0)
    #expect(try await other.ending() == .hostLeft)
    let statistics = try JSONDecoder().decode(
      ServerStatistics.self, from: Data(try #require(try await tell("stats").lines.first).utf8))
    #expect(statistics.counts.kicked == 2)
    #expect(statistics.counts.matches == 0)
    #expect(statistics.counts.matchesOpened == 2)
    #expect(try await tell("dance").code == 64)
    #expect(try await tell("drain").code == 0)
    #expect(await host.exitCode() == 0)
    #expect(try await tell("list").code == 69)
  }

  @Test func `players of one address get their share, unless it is said otherwise`() async throws {
    for (perAddress, expected) in [(nil, 4), (3, 3), (0, 6)] as [(Int?, Int)] {
      let host = try open(["--players", "2:8", "--rooms", "8"], perAddress: perAddress)
      let port = try await host.port()
      // Kept to the end, so that their seats are.
      var guests: [Guest] = []
      for number in 1...6 {
        let guest = try await Guest("Player \(number)", at: port)
        guests.append(guest)
        if number <= expected {
          #expect(try await guest.untilWelcome() != nil)
        } else {
          #expect(try await guest.ending() == RoomReason.Code.share)
        }
      }
      withExtendedLifetime(guests) {}
      host.signal(SIGTERM)
      #expect(await host.exitCode() == 0)
    }
  }

  @Test func `sockets of a service manager are taken over`() async throws {
    let launcher = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Transport/Activation/launch.py").standardized.path
    let program = RunningProgram.path(of: "twentyfour-host")
    let host = try RunningProgram(
      "/usr/bin/python3",
      [launcher, "tcp,dual", "2", "one:two", "mine", program, "--dedicated", "--unlisted", "--json"])
    let ports = try #require(await host.line()).split(separator: " ").dropFirst().compactMap { UInt16($0) }
    #expect(try await host.port() == ports.first)
    for port in ports { #expect(try await Guest("Ada", at: port).untilWelcome() != nil) }
    host.signal(SIGTERM)
    #expect(await host.exitCode() == 0)
  }

  @Test func `lines for the journal have their level, others have none`() async throws {
    let log = folder.path + "/log"
    // A file whose device and inode can be known beforehand, as those of the journal's socket are.
    #expect(FileManager.default.createFile(atPath: log, contents: nil))
    let handle = try #require(FileHandle(forWritingAtPath: log))
    for (stream, prefix) in [(RunningProgram.journalStream(of: handle), "<5>"), ("1:2", "")] {
      let host = try RunningProgram(
        "/bin/sh",
        [
          "-c", "exec \"$@\" 2>\"$0\"", log, RunningProgram.path(of: "twentyfour-host"),
          "--dedicated", "--unlisted", "--json", "--interface", "lo", "--port", "0",
        ], environment: ["JOURNAL_STREAM": stream])
      _ = try await host.port()
      host.signal(SIGTERM)
      #expect(await host.exitCode() == 0)
      let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
      #expect(lines.count == 2)
      #expect(lines.allSatisfy { $0.hasPrefix("\(prefix)twentyfour-host: ") })
    }
  }

  @Test func `matches go on at a server that was killed, or ended, and is started again`() async throws {
    let state = ["--state", folder.path + "/state.json", "--players", "2:2", "--rounds", "2"]
    var host = try open(state)
    var port = try await host.port()
    let (ada, bob) = (try await Guest("Ada", at: port), try await Guest("Bob", at: port))
    try await ada.solve()
    _ = try await bob.first { if case .event(.answer) = $0 { true } else { nil } }
    let seats = [ada, bob].map(\.welcome)
    try await folder.until("state.json", contains: "\"points\":1")
    host.signal(SIGKILL)
    #expect(await host.exitCode() == 128 + SIGKILL)

    host = try open(state)
    port = try await host.port()
    let bobAgain = try await Guest("Bob", at: port, backTo: seats[1])
    try await bobAgain.solve()
    let result = try #require(try await bobAgain.untilRoundEnds())
    #expect(result.number == 1)
    #expect(result.standings.map(\.points).allSatisfy { $0 > 10 })
    host.signal(SIGTERM)
    #expect(await host.exitCode() == 0)
    // Without a word: a person's program comes back by itself.
    #expect(try await bobAgain.ending() == nil)

    host = try open(state)
    port = try await host.port()
    let (adaThird, bobThird) = (
      try await Guest("Ada", at: port, backTo: seats[0]), try await Guest("Bob", at: port, backTo: bobAgain.welcome)
    )
    try await adaThird.solve()
    try await bobThird.solve()
    #expect(try await adaThird.ending() == .finished)
    #expect(try await tell("drain").code == 0)
    #expect(await host.exitCode() == 0)
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/state.json"))
  }

  @Test func `results outlive a host that is killed`() async throws {
    let results = folder.path + "/results.sqlite"
    let none = try await RunningProgram.hostToEnd(["--leaderboard", "--results", results])
    #expect(none.code == 69)
    let host = try open(["--players", "2:2", "--rounds", "3", "--results", results])
    let port = try await host.port()
    let (ada, bob) = (try await Guest("Ada", at: port), try await Guest("Bob", at: port))
    for _ in 1...2 {
      try await ada.solve()
      try await bob.send(.act(round: 1, .giveUp))
      try await bob.solve()
      _ = try await ada.untilRoundEnds()
    }
    // Written on another thread, soon after everybody was told.
    var history: [String] = []
    repeat {
      history = try await RunningProgram.hostToEnd(["--history", "--json", "--results", results]).lines
    } while history.first?.contains("\"rounds\":2") != true
    host.signal(SIGKILL)
    #expect(await host.exitCode() == 128 + SIGKILL)
    let board = try await RunningProgram.hostToEnd(["--leaderboard", "--json", "--results", results])
    #expect(board.code == 0)
    #expect(board.lines.count == 2)
    // 10 to 20 points a round, by how fast the machine was.
    #expect(board.lines[0].contains(/"player":"Ada","points":[2-4][0-9],"rank":1,"rounds":2,"solved":2/))
    let table = try await RunningProgram.hostToEnd(["--leaderboard", "--by", "matches", "--results", results])
    #expect(table.lines.count == 3)
    // Several files are read as one, and each round counts once.
    let joined = try await RunningProgram.hostToEnd(["results", results, results, "--json"])
    #expect(joined.code == 0 && joined.lines == board.lines)
    let missing = try await RunningProgram.hostToEnd(["results", results, results + "2"])
    #expect(missing.code == 69)
    #expect(try await RunningProgram.hostToEnd(["results"]).code == 64)
  }
}
