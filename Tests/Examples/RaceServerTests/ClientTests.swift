import FramedTransport
import FramedTransportTesting
import Race
import TestSupport
import Testing
import _BonjourishBase
import _BonjourishEventLoop

@testable import race_client

/// A client over links in memory, with a server played by the test.
@Suite(.timeLimit(.minutes(1))) struct ClientTests {
  private let view = MatchView(
    courseLength: 10, topSpeed: 100, own: 0, racers: [MatchView.Racer(alias: "Ada"), MatchView.Racer(alias: "Bob")])

  private func client() -> RaceClient {
    RaceClient(range: .any, continues: false, generator: SeededGenerator(seed: 1)) { _ in }
  }

  /// Runs a client over connections that are made one after another.
  private func run(_ client: RaceClient, over connections: [Connection]) async throws -> ClientEvent.Ending {
    let rest = Locked(connections)
    return try await client.run(
      as: { () throws(RacePlayer.Invalid) in try RacePlayer(id: "a1", alias: "Ada") },
      policy: ReconnectionPolicy(base: .milliseconds(1), failureLimit: 5),
      connectingBy: { rest.withLock { $0.removeFirst() } }, events: { _ in })
  }

  private func say(_ messages: ServerMessage..., over connection: Connection) async throws {
    for message in messages { try await connection.send(MarshallingCodec<ServerMessage>.race.encode(message)) }
  }

  @Test func `every watcher sees every state in order, also over a lost connection`() async throws {
    let (first, firstServer, link) = try Connection.pair(format: .race)
    let (second, secondServer, _) = try Connection.pair(format: .race)
    let client = client()
    let watchers = [await client.states, await client.states].map { states in
      Task { await states.reduce(into: []) { $0.append($1) } }
    }
    async let ending = run(client, over: [first, second])
    try await say(.notInMatch, .waiting(missing: 0), .match(view), over: firstServer)
    var frames = firstServer.frames.makeAsyncIterator()
    // After the greeting, the wish and a step of the racer, the race is on.
    for _ in 0..<3 { #expect(try await frames.next() != nil) }
    await link.cut()
    try await say(.match(view), .over(ranking: [1, 0]), over: secondServer)
    #expect(try await ending == .finished)

    let way: [ClientState] = [
      .notAvailable, .pendingAuthentication, .authenticated, .connecting, .connected, .pendingMatchStatus, .receivedMatchStatus,
      .pendingMatch, .pendingMatchStart, .matchActive, .connecting, .connected, .pendingMatchStatus, .receivedMatchStatus,
      .matchActive, .receivedMatchStatus, .notAvailable,
    ]
    for watcher in watchers { #expect(await watcher.value == way) }
    // A late watcher sees the last state, and the end.
    #expect(await client.states.reduce(into: []) { $0.append($1) } == [.notAvailable])
  }

  @Test func `a client without a player makes no connection`() async throws {
    let ending = try await client().run(
      as: { () throws(RacePlayer.Invalid) in try RacePlayer(id: "", alias: "Ada") }, policy: .standard,
      connectingBy: { () throws(TransportError) in fatalError("nobody connects") }, events: { _ in })
    #expect(ending == .notAuthenticated(.id))
  }

  @Test func `a client that is cancelled ends`() async throws {
    let (connection, server, _) = try Connection.pair(format: .race)
    let client = client()
    let running = Task { try await run(client, over: [connection]) }
    var frames = server.frames.makeAsyncIterator()
    #expect(try await frames.next() != nil)
    running.cancel()
    #expect(try await running.value == .stopped)
    #expect(try await frames.next() == nil)
  }
}
