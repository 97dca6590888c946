package import Bonjourish
package import Console
package import Rooms
package import TwentyFour

/// The options that `twentyfour-host` and `twentyfour-join` share.
package enum PlayerOptions {
  package static let version = "0.1.0"

  package static let name = Option.required("name", "NAME", .text, "your name, as the others see it")
  package static let bot = Option.flag("bot", "let the program play")
  package static let seed = Option.optional(
    "seed", "N", .integer(in: 0...Int.max), "make every choice of the program repeatable")
  package static let json = Option.flag("json", "write one JSON object a line")
  package static let interface = Option.optional("interface", "IF", .text, "use this network interface only, such as eth0")
  package static let backend = Option.optional(
    "backend", "WHICH", ValueFormat("auto, avahi or builtin") { Bonjour.Backend(rawValue: $0) },
    "who speaks mDNS: avahi (the daemon), builtin (this program) or auto (whichever there is); auto unless told")
  package static let verbose = Option.flag("verbose", "tell on standard error what happens inside")

  package static let all: [any CommandOption] = [name, bot, seed, json, interface, backend, verbose]
}

/// What both programs take from their common options.
package struct PlayerInvocation: Sendable {
  package let name: PlayerName
  package let isBot: Bool
  package let json: Bool
  package let interface: NetworkInterface?
  private let backend: Bonjour.Backend?
  private let isVerbose: Bool
  package let generator: SeededGenerator
  package let diagnostics: Diagnostics

  /// - Throws: ``Failure`` with the exit code for wrong usage when a value cannot be used.
  package init(_ arguments: Arguments, program: String) throws(Failure) {
    isVerbose = arguments[PlayerOptions.verbose]
    diagnostics = Diagnostics(program: program, level: isVerbose ? .detail : .warning)
    do {
      name = try PlayerName(arguments[PlayerOptions.name])
      interface = try arguments[PlayerOptions.interface].map { try NetworkInterface(named: $0) }
    } catch {
      throw Failure(.usage, "\(error)")
    }
    backend = arguments[PlayerOptions.backend]
    isBot = arguments[PlayerOptions.bot]
    json = arguments[PlayerOptions.json]
    generator = SeededGenerator(seed: arguments[PlayerOptions.seed].map(UInt64.init) ?? .random(in: 0...UInt64.max))
  }

  /// What the person types; nil when a bot plays, so that nothing is read then.
  package var lines: LineReader? { isBot ? nil : .standardInput }

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
    case .version, .malformed, .outOfOrder: self.init(.protocolError, "could not go on: \(reason.text)")
    default: self.init(.unavailable, reason.text)
    }
  }
}
