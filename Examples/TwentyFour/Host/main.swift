import Bonjourish
import FramedSecurity
import Rooms
import Screens
import TwentyFour
import _BonjourishConsole

if let mode = HostMode.asked { await mode.run() }

let port = Option.optional("port", "P", .integer(in: 0...65_535), default: 0, "listen on this port (default: 0, any free port)")
let rounds = Option.optional("rounds", "N", .integer(in: 1...1_000_000), "end the match after this number of rounds")
let stay = Option.flag("stay", "keep the room open after the last round, for another match; at a terminal always")
let pauseSeconds = Option.optional(
  "pause-seconds", "S", .seconds(in: 0...86_400), default: .seconds(10), "the seconds between two rounds (default: 10)")
let maximum = Option.optional(
  "max", "N", .integer(in: 2...Match.Rules.playerLimit), default: 16,
  "the maximum number of players, including you (default: 16)")
let state = Option.optional(
  "state", "FILE", .file, "save the room to this file; continue the room if the file has one")

let approve = Option.flag("approve", "let new players wait until you admit them")

let passcode = PlayerInvocation.hostPasscode

let command = Command(
  "twentyfour-host", summary: "Opens a room for TwentyFour, and plays in it.",
  options: PlayerOptions.all + [
    port, rounds, stay, RoundTime.seconds, pauseSeconds, maximum, passcode, state, approve, ResultsPlace.file,
    ResultsPlace.record,
  ] + WebOptions.all + ShareOptions.room, exclusive: PlayerOptions.exclusive + [[passcode, PlayerOptions.insecure]],
  examples: [
    .init("twentyfour-host --name Ada", "open \"Ada's game\" for everyone on the network"),
    .init("twentyfour-host --name Ada --bot --rounds 3", "let the program play three rounds for you"),
    .init("twentyfour-host --name Ada --passcode auto", "let in only those to whom you tell the six digits on your screen"),
    .init("twentyfour-host --name Ada --time 2", "give everybody twice the time; with none, as much as they need"),
    .init("twentyfour-host --name Ada --web", "let phones in, too: the key w shows the code that they scan"),
    .init("twentyfour-host --name Ada --state evening.json", "continue the evening after a restart"),
  ], manual: HostMode.manual)
let arguments = command.parseOrExit()

await Program.run(Diagnostics(program: command.name)) {
  let invocation = try PlayerInvocation(arguments, program: command.name)
  try await invocation.withFace { face in
    guard let name = try await invocation.playerName(on: face) else { return }
    let session = PlayerSession(invocation, face, as: name)
    var configuration = try session.roomConfiguration(try invocation.protection(passcode: arguments[passcode]))
    configuration.port = UInt16(arguments[port])
    configuration.rules = Match.Rules(
      roundDuration: try RoundTime.usual(arguments), time: invocation.time, pause: arguments[pauseSeconds],
      gathering: .seconds(10),
      rounds: arguments[rounds], maximumPlayers: arguments[maximum], difficulty: invocation.difficulty)
    if arguments[stay] { configuration.staysOpen = true }
    configuration.shares = ShareOptions.limits(arguments)
    configuration.approves = arguments[approve]
    if let web = WebOptions.entrance(arguments) { (configuration.web, configuration.opensWeb) = (web, true) }
    configuration.state = arguments[state]
    configuration.stateFailed = { [diagnostics = invocation.diagnostics] in diagnostics.warning($0.message) }
    let key = configuration.protection.identity?.fingerprint.description
    try await ResultKeeper.recording(arguments, for: "\(name)'s game", key: key, invocation.diagnostics) { keeper in
      if let keeper { configuration.observe = keeper.observe }
      try Failure.check(try await session.host(configuration, on: try await invocation.bonjour()))
    }
  }
}
