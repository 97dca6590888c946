import Bonjourish
import Foundation
import FramedJSON
import FramedSecurity
import FramedTransport
import FramedWebSockets
import TestSupport
import Testing
import TwentyFour

@testable import Rooms

/// The page for phones of a room, over real connections on the loopback interface.
@Suite(.timeLimit(.minutes(1))) struct ServedPhoneTests {
  private let backend = try! FakeBackend()
  private let folder = try! TemporaryFolder()
  private let identity = try! Identity.ephemeral()
  private var path: String { folder.path + "/state" }

  private func configuration(web: WebEntrance? = WebEntrance(WebSite(files: [:]), port: 0), opensWeb: Bool) throws
    -> RoomHost.Configuration
  {
    var configuration = RoomHost.Configuration(
      name: try PlayerName("Ada"), .passcode("471123", identity), generator: TwentyFour.SeededGenerator(seed: 24))
    configuration.interfaces = "lo"
    (configuration.web, configuration.opensWeb) = (web, opensWeb)
    configuration.state = path
    return configuration
  }

  /// Opens a room; all that it publishes is established at once.
  private func withHost<Result: Sendable>(
    _ configuration: RoomHost.Configuration, _ body: (RoomHost) async throws -> Result
  ) async throws -> Result {
    let count = published.count
    let network = Task {
      for number in 1...2 {
        await backend.commands { $0.count { if case .publish = $0 { true } else { false } } >= count + number }
        await backend.sayToPublishers(.established("Ada's game"))
      }
    }
    defer { network.cancel() }
    let bonjour = Bonjour(backend: backend, time: ManualTime().clock)
    return try await RoomHost.withRoom(configuration, on: bonjour, clock: ManualTime()) { host, _ in try await body(host) }
  }

  /// All registrations so far.
  private var published: [Registration] {
    backend.commands.compactMap { if case .publish(let registration) = $0 { registration } else { nil } }
  }

  /// Whose room the page at an address says it is, if a token lets it in.
  private func look(_ address: String, token: String? = nil) async throws -> RoomMessage? {
    let parts = try #require(URLComponents(string: address))
    let port = try #require(parts.port.flatMap { UInt16(exactly: $0) })
    let host = try #require(SocketAddress(numericHost: "127.0.0.1", port: port))
    let connection = try await Connection.connect(
      to: [host], format: RoomMessage.format, security: try .webSocket(host: "127.0.0.1:\(port)"))
    let peer = RoomConnection(connection, codec: RoomMessage.codec)
    try await peer.send(.look(.init(admission: token ?? parts.fragment)))
    var messages = peer.messages.makeAsyncIterator()
    let answer = try await messages.next()
    connection.abort()
    return answer
  }

  @Test func `the page is opened later, once, advertised without its token, and let in by it`() async throws {
    try await withHost(try configuration(opensWeb: false)) { host in
      #expect(host.webAddresses == nil && published.count == 1 && host.shell.counters.count == 1)
      let opened = try await host.openWeb()
      let addresses = try #require(opened)
      let again = try await host.openWeb()
      #expect(again == addresses && host.webAddresses == addresses)
      let address = try #require(addresses.first)
      let title = RoomTitle(name: "Ada's game", host: "Ada")
      #expect(try await look(address) == .room(.init(room: host.room, title: title, admits: true)))
      #expect(
        try await look(address, token: AdmissionToken.random().text)
          == .room(.init(room: host.room, title: title, admits: false)))
      #expect(host.shell.counters.count == 2)
      // Only pages connect there: a program that is not encrypted has no place.
      let port = try #require(URLComponents(string: address)?.port.flatMap { UInt16(exactly: $0) })
      let page = try #require(published.last)
      guard published.count == 2, case .service(let content) = page.content else {
        Issue.record("\(published)")
        return
      }
      #expect(content.type == "_http._tcp" && content.subtypes == ["_twentyfour"] && content.port == port)
      #expect(content.txt == TXTRecord(of: ["path": "/"]) && page.interfaces == "lo")
      let room = try #require(published.first?.succession)
      #expect(page.succession?.publisher == room.publisher ^ 1)
    }
    #expect(backend.commands.count { if case .endPublish = $0 { true } else { false } } == 2)
  }

  @Test func `a page that was open is open again at its port, and a room without an entrance has none`() async throws {
    let web = try await withHost(try configuration(opensWeb: true)) { host in
      #expect(published.count == 2 && host.shell.counters.count == 2)
      return try #require(host.webAddresses?.first)
    }
    let port = try #require(URLComponents(string: web)?.port)
    let state = try await StateFile<RoomMachine.Snapshot>(path).read()
    #expect(state?.webPort == UInt16(port))
    // The usual port is free or not: that of before is meant.
    try await withHost(try configuration(web: WebEntrance(WebSite(files: [:])), opensWeb: false)) { host in
      let again = try #require(host.webAddresses?.first)
      #expect(URLComponents(string: again)?.port == port && URLComponents(string: again)?.fragment != nil)
      let (before, after) = (published[0].succession, published[2].succession)
      #expect(
        after?.predecessor == before?.publisher && published[3].succession?.predecessor == published[1].succession?.publisher)
    }
    try await withHost(try configuration(web: nil, opensWeb: true)) { host in
      #expect(host.webAddresses == nil)
      let opened = try await host.openWeb()
      #expect(opened == nil)
    }
  }

  @Test func `a page that cannot be advertised is not open, and one in use is an error`() async throws {
    try await withHost(try configuration(opensWeb: false)) { host in
      var taken = try configuration(opensWeb: true)
      taken.web = WebEntrance(WebSite(files: [:]), port: host.port)
      taken.state = nil
      let error = await #expect(throws: RoomError.self) { try await withHost(taken) { _ in } }
      #expect(error?.code == .cannotListen)
    }
    let bonjour = Bonjour(backend: backend, time: ManualTime().clock)
    let before = published.count
    let network = Task {
      await backend.commands { $0.count { if case .publish = $0 { true } else { false } } > before }
      await backend.sayToPublishers(.established("Ada's game"))
      await backend.commands { $0.count { if case .publish = $0 { true } else { false } } > before + 1 }
      await backend.sayToPublishers(.failed(DiscoveryError(.nameTaken, "the name is taken")))
    }
    defer { network.cancel() }
    try await RoomHost.withRoom(try configuration(opensWeb: false), on: bonjour, clock: ManualTime()) { host, _ in
      let error = await #expect(throws: RoomError.self) { () async throws in _ = try await host.openWeb() }
      #expect(error?.code == .cannotAdvertise && host.webAddresses == nil)
      // It can be tried again.
      let count = published.count
      let again = Task {
        await backend.commands { $0.count { if case .publish = $0 { true } else { false } } > count }
        await backend.sayToPublishers(.established("Ada's game"))
      }
      let addresses = try await host.openWeb()
      #expect(addresses == host.webAddresses && addresses != nil)
      await again.value
    }
  }

  @Test func `who hosts may let guesses be evaluated again, if a passcode is asked for`() async throws {
    try await withHost(try configuration(opensWeb: false)) { host in
      await host.decide(.reopen)
      var told: [RoomEvent] = []
      for await event in host.events {
        if case .passcode = event { told.append(event) }
        if event == .rule(.reopen, nil) { break }
      }
      #expect(told == [.passcode("471123")])
    }
    var open = try configuration(opensWeb: false)
    (open.protection, open.state) = (.open(identity), nil)
    try await withHost(open) { host in
      await host.decide(.reopen)
      for await event in host.events {
        if event == .refused(.noPasscode) { break }
      }
    }
  }
}
