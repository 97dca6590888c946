import FramedSecurity
import Rooms
import Screens
import TwentyFour
import _BonjourishConsole

/// `twentyfour-host` without the word of another mode: opens a room, and plays in it.
enum RoomMode {
  static let port = Option.optional("port", "P", .integer(in: 0...65_535), default: 0, Phrases.Options.port)
  static let rounds = Option.optional("rounds", "N", .integer(in: 1...1_000_000), Phrases.Options.rounds)
  static let stay = Option.flag("stay", Phrases.Options.stay)
  static let pauseSeconds = Option.optional(
    "pause-seconds", "S", .seconds(in: 0...86_400), default: .seconds(10), Phrases.Options.pauseSeconds)
  static let maximum = Option.optional(
    "max", "N", .integer(in: 2...Match.Rules.playerLimit), default: 16,
    Phrases.Options.maximum)
  static let state = Option.optional(
    "state", "FILE", .file, Phrases.Options.state)
  static let approve = Option.flag("approve", Phrases.Options.approve)
  private static let passcode = PlayerInvocation.hostPasscode

  static let command = Command(
    "twentyfour-host", summary: Phrases.Commands.host,
    options: PlayerOptions.all + [
      port, rounds, stay, RoundTime.seconds, pauseSeconds, maximum, passcode, state, approve, ResultsPlace.file,
      ResultsPlace.record,
    ] + WebOptions.all + ShareOptions.room, exclusive: PlayerOptions.exclusive + [[passcode, PlayerOptions.insecure]],
    examples: [
      .init("twentyfour-host --name Ada", Phrases.Commands.opens),
      .init("twentyfour-host --name Ada --bot --rounds 3", Phrases.Commands.botHosts),
      .init("twentyfour-host --name Ada --passcode auto", Phrases.Commands.hostsWithPasscode),
      .init("twentyfour-host --name Ada --time 2", Phrases.Commands.givesTime),
      .init("twentyfour-host --name Ada --web", Phrases.Commands.letsPhonesIn),
      .init("twentyfour-host --name Ada --state evening.json", Phrases.Commands.continues),
    ], manual: HostMode.manual)

  static func run(_ arguments: Arguments) async throws {
    let invocation = try PlayerInvocation(arguments, program: command.name)
    try await invocation.withFace { face in
      guard let name = try await invocation.playerName(on: face) else { return }
      let session = PlayerSession(invocation, face, as: name)
      var configuration = try session.roomConfiguration(try invocation.protection(passcode: arguments[passcode]))
      try configure(&configuration, arguments)
      configuration.stateFailed = { [diagnostics = invocation.diagnostics] in diagnostics.warning($0.message) }
      let key = configuration.protection.identity?.fingerprint.description
      try await ResultKeeper.recording(arguments, for: Phrases.Results.room("\(name)"), key: key, invocation.diagnostics) {
        keeper in
        if let keeper { configuration.observe = keeper.observe }
        try Failure.check(try await session.host(configuration, on: try await invocation.bonjour()))
      }
    }
  }

  /// Takes over what the command line says of the room.
  ///
  /// - Throws: ``Failure`` with exit code 64 if rounds are too long.
  static func configure(_ configuration: inout RoomHost.Configuration, _ arguments: Arguments) throws(Failure) {
    configuration.port = UInt16(arguments[port])
    configuration.rules = Match.Rules(
      roundDuration: try RoundTime.usual(arguments), time: arguments[PlayerOptions.time], pause: arguments[pauseSeconds],
      gathering: .seconds(10),
      rounds: arguments[rounds], maximumPlayers: arguments[maximum], difficulty: arguments[PlayerOptions.difficulty])
    if arguments[stay] { configuration.staysOpen = true }
    configuration.shares = ShareOptions.limits(arguments)
    configuration.approves = arguments[approve]
    if let web = WebOptions.entrance(arguments) { (configuration.web, configuration.opensWeb) = (web, true) }
    configuration.state = arguments[state]
  }
}
