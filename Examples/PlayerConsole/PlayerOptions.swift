package import Bonjourish
package import Console
package import Rooms
package import TwentyFour

/// The options that `twentyfour-host` and `twentyfour-join` share.
package enum PlayerOptions {
  package static let version = "0.1.0"

  package static let name = Option.optional(
    "name", "NAME", .text, "your name, as the others see it; asked once, and remembered, unless told")
  package static let bot = Option.flag("bot", "let the program play")
  package static let strength = Option.optional(
    "strength", "HOW", ValueFormat("beginner, average or expert") { Bot.Strength(rawValue: $0) }, default: .average,
    "how well the program plays: beginner, average or expert; average unless told")
  package static let difficulty = Option.optional(
    "difficulty", "HOW", ValueFormat("easy, medium or hard") { Hand.Difficulty(rawValue: $0) },
    "deal only such hands: easy, medium or hard; all unless told")
  package static let seed = Option.optional(
    "seed", "N", .integer(in: 0...Int.max), "make every choice of the program repeatable")
  package static let plain = Option.flag("plain", "write and read lines only, as for a screen reader; no drawing, no colours")
  package static let json = Option.flag("json", "write one JSON object a line")
  package static let interface = Option.optional("interface", "IF", .text, "use this network interface only, such as eth0")
  package static let backend = Option.optional(
    "backend", "WHICH", ValueFormat("auto, avahi or builtin") { Bonjour.Backend(rawValue: $0) },
    "who speaks mDNS: avahi (the daemon), builtin (this program) or auto (whichever there is); auto unless told")
  package static let verbose = Option.flag("verbose", "tell on standard error what happens inside")

  package static let all: [any CommandOption] = [
    name, bot, strength, difficulty, seed, plain, json, interface, backend, verbose,
  ]
}

/// What both programs take from their common options.
package struct PlayerInvocation: Sendable {
  /// The name that was given; nil when the player is to be asked.
  let name: PlayerName?
  package let isBot: Bool
  /// Whether rooms are only looked at.
  package var watches = false
  /// How many should play, where there are several matches to choose from.
  package var players: ClosedRange<Int>?
  package let strength: Bot.Strength
  package let difficulty: Hand.Difficulty?
  package let json: Bool
  let isPlain: Bool
  package let interface: NetworkInterface?
  private let backend: Bonjour.Backend?
  private let isVerbose: Bool
  package let generator: SeededGenerator
  package let diagnostics: Diagnostics
  let notices: Notices

  /// - Throws: ``Failure`` with the exit code for wrong usage when a value cannot be used.
  package init(_ arguments: Arguments, program: String) throws(Failure) {
    isVerbose = arguments[PlayerOptions.verbose]
    notices = Notices(program: program)
    diagnostics = Diagnostics(level: isVerbose ? .detail : .warning) { [notices] in notices.tell($0, $1) }
    do {
      name = try arguments[PlayerOptions.name].map { try PlayerName($0) }
      interface = try arguments[PlayerOptions.interface].map { try NetworkInterface(named: $0) }
    } catch {
      throw Failure(.usage, "\(error)")
    }
    backend = arguments[PlayerOptions.backend]
    isBot = arguments[PlayerOptions.bot]
    strength = arguments[PlayerOptions.strength]
    difficulty = arguments[PlayerOptions.difficulty]
    json = arguments[PlayerOptions.json]
    isPlain = arguments[PlayerOptions.plain]
    generator = SeededGenerator(seed: arguments[PlayerOptions.seed].map(UInt64.init) ?? .random(in: 0...UInt64.max))
  }

  /// Discovery, which tells what happens to it when that was asked for.
  package func bonjour() async throws(Failure) -> Bonjour {
    var configuration = Bonjour.Configuration(backend: backend) { [diagnostics] in diagnostics.detail($0.text) }
    if json, isVerbose {
      configuration.backendChosen = { Output.standard.json(BackendRecord(name: $0.rawValue)) }
    }
    do {
      return try await Bonjour(configuration)
    } catch {
      throw Failure(.unavailable, error.message)
    }
  }
}

extension Failure {
  /// What a program ends with when a room could not be opened or joined.
  package init(_ error: RoomError) {
    self.init(error.code == .cancelled ? .done : .unavailable, error.message)
  }

  /// What a program ends with when a room was closed for it; nil when that is the way rooms end.
  package init?(_ reason: RoomReason) {
    switch reason.code {
    case .finished, .hostLeft, .left: return nil
    case .version, .malformed, .outOfOrder: self.init(.protocolError, Phrases.couldNotGoOn(reason))
    default: self.init(.unavailable, Phrases.reason(reason))
    }
  }

  /// Ends a program as the room that it was in ended.
  package static func check(_ reason: RoomReason?) throws(Failure) {
    if let failure = reason.flatMap(Failure.init) { throw failure }
  }
}
