import FramedTransport
import Race
import _BonjourishConsole

let address = Option.required(
  "connect", "HOST[:PORT]", .hostPort(default: 1955), "the server's address; the default port is 1955")
let id = Option.required("player", "ID", .text, "your permanent, secret ID")
let alias = Option.required("alias", "NAME", .text, "your name, shown to the other players")
let continues = Option.flag("continue", "continue the match that you are in, if there is one")
let players = Option.optional(
  "players", "MIN:MAX", ValueFormat("MIN:MAX, such as 2:16, 16 at most") { PlayerRange($0) }, default: .any,
  "the number of players in the match (default: 2:16)")
let json = Option.flag("json", "write one JSON object per line")

let command = Command(
  "race-client", summary: "Takes part in a race on a server, at random speed.",
  options: [address, id, alias, continues, players, Option.seed, json],
  examples: [
    .init("race-client --connect localhost --player ada-4711 --alias Ada", "race against other players"),
    .init("race-client --connect localhost --player ada-4711 --alias Ada --continue", "continue a race after a break"),
  ], manual: ClientManual.page)
let arguments = command.parseOrExit()

/// Retries soon at first, and continues for as long as a server keeps a place in a match.
let policy = ReconnectionPolicy(base: .milliseconds(500), cap: .seconds(15), stablePeriod: .seconds(10), failureLimit: 10)

await Program.run(Diagnostics(program: command.name)) {
  let place = arguments[address]
  let screen = RaceScreen(json: arguments[json])
  let client = RaceClient(
    range: arguments[players], continues: arguments[continues],
    generator: arguments[.seed]
  ) { screen.show($0) }
  let states = await client.states
  async let shown: Void = { for await state in states { screen.show(.state(state)) } }()
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
  /// The failure to end the program with; nil for a normal end.
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
