import Bonjourish
import BonjourishDirectory
import Testing
import _BonjourishDirectoryProtocol

/// Two programs and a real server: what one publishes, the other finds, with the calls of the local network.
@Suite(.timeLimit(.minutes(2))) struct DirectoryTests {
  @Test func `what one publishes, the other finds and resolves, until it is withdrawn`() async throws {
    let server = try await NATSServer()
    let host = try await Bonjour(server)
    let guest = try await Bonjour(server)
    try await guest.withBrowser(for: "_game._tcp", resolving: true) { browser in
      var changes = browser.changes.makeAsyncIterator()
      #expect(try await changes.next() == .settled)
      try await host.withPublishedService(named: "Ada's game", type: "_game._tcp", port: 4242, txt: ["players": "2"]) {
        service in
        #expect(await service.name == "Ada's game")
        guard case .found(let found)? = try await changes.next() else { throw Surprise() }
        #expect(found.instance == ServiceInstance("Ada's game", type: "_game._tcp"))
        #expect(found.links.map(\.source.name) == ["directory:world"])
        #expect(found.endpoint?.port == 4242)
        #expect(found.endpoint?.txt.text("players") == "2")
        #expect(found.endpoint?.addresses.isEmpty == false)
        try await service.update(txt: ["players": "3"])
        guard case .updated(let updated)? = try await changes.next() else { throw Surprise() }
        #expect(updated.endpoint?.txt.text("players") == "3")
      }
      guard case .lost(let lost)? = try await changes.next() else { throw Surprise() }
      #expect(lost.instance.name == "Ada's game")
    }
  }

  @Test func `a name that is taken gets a number`() async throws {
    let server = try await NATSServer()
    let one = try await Bonjour(server)
    let other = try await Bonjour(server)
    try await one.withPublishedService(named: "Game", type: "_game._tcp", port: 1) { _ in
      try await other.withPublishedService(named: "GAME", type: "_game._tcp", port: 2) { service in
        #expect(await service.name == "GAME #2")
        let found = try await one.services(of: "_game._tcp")
        #expect(found.map(\.instance.name) == ["GAME #2", "Game"])
        #expect(found.map(\.isOwn) == [false, true])
      }
    }
    // Both have been removed, so the name is free at once.
    try await other.withPublishedService(named: "Game", type: "_game._tcp", port: 3) { service in
      #expect(await service.name == "Game")
    }
  }

  @Test func `a server that dies is an interruption, and all is there again when it is back`() async throws {
    let server = try await NATSServer()
    let host = try await Bonjour(server)
    // A browser is told after a third of a lease.
    let guest = try await Bonjour(server) { $0.lease = RecordLease(duration: .seconds(6)) }
    try await host.withPublishedService(named: "Game", type: "_game._tcp", port: 1) { service in
      var events = service.events.makeAsyncIterator()
      try await guest.withBrowser(for: "_game._tcp") { browser in
        var changes = browser.changes.makeAsyncIterator()
        while try await changes.next() != .settled {}
        server.kill()
        var change = try await changes.next()
        // Instances are doubted at the same time.
        while case .updated? = change { change = try await changes.next() }
        guard case .interrupted(let error)? = change else { throw Surprise() }
        #expect(error.code == .unavailable)
        guard case .interrupted? = try await events.next() else { throw Surprise() }
        // The bucket is in memory: nothing is left of it.
        try await server.start()
        #expect(try await events.next() == .restored)
        var isRestored = false
        while let change = try await changes.next(), change != .settled {
          if change == .restored { isRestored = true }
        }
        #expect(isRestored)
        #expect(try await guest.services(of: "_game._tcp").map(\.instance.name) == ["Game"])
      }
    }
  }

  @Test func `a server that is back without its store is not noticed by those who browse`() async throws {
    let server = try await NATSServer()
    let host = try await Bonjour(server)
    let guest = try await Bonjour(server)
    try await host.withPublishedService(named: "Game", type: "_game._tcp", port: 1) { service in
      var events = service.events.makeAsyncIterator()
      try await guest.withBrowser(for: "_game._tcp", resolving: true) { browser in
        var changes = browser.changes.makeAsyncIterator()
        while try await changes.next() != .settled {}
        server.kill()
        let event = try await events.next()
        guard case .interrupted? = event else { throw Surprise("\(String(describing: event))") }
        try await server.start()
        #expect(try await events.next() == .restored)
        try await service.update(txt: ["round": "2"])
        // It was neither lost nor found meanwhile.
        var change = try await changes.next()
        while change == .settled { change = try await changes.next() }
        guard case .updated(let updated)? = change else { throw Surprise("\(String(describing: change))") }
        #expect(updated.endpoint?.txt.text("round") == "2")
      }
    }
  }

  @Test func `a server that hangs holds nobody up, and is an interruption`() async throws {
    let server = try await NATSServer()
    let host = try await Bonjour(server)
    let guest = try await Bonjour(server)
    try await host.withPublishedService(named: "Game", type: "_game._tcp", port: 1) { service in
      #expect(try await guest.services(of: "_game._tcp").count == 1)
      server.pause()
      let paused = ContinuousClock.now
      for number in 0..<50 {
        try await service.update(txt: ["number": "\(number)"])
        _ = await guest.metrics
      }
      // If each waited for the server, be it only for a second, it would be more.
      #expect(ContinuousClock.now - paused < .seconds(20))
      var events = service.events.makeAsyncIterator()
      let began = ContinuousClock.now
      guard case .interrupted? = try await events.next() else { throw Surprise() }
      print("interrupted after \(ContinuousClock.now - began)")
      #expect(ContinuousClock.now - began < .seconds(25))
      server.resume()
      #expect(try await events.next() == .restored)
    }
  }

  @Test func `a directory that is not there is an interruption, and nothing waits for it`() async throws {
    let server = try await NATSServer()
    server.kill()
    let guest = try await Bonjour(server)
    let error = await #expect(throws: DiscoveryError.self) {
      try await guest.services(of: "_game._tcp", within: .seconds(3))
    }
    #expect(error?.code == .unavailable)
    try await server.start()
    #expect(try await guest.services(of: "_game._tcp", within: .seconds(20)).isEmpty)
  }
}

/// Something happened that must not.
struct Surprise: Error {
  let event: String

  init(_ event: String = "") {
    self.event = event
  }
}

extension Bonjour {
  /// Discovery by the directory of a test alone.
  convenience init(_ server: NATSServer, _ change: (inout DirectoryConfiguration) -> Void = { _ in }) async throws {
    var configuration = DirectoryConfiguration(servers: [server.url])
    configuration.allowsLoopback = true
    change(&configuration)
    try await self.init(directory: configuration, local: nil)
  }
}
