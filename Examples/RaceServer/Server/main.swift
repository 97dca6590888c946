import FramedTransport
import Race
import _BonjourishConsole

let port = Option.optional(
  "port", "P", .integer(in: 0...65_535), default: 1955, "listen on this port; 0 means any free port (default: 1955)")
let address = Option.optional(
  "bind", "ADDRESS",
  ValueFormat("an address of this machine, such as 127.0.0.1 or fe80::1%eth0") { SocketAddress(numericHost: $0, port: 0) },
  "listen on this address only, such as 127.0.0.1")
let players = Option.optional(
  "players", "MIN:MAX", ValueFormat("MIN:MAX, such as 2:16, 16 at most") { PlayerRange($0) }, default: .any,
  "the number of players in a match (default: 2:16)")
let course = Option.optional(
  "course", "LENGTH", .integer(in: 1...Int(RaceRules.lengths.upperBound)), default: 1_000,
  "the distance to the finish; a racer runs at most 100 per second (default: 1000)")
let gathering = Option.optional(
  "gather", "S", .seconds(in: 0...3_600), default: .seconds(2),
  "the seconds to wait for more players when a match has enough (default: 2)")
let json = Option.flag("json", "write one JSON object per line")

let command = Command(
  "race-server", summary: "Runs races for players who connect by host name and port.",
  options: [port, address, players, course, gathering, json],
  examples: [
    .init("race-server", "races for everyone who can reach port 1955 of this machine"),
    .init("race-server --bind 127.0.0.1 --players 2:2", "races of two on this machine"),
  ], manual: ServerManual.page)
let arguments = command.parseOrExit()

await Program.run(Diagnostics(program: command.name)) {
  var rules = RaceRules()
  rules.players = arguments[players]
  rules.courseLength = Int32(arguments[course])
  rules.gathering = arguments[gathering]
  // All players of a match may connect from one address at once.
  let pending = PendingConnectionLimits(admission: .app, countPerAddress: PlayerRange.limit)
  let listener: Listener
  do throws(TransportError) {
    let port = UInt16(arguments[port])
    if let address = arguments[address]?.with(port: port) {
      listener = try await Listener.bind(to: address, format: .race, pending: pending, on: .one)
    } else {
      listener = try await Listener.bind(port: port, format: .race, pending: pending, on: .one)
    }
  } catch {
    throw Failure(.unavailable, error.description)
  }
  let log = RaceLog(json: arguments[json])
  log.listening(at: listener.addresses)
  // A separate task writes the log: if its reader is slow, the oldest lines are dropped and no race waits.
  let (reports, report) = AsyncStream.makeStream(
    of: (RaceReport, SocketAddress?).self, bufferingPolicy: .bufferingNewest(4_096))
  let logging = Task { for await (event, address) in reports { log.write(event, address) } }
  await RaceServer(rules, on: listener) { report.yield(($0, $1)) }.run()
  report.finish()
  await logging.value
}
