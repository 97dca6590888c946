import Bonjourish
import Rooms
import Synchronization
import TestSupport
import Testing
import _BonjourishConsole
import _BonjourishDiscovery

@testable import Screens

/// What the status of the network learns from discovery.
@Suite(.timeLimit(.minutes(1))) struct SearchStatusTests {
  private final class Told: Sendable {
    private let texts = Mutex<[String]>([])
    var all: [String] { texts.withLock { $0 } }
    func add(_ text: String) { texts.withLock { $0.append(text) } }
  }

  private let told = Told()
  private let status: NetworkStatus
  private let backend: FakeBackend
  private let bonjour: Bonjour
  private let outage = DiscoveryError(.unavailable, "browsing: the network is away")

  init() throws {
    status = NetworkStatus(json: false, Diagnostics(level: .warning) { [told] _, text in told.add(text) })
    backend = try FakeBackend()
    bonjour = Bonjour(backend: backend, time: ManualTime().clock)
  }

  private func browsed() async {
    await backend.commands { $0.contains { if case .browse = $0 { true } else { false } } }
  }

  @Test func `a search tells its interruption and its end, and no more after its failure`() async throws {
    try await bonjour.withBrowser(for: RoomHost.serviceType) { browser in
      async let following: Void = status.follow(browser)
      await browsed()
      var sentences = status.changes.makeAsyncIterator()
      #expect(await sentences.next() == .some(nil))
      await backend.sayToBrowsers(.settled, .interrupted(outage))
      #expect(await sentences.next() == outage.message)
      await backend.sayToBrowsers(.restored)
      #expect(await sentences.next() == .some(nil))
      await backend.sayToBrowsers(.failed(DiscoveryError(.refused, "browsing: refused")))
      await following
    }
    #expect(told.all == [outage.message, Phrases.discoveryRestored])
  }

  @Test func `the network is watched while a room is opened, and what was told then is taken back`() async throws {
    let result = try await status.telling(on: bonjour, interfaces: .all) { isOpen in
      await browsed()
      var sentences = status.changes.makeAsyncIterator()
      #expect(await sentences.next() == .some(nil))
      await backend.sayToBrowsers(.interrupted(outage))
      #expect(await sentences.next() == outage.message)
      await isOpen(nil)
      #expect(status.sentence == nil)
      return 24
    }
    #expect(result == 24)
    #expect(backend.commands.contains { if case .endBrowse = $0 { true } else { false } })
    #expect(told.all == [outage.message, Phrases.discoveryRestored])
  }

  @Test func `a room that cannot be opened ends the watch with its error`() async {
    struct Oops: Error {}
    await #expect(throws: Oops.self) {
      try await status.telling(on: bonjour, interfaces: .all) { _ -> Int in
        await browsed()
        throw Oops()
      }
    }
    #expect(backend.commands.contains { if case .endBrowse = $0 { true } else { false } })
    #expect(told.all.isEmpty)
  }

  @Test func `a room that is not advertised watches nothing`() async throws {
    #expect(
      try await status.telling(on: nil, interfaces: .all) { isOpen in
        await isOpen(nil)
        return true
      })
    #expect(backend.commands.isEmpty && told.all.isEmpty)
  }

  @Test func `that only this machine is reached is told, and its end`() {
    var configuration = Bonjour.Configuration()
    status.follow(&configuration)
    configuration.reachLimited(DiscoveryError(.unavailable, "only this machine is reached"))
    #expect(status.sentence == "only this machine is reached")
    configuration.reachLimited(nil)
    #expect(status.sentence == nil)
    #expect(told.all == ["only this machine is reached", Phrases.othersAreFoundAgain])
  }

  @Test func `as JSON, only what discovery tells is on standard output, as browse has it`() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      let warnings = Mutex<[String]>([])
      let status = NetworkStatus(json: true, Diagnostics(level: .warning) { _, text in warnings.withLock { $0.append(text) } })
      status.note("a", from: .machine)
      status.note("b", from: .search)
      status.note("c", from: .room)
      status.note(nil, from: .search)
      status.note(nil, from: .machine, restored: "others")
      status.note("d", from: .search)
      status.note(nil, from: .search, restored: "works")
      status.note(nil, from: .room, restored: "found")
      #expect(warnings.withLock(\.self) == ["c", "found"])
    }
    let lines = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self).split(separator: "\n").filter {
      $0.hasPrefix("{\"event\"")
    }
    #expect(
      lines == [
        #"{"event":"limited","reason":"a"}"#, #"{"event":"interrupted","reason":"b"}"#, #"{"event":"unlimited"}"#,
        #"{"event":"interrupted","reason":"d"}"#, #"{"event":"restored"}"#,
      ])
  }
}
