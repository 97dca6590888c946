import Testing
import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// Names are compressed in all that goes to the group (RFC 6762 §18.14).
@Suite struct CompressionTests {
  /// Reads the names of a datagram without the engine's reader, and finds ends of names that were written before and are written again.
  private struct Repetitions {
    private let bytes: [UInt8]
    private var offset = 12
    private var written: Set<[[UInt8]]> = []
    private(set) var found: [[[UInt8]]] = []

    init(in bytes: [UInt8]) {
      self.bytes = bytes
      let counts = (0..<4).map { Int(bytes[4 + 2 * $0]) << 8 | Int(bytes[5 + 2 * $0]) }
      for _ in 0..<counts[0] {
        name()
        offset += 4
      }
      for _ in 0..<(counts[1] + counts[2] + counts[3]) { record() }
      precondition(offset == bytes.count, "the datagram must end with its last record")
    }

    private mutating func record() {
      name()
      let type = Int(bytes[offset]) << 8 | Int(bytes[offset + 1])
      let end = offset + 10 + (Int(bytes[offset + 8]) << 8 | Int(bytes[offset + 9]))
      offset += 10
      switch type {
      case 5, 12, 47: name()
      case 33:
        offset += 6
        name()
      default: break
      }
      offset = end
    }

    private mutating func name() {
      var ends: [(labels: [[UInt8]], isWritten: Bool)] = []
      var (place, next) = (offset, Int?.none)
      while bytes[place] != 0 {
        if bytes[place] >= 0xC0 {
          next = next ?? place + 2
          place = Int(bytes[place] & 0x3F) << 8 | Int(bytes[place + 1])
          continue
        }
        let label = Array(bytes[(place + 1)...(place + Int(bytes[place]))])
        for index in ends.indices { ends[index].labels.append(label) }
        ends.append(([label], next == nil))
        place += 1 + label.count
      }
      offset = next ?? place + 1
      for end in ends where end.isWritten {
        if !written.insert(end.labels).inserted { found.append(end.labels) }
      }
    }
  }

  @Test func `no datagram of a busy network writes the end of a name twice`() {
    let network = VirtualNetwork(seed: 5)
    let hosts = (1...3).map { number in
      let host = network.addHost([
        VirtualInterface(1, on: 0, addresses: [.ipv4(number, on: 0), .linkLocal(number)])
      ])
      host.do(.setHostName(DNSName(literal: "host-\(number).local")))
      return host
    }
    for host in hosts {
      for number in 0..<40 { _ = host.publish("Service \(number) of \(host.index)") }
    }
    network.run(for: .seconds(10))
    for host in hosts {
      _ = host.ask("_x._tcp.local", .ptr)
      for number in 0..<40 { _ = host.ask("Service \(number) of 0._x._tcp.local", .srv) }
      _ = host.ask("host-1.local", .any)
    }
    network.run(for: .seconds(120))
    for host in hosts { host.do(.shutDown) }
    network.run(for: .seconds(1))
    // Probes, announcements, questions with known answers, answers with additional records, and goodbyes.
    let sent = network.wire
    #expect(sent.count > 100)
    #expect(sent.contains { !$0.message.authorities.isEmpty } && sent.contains { $0.message.isTruncated })
    #expect(sent.contains { !$0.message.additionals.isEmpty })
    for datagram in sent {
      let found = Repetitions(in: datagram.bytes).found
      #expect(found.isEmpty, "\(found.map { $0.map { String(decoding: $0, as: UTF8.self) } }) from host \(datagram.host)")
    }
  }

  @Test func `what is written twice is found`() {
    let host = [UInt8]([4]) + "host".utf8 + [5] + "local".utf8 + [0]
    let type: [UInt8] = [0, 1, 0, 1]
    #expect(Repetitions(in: [0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0] + host + type + host + type).found.count == 2)
    #expect(Repetitions(in: [0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0] + host + type + [0xC0, 12] + type).found.isEmpty)
    #expect(Repetitions(in: [0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0] + host + type + [1, 0x61, 0xC0, 17] + type).found.isEmpty)
  }
}
