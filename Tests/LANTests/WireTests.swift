import Foundation
import MulticastDNS
import Testing

extension OnALAN {
  /// What the built-in engine says on the wire, read by others than those who wrote it.
  @Suite("On the wire")
  struct WireTests {
    @Test func `every datagram is well formed and sent as the standard says`() async throws {
      let file = FileManager.default.temporaryDirectory.appending(path: "wire-\(UUID().uuidString).pcap")
      defer { try? FileManager.default.removeItem(at: file) }
      try await withLab(hosts: 3, daemons: false, backend: .builtin) { lab in
        let capture = try lab.start(
          "tcpdump", "-ni", "eth0", "-Z", "root", "--immediate-mode", "-U", "-w", file.path, "udp port 5353", on: .h3)
        try await capture.errorLine { $0.contains("listening on") }

        let browser = try lab.bonjourish("browse", "_http._tcp", "--resolve", "--json", on: .h2)
        let name = "Ada's \"pages\"; Grüße. #1"
        let first = try lab.bonjourish("publish", name, "_http._tcp", "80", "path=/", "flag", "--json", on: .h1)
        try await first.event("published")
        let second = try lab.bonjourish("publish", name, "_http._tcp", "81", "--json", on: .h2)
        #expect(try await second.event("published")["name"] != .string(name))
        try await browser.event("found") { $0["port"] == 80 }
        try await browser.event("found") { $0["port"] == 81 }
        for publisher in [first, second] {
          try publisher.signal(SIGTERM)
          #expect(try await publisher.exitCode() == 0)
        }
        for port in [80.0, 81] { try await browser.event("lost") { $0["port"]?.number == port } }
        try capture.signal(SIGINT)
        #expect(try await capture.exitCode() == 0)

        // Our own reader.
        let datagrams = Capture.datagrams(in: [UInt8](try Data(contentsOf: file)))
        #expect(datagrams.count > 20)
        for datagram in datagrams {
          #expect(datagram.hopLimit == 255)
          #expect(datagram.sourcePort == 5353 && datagram.destinationPort == 5353)
          let message = try DNSMessage(parsing: datagram.payload)
          #expect(message.id == 0)
          #expect(!message.isResponse || message.questions.isEmpty)
          #expect(message.questions.allSatisfy { !$0.wantsUnicast }, "the port is shared")
          #expect(datagram.payload.count <= DNSMessage.maximumBytes)
        }
        let messages = try datagrams.map { try DNSMessage(parsing: $0.payload) }
        #expect(messages.contains { !$0.isResponse && !$0.authorities.isEmpty }, "probes")
        #expect(messages.contains { $0.isResponse && $0.answers.contains { $0.timeToLive == 0 } }, "goodbyes")
        #expect(messages.contains { $0.isResponse && $0.answers.contains(where: \.cacheFlush) }, "announcements")

        // Somebody else's: it says where a message is cut off or makes no sense to it.
        let reader = try lab.start("tcpdump", "-nKvvr", file.path, "-Z", "root", on: .h3)
        #expect(try await reader.exitCode() == 0)
        #expect(reader.outputLines.count >= datagrams.count)
        for complaint in ["[|", "malformed", "bad", "truncated", "unknown"] {
          #expect(!reader.outputLines.contains { $0.contains(complaint) }, "tcpdump: \(complaint)")
        }
      }
    }
  }
}

/// Reads what tcpdump has written.
private enum Capture {
  struct Datagram {
    let hopLimit: UInt8
    let sourcePort: Int
    let destinationPort: Int
    let payload: [UInt8]
  }

  /// The UDP datagrams of a capture on Ethernet, in the host's byte order as tcpdump writes it.
  static func datagrams(in file: [UInt8]) -> [Datagram] {
    var datagrams: [Datagram] = []
    var rest = file.dropFirst(24)
    while rest.count >= 16 {
      let length = (0..<4).reduce(0) { $0 | Int(rest[rest.startIndex + 8 + $1]) << (8 * $1) }
      let frame = Array(rest.dropFirst(16).prefix(length))
      rest = rest.dropFirst(16 + length)
      if let datagram = datagram(in: frame) { datagrams.append(datagram) }
    }
    return datagrams
  }

  private static func datagram(in frame: [UInt8]) -> Datagram? {
    guard frame.count > 14 else { return nil }
    let packet = Array(frame.dropFirst(14))
    let (hopLimit, udp): (UInt8, [UInt8])
    switch (frame[12], frame[13]) {
    case (0x08, 0x00): (hopLimit, udp) = (packet[8], Array(packet.dropFirst(Int(packet[0] & 0xF) * 4)))
    case (0x86, 0xDD): (hopLimit, udp) = (packet[7], Array(packet.dropFirst(40)))
    default: return nil
    }
    guard udp.count >= 8 else { return nil }
    func number(_ place: Int) -> Int { Int(udp[place]) << 8 | Int(udp[place + 1]) }
    return Datagram(
      hopLimit: hopLimit, sourcePort: number(0), destinationPort: number(2), payload: Array(udp[8..<min(number(4), udp.count)]))
  }
}
