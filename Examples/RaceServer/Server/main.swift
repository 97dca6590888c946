import Console
import FramedTransport
import Framing
import Race

let port = Option.optional(
  "port", "P", .integer(in: 0...65_535), default: 1955, "listen on this port; 0: any that is free; 1955 unless told")
let address = Option.optional(
  "bind", "ADDRESS",
  ValueFormat("an address of this machine, such as 127.0.0.1 or fe80::1%eth0") { SocketAddress(numericHost: $0, port: 0) },
  "listen at this address only, such as 127.0.0.1")
let players = Option.optional(
  "players", "MIN:MAX", ValueFormat("how few and how many, such as 2:16; 16 at most") { PlayerRange($0) }, default: .any,
  "how many players a match may have; 2:16 unless told")
let course = Option.optional(
  "course", "LENGTH", .integer(in: 1...Int(RaceRules.lengths.upperBound)), default: 1_000,
  "how far it is to the finish; a racer gets 100 in a second at most; 1000 unless told")
let gathering = Option.optional(
  "gather", "S", .seconds(in: 0...3_600), default: .seconds(2),
  "how long those who are enough for a match wait for more; 2 unless told")
let json = Option.flag("json", "write one JSON object a line")

let command = Command(
  "race-server", version: "0.1.0", summary: "Serves races to players that come by name and port.",
  options: [port, address, players, course, gathering, json],
  examples: [
    .init("race-server", "everybody who reaches port 1955 of this machine can race"),
    .init("race-server --bind 127.0.0.1 --players 2:2", "races of two on this machine"),
  ])
let arguments = command.parseOrExit()

await Program.run(Diagnostics(program: command.name)) {
  var rules = RaceRules()
  rules.players = arguments[players]
  rules.courseLength = Int32(arguments[course])
  rules.gathering = arguments[gathering]
  let listener: Listener
  do throws(TransportError) {
    let port = UInt16(arguments[port])
    if let address = arguments[address]?.with(port: port) {
      listener = try await Listener.bind(to: address, format: .race, newcomers: .hello, on: .one)
    } else {
      listener = try await Listener.bind(port: port, format: .race, newcomers: .hello, on: .one)
    }
  } catch {
    throw Failure(.unavailable, error.description)
  }
  let log = RaceLog(json: arguments[json])
  log.listening(at: listener.addresses)
  await RaceServer(rules, on: listener) { log.write($0, $1) }.run()
}
