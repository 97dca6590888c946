import Bonjourish
import FramedJSON
import FramedSecurity
import MatchServer
import Rooms
import TestSupport
import Testing
import TwentyFour
import _BonjourishJSONOutput

@testable import _BonjourishConsole
@testable import twentyfour_host

/// What the command line of `twentyfour-host` comes to.
struct HostOptionsTests {
  private let diagnostics = Diagnostics(level: .error) { _, _ in }

  private func dedicated(_ words: String...) throws -> Arguments {
    try DedicatedMode.command.arguments(of: ["--dedicated", "--insecure"] + words)
  }

  @Test(
    arguments: [
      ([], .room), (["--name", "Ada"], .room), (["--name=--dedicated"], .room), (["--", "--dedicated"], .room),
      (["--rounds", "3", "--dedicated"], .dedicated), (["--leaderboard"], .leaderboard),
      (["--limit", "3", "--history"], .leaderboard),
      (["--admin-command=list"], .administration), (["results", "--history"], .results),
      (["--history", "results"], .leaderboard),
    ] as [([String], HostMode)])
  func `a mode is chosen by its word or option, written out in full`(words: [String], mode: HostMode) {
    #expect(HostMode(of: words) == mode)
  }

  // MARK: - Limits

  @Test(
    arguments: [
      ("port", ["0", "65535"], ["-1", "65536"]), ("rooms", ["1", "10000"], ["0", "10001"]),
      ("players", ["1", "128", "1:128"], ["0:2", "2:129", "3:2"]), ("rounds", ["1", "1000000"], ["0", "1000001"]),
      ("round-seconds", ["1", "86400"], ["0.9", "86400.1"]), ("pause-seconds", ["0", "86400"], ["86400.1"]),
      ("web-port", ["0", "65535"], ["-1", "65536"]), ("per-address", ["0", "1000000"], ["-1", "1000001"]),
      ("matches-per-address", ["1", "1000000"], ["0", "1000001"]), ("joins-per-second", ["1", "1000000"], ["0", "1000001"]),
      ("messages-per-second", ["1", "1000000"], ["0", "1000001"]), ("group-lease", ["3", "60"], ["2.9", "60.1"]),
      ("group-size", ["1", "1048576"], ["0", "1048577"]),
    ])
  func `numbers of a server have limits`(option: String, good: [String], bad: [String]) throws {
    check(DedicatedMode.command, option, good, bad)
  }

  @Test(
    arguments: [
      ("port", ["0", "65535"], ["-1", "65536"]), ("rounds", ["1", "1000000"], ["0", "1000001"]),
      ("max", ["2", "128"], ["1", "129"]), ("pause-seconds", ["0", "86400"], ["86400.1"]),
    ])
  func `numbers of a room have limits`(option: String, good: [String], bad: [String]) throws {
    check(RoomMode.command, option, good, bad)
  }

  @Test func `the lists of results have limits, and so has the number of files`() throws {
    check(LeaderboardMode.command, "limit", ["1", "1000000"], ["0", "1000001"])
    for (count, isGood) in [(0, false), (1, true), (1_000, true), (1_001, false)] {
      let arguments = try? JoinedResultsMode.command.arguments(of: Array(repeating: "file", count: count))
      #expect((arguments?[JoinedResultsMode.files].count == count) == isGood, "\(count)")
    }
  }

  private func check(_ command: Command, _ option: String, _ good: [String], _ bad: [String]) {
    for value in good { #expect(throws: Never.self, "\(value)") { try command.arguments(of: ["--\(option)=\(value)"]) } }
    for value in bad { #expect(throws: UsageError.self, "\(value)") { try command.arguments(of: ["--\(option)=\(value)"]) } }
  }

  @Test func `what excludes each other is an error, and a command needs its server`() {
    for (command, words) in [
      (DedicatedMode.command, ["--group-key", "k", "--state", "s"]),
      (DedicatedMode.command, ["--group-key", "k", "--insecure"]),
      (RoomMode.command, ["--passcode", "471123", "--insecure"]), (RoomMode.command, ["--plain", "--json"]),
      (LeaderboardMode.command, ["--leaderboard", "--history"]), (AdminMode.command, ["--admin-command", "list"]),
      (AdminMode.command, ["--admin", "/run/admin"]),
    ] {
      #expect(throws: UsageError.self, "\(words)") { try command.arguments(of: words) }
    }
  }

  @Test(arguments: [(DedicatedMode.command, 3), (RoomMode.command, 6), (LeaderboardMode.command, 2), (AdminMode.command, 2)])
  func `the examples of the help can be read`(command: Command, count: Int) throws {
    #expect(command.examples.count == count)
    for example in command.examples {
      let words = example.line.split(separator: " ").map(String.init)
      #expect(words.first == "twentyfour-host")
      let quote = words.firstIndex { $0.hasPrefix("'") } ?? words.endIndex
      let text = words[quote...].joined(separator: " ")
      #expect(throws: Never.self, "\(example.line)") {
        try command.arguments(of: Array(words[1..<quote]) + (text.isEmpty ? [] : [String(text.dropFirst().dropLast())]))
      }
    }
  }

  // MARK: - A server

  @Test func `a server has what its command line says`() throws {
    let arguments = try dedicated(
      "--name", "Arena", "--port", "4242", "--rooms", "7", "--players", "3:5", "--rounds", "6", "--round-seconds", "50",
      "--time", "1.5", "--pause-seconds", "4", "--per-address", "3", "--matches-per-address", "5", "--joins-per-second", "6",
      "--messages-per-second", "60", "--difficulty", "hard", "--seed", "24", "--web-port", "8080")
    let configuration = try DedicatedMode.configuration(arguments, "lo", diagnostics)
    #expect(configuration.name == "Arena" && configuration.port == 4242 && configuration.matches == 7)
    #expect(configuration.shares == ShareLimits(seats: 3, matches: 5, joinsPerSecond: 6, messagesPerSecond: 60))
    #expect(
      configuration.rules
        == Match.Rules(
          roundDuration: .seconds(50), time: .half, pause: .seconds(4), gathering: .seconds(4), rounds: 6, minimumPlayers: 3,
          maximumPlayers: 5, difficulty: .hard))
    #expect(configuration.web?.port == 8080 && configuration.interfaces == "lo" && configuration.generator.state == 24)
    #expect(configuration.protection.identity == nil)
  }

  @Test func `a server without options is as the manual says`() throws {
    let configuration = try DedicatedMode.configuration(try dedicated(), .all, diagnostics)
    #expect(configuration.name == "TwentyFour" && configuration.port == 1955 && configuration.matches == 100)
    #expect(configuration.shares == ShareLimits(seats: 4, matches: 2, joinsPerSecond: 1, messagesPerSecond: 50))
    #expect(
      configuration.rules
        == Match.Rules(
          roundDuration: .seconds(100), pause: .seconds(10), gathering: .seconds(10), rounds: 10, minimumPlayers: 2,
          maximumPlayers: 16))
    #expect(configuration.web == nil)
    let shared = try DedicatedMode.configuration(try dedicated("--per-address", "0"), .all, diagnostics)
    #expect(shared.shares == .none)
    // Any free port, unless one is named.
    let web = try DedicatedMode.configuration(try dedicated("--web"), .all, diagnostics)
    #expect(web.web != nil && web.web?.port == nil)
  }

  @Test func `a name that no service can have is an error of the command line`() throws {
    let arguments = try dedicated("--name", String(repeating: "x", count: 64))
    let failure = #expect(throws: Failure.self) { try DedicatedMode.configuration(arguments, .all, diagnostics) }
    #expect(failure?.code == .usage)
  }

  @Test(arguments: [("86400", "1", true), ("43200", "2", true), ("43200.1", "2", false), ("57601", "1.5", false)])
  func `a round is no longer than a day, with more time, too`(seconds: String, time: String, isGood: Bool) throws {
    let arguments = try dedicated("--round-seconds", seconds, "--time", time)
    guard isGood else {
      let failure = #expect(throws: Failure.self) { try RoundTime.usual(arguments) }
      #expect(failure?.code == .usage && failure?.message.contains(time) == true)
      return
    }
    #expect(try RoundTime.usual(arguments) == .seconds(Int(seconds)!))
  }

  // MARK: - A room

  @Test func `a room has what its command line says, and is as the program wants it otherwise`() throws {
    var configuration = RoomHost.Configuration(
      name: try PlayerName("Ada"), .plaintext, generator: TwentyFour.SeededGenerator(seed: 1))
    (configuration.staysOpen, configuration.opensWeb) = (false, false)
    try RoomMode.configure(&configuration, try RoomMode.command.arguments(of: []))
    #expect(configuration.rules == Match.Rules(gathering: .seconds(10)))
    #expect(configuration.port == 0 && configuration.shares == ShareLimits(matches: 1) && configuration.state == nil)
    #expect(!configuration.staysOpen && !configuration.approves && configuration.web == nil && !configuration.opensWeb)
    let words = [
      "--port", "4242", "--rounds", "6", "--stay", "--round-seconds", "50", "--time", "2", "--pause-seconds", "4", "--max", "5",
      "--difficulty", "easy", "--approve", "--state", "evening.json", "--web", "--per-address", "3", "--joins-per-second", "6",
      "--messages-per-second", "60",
    ]
    try RoomMode.configure(&configuration, try RoomMode.command.arguments(of: words))
    #expect(
      configuration.rules
        == Match.Rules(
          roundDuration: .seconds(50), time: .double, pause: .seconds(4), gathering: .seconds(10), rounds: 6, maximumPlayers: 5,
          difficulty: .easy))
    #expect(configuration.shares == ShareLimits(seats: 3, matches: 1, joinsPerSecond: 6, messagesPerSecond: 60))
    #expect(configuration.port == 4242 && configuration.state == "evening.json")
    #expect(configuration.staysOpen && configuration.approves && configuration.web != nil && configuration.opensWeb)
    // It stays open if the program wants that, too.
    try RoomMode.configure(&configuration, try RoomMode.command.arguments(of: []))
    #expect(configuration.staysOpen)
  }

  // MARK: - A group

  @Test func `a group needs a directory, and its options need a group`() throws {
    func code(_ words: [String], isListed: Bool) throws -> ExitCode? {
      let arguments = try DedicatedMode.command.arguments(of: words)
      do throws(Failure) { try GroupOptions.check(arguments, isListed: isListed) } catch { return error.code }
      return nil
    }
    #expect(try code([], isListed: false) == nil)
    #expect(try code(["--group-key", "k"], isListed: true) == nil)
    #expect(try code(["--group-key", "k"], isListed: false) == .usage)
    for option in [["--group-lease", "12"], ["--group-bucket", "b"], ["--group-size", "127"]] {
      #expect(try code(option, isListed: true) == .usage, "\(option)")
      #expect(try code(["--group-key", "k"] + option, isListed: true) == nil, "\(option)")
    }
    let usual = ["--group-lease", "13", "--group-bucket", "bonjourish-matches", "--group-size", "128"]
    #expect(try code(usual, isListed: true) == nil)
  }

  @Test func `the servers of a group have its key in place of their own`() throws {
    let folder = try TemporaryFolder()
    let arguments = try DedicatedMode.command.arguments(of: ["--group-key", folder.path + "/group.pem"])
    let own = try Identity.ephemeral()
    let first = try GroupOptions.protection(.open(own), arguments)
    let key = try #require(first.identity?.fingerprint)
    #expect(key != own.fingerprint)
    let second = try GroupOptions.protection(.passcode("471123", own), arguments)
    guard case .open = first, case .passcode("471123", let identity) = second else {
      Issue.record("\(first), \(second)")
      return
    }
    #expect(identity.fingerprint == key)
    #expect(try GroupOptions.protection(.plaintext, arguments).identity == nil)
    let alone = try DedicatedMode.command.arguments(of: [])
    #expect(try GroupOptions.protection(.open(own), alone).identity?.fingerprint == own.fingerprint)
    let nowhere = try DedicatedMode.command.arguments(of: ["--group-key", folder.path + "/missing/group.pem"])
    let failure = #expect(throws: Failure.self) { try GroupOptions.protection(.open(own), nowhere) }
    #expect(failure?.code == .inputOutput)
  }

  @Test func `without a group, or without a network, a server runs alone`() async throws {
    let identity = try Identity.ephemeral()
    for (words, protection) in [
      ([], .open(identity)), (["--group-key", "k"], .open(identity)), (["--group-key", "k"], .plaintext),
    ] as [([String], HostProtection)] {
      var runs = 0
      let arguments = try DedicatedMode.command.arguments(of: words)
      try await GroupOptions.withGroup(arguments, protection, on: nil, news: { _ in }, { _ in }) { group in
        #expect(group == nil)
        runs += 1
      }
      #expect(runs == 1)
    }
  }

  @Test(
    arguments: [
      (.adopted("M"), "adopted"), (.suspended("M"), "suspended"), (.resumed("M"), "resumed"), (.lost("M"), "lost"),
      (.released("M"), "released"), (.unusable("M", reason: "it is damaged"), nil),
    ] as [(MatchGroup.Event, String?)])
  func `what happens to a match is one object`(event: MatchGroup.Event, state: String?) {
    let line = GroupNews(event).map { JSONLine.text(of: $0) }
    #expect(line == state.map { #"{"event":"match","name":"M","state":"\#($0)"}"# })
    #expect(GroupNews.text(event).contains("M"))
  }

  @Test func `that matches can be kept, or not, is one object and one sentence`() {
    let news = [StoreNews(reason: "no space"), StoreNews(reason: nil)]
    #expect(
      news.map { JSONLine.text(of: $0) } == [
        #"{"event":"group","reason":"no space","state":"unavailable"}"#, #"{"event":"group","state":"available"}"#,
      ])
    #expect(
      news.map(\.text) == [
        "no other server can go on with the matches of this one: no space", "other servers can go on with the matches again",
      ])
  }

  // MARK: - Commands of the administrator

  @Test(
    arguments: [
      ("list", .list), (" stats ", .statistics), ("drain", .drain), ("reopen", .reopen), ("passcode", .passcode), ("web", .web),
      ("close 7", .close(MatchNumber(rawValue: 7))),
      ("kick 7 2", .rule(word: "kick", match: MatchNumber(rawValue: 7), player: PlayerID(rawValue: 2))),
      ("ban 7 2", .rule(word: "ban", match: MatchNumber(rawValue: 7), player: PlayerID(rawValue: 2))),
      ("unban 7 2", .rule(word: "unban", match: MatchNumber(rawValue: 7), player: PlayerID(rawValue: 2))),
      ("lock 7", .rule(word: "lock", match: MatchNumber(rawValue: 7), player: nil)),
      ("unlock 7", .rule(word: "unlock", match: MatchNumber(rawValue: 7), player: nil)),
      ("next 7", .rule(word: "next", match: MatchNumber(rawValue: 7), player: nil)),
      ("", nil), ("list 1", nil), ("close", nil), ("close it", nil), ("close 1 2", nil), ("kick 7", nil), ("lock", nil),
      ("approve 7", nil), ("end 7", nil), ("dance 7", nil), ("web 1", nil), ("passcode 1", nil), ("drain 1", nil),
      ("reopen 1", nil),
      ("stats 1", nil),
    ] as [(String, AdminCommand?)])
  func `a line is a command, or none`(line: String, command: AdminCommand?) throws {
    #expect(AdminCommand(line) == command)
    guard let command else { return }
    #expect(try AdminChannel.requests.decode(try AdminChannel.requests.encode(command)) == command)
    guard case .rule(let word, let match, let player) = command else {
      #expect(command.rule == nil)
      return
    }
    #expect(command.rule?.1 == match && command.rule?.0.word == word && command.rule?.0.player == player)
    // A program that sends what no line can say is told so.
    #expect(AdminCommand.rule(word: "approve", match: match, player: nil).rule == nil)
  }
}
