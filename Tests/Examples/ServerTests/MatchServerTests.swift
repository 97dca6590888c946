import Bonjourish
import FramedJSON
import FramedSecurity
import FramedTransport
import TestSupport
import Testing
import TwentyFour

@testable import MatchServer
@testable import Rooms

/// What a server makes of its configuration, over real connections on the loopback interface.
@Suite(.timeLimit(.minutes(1))) struct MatchServerTests {
  private let identity = try! Identity.ephemeral()

  private func configuration() -> MatchServer.Configuration {
    var configuration = MatchServer.Configuration(
      name: "TwentyFour", .open(identity), generator: TwentyFour.SeededGenerator(seed: 24))
    configuration.port = 0
    configuration.interfaces = "lo"
    configuration.rules = Match.Rules(gathering: .zero, rounds: 2, minimumPlayers: 2, maximumPlayers: 2)
    return configuration
  }

  /// What the server answers to whoever asks whose it is.
  private func look(at port: UInt16) async throws -> RoomMessage? {
    let address = try #require(SocketAddress(numericHost: "127.0.0.1", port: port))
    let connection = try await Connection.connect(
      to: [address], format: RoomMessage.format, limits: RoomMessage.playerLimits, security: .anyKey())
    let peer = RoomConnection(connection, codec: RoomMessage.codec)
    try await peer.send(.look(.init()))
    var messages = peer.messages.makeAsyncIterator()
    defer { connection.abort() }
    return try await messages.next()
  }

  @Test func `a server has a hundred matches of two players or more unless it is told otherwise`() {
    var configuration = MatchServer.Configuration(
      name: "TwentyFour", .open(identity), generator: TwentyFour.SeededGenerator(seed: 24))
    #expect(configuration.port == 1_955 && configuration.matches == 100 && configuration.advertising == nil)
    let rules = configuration.rules
    #expect(rules.minimumPlayers == 2 && rules.maximumPlayers == 16 && rules.rounds == 10 && rules.gathering == .seconds(10))
    // What every host has is set in its plan.
    configuration.port = 4_242
    #expect(configuration.plan.port == 4_242)
  }

  @Test func `a server has its name, its matches and its shares, and is administered`() async throws {
    var configuration = configuration()
    (configuration.matches, configuration.shares) = (7, ShareLimits(seats: 1))
    try await MatchServer.withServer(configuration, on: nil) { server, service in
      #expect(service == nil && server.passcode == nil && server.webAddresses == nil)
      guard case .room(let introduction)? = try await look(at: server.port) else { throw CancellationError() }
      #expect(introduction.title == RoomTitle(name: "TwentyFour") && introduction.admits)
      let ada = try await Guest("Ada", at: server.port)
      let player = try #require(try await ada.untilWelcome()?.player)
      #expect(try await Guest("Bob", at: server.port).ending() == .share)
      let statistics = await server.statistics
      #expect(statistics.counts.players == 1 && statistics.matchLimit == 7 && !statistics.isDraining)
      #expect(statistics.listeners.map(\.admitted) == [1] && statistics.uptimeSeconds > 0)
      let (number, other) = (MatchNumber(rawValue: 1), MatchNumber(rawValue: 2))
      #expect(await server.overview.map(\.number) == [1])
      await #expect(throws: RoomReason.noSuchMatch(other)) { try await server.decide(.kick(player.id), in: other) }
      #expect(await !server.closeMatch(other))
      try await server.decide(.lock(true), in: number)
      #expect(await server.overview.map(\.isLocked) == [true])
      #expect(await server.closeMatch(number))
      #expect(try await ada.ending() == .hostLeft)
      #expect(await server.overview.isEmpty)
      await server.drain()
      await server.closed()
    }
  }

  @Test(arguments: [false, true])
  func `a match has a name if matches are listed, also after a restart`(isListed: Bool) async throws {
    let folder = try TemporaryFolder()
    var configuration = configuration()
    configuration.state = folder.path + "/state"
    configuration.advertising = isListed ? "lo" : nil
    let seats = try await MatchServer.withServer(configuration, on: nil) { server, _ in
      let guests = [try await Guest("Ada", at: server.port), try await Guest("Bob", at: server.port)]
      for guest in guests {
        let welcome = try #require(try await guest.untilWelcome())
        #expect(welcome.place?.hasPrefix("TwentyFour · match 1-") == (isListed ? true : nil))
        // Who has sent an answer keeps the seat.
        try await guest.send(.act(round: 1, .answer("1")))
        _ = try await guest.first { if case .event(.refused) = $0 { true } else { nil } }
      }
      return guests.compactMap(\.welcome)
    }
    try await MatchServer.withServer(configuration, on: nil) { server, _ in
      let back = try await Guest("Ada", at: server.port, backTo: seats.first)
      let welcome = try #require(try await back.untilWelcome())
      #expect(welcome.player == seats.first?.player && welcome.place == seats.first?.place)
      guard case .room(let introduction)? = try await look(at: server.port) else { throw CancellationError() }
      #expect(introduction.title.name == "TwentyFour")
    }
  }
}
