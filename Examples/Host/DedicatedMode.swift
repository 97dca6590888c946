import Bonjourish
import Console
import FramedTransport
import PlayerConsole
import Rooms
import TwentyFour

/// `twentyfour-host --dedicated`: a house of many matches, with nobody at the host.
enum DedicatedMode {
  static let flag = Option.flag("dedicated", "run many matches, and play in none")
  static let name = Option.optional(
    "name", "NAME", .text, default: "TwentyFour", "what the house is called; TwentyFour unless told")
  static let port = Option.optional(
    "port", "P", .integer(in: 0...65_535), default: Int(House.standardPort), "listen on this port; 1955 unless told, 0: any")
  static let rooms = Option.optional(
    "rooms", "N", .integer(in: 1...10_000), default: 100, "how many matches there can be; 100 unless told")
  static let players = Option.optional(
    "players", "MIN:MAX", PlayerRange.format, default: 2...16,
    "how many players a match begins with, and how many it can have; 2:16 unless told")
  static let rounds = Option.optional(
    "rounds", "N", .integer(in: 1...1_000_000), default: 10, "how many rounds a match has; 10 unless told")
  static let roundSeconds = Option.optional(
    "round-seconds", "S", .seconds(in: 1...86_400), default: .seconds(100), "how long a round lasts; 100 unless told")
  static let pauseSeconds = Option.optional(
    "pause-seconds", "S", .seconds(in: 0...86_400), default: .seconds(10), "the time between two rounds; 10 unless told")
  static let unlisted = Option.flag("unlisted", "do not make the house known on the network; it is joined with --connect")
  static let state = Option.optional(
    "state", "FILE", .text, "keep the matches in this file, so that they go on when the house is started again")
  static let admin = Option.optional("admin", "PATH", .text, "be administered over a socket with this name (--admin-command)")

  static let command = Command(
    "twentyfour-host", version: HostMode.version,
    summary: "Opens a house of many matches of TwentyFour, for others to play in.",
    options: [
      flag, name, port, rooms, players, rounds, roundSeconds, pauseSeconds, unlisted, admin, state, ResultsPlace.file,
      ResultsPlace.record, PlayerOptions.difficulty, PlayerOptions.seed, PlayerOptions.json, PlayerOptions.interface,
      PlayerOptions.backend,
      PlayerOptions.verbose,
    ],
    examples: [
      .init("twentyfour-host --dedicated", "100 matches of 2 to 16 players, on port 1955"),
      .init("twentyfour-host --dedicated --players 4:4 --rounds 3 --record", "short ones of four, with a leaderboard"),
    ])

  static func run(_ arguments: Arguments) async throws {
    let diagnostics = Diagnostics(
      program: command.name, level: arguments[PlayerOptions.verbose] ? .detail : .notice)
    // First of all: it changes the environment.
    let inherited = try await failing { () throws(RoomError) in try await House.takeInherited() }
    var configuration = try self.configuration(arguments)
    let houseKeeper = try await HouseKeeper(admin: arguments[admin], diagnostics)
    let bonjour = arguments[unlisted] ? nil : await bonjour(arguments, diagnostics)
    do {
      try await ResultKeeper.recording(arguments, for: arguments[name], diagnostics) { keeper in
        configuration.observe = { room, event in
          keeper?.observe(room, event)
          tell(room, event, to: diagnostics)
        }
        configuration.state = arguments[state]
        configuration.stateFailed = { diagnostics.warning($0.message) }
        try await House.withHouse(configuration, listeningOn: inherited, on: bonjour) { house, service in
          let opened = Opened(name: await service?.name.text ?? arguments[name], port: house.port)
          diagnostics.notice(
            "\"\(opened.name)\" is open at \(house.addresses.map(\.description).joined(separator: ", ")) for "
              + "\(arguments[rooms]) matches")
          if arguments[PlayerOptions.json] { Output.standard.json(opened) }
          await houseKeeper.keep(house, service)
        }
      }
    } catch let error as RoomError {
      throw Failure(error)
    }
    diagnostics.notice("closed")
  }

  /// The first line of `--json`.
  private struct Opened: Encodable {
    var event = "open"
    let name: String
    let port: UInt16
  }

  private static func configuration(_ arguments: Arguments) throws(Failure) -> House.Configuration {
    do {
      var configuration = House.Configuration(
        name: try InstanceName(arguments[name]),
        generator: SeededGenerator(seed: arguments[PlayerOptions.seed].map(UInt64.init) ?? .random(in: 0...UInt64.max)))
      configuration.matches = arguments[rooms]
      configuration.port = UInt16(arguments[port])
      configuration.interface = try arguments[PlayerOptions.interface].map { try NetworkInterface(named: $0) }
      configuration.rules = Match.Rules(
        roundDuration: arguments[roundSeconds], pause: arguments[pauseSeconds], gathering: arguments[pauseSeconds],
        rounds: arguments[rounds], minimumPlayers: arguments[players].lowerBound, maximumPlayers: arguments[players].upperBound,
        difficulty: arguments[PlayerOptions.difficulty])
      return configuration
    } catch {
      throw Failure(.usage, "\(error)")
    }
  }

  /// Discovery; a house without it can still be joined by those who know where it is.
  private static func bonjour(_ arguments: Arguments, _ diagnostics: Diagnostics) async -> Bonjour? {
    do {
      return try await Bonjour(
        Bonjour.Configuration(backend: arguments[PlayerOptions.backend]) { diagnostics.detail($0.text) })
    } catch {
      diagnostics.warning("nobody can find the house on the network, only join it with --connect: \(error.message)")
      return nil
    }
  }

  private static func tell(_ room: RoomID, _ event: RoomEvent, to diagnostics: Diagnostics) {
    switch event {
    case .open: diagnostics.detail("match \(room) is open")
    case .joined(let player): diagnostics.detail("match \(room): \(player.name) came")
    case .left(let player): diagnostics.detail("match \(room): \(player.name) left")
    case .away(let player): diagnostics.detail("match \(room): \(player.name) is away")
    case .back(let player): diagnostics.detail("match \(room): \(player.name) is back")
    case .closed(let reason): diagnostics.detail("match \(room) is over: \(reason)")
    case .missing, .round, .answer, .refused, .hint, .standings, .roundEnded, .reconnecting, .resumed: break
    }
  }

  private static func failing<Result>(_ body: () async throws(RoomError) -> Result) async throws(Failure) -> Result {
    do throws(RoomError) {
      return try await body()
    } catch {
      throw Failure(error)
    }
  }
}

/// How many players a match has, as `MIN:MAX` or one number for both.
enum PlayerRange {
  static let format = ValueFormat("MIN:MAX, such as 2:16, of 1 to \(Match.Rules.playerLimit) players") { text in
    let numbers = text.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
    guard let first = numbers.first, let last = numbers.last, let lower = first, let upper = last, numbers.count <= 2,
      1 <= lower, lower <= upper, upper <= Match.Rules.playerLimit
    else { return nil as ClosedRange<Int>? }
    return lower...upper
  }
}
