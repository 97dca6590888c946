import Bonjourish
import BonjourishDirectory
import BonjourishTransport
import FramedTransport
import TestSupport
import Testing
import _BonjourishDirectoryProtocol

/// How many may watch a bucket: nats-server allows a thousand since version 2.15, unless the bucket says otherwise.
@Suite(.timeLimit(.minutes(2))) struct ManyWatchesTests {
  private static let count = 1_100

  @Test func `a bucket that a program has made takes more than a thousand watches`() async throws {
    let server = try await NATSServer()
    let host = try await Bonjour(server)
    let guest = try await Bonjour(server)
    let others = try StreamOperator(server)
    try await host.withPublishedService(named: "Game", type: "_game._tcp", port: 1) { _ in
      #expect(await others.mostWatches() == 1_000_000)
      #expect(await others.watch(Self.count) == Self.count)
      let found = try await guest.services(of: "_game._tcp")
      #expect(found.map(\.instance.name) == ["Game"])
    }
  }

  @Test func `a bucket without a limit of its own gets one when a watch is refused`() async throws {
    let server = try await NATSServer()
    let others = try StreamOperator(server)
    try await others.makeBucket(watches: -1)
    let watches = await others.watch(Self.count)
    let guest = try await Bonjour(server)
    #expect(try await guest.services(of: "_game._tcp", within: .seconds(20)).isEmpty)
    // Older servers refuse none.
    #expect(await others.mostWatches() == (watches == Self.count ? -1 : 1_000_000))
  }

  @Test func `resolving and joining by the relay need no watch`() async throws {
    let server = try await NATSServer()
    try await StreamOperator(server).makeBucket(watches: 1)
    let watcher = try await Bonjour(server)
    let room = try await RelayRoom(server)
    try await watcher.withBrowser(for: "_other._tcp") { browser in
      for try await change in browser.changes where change == .settled { break }
      try await room.opened {
        let endpoint = try await room.guest.resolve(RelayRoom.instance)
        #expect(endpoint.port == room.listener.port)
        let connection = try await room.connect()
        #expect(connection.isRelayed)
        await connection.close()
      }
    }
  }

  @Test func `a watch that the bucket has no room for says what to do, and begins when there is room`() async throws {
    let server = try await NATSServer()
    try await StreamOperator(server).makeBucket(watches: 1)
    let (one, other) = (try await Bonjour(server), try await Bonjour(server))
    try await other.withBrowser(for: "_game._tcp") { browser in
      for try await change in browser.changes where change == .settled { break }
      let error = await #expect(throws: DiscoveryError.self) {
        try await one.services(of: "_game._tcp", within: .seconds(3))
      }
      #expect(error?.code == .unavailable)
      #expect(error?.message.contains("set max_consumers of its stream to 1000000") == true, "\(error?.message ?? "")")
    }
    let found = try await one.services(of: "_game._tcp", within: .seconds(20))
    #expect(found.isEmpty)
  }

  @Test func `an account that allows fewer watches is no obstacle`() async throws {
    let server = try await NATSServer(
      settings: """
        jetstream: enabled
        accounts: { GAMES: { jetstream: { max_consumers: 50 }, users: [ { user: ada, password: "s3cret" } ] } }
        """)
    let bonjour = try await Bonjour(server) { $0.credentials = .password(user: "ada", "s3cret") }
    #expect(try await bonjour.services(of: "_game._tcp").isEmpty)
    try await bonjour.withOwnedValues { values in
      var changes = values.changes.makeAsyncIterator()
      try values.put("m", [1], version: 1)
      #expect(await changes.next() == .owned("m", stored: 1))
    }
  }
}
