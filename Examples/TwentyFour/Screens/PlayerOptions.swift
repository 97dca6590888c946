public import Bonjourish
import FramedSecurity
import Names
public import Rooms
public import TwentyFour
public import _BonjourishConsole
import _BonjourishDiscoveryOptions
import _BonjourishJSONOutput

/// The options that `twentyfour-host` and `twentyfour-join` share.
public enum PlayerOptions {
  public static let name = Option.optional(
    "name", "NAME", .text, Phrases.Options.name)
  public static let bot = Option.flag("bot", Phrases.Options.bot)
  public static let strength = Option.optional(
    "strength", "HOW", ValueFormat<Bot.Strength>.anyCase, default: .average,
    Phrases.Options.strength)
  public static let difficulty = Option.optional(
    "difficulty", "HOW", ValueFormat<Hand.Difficulty>.anyCase,
    Phrases.Options.difficulty)
  public static let time = Option.optional(
    "time", "HOW", ValueFormat<TimeAllowance>.anyCase, default: .usual,
    Phrases.Options.time)
  public static let seed = Option.optional(
    "seed", "N", .integer(in: 0...Int.max), Phrases.Options.seed)
  public static let plain = Option.flag("plain", Phrases.Options.plain)
  public static let json = Option.flag("json", Phrases.Options.json)
  public static let interfaces = Option.repeated(
    "interface", "IF", .interface, Phrases.Options.interfaces)
  public static let insecure = Option.flag(
    "insecure", Phrases.Options.insecure)
  public static let verbose = Option.flag("verbose", Phrases.Options.verbose)

  public static let all: [any CommandOption] =
    [
      name, bot, strength, difficulty, time, seed, plain, json, interfaces, insecure, verbose,
    ] + NetworkOptions.all
  public static let exclusive: [[any CommandOption]] = [[plain, json]] + NetworkOptions.exclusive
}

/// The values of the options common to both programs.
public struct PlayerInvocation: Sendable {
  /// The given name; nil to use the remembered name or ask.
  let name: PlayerName?
  public let isBot: Bool
  /// Whether to watch without playing.
  public var spectates = false
  /// The wanted number of players, on a server of several matches.
  public var players: ClosedRange<Int>?
  public let strength: Bot.Strength
  public let difficulty: Hand.Difficulty?
  /// The time for each round of a room that this player opens.
  public let time: TimeAllowance
  public let json: Bool
  let isPlain: Bool
  public var interfaces: InterfaceSelection { network.interfaces }
  /// Whether nothing is to be encrypted.
  public let isInsecure: Bool
  /// The passcode of the room to join.
  var passcode: Passcode?
  /// Whether a room may have another key than before.
  public var trustsNewKey = false
  private let network: NetworkChoice
  private let isVerbose: Bool
  public let generator: SeededGenerator
  public let diagnostics: Diagnostics
  let notices: Notices
  let status: NetworkStatus

  /// Takes the values from the command line.
  ///
  /// - Parameter shard: The shard of a directory whose rooms are listed; nil for all.
  /// - Throws: ``Failure`` with exit code 64 if a value cannot be used.
  public init(_ arguments: Arguments, program: String, shard: Int? = nil) throws(Failure) {
    isVerbose = arguments[PlayerOptions.verbose]
    notices = Notices(program: program)
    diagnostics = Diagnostics(level: isVerbose ? .detail : .warning) { [notices] in notices.tell($0, $1) }
    status = NetworkStatus(json: arguments[PlayerOptions.json], diagnostics)
    do {
      name = try arguments[PlayerOptions.name].map { try PlayerName(typed: $0) }
      let interfaces = try InterfaceSelection(parsing: arguments[PlayerOptions.interfaces])
      network = try NetworkChoice(arguments, interfaces, shard: shard)
    } catch {
      throw Failure(.usage, "\(error)")
    }
    isBot = arguments[PlayerOptions.bot]
    isInsecure = arguments[PlayerOptions.insecure]
    strength = arguments[PlayerOptions.strength]
    difficulty = arguments[PlayerOptions.difficulty]
    time = arguments[PlayerOptions.time]
    json = arguments[PlayerOptions.json]
    isPlain = arguments[PlayerOptions.plain]
    generator = SeededGenerator(seed: arguments[PlayerOptions.seed].map(UInt64.init) ?? .random(in: 0...UInt64.max))
  }

  /// Whether rooms of a directory are found, too.
  var usesDirectory: Bool { network.region != nil }

  /// Whether rooms of the local network are found.
  var usesLocalNetwork: Bool { network.usesLocalNetwork }

  /// Discovery, which logs details if `--verbose` is given.
  public func bonjour() async throws(Failure) -> Bonjour {
    var configuration = Bonjour.Configuration(backend: network.backend) { [diagnostics] in diagnostics.detail($0.text) }
    status.follow(&configuration)
    if json, isVerbose {
      configuration.backendChosen = { Output.standard.json(BackendEvent(name: $0.rawValue)) }
    }
    do throws(DiscoveryError) {
      return try await network.bonjour(configuration) { [json, diagnostics] news in
        if json { Output.standard.json(news) } else { news.tell(diagnostics) }
      }
    } catch {
      throw Failure(error)
    }
  }
}

extension Failure {
  /// The failure of a program that cannot use the network.
  public init(_ error: DiscoveryError) {
    let code: ExitCode =
      switch error.code {
      case .invalidBackend, .invalidDirectory: .usage
      case .notPermitted: .notPermitted
      default: .unavailable
      }
    self.init(code, error.message)
  }

  /// The failure of a program that could not open or join a room.
  public init(_ error: RoomError) {
    let code: ExitCode =
      switch error.code {
      case .cancelled: .done
      case .wrongPasscode, .otherKey, .notPermitted: .notPermitted
      default: .unavailable
      }
    self.init(code, error.message)
  }

  /// The failure of a program whose room was closed; nil for a normal end.
  public init?(_ reason: RoomReason) {
    switch reason.code {
    case .finished, .hostLeft, .left: return nil
    case .passcode: self.init(.notPermitted, Phrases.missingPasscode)
    case .version, .malformed, .outOfOrder: self.init(.protocolError, Phrases.couldNotGoOn(reason))
    default: self.init(.unavailable, Phrases.reason(reason))
    }
  }

  /// Throws the failure for the end of a room, if it is one.
  public static func check(_ reason: RoomReason?) throws(Failure) {
    if let failure = reason.flatMap(Failure.init) { throw failure }
  }
}
