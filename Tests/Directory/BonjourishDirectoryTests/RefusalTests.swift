import Bonjourish
import Foundation
import TestSupport
import Testing
import _BonjourishDirectoryProtocol
import _BonjourishEventLoop

@testable import BonjourishDirectory

/// Servers that refuse a program, or something that it does.
@Suite(.timeLimit(.minutes(2))) struct RefusalTests {
  private static func settings(_ password: String) -> String {
    """
    jetstream: enabled
    authorization: { users: [
      { user: operator, password: "\(password)" },
      { user: guest, password: g, permissions: { publish: [
        "$JS.API.STREAM.INFO.KV_bonjourish", "$JS.API.CONSUMER.CREATE.KV_bonjourish", "$JS.API.DIRECT.GET.KV_bonjourish.>",
        "$JS.FC.KV_bonjourish.>"], subscribe: "_INBOX.>" } } ] }
    """
  }

  private func bonjour(_ server: NATSServer, _ user: String, _ password: String) async throws -> Bonjour {
    try await Bonjour(server) { $0.credentials = .password(user: user, password) }
  }

  @Test func `whoever is refused at the beginning is told so by everything that is tried`() async throws {
    let server = try await NATSServer(settings: Self.settings("s3cret"))
    let stranger = try await bonjour(server, "operator", "forgotten")
    let browsing = await #expect(throws: DiscoveryError.self) {
      try await stranger.withBrowser(for: "_game._tcp") { for try await _ in $0.changes {} }
    }
    let publishing = await #expect(throws: DiscoveryError.self) {
      try await stranger.withPublishedService(named: "Game", type: "_game._tcp", port: 1) { for try await _ in $0.events {} }
    }
    let resolving = await #expect(throws: DiscoveryError.self) {
      try await stranger.resolve(ServiceInstance("Game", type: "_game._tcp"))
    }
    for error in [browsing, publishing, resolving] {
      #expect(error?.code == .notPermitted, "\(error?.message ?? "")")
      #expect(error?.message.contains("forgotten") == false)
      #expect(error?.message.contains(".c:") == false)
    }
  }

  @Test func `a user who may not receive answers is told which subject is missing, and another prefix helps`() async throws {
    let server = try await NATSServer(
      settings: """
        jetstream: enabled
        authorization: { users: [ { user: ada, password: a, permissions: { publish: ">", subscribe: "_MINE.>" } } ] }
        """)
    // Without relays: of two refusals in a row the library tells the words of the last one only.
    let stranger = try await Bonjour(server) { configuration in
      (configuration.credentials, configuration.relays) = (.password(user: "ada", "a"), false)
    }
    let error = await #expect(throws: DiscoveryError.self) {
      try await stranger.services(of: "_game._tcp", within: .seconds(10))
    }
    #expect(error?.code == .notPermitted)
    let (message, remedy) = (error?.message ?? "", "; give it this permission, or set the prefix of its answers")
    #expect(message.contains("this user may not subscribe to _INBOX.") && message.hasSuffix(remedy), "\(message)")
    let guest = try await Bonjour(server) { configuration in
      configuration.credentials = .password(user: "ada", "a")
      (configuration.inboxPrefix, configuration.relays) = ("_MINE", false)
    }
    #expect(try await guest.services(of: "_game._tcp").isEmpty)
  }

  @Test func `a password that is changed later is waited for`() async throws {
    let server = try await NATSServer(settings: Self.settings("s3cret"))
    let guest = try await bonjour(server, "operator", "s3cret")
    try await guest.withBrowser(for: "_game._tcp") { browser in
      var changes = browser.changes.makeAsyncIterator()
      while let change = try await changes.next(), change != .settled {}
      server.kill()
      try await server.start(settings: Self.settings("changed"))
      while let change = try await changes.next() {
        if case .interrupted = change { break }
      }
      server.kill()
      try await server.start(settings: Self.settings("s3cret"))
      while let change = try await changes.next(), change != .restored {}
    }
  }

  @Test func `a user who may not publish is told that, also about a name that somebody has`() async throws {
    let server = try await NATSServer(settings: Self.settings("o"))
    let (host, guest) = (try await bonjour(server, "operator", "o"), try await bonjour(server, "guest", "g"))
    try await host.withPublishedService(named: "Game", type: "_game._tcp", port: 1) { _ in
      for name in ["Game", "Other"] {
        let began = ContinuousClock.now
        let error = await #expect(throws: DiscoveryError.self) {
          try await guest.withPublishedService(named: InstanceName(name), type: "_game._tcp", port: 1) {
            for try await _ in $0.events {}
          }
        }
        print("refused \(ContinuousClock.now - began) after the beginning")
        #expect(error?.code == .notPermitted)
        #expect(error?.message.contains("may not publish to $KV.bonjourish.world.game_tcp.") == true, "\(error?.message ?? "")")
      }
      let names = try await guest.services(of: "_game._tcp").map(\.instance.name)
      #expect(names == ["Game"])
    }
  }

  @Test func `a bucket that the account has no room for is told with what to do, and a smaller one is made`() async throws {
    let server = try await NATSServer(
      settings: """
        jetstream: enabled
        accounts: { GAMES: { jetstream: { max_mem: 256MB, max_file: 64MB }, users: [ { user: ada, password: "s3cret" } ] } }
        """)
    let bonjour = try await bonjour(server, "ada", "s3cret")
    #expect(try await state(of: bonjour).map { $0.code } == .limitReached)
    #expect(try await state(of: bonjour) { $0.maximumTotal = 32 << 20 } == nil)
  }

  @Test func `a user who may not keep values is told that, whether there is a bucket or not`() async throws {
    let server = try await NATSServer(settings: Self.settings("o"))
    let (host, guest) = (try await bonjour(server, "operator", "o"), try await bonjour(server, "guest", "g"))
    #expect(try await host.services(of: "_game._tcp").isEmpty)
    for _ in 0..<2 {
      let error = try await state(of: guest)
      #expect(error?.code == .notPermitted, "\(error?.message ?? "")")
      // Now there is one.
      #expect(try await state(of: host) == nil)
    }
  }

  @Test func `a bucket that is away for a short time is told, and that it is there again`() async throws {
    let server = try await NATSServer()
    let (operators, bucket) = (try StreamOperator(server), try #require(Bucket("bonjourish-matches")))
    try await operators.makeBucket(watches: -1, bucket)
    let (states, sender) = AsyncStream<OwnedValues.State>.makeStream()
    var configuration = OwnedValues.Configuration()
    configuration.stateChanged = { sender.yield($0) }
    try await Bonjour(server) { $0.createsBucket = false }.withOwnedValues(configuration) { _ in
      var iterator = states.makeAsyncIterator()
      #expect(await iterator.next() == .available)
      _ = await operators.ask("$JS.API.STREAM.DELETE.\(bucket.stream)")
      guard case .unavailable? = await iterator.next() else { throw Surprise() }
      let began = ContinuousClock.now
      try await operators.makeBucket(watches: -1, bucket)
      #expect(await iterator.next() == .available)
      print("available \(ContinuousClock.now - began) after the bucket was made again")
    }
  }

  /// Why values cannot be kept; nil if they can.
  private func state(
    of bonjour: Bonjour, _ change: (inout OwnedValues.Configuration) -> Void = { _ in }
  ) async throws -> DiscoveryError? {
    let (states, sender) = AsyncStream<OwnedValues.State>.makeStream()
    var configuration = OwnedValues.Configuration()
    change(&configuration)
    configuration.stateChanged = { sender.yield($0) }
    return try await bonjour.withOwnedValues(configuration) { _ in
      let began = ContinuousClock.now
      var iterator = states.makeAsyncIterator()
      let state = await iterator.next()
      print("told \(ContinuousClock.now - began) after the beginning: \(state.map { "\($0)" } ?? "")")
      guard case .unavailable(let error)? = state else { return nil }
      return error
    }
  }

  @Test func `places in the sources of the library are left out wherever they are`() {
    for (words, plain) in [
      ("(conn.c:1905): Authorization Violation", "Authorization Violation"), ("refused (conn.c:1905)", "refused"),
      ("(conn.c:2088): (ssl.c:12): no (good) sign", "no (good) sign"), ("(a) (b.c:x) (", "(a) (b.c:x) ("), ("", ""),
    ] {
      #expect(NATSFailure.plain(words) == plain)
    }
  }
}
