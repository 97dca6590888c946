import Testing
import _BonjourishDiscovery

@testable import _BonjourishMulticastDNS

/// On which interface a name lives, step by step.
@Suite struct HomeTableTests {
  private let name: DNSName = "both.local"

  private func at(_ milliseconds: Int64) -> Instant { Instant(microseconds: milliseconds * 1000) }

  private func source(_ host: UInt32, on interface: UInt32) -> MulticastSource {
    MulticastSource(.ipv4(host), port: 5353, link: MulticastLink(interface: interface, family: .ipv4))
  }

  /// What a host says of the name.
  private func word(
    of host: UInt32, on interface: UInt32, _ data: DNSData = .address(.ipv4(7)), timeToLive: UInt32 = 120, said: [UInt32] = [],
    asked: [UInt32] = []
  ) -> HomeTable.Word {
    HomeTable.Word(
      record: DNSRecord(name, data, timeToLive: timeToLive), name: name, source: source(host, on: interface), said: said,
      asked: asked)
  }

  /// A table in which host 1 lives on interface 1, and has the name on interface 2 as well.
  private func shared() -> HomeTable {
    var table = HomeTable()
    for interface in 1...2 as ClosedRange<UInt32> {
      table.speakers.learn(
        DNSRecord(name, .address(.ipv4(1)), timeToLive: 120), from: source(1, on: interface), in: LinkAddresses(ofInterface: [])
      )
    }
    _ = table.hear(word(of: 1, on: 1), at: at(0))
    return table
  }

  @Test func `a name lives where it was heard first for as long as its record does, and for a day at most`() {
    var table = HomeTable()
    #expect(table.hear(word(of: 1, on: 1), at: at(0)) == .home)
    #expect(table.lives(name, on: 1, at: at(119_999)) && !table.lives(name, on: 1, at: at(120_000)))
    #expect(!table.lives(name, on: 2, at: at(0)) && !table.isAlso(name, on: 1, at: at(0)))
    #expect(table.hear(word(of: 2, on: 2), at: at(119_999)) == .elsewhere)
    #expect(table.hear(word(of: 2, on: 2, timeToLive: .max), at: at(120_000)) == .home)
    let day: Int64 = 86_400_000
    #expect(table.lives(name, on: 2, at: at(120_000 + day - 1)) && !table.lives(name, on: 2, at: at(120_000 + day)))
    // A shorter record does not end it earlier.
    #expect(table.hear(word(of: 2, on: 2, timeToLive: 1), at: at(130_000)) == .home)
    #expect(table.lives(name, on: 2, at: at(120_000 + day - 1)))
  }

  @Test func `a name moves when it is silent at home, and still said elsewhere after 900 ms`() {
    var table = HomeTable()
    _ = table.hear(word(of: 1, on: 1), at: at(0))
    for (time, place) in [(999, .elsewhere), (1_000, .elsewhere), (1_899, .elsewhere), (1_900, .home)]
      as [(Int64, HomeTable.Place)]
    { #expect(table.hear(word(of: 2, on: 2), at: at(time)) == place, "\(time)") }
    #expect(table.lives(name, on: 2, at: at(1_900)) && !table.lives(name, on: 1, at: at(1_900)))
  }

  @Test func `a name that is heard at home again stays, and a goodbye elsewhere moves nothing`() {
    var table = HomeTable()
    _ = table.hear(word(of: 1, on: 1), at: at(0))
    _ = table.hear(word(of: 2, on: 2), at: at(1_000))
    #expect(table.hear(word(of: 1, on: 1), at: at(1_500)) == .home)
    #expect(
      table.hear(word(of: 2, on: 2), at: at(2_500)) == .elsewhere && table.hear(word(of: 2, on: 2), at: at(3_399)) == .elsewhere
    )
    #expect(table.hear(word(of: 2, on: 2, timeToLive: 0), at: at(5_000)) == .elsewhere)
    #expect(table.lives(name, on: 1, at: at(5_000)))
  }

  @Test func `the goodbye of a service ends its home in a second, and that of an address does not`() {
    for (data, left) in [
      (.srv(DNSService(target: "a.local", port: 1)), 1_000), (.address(.ipv4(7)), 120_000), (.txt([0]), 120_000),
    ] as [(DNSData, Int64)] {
      var table = HomeTable()
      _ = table.hear(word(of: 1, on: 1), at: at(0))
      #expect(table.hear(word(of: 1, on: 1, data, timeToLive: 0), at: at(0)) == .home)
      #expect(table.lives(name, on: 1, at: at(left - 1)) && !table.lives(name, on: 1, at: at(left)), "\(data)")
    }
  }

  @Test func `what was carried to an interface is no news there for ten seconds`() {
    var table = HomeTable()
    table.noteCarrying(name, to: 2, at: at(0))
    #expect(table.hear(word(of: 2, on: 2, timeToLive: 0), at: at(9_999)) == .elsewhere)
    #expect(table.hear(word(of: 2, on: 2, timeToLive: 0), at: at(10_000)) == .home)
    #expect(table.hear(word(of: 2, on: 1, timeToLive: 0), at: at(0)) == .home)
    // Nor does it move there.
    _ = table.hear(word(of: 1, on: 1), at: at(0))
    table.noteCarrying(name, to: 2, at: at(0))
    for time in [1_000, 2_000, 9_999] as [Int64] {
      #expect(table.hear(word(of: 2, on: 2), at: at(time)) == .elsewhere)
    }
    #expect(
      table.hear(word(of: 2, on: 2), at: at(10_000)) == .elsewhere && table.hear(word(of: 2, on: 2), at: at(10_900)) == .home)
  }

  // MARK: - Hosts with several interfaces

  @Test func `a host that speaks on two interfaces within two seconds lives on both, for four hours`() {
    var table = shared()
    #expect(table.hear(word(of: 1, on: 2), at: at(1_999)) == .elsewhere)
    let end = 1_999 + 4 * 3_600_000 as Int64
    for interface in 1...2 as ClosedRange<UInt32> {
      #expect(table.isAlso(name, on: interface, at: at(end - 1)) && !table.isAlso(name, on: interface, at: at(end)))
    }
    #expect(table.lives(name, on: 2, at: at(end - 1)))
    // It stays so, although it is silent at home.
    #expect(table.hear(word(of: 1, on: 2), at: at(60_000)) == .elsewhere && table.lives(name, on: 1, at: at(60_000)))
    var late = shared()
    #expect(late.hear(word(of: 1, on: 2), at: at(2_000)) == .elsewhere && !late.isAlso(name, on: 2, at: at(2_000)))
    var leaving = shared()
    #expect(leaving.hear(word(of: 1, on: 2, timeToLive: 0), at: at(1_000)) == .elsewhere)
    #expect(!leaving.isAlso(name, on: 2, at: at(1_000)))
  }

  @Test func `a host has left an interface when three questions there are answered on another alone`() {
    var table = shared()
    _ = table.hear(word(of: 1, on: 2), at: at(0))
    /// How many questions it takes at these times; nil if it is still there.
    func misses(_ times: Int64...) -> Int? {
      var table = table
      for (place, time) in times.enumerated() {
        _ = table.hear(word(of: 1, on: 1, asked: [2]), at: at(time))
        if !table.isAlso(name, on: 2, at: at(time)) { return place + 1 }
      }
      return nil
    }
    #expect(misses(1_000, 2_000, 3_000) == 3 && misses(999, 2_000, 3_000) == nil)
    // Records of one answer are one.
    #expect(misses(1_000, 1_499, 1_500, 1_999, 2_000) == 5)
    // After ten seconds it is counted anew.
    #expect(misses(1_000, 2_000, 12_000) == 3 && misses(1_000, 2_000, 12_001) == nil)
    #expect(misses(1_000, 2_000, 12_001, 13_000, 14_000) == 5)
  }

  @Test func `a host that has left its home lives where it answers`() {
    var table = shared()
    _ = table.hear(word(of: 1, on: 2), at: at(0))
    let places = [1_000, 2_000, 3_000].map { table.hear(word(of: 1, on: 2, asked: [1]), at: at($0)) }
    #expect(places == [.elsewhere, .elsewhere, .home])
    #expect(table.lives(name, on: 2, at: at(122_999)) && !table.lives(name, on: 1, at: at(3_000)))
  }

  // MARK: - Reflectors

  @Test func `a repeater's words are no home, not even when the host is silent or has crashed`() {
    var table = HomeTable()
    _ = table.hear(word(of: 1, on: 1), at: at(0))
    #expect(table.hear(word(of: 2, on: 2, said: [1]), at: at(1)) == .elsewhere)
    #expect(table.speakers.isRepeater(table.speakers[source(2, on: 2)], at: at(1)))
    for time in [1_000, 2_000, 100_000, 120_000, 400_000] as [Int64] {
      #expect(table.hear(word(of: 2, on: 2), at: at(time)) == .elsewhere, "\(time)")
    }
    #expect(!table.lives(name, on: 2, at: at(400_000)))
    // On the link of its home it may not speak for it either.
    _ = table.hear(word(of: 1, on: 1), at: at(400_000))
    table.speakers.note(table.speakers[source(3, on: 1)], after: table.speakers[source(1, on: 1)], at: at(400_000))
    #expect(table.hear(word(of: 3, on: 1), at: at(400_001)) == .elsewhere)
  }

  @Test func `a home that turns out to be a repeater's goes to the host at once`() {
    var table = HomeTable()
    _ = table.hear(word(of: 2, on: 2), at: at(0))
    #expect(table.hear(word(of: 1, on: 1), at: at(1)) == .elsewhere)
    #expect(table.hear(word(of: 2, on: 2, said: [1]), at: at(100)) == .home)
    #expect(table.hear(word(of: 1, on: 1), at: at(101)) == .home && table.lives(name, on: 1, at: at(101)))
  }

  @Test func `a pointer tells of its target, and a type that is listed of nobody`() {
    func key(_ name: DNSName, _ data: DNSData) -> DNSName? { HomeTable.key(of: DNSRecord(name, data, timeToLive: 120)) }
    #expect(key("_x._tcp.local", .ptr("a._x._tcp.local")) == "a._x._tcp.local" && key("a.local", .txt([0])) == "a.local")
    #expect(key("_services._dns-sd._udp.local", .ptr("_x._tcp.local")) == nil)
  }
}
