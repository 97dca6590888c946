import Bonjourish
import TestSupport
import Testing
import _BonjourishDiscovery

@testable import bonjourish_cli

/// What `types` and `query` tell of a lookup.
@Suite(.timeLimit(.minutes(1))) struct FollowTests {
  private let backend: FakeBackend
  private let bonjour: Bonjour
  private let question = RecordQuestion(.domain("_services._dns-sd._udp.local"), .ptr)
  private let lost = DiscoveryError(.unavailable, "gone")

  init() throws {
    backend = try FakeBackend()
    bonjour = Bonjour(backend: backend, time: ManualTime().clock)
  }

  /// Follows the types while the network says something. After each event a type is found, so that the event has been taken then.
  private func follow(_ events: LookupEvent...) async throws -> (wasFound: Bool, outage: DiscoveryError?) {
    let (lines, line) = AsyncStream<Void>.makeStream()
    let follow = Follow<DiscoveredServiceType>(
      what: "service types", once: true, json: false,
      line: { type in
        line.yield()
        return "\(type.type)"
      }, record: { _, _ in })
    let task = Task {
      try await bonjour.withServiceTypeBrowser { try await follow.run($0) }
    }
    let link = Link(NetworkInterface(index: 2, name: "eth0"), .ipv4)
    await backend.commands { !$0.isEmpty }
    for (event, name) in zip(events, ["_a._tcp.local", "_b._tcp.local"] as [DomainName]) {
      await backend.say(event, .added(ResourceRecord(.pointer(name), on: link)), to: question)
      for await _ in lines { break }
    }
    // As at the end of the time.
    task.cancel()
    return try await task.value
  }

  @Test func `an outage that lasts at the end of the time is the reason why something may be missing`() async throws {
    let result = try await follow(.interrupted(lost))
    #expect(result.wasFound && result.outage == lost)
  }

  @Test func `an outage that is over by then is none`() async throws {
    let result = try await follow(.interrupted(lost), .restarted)
    #expect(result.wasFound && result.outage == nil)
  }
}
