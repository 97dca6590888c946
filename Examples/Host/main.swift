import Bonjourish
import Console
import PlayerConsole
import Rooms
import TwentyFour

if let mode = HostMode.asked { await mode.run() }

let port = Option.optional("port", "P", .integer(in: 0...65_535), default: 0, "listen on this port; 0: any that is free")
let rounds = Option.optional("rounds", "N", .integer(in: 1...1_000_000), "close the room after so many rounds")
let roundSeconds = Option.optional(
  "round-seconds", "S", .seconds(in: 1...86_400), default: .seconds(100), "how long a round lasts; 100 unless told")
let pauseSeconds = Option.optional(
  "pause-seconds", "S", .seconds(in: 0...86_400), default: .seconds(10), "the time between two rounds; 10 unless told")
let maximum = Option.optional(
  "max", "N", .integer(in: 1...Match.Rules.playerLimit), default: 16, "how many may play, you included; 16 unless told")
let state = Option.optional(
  "state", "FILE", .text, "keep the room in this file, and go on with the one that is in it")

let command = Command(
  "twentyfour-host", version: PlayerOptions.version, summary: "Opens a room for TwentyFour, and plays in it.",
  options: PlayerOptions.all + [
    port, rounds, roundSeconds, pauseSeconds, maximum, state, ResultsPlace.file, ResultsPlace.record,
  ],
  examples: [
    .init("twentyfour-host --name Ada", "anyone on the network can join \"Ada's game\""),
    .init("twentyfour-host --name Ada --bot --rounds 3", "the program plays three rounds for you"),
    .init("twentyfour-host --name Ada --state evening.json", "go on with the evening after a restart"),
  ])
let arguments = command.parseOrExit()

await Program.run(Diagnostics(program: command.name)) {
  let invocation = try PlayerInvocation(arguments, program: command.name)
  try await invocation.withFace { face in
    guard let name = try await invocation.playerName(on: face) else { return }
    let session = PlayerSession(invocation, face, as: name)
    var configuration = session.roomConfiguration()
    configuration.port = UInt16(arguments[port])
    configuration.rules = Match.Rules(
      roundDuration: arguments[roundSeconds], pause: arguments[pauseSeconds], gathering: .seconds(10),
      rounds: arguments[rounds], maximumPlayers: arguments[maximum], difficulty: invocation.difficulty)
    configuration.state = arguments[state]
    configuration.stateFailed = { [diagnostics = invocation.diagnostics] in diagnostics.warning($0.message) }
    try await ResultKeeper.recording(arguments, for: "\(name)'s game", invocation.diagnostics) { keeper in
      if let keeper { configuration.observe = keeper.observe }
      try Failure.check(try await session.host(configuration, on: try await invocation.bonjour()))
    }
  }
}
