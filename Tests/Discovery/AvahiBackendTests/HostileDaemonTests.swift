#if Avahi
import CBonjourishAvahi.Common
import _BonjourishBase
import _BonjourishDiscovery
import Testing

@testable import _BonjourishAvahiBackend

/// What a daemon says that means ill, or that passes on what means ill, after Avahi's library has read it from the bus.
struct HostileDaemonTests {
  private let link = Link(NetworkInterface(index: 2, name: "eth0"), .ipv4)

  /// Names that are no names, and names with anything in them.
  @Test func `a record with a name that cannot be is passed over, and any other is data (avahi/avahi#519)`() {
    let long = Array(repeating: String(repeating: "a", count: 63), count: 5).joined(separator: ".")
    for name in [
      "", ".", "..", "a..local", #"\"#, #"\25"#, #"\999.local"#, #"\255.local"#, #"a\195.local"#, long, "\u{1}.local",
    ] {
      #expect(ResourceRecord(name: name, type: .ptr, bytes: [0], on: link) == nil, "\(name)")
    }
    for name in [#"\000\027[2J.local"#, "\u{202E}gnp.local", String(repeating: "é", count: 31) + ".local"] {
      #expect(ResourceRecord(name: name, type: .txt, bytes: [0], on: link) != nil, "\(name)")
    }
  }

  /// Data that do not fit their type, whatever the type: none is a value, and none is trusted.
  @Test func `data that do not fit their type are bytes and nothing else`() throws {
    let types: [RecordType] = [
      .a, .aaaa, .ptr, .srv, .nsec, .cname, .txt, .https, RecordType(rawValue: 0), RecordType(rawValue: 65535),
    ]
    let all: [[UInt8]] = [
      [], [0xC0, 12], [0xC0], [63, 0x61], [0, 0, 0, 0, 0], [UInt8](repeating: 0xFF, count: 70_000), [1, 0x61, 0xC0, 0, 0],
    ]
    for type in types where type != .txt {
      for bytes in all {
        let record = try #require(ResourceRecord(name: "x.local", type: type, bytes: bytes, on: link))
        #expect(record.data == .other, "\(type) \(bytes.prefix(8))")
        #expect(BrowseQuery("_x._tcp", domain: .local).event(.added(record)) == nil)
      }
    }
  }

  @Test func `an interface that cannot be has no link`() {
    let links = LinkTable(of: DaemonNetwork())
    for index in [-1, -2, 0, .max, .min] as [AvahiIfIndex] {
      for isAppearing in [true, false] {
        #expect(links.link(index, AvahiProtocol(AVAHI_PROTO_INET), isAppearing: isAppearing) == nil, "\(index)")
      }
    }
    // The loopback interface is there; a family that is none, or all, is no link of it.
    #expect(links.link(1, AvahiProtocol(AVAHI_PROTO_INET6), isAppearing: true) != nil)
    for family in [-1, 2, 7, .max, .min] as [AvahiProtocol] { #expect(links.link(1, family, isAppearing: true) == nil) }
  }

  /// A hundred thousand signals, some of which take back what was never told, or tell the same again.
  @Test func `a hundred thousand signals in any order tell each thing once and leave nothing behind`() throws {
    var random = SeededGenerator(seed: 20)
    var sightings = SightingFilter<ResourceRecord>()
    let records = try (0..<1000).map {
      try #require(ResourceRecord(name: "x\($0).local", type: .a, bytes: [10, 0, 0, 1], on: link))
    }
    var told: Set<ResourceRecord> = []
    for _ in 0..<100_000 {
      let record = records.randomElement(using: &random)!
      if Bool.random(using: &random) {
        if sightings.appeared(record, on: link, counts: true) { told.insert(record) }
      } else {
        let isTold = sightings.vanished(record, from: link)
        #expect(isTold == (told.remove(record) != nil))
      }
    }
    for record in told {
      let isTold = sightings.vanished(record, from: link)
      #expect(isTold)
    }
    let left = sightings.refresh { _ in false }
    #expect(left.appeared.isEmpty && left.vanished.isEmpty)
  }
}
#endif
