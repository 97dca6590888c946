import Testing
import _BonjourishDiscovery

@testable import _BonjourishMulticastDNS

/// How long a cached record lives, and what is known of it.
@Suite struct CachedRecordTests {
  private func at(_ milliseconds: Int64) -> Instant { Instant(microseconds: milliseconds * 1000) }

  private func record(
    _ name: DNSName = "_x._tcp.local", _ data: DNSData = .ptr("a._x._tcp.local"), timeToLive: UInt32 = 120,
    isUnique: Bool = false, standing: CachedRecord.Standing = .live
  ) -> CachedRecord {
    CachedRecord(
      DNSRecord(name, data, timeToLive: timeToLive), standing: standing, isUnique: isUnique, isWanted: true, at: at(1_000))
  }

  // RFC 6762 §5.2
  @Test func `a record is renewed four times, from four fifths of its life on`() {
    var record = record()
    #expect(record.expiry == at(121_000) && record.remaining(at: at(1_000)) == 120 && record.remaining(at: at(120_001)) == 0)
    for (asked, mark) in ([97_000, 103_000, 109_000, 115_000] as [Int64]).enumerated() {
      record.phase = .aging(asked: asked)
      #expect(record.renewalMark == at(mark))
    }
    record.phase = .aging(asked: 4)
    #expect(record.renewalMark == .never)
    record.phase = .suspect(asked: 0)
    #expect(record.renewalMark == .never)
    (record.phase, record.isWanted) = (.aging(asked: 0), false)
    #expect(record.renewalMark == .never && self.record(standing: .own).renewalMark == .never)
    record.renew(as: DNSRecord("_x._tcp.local", record.data, timeToLive: 10), isUnique: true, at: at(50_000))
    #expect(record.expiry == at(60_000) && record.received == at(50_000) && record.isUnique && record.record.cacheFlush)
  }

  @Test func `no record lives for longer than a day`() {
    #expect(record(timeToLive: 86_401).timeToLive == 86_400 && record(timeToLive: .max).expiry == at(86_401_000))
    #expect(record(timeToLive: 86_399).timeToLive == 86_399)
  }

  // RFC 6762 §7.1
  @Test func `a record is a known answer for half its life, if it is shared and nobody doubts it`() {
    var record = record()
    #expect(record.isKnownAnswer(at: at(60_000)) && !record.isKnownAnswer(at: at(60_001)))
    #expect(
      !self.record(isUnique: true).isKnownAnswer(at: at(1_000)) && !self.record(standing: .own).isKnownAnswer(at: at(1_000)))
    record.isUnansweredTwice = true
    #expect(!record.isKnownAnswer(at: at(1_000)))
    (record.isUnansweredTwice, record.phase) = (false, .aging(asked: 1))
    #expect(!record.isKnownAnswer(at: at(1_000)))
  }

  @Test func `the time since which a record is unanswered is never told too early`() {
    var record = record()
    #expect(record.unansweredSince == .never)
    record.unansweredSince = Instant(microseconds: 5_000_001)
    #expect(record.unansweredSince == at(5_001))
    record.unansweredSince = at(6_000)
    #expect(record.unansweredSince == at(6_000))
    record.unansweredSince = .never
    #expect(record.unansweredSince == .never)
    record.unansweredSince = at(7_000)
    record.renew(as: record.record, isUnique: false, at: at(8_000))
    #expect(record.unansweredSince == .never)
  }

  @Test func `only one host has an instance, and several may have a type`() {
    func mayHaveOthers(_ name: DNSName, _ target: DNSName, isUnique: Bool = false) -> Bool {
      record(name, .ptr(target), isUnique: isUnique).mayHaveOtherOwners
    }
    #expect(!mayHaveOthers("_x._tcp.local", "a._x._tcp.local") && !mayHaveOthers("_s._sub._x._tcp.local", "a._x._tcp.local"))
    #expect(
      mayHaveOthers("_s._tub._x._tcp.local", "a._x._tcp.local") && mayHaveOthers("_s._sub._y._tcp.local", "a._x._tcp.local"))
    #expect(mayHaveOthers("_services._dns-sd._udp.local", "_x._tcp.local"))
    #expect(!mayHaveOthers("_services._dns-sd._udp.local", "_x._tcp.local", isUnique: true))
    #expect(record("a.local", .txt([0])).mayHaveOtherOwners && mayHaveOthers("a.local", .root))
  }

  @Test(
    arguments: [
      (.address(.ipv4(1)), 0), (.ptr("b.local"), 9 + 32), (.cname("b.local"), 9 + 32),
      (.srv(DNSService(target: "b.local", port: 1)), 9 + 32), (.txt([1, 2, 3]), 3 + 32), (.other(.any, [1, 2]), 2 + 32),
      (.nsec(next: "b.local", types: DNSTypeSet([.txt])!), 9 + 3 + 64), (.hinfo(cpu: [1], system: [2, 3]), 1 + 2 + 64),
    ] as [(DNSData, Int)])
  func `a record costs the memory that it takes`(_ data: DNSData, _ bytes: Int) {
    #expect(record("a.local", data).cost == 320 + 9 + bytes)
  }

  // MARK: - Lists

  @Test func `slots are listed in the order in which they came, and go from anywhere`() {
    var lists = LinkedLists()
    var list = LinkedList()
    func slots(_ maximum: Int = .max) -> [Int] { lists.slots(of: list, maximum: maximum) }
    #expect(list.isEmpty && slots() == [])
    for slot in [4, 0, 9, 2] { lists.append(slot, to: &list) }
    #expect(slots() == [4, 0, 9, 2] && slots(2) == [4, 0] && slots(0) == [] && list.count == 4)
    lists.remove(0, from: &list)
    #expect(slots() == [4, 9, 2])
    lists.remove(4, from: &list)
    lists.remove(2, from: &list)
    #expect(slots() == [9] && list.first == 9 && list.last == 9 && !list.isEmpty)
    lists.remove(9, from: &list)
    #expect(list.isEmpty && list.first == -1 && list.last == -1)
  }

  @Test func `free slots are used again, and the others stay`() {
    var map = SlotMap<String>()
    let slots = ["a", "b", "c"].map { map.insert($0) }
    #expect(map.count == 3 && map.indices == slots)
    #expect(map.remove(slots[1]) == "b" && map.count == 2 && map.indices == [slots[0], slots[2]])
    #expect(map.insert("d") == slots[1] && map[slots[1]] == "d" && map[slots[2]] == "c" && map.insert("e") == 3)
  }

  @Test func `the source with the most records loses its oldest, first those that nobody wants`() {
    var table = SourceTable()
    let (one, other) = (IPAddress.ipv4(1), IPAddress.ipv4(2))
    #expect(table.victim == nil && !table.isLargest(one))
    let place = table.append(0, from: one, isWanted: true)
    #expect(table.victim == 0 && table.isLargest(one) && !table.isLargest(other) && table.count == 1)
    for slot in 1...7 { _ = table.append(slot, from: one, isWanted: true) }
    _ = table.append(8, from: one, isWanted: false)
    let last = table.append(9, from: other, isWanted: false)
    // One of nine is no more than an eighth.
    #expect(table.victim == 0)
    _ = table.append(10, from: one, isWanted: false)
    #expect(table.victim == 8)
    table.move(8, of: place, toWanted: true)
    #expect(table.victim == 0)
    table.renew(0, of: place, isWanted: true)
    #expect(table.victim == 1)
    #expect(
      table.isFrom(one, place) && table.mayBe(place, of: one) && !table.mayBe(place, of: other) && table.mayBe(-1, of: one))
    #expect(table.address(of: last) == other && table.address(of: -1) == nil)
    table.remove(9, from: last, isWanted: false)
    #expect(
      table.count == 10 && table.append(11, from: .ipv4(3), isWanted: true) == last && table.address(of: last) == .ipv4(3))
  }

  @Test func `a place that several sources share belongs to the next source alone once it is free`() {
    var table = SourceTable()
    let places = (0..<256).map { table.append($0, from: .ipv4(UInt32($0)), isWanted: false) }
    let shared = table.append(256, from: .ipv4(1_000), isWanted: false)
    #expect(Set(places).count == 256 && table.address(of: shared) == nil && table.mayBe(shared, of: .ipv4(7)))
    #expect(!table.isLargest(.ipv4(1_000)) && !table.isLargest(.ipv4(UInt32(shared))) && table.count == 257)
    table.remove(256, from: shared, isWanted: false)
    table.remove(Int(shared), from: shared, isWanted: false)
    let new = IPAddress.ipv4(2_000)
    for slot in [300, 301] { #expect(table.append(slot, from: new, isWanted: false) == shared) }
    #expect(table.address(of: shared) == new && !table.mayBe(shared, of: .ipv4(7)) && table.isLargest(new))
  }
}
