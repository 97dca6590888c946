import Bonjourish
import Console
import PlayerConsole
import Rooms
import TwentyFour

let port = Option.optional("port", "P", .integer(in: 0...65_535), default: 0, "listen on this port; 0: any that is free")
let rounds = Option.optional("rounds", "N", .integer(in: 1...1_000_000), "close the room after so many rounds")
let roundSeconds = Option.optional(
  "round-seconds", "S", .seconds(in: 1...86_400), default: .seconds(100), "how long a round lasts; 100 unless told")
let pauseSeconds = Option.optional(
  "pause-seconds", "S", .seconds(in: 0...86_400), default: .seconds(10), "the time between two rounds; 10 unless told")
let maximum = Option.optional(
  "max", "N", .integer(in: 1...Match.Rules.playerLimit), default: 16, "how many may play, you included; 16 unless told")

let command = Command(
  "twentyfour-host", version: PlayerOptions.version, summary: "Opens a room for TwentyFour, and plays in it.",
  options: PlayerOptions.all + [port, rounds, roundSeconds, pauseSeconds, maximum],
  examples: [
    .init("twentyfour-host --name Ada", "anyone on the network can join \"Ada's game\""),
    .init("twentyfour-host --name Ada --bot --rounds 3", "the program plays three rounds for you"),
  ])
let arguments = command.parseOrExit()

await Program.run(Diagnostics(program: command.name)) {
  let invocation = try PlayerInvocation(arguments, program: command.name)
  var configuration = RoomHost.Configuration(name: invocation.name, generator: invocation.generator)
  configuration.port = UInt16(arguments[port])
  configuration.interface = invocation.interface
  configuration.rules = Match.Rules(
    roundDuration: arguments[roundSeconds], pause: arguments[pauseSeconds], gathering: .seconds(10),
    rounds: arguments[rounds], maximumPlayers: arguments[maximum])
  do {
    try await RoomHost.withRoom(configuration, on: invocation.bonjour()) { host, service in
      let place = RoomPlace(name: await service.name.text, port: host.port)
      async let _: Void = tell(service.events, to: invocation.diagnostics)
      try await PlayerSession(invocation, at: place).play(in: host)
    }
  } catch let error as RoomError {
    throw Failure(error)
  }
}

/// Tells the host's person what happens to the room's advertisement while it is open.
func tell(_ events: ServiceEvents, to diagnostics: Diagnostics) async {
  do {
    for try await event in events {
      switch event {
      case .renamed(_, let name): diagnostics.warning("the room is called \"\(name)\": another one has its name")
      case .interrupted(let error): diagnostics.warning("nobody new can find the room: \(error.message)")
      case .restored: diagnostics.warning("the room can be found again")
      }
    }
  } catch {
    diagnostics.warning("nobody new can find the room: \(error.message)")
  }
}
