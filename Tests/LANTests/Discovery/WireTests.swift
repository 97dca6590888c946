import Foundation
import TestSupport
import Testing
import _BonjourishMulticastDNS

extension PublishingOnALAN {
  /// What the built-in engine says on the wire, read by others than those who wrote it.
  struct WireTests {
    @Test func `every datagram is well formed and sent as the standard says`() async throws {
      try await withLab(hosts: 3, daemons: false, backend: .builtin) { lab in
        let wire = try lab.start(LAN.peer("wire") + ["eth0"], on: .h3)
        try await wire.event("listening")

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

        // Our own reader.
        // Taken once: more may come meanwhile.
        let captured = Array(wire.outputLines.dropFirst())
        let packets = captured.compactMap { Packet(hexadecimal: $0) }
        let datagrams = packets.compactMap(\.datagram)
        #expect(packets.count == captured.count && datagrams.count == packets.count)
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
        let lines = try Self.tcpdump(reading: packets)
        #expect(lines.count >= datagrams.count)
        for complaint in ["[|", "malformed", "bad", "truncated", "unknown"] {
          #expect(!lines.contains { $0.contains(complaint) }, "tcpdump: \(complaint)")
        }
      }
    }

    /// What tcpdump, on this machine and without a network, says of packets.
    private static func tcpdump(reading packets: [Packet]) throws -> [String] {
      let file = FileManager.default.temporaryDirectory.appending(path: "wire-\(UUID().uuidString).pcap")
      defer { try? FileManager.default.removeItem(at: file) }
      func bytes(_ words: UInt32...) -> [UInt8] {
        words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
      }
      // Version 2.4, packets of up to 64 KiB that begin with their IP header.
      var capture = bytes(0xA1B2_C3D4, 0x0004_0002, 0, 0, 65_536, 101)
      for packet in packets {
        let count = UInt32(packet.bytes.count)
        capture += bytes(0, 0, count, count) + packet.bytes
      }
      try Data(capture).write(to: file)

      let reader = try ChildProcess.run(
        "/usr/bin/env", ["tcpdump", "-nKvvr", file.path], environment: ["PATH": "/usr/bin:/bin:/usr/sbin:/sbin"])
      #expect(reader.code == 0)
      let text = String(decoding: reader.output, as: UTF8.self)
      return text.split(separator: "\n").map(String.init)
    }
  }
}

/// An IP packet, and the UDP datagram in it.
private struct Packet {
  struct Datagram {
    let hopLimit: UInt8
    let sourcePort: Int
    let destinationPort: Int
    let payload: [UInt8]
  }

  let bytes: [UInt8]

  init?(hexadecimal text: String) {
    let digits = text.compactMap(\.hexDigitValue)
    guard digits.count == text.count, digits.count >= 56, digits.count.isMultiple(of: 2) else { return nil }
    bytes = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }

  var datagram: Datagram? {
    let isIPv4 = bytes[0] >> 4 == 4
    let udp = bytes.dropFirst(isIPv4 ? Int(bytes[0] & 0xF) * 4 : 40)
    guard udp.count >= 8 else { return nil }
    func number(_ place: Int) -> Int { Int(udp[udp.startIndex + place]) << 8 | Int(udp[udp.startIndex + place + 1]) }
    return Datagram(
      hopLimit: bytes[isIPv4 ? 8 : 7], sourcePort: number(0), destinationPort: number(2),
      payload: Array(udp.dropFirst(8).prefix(number(4) - 8)))
  }
}
