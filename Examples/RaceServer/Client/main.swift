import Console
import FramedTransport
import Framing
import Race
import TwentyFour

let address = Option.required(
  "connect", "HOST[:PORT]", .hostPort(default: 1955), "where the server is; port 1955 unless told")
let id = Option.required("player", "ID", .text, "who you are: an ID that stays the same, and that nobody else is to know")
let alias = Option.required("alias", "NAME", .text, "your name, as the others see it")
let continues = Option.flag("continue", "go on with the match that you are in, if there is one")
let players = Option.optional(
  "players", "MIN:MAX", ValueFormat("how few and how many, such as 2:16; 16 at most") { PlayerRange($0) }, default: .any,
  "how many players the match may have; 2:16 unless told")
let seed = Option.optional("seed", "N", .integer(in: 0...Int.max), "make every choice of the program repeatable")
let json = Option.flag("json", "write one JSON object a line")

let command = Command(
  "race-client", version: "0.1.0", summary: "Runs a race on a server, by chance.",
  options: [address, id, alias, continues, players, seed, json],
  examples: [
    .init("race-client --connect localhost --player ada-4711 --alias Ada", "race against whoever comes"),
    .init("race-client --connect localhost --player ada-4711 --alias Ada --continue", "go on with a race after a break"),
  ])
let arguments = command.parseOrExit()

/// Soon again at first, and at most as long as a place in a match is kept.
let policy = ReconnectionPolicy(base: .milliseconds(500), cap: .seconds(15), stablePeriod: .seconds(10), failureLimit: 10)

await Program.run(Diagnostics(program: command.name)) {
  let place = arguments[address]
  let screen = RaceScreen(json: arguments[json])
  let client = RaceClient(
    range: arguments[players], continues: arguments[continues],
    generator: SeededGenerator(seed: arguments[seed].map(UInt64.init) ?? .random(in: 0...UInt64.max))
  ) { screen.show($0) }
  let states = client.states
  async let shown: Void = { for await state in states { screen.show(state) } }()
  let ending: ClientEvent.Ending
  do throws(TransportError) {
    ending = try await client.run(
      as: { () throws(RacePlayer.Invalid) in try RacePlayer(id: arguments[id], alias: arguments[alias]) }, policy: policy,
      connectingBy: { () async throws(TransportError) in
        try await Connection.connect(toHost: place.host, port: place.port, format: .race, within: .seconds(5))
      },
      events: { event in
        if case .waiting(let deadline) = event { screen.reconnecting(in: deadline - .now) }
      })
  } catch {
    throw Failure(.unavailable, error.description)
  }
  await shown
  screen.show(.ended(ending))
  if let failure = Failure(ending) { throw failure }
}

extension Failure {
  /// What the program ends with; nil when a client may end so.
  fileprivate init?(_ ending: ClientEvent.Ending) {
    switch ending {
    case .finished, .stopped: return nil
    case .notAuthenticated: self.init(.usage, ending.text)
    case .violated: self.init(.protocolError, ending.text)
    case .refused(let refusal):
      switch refusal.reason {
      case .malformed, .outOfOrder, .impossible: self.init(.protocolError, ending.text)
      case .players, .full, .replaced, .closing: self.init(.unavailable, ending.text)
      }
    }
  }
}
