import Bonjourish
import TestSupport
import Testing

@testable import Rooms

/// A TXT record that is kept up to date.
@Suite(.timeLimit(.minutes(1))) struct AdvertiserTests {
  private let backend = try! FakeBackend()

  private func record(_ players: Int) -> TXTRecord { TXTRecord(of: ["players": "\(players)"]) }

  @Test func `of several changes the latest is published, and the next one only after a while`() async throws {
    let bonjour = Bonjour(backend: backend, time: ManualTime().clock)
    let advertiser = Advertiser(["players": "1"], atMostEvery: .seconds(3_600))
    #expect(advertiser.first == record(1))
    let service = Bonjour.Service("Ada's game", type: RoomHost.serviceType, port: 4242, txt: advertiser.first)
    for players in 2...4 { advertiser.advertise(["players": "\(players)"]) }
    let running = Task {
      try await bonjour.withPublishedServices([service]) { services in await advertiser.run(services[0]) }
    }
    await backend.commands { $0.count == 1 }
    await backend.sayToPublishers(.established("Ada's game"))
    let first = record(4)
    await backend.commands { $0.contains(.update(first)) }
    advertiser.advertise(["players": "5"])
    for _ in 0..<100 { await Task.yield() }
    running.cancel()
    _ = await running.result
    #expect(backend.commands.filter { if case .update = $0 { true } else { false } } == [.update(first)])
  }
}
