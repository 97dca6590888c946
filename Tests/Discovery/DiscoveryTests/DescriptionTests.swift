import Testing

@testable import _BonjourishDiscovery

struct DescriptionTests {
  /// Interpolation is for people; `text`, `message` and bytes are what was received.
  @Test func `descriptions escape what came from the network`() throws {
    let rude = "a\u{1B}[2J\u{202E}.b"
    let shown = "a\\u{1B}[2J\\u{202E}.b"
    let name = try #require(InstanceName(received: rude))
    #expect("\(name)" == shown && name.text == rude)
    #expect("\(ServiceInstance(name, type: game))" == "a\\u{1B}[2J\\u{202E}\\.b._twentyfour._tcp.local")
    let host = try #require(DomainName(wire: ([3, 0x61, 0x07, 0x62, 5] + Array("l\u{202E}x".utf8) + [0])[...]))
    #expect("\(host)" == "a\\007b.l\\u{202E}x" && host.text == "a\\007b.l\u{202E}x")
    let txt = TXTRecord(data: [UInt8(rude.utf8.count + 2)] + Array("k=\(rude)".utf8) + [4, 0x62, 0x3D, 0xFF, 0x00, 1, 0x66])
    #expect("\(txt)" == "k=\(shown) b=(2 bytes) f" && txt.text("k") == rude)
    #expect(txt["k"].map { "\($0)" } == shown)
    let error = DiscoveryError(.refused, rude)
    #expect("\(error)" == shown && error.message == rude)
    #expect("\(NetworkInterface(index: 1, name: rude))" == shown)
    let message = LogMessage(.info, rude)
    #expect("\(message)" == shown && message.text == rude)
  }

  @Test func `a log message tells where it comes from and what it is about`() {
    let message = LogMessage(.warning, "no mDNS on eth0", ["interface": "eth0"])
    #expect(message.source == "DiscoveryTests" && message.metadata == ["interface": "eth0"])
    #expect(LogMessage(.info, "avahi-daemon is gone", in: "_BonjourishAvahiBackend/Line.swift").source == "AvahiBackend")
    #expect(LogMessage.Level.allCases == [.debug, .info, .warning])
    #expect(LogMessage.Level.allCases == LogMessage.Level.allCases.sorted())
  }
}
