// Fills a house on the loopback interface with bots that play, and comes with as many again.
import Console
import Foundation
import FramedTransport
import Rooms

let rooms = Option.optional("rooms", "N", .integer(in: 1...1_000), default: 100, "how many matches; 100 unless told")
let players = Option.optional("players", "N", .integer(in: 2...128), default: 16, "how many players in each; 16 unless told")
let rounds = Option.optional("rounds", "N", .integer(in: 2...1_000), default: 4, "how many rounds; 4 unless told")
let roundSeconds = Option.optional(
  "round-seconds", "S", .seconds(in: 1...1_000), default: .seconds(20), "how long a round lasts; 20 unless told")
let pauseSeconds = Option.optional(
  "pause-seconds", "S", .seconds(in: 0...100), default: .seconds(3), "the time between two rounds; 3 unless told")
let waves = Option.optional(
  "waves", "N", .integer(in: 1...100), default: 4, "how many times, once a second, as many again come; 4 unless told")
let host = Option.optional("host", "PROGRAM", .text, "the twentyfour-host to measure; the one beside this program unless told")
let marks = Option.flag("marks", "fail when a figure is worse than what is asked of a house")
let json = Option.flag("json", "write the figures as a JSON object")

let command = Command(
  "twentyfour-load", version: "0.1.0", summary: "Fills a house with bots, and measures how it plays.",
  options: [rooms, players, rounds, roundSeconds, pauseSeconds, waves, host, marks, json])
let arguments = command.parseOrExit()

await Program.run(Diagnostics(program: command.name)) {
  let beside = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "twentyfour-host").path
  let house = try HostProcess(
    arguments[host] ?? beside, rooms: arguments[rooms], players: arguments[players], rounds: arguments[rounds],
    roundTime: arguments[roundSeconds], pause: arguments[pauseSeconds])
  let load = Load(
    house, rooms: arguments[rooms], players: arguments[players], rounds: arguments[rounds], waves: arguments[waves])
  let report: LoadReport
  do {
    report = try await load.run()
  } catch {
    _ = house.end()
    throw error
  }
  guard house.end() == 0 else { throw Failure(.software, "the house did not end as it should") }
  if arguments[json] { Output.standard.json(report) } else { Output.standard.line(report.text) }
  guard report.isUndisturbed else { throw Failure(.software, "somebody who played was disturbed") }
  guard report.isWithinMarks || !arguments[marks] else {
    throw Failure(.software, "a figure is worse than what is asked of a house")
  }
}
