import Testing
import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// Who sent a record, for those who look records up.
@Suite struct SenderTests {
  private let record = DNSRecord("peer.local", .address(.ipv4(0x0A00_0002)), timeToLive: 120)

  @Test func `the sender of a record is its last one, and none when it is unknown`() {
    let engine = LoneEngine()
    #expect(engine.engine.sender(of: record, on: engine.link) == nil)
    engine.hear(record, from: 7)
    #expect(engine.engine.sender(of: record, on: engine.link) == .ipv4(0x0A00_0007))
    engine.hear(record, from: 8)
    #expect(engine.engine.sender(of: record, on: engine.link) == .ipv4(0x0A00_0008))
    let elsewhere = MulticastLink(interface: 99, family: .ipv4)
    #expect(engine.engine.sender(of: record, on: elsewhere) == nil)
  }

  @Test func `of more hosts than are told apart the sender is not told`() {
    let engine = LoneEngine()
    let records = (0..<300).map { number in
      DNSRecord("peer.local", .address(.ipv4(0x0A00_0002 + number)), timeToLive: 120)
    }
    for (number, record) in records.enumerated() { engine.hear(record, from: UInt32(number + 2)) }
    let senders = records.map { engine.engine.sender(of: $0, on: engine.link) }
    // The last 44 share the places of others, whose senders are not told any more either.
    #expect(senders[256...].allSatisfy { $0 == nil })
    for (number, sender) in zip((2 as UInt32)..., senders) where sender != nil {
      #expect(sender == .ipv4(0x0A00_0000 + number))
    }
    #expect((212..<256).contains(senders.count { $0 != nil }))
  }
}
