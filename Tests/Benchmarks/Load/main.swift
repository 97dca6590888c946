import Foundation
import FramedTransport
import Rooms
// Fills a match server on the loopback interface with bots that play, and comes with as many again.
import _BonjourishConsole
import _BonjourishJSONOutput

let rooms = Option.optional("rooms", "N", .integer(in: 1...1_000), default: 100, "the number of matches (default: 100)")
let players = Option.optional("players", "N", .integer(in: 2...128), default: 16, "the number of players in each (default: 16)")
let rounds = Option.optional("rounds", "N", .integer(in: 2...1_000), default: 4, "the number of rounds (default: 4)")
let roundSeconds = Option.optional(
  "round-seconds", "S", .seconds(in: 1...1_000), default: .seconds(20), "the length of a round in seconds (default: 20)")
let pauseSeconds = Option.optional(
  "pause-seconds", "S", .seconds(in: 0...100), default: .seconds(3), "the seconds between two rounds (default: 3)")
let waves = Option.optional(
  "waves", "N", .integer(in: 1...100), default: 4, "the number of waves, one a second, of as many further players (default: 4)")
let protection = Option.optional(
  "protection", "HOW", ValueFormat<Protection>.anyCase, default: .none,
  "how the server protects its connections: none, open or passcode (default: none)")
let web = Option.flag("web", "let all players be pages: they play over WebSockets, without encryption")
let host = Option.optional("host", "PROGRAM", .file, "the twentyfour-host to measure; default: the one beside this program")
let marks = Option.flag("marks", "fail when a figure misses the target of a server")
let json = Option.flag("json", "write the figures as a JSON object")

let command = Command(
  "twentyfour-load", summary: "Fills a match server with bots, and measures how it plays.",
  options: [rooms, players, rounds, roundSeconds, pauseSeconds, waves, protection, web, host, marks, json],
  exclusive: [[web, protection]])
let arguments = command.parseOrExit()

await Program.run(Diagnostics(program: command.name)) {
  let beside = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "twentyfour-host").path
  let server = try HostProcess(
    arguments[host] ?? beside, rooms: arguments[rooms], players: arguments[players], rounds: arguments[rounds],
    roundTime: arguments[roundSeconds], pause: arguments[pauseSeconds], protection: arguments[protection], isWeb: arguments[web]
  )
  let load = try Load(
    server, rooms: arguments[rooms], players: arguments[players], rounds: arguments[rounds], waves: arguments[waves],
    protection: arguments[protection])
  let report: LoadReport
  do {
    report = try await load.run()
  } catch {
    _ = server.end()
    throw error
  }
  guard server.end() == 0 else { throw Failure(.software, "the server ended with an error") }
  if arguments[json] { Output.standard.json(report) } else { Output.standard.line(report.text) }
  guard report.isUndisturbed else { throw Failure(.software, "a player was disturbed") }
  guard report.isWithinMarks || !arguments[marks] else {
    throw Failure(.software, "a figure misses the target of a server")
  }
}
