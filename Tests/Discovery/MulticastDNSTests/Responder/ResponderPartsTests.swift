import Testing
import _BonjourishDiscovery

@testable import _BonjourishMulticastDNS

/// The times and limits of what a responder says.
@Suite struct ResponderPartsTests {
  private let shared = DNSRecord("_x._tcp.local", .ptr("a._x._tcp.local"), timeToLive: 0)
  private let unique = DNSRecord("a._x._tcp.local", .txt([0]), timeToLive: 0, cacheFlush: true)

  private func at(_ milliseconds: Int64) -> Instant { Instant(microseconds: milliseconds * 1000) }

  // MARK: - Goodbyes

  @Test func `goodbyes of shared records are repeated after one second and after two more`() {
    var repeater = GoodbyeRepeater()
    repeater.note([unique], at: at(0))
    #expect(repeater.next == .never)
    repeater.note([unique, shared], at: at(0))
    repeater.note([shared], at: at(500))
    #expect(repeater.next == at(1_000) && repeater.popDue(at: at(999)) == [])
    #expect(repeater.popDue(at: at(1_000)) == [shared] && repeater.next == at(1_500))
    #expect(repeater.popDue(at: at(1_500)) == [shared] && repeater.next == at(3_000))
    #expect(repeater.popDue(at: at(3_600)) == [shared, shared] && repeater.next == .never)
  }

  @Test func `goodbyes that were sent late are repeated later`() {
    var repeater = GoodbyeRepeater()
    repeater.note([shared], at: at(0))
    repeater.noteSending(at(1)...at(9))
    #expect(repeater.next == at(1_000))
    repeater.noteSending(at(0)...at(30))
    #expect(repeater.next == at(1_030) && repeater.popDue(at: at(1_030)) == [shared])
    repeater.noteSending(at(1_030)...at(1_040))
    #expect(repeater.next == at(3_040))
  }

  // MARK: - Records

  @Test func `a record is sent once in a second, in defence after a quarter`() {
    var record = OwnRecord(name: "host.local", data: .address(.ipv4(1)), isUnique: true, place: 0)
    #expect(record.mayBeSent(from: at(5)) == at(5) && !record.wasSentLately(at: at(5)))
    record.lastSent = at(0)
    #expect(record.mayBeSent(from: at(5)) == at(1_000) && record.mayBeSent(from: at(1_001)) == at(1_001))
    record.isDefending = true
    #expect(record.mayBeSent(from: at(5)) == at(250))
    // RFC 6762 §5.4: within a quarter of its time to live.
    #expect(record.wasSentLately(at: at(29_999)) && !record.wasSentLately(at: at(30_000)))
  }

  // RFC 6762 §10
  @Test func `records of hosts live for two minutes, others for 75, and as long as was chosen`() {
    func timeToLive(_ data: DNSData, isUnique: Bool = true, chosen: UInt32? = nil) -> UInt32 {
      OwnRecord(name: "host.local", data: data, isUnique: isUnique, chosenTimeToLive: chosen, place: 0).timeToLive
    }
    let service = DNSData.srv(DNSService(target: "host.local", port: 1))
    let denial = DNSData.nsec(next: "host.local", types: DNSTypeSet([.a])!)
    for data in [.address(.ipv4(1)), service, .hinfo(cpu: [], system: []), denial] as [DNSData] {
      #expect(timeToLive(data) == 120 && timeToLive(data, isUnique: false) == 120)
    }
    #expect(timeToLive(.txt([0])) == 4500 && timeToLive(.cname("a.local")) == 4500)
    // A reverse pointer is one of the host.
    #expect(timeToLive(.ptr("host.local")) == 120 && timeToLive(.ptr("host.local"), isUnique: false) == 4500)
    #expect(timeToLive(.ptr("host.local"), chosen: 7) == 7)
  }

  // MARK: - Claims

  @Test(
    arguments: [
      (.probing(sent: 0), nil, false), (.probing(sent: 1), 250, false), (.probing(sent: 3), 250, false), (.waiting, nil, false),
      (.announcing(sent: 0), nil, true), (.announcing(sent: 1), 1_000, true), (.announcing(sent: 2), 2_000, true),
      (.established, nil, true), (.guest(isAsked: true), nil, false),
    ] as [(Claim.Phase, Int64?, Bool)])
  func `the phase of a claim says when it is sent next, and whether it is published`(
    _ phase: Claim.Phase, _ interval: Int64?, _ isPublished: Bool
  ) {
    let claim = Claim(owner: .host, phase: phase, records: [], needsHost: false)
    #expect(claim.interval == interval && claim.isPublished == isPublished)
    #expect(claim.isGuest == (phase == .guest(isAsked: true)))
  }

  @Test func `names are claimed once, and only unique ones, of which some need no probe`() {
    func record(_ name: DNSName, _ number: UInt8, isUnique: Bool = true, isProbed: Bool = true) -> ClaimedRecord {
      ClaimedRecord(name: name, data: .txt([number]), isUnique: isUnique, isProbed: isProbed)
    }
    let records = [
      record("b.local", 1), record("a.local", 2, isProbed: false), record("c.local", 3, isUnique: false), record("b.local", 4),
      record("a.local", 5),
    ]
    let claim = Claim(owner: .host, phase: .waiting, records: records, needsHost: false)
    #expect(claim.uniqueNames == ["b.local", "a.local"] && claim.probedNames == ["b.local", "a.local"])
    let first = Claim(owner: .host, phase: .waiting, records: Array(records.prefix(3)), needsHost: false)
    #expect(first.uniqueNames == ["b.local", "a.local"] && first.probedNames == ["b.local"])
    #expect(claim.has("a.local", .txt) && !claim.has("a.local", .srv) && !claim.has("c.local", .txt))
  }

  @Test func `a name is shared by several claims until all but one have left it`() throws {
    var set = ClaimSet(3)
    #expect(!set.isShared && set.all == [3] && set.contains(3) && !set.contains(4) && set.without(3) == nil)
    #expect(set.insert(4) && !set.insert(4) && !set.insert(3) && set.insert(5))
    #expect(set.isShared && set.all == [3, 4, 5] && set.contains(5))
    let rest = try #require(set.without(3))
    #expect(rest.first == 4 && rest.all == [4, 5] && rest.without(4)?.isShared == false && set.without(9)?.all == [3, 4, 5])
  }

  // MARK: - Unicast

  @Test func `a host gets sixteen kilobytes in a second, and not much more at once`() {
    var budget = UnicastBudget()
    let (host, other) = (IPAddress.ipv4(1), IPAddress.ipv4(2))
    budget.note([[UInt8](repeating: 0, count: 8_192), [UInt8](repeating: 0, count: 8_192)], to: host, at: at(0))
    #expect(budget.permits(host, at: at(0)) == true)
    budget.note([[UInt8](repeating: 0, count: 8_192)], to: host, at: at(0))
    #expect(!budget.permits(host, at: at(499)) && budget.permits(host, at: at(500)) && budget.permits(other, at: at(0)))
    // Silence saves nothing up.
    budget.note([[UInt8](repeating: 0, count: 32_768)], to: host, at: at(60_000))
    #expect(!budget.permits(host, at: at(60_999)) && budget.permits(host, at: at(61_000)))
  }

  @Test func `sixty-four hosts are answered at a time, and others when one has had enough time`() {
    var budget = UnicastBudget()
    for host in 0..<64 as Range<UInt32> {
      #expect(budget.permits(.ipv4(host), at: at(0)) == true)
      budget.note([[UInt8](repeating: 0, count: host == 7 ? 8_192 : 16_384)], to: .ipv4(host), at: at(0))
    }
    #expect(!budget.permits(.ipv4(64), at: at(499)) && budget.permits(.ipv4(3), at: at(499)))
    #expect(budget.permits(.ipv4(64), at: at(500)) == true)
  }

  @Test func `updates of a service may come five at once, and then one in twelve seconds`() {
    var updates = Allowance.updates
    for _ in 0..<5 {
      #expect(updates.next(from: at(0)) == at(0))
      updates.note(at: at(0))
    }
    #expect(updates.next(from: at(0)) == at(12_000) && updates.next(from: at(20_000)) == at(20_000))
    updates.note(at: at(12_000))
    #expect(updates.next(from: at(12_000)) == at(24_000))
    // After a minute all five are there again.
    for _ in 0..<4 { updates.note(at: at(100_000)) }
    #expect(updates.next(from: at(100_000)) == at(100_000))
    updates.note(at: at(100_000))
    #expect(updates.next(from: at(100_000)) == at(112_000))
  }

  // MARK: - Zone

  /// The types that a name of the zone is said to have; nil if nothing is denied.
  private func types(of name: DNSName, in zone: Zone) -> DNSTypeSet? {
    guard let denial = zone.names[name]?.denial, case .nsec(_, let types) = zone[denial].data else { return nil }
    return types
  }

  @Test func `a name that is claimed denies the types that it does not have`() throws {
    var zone = Zone()
    let (text, emptied) = zone.add("a.local", .txt([0]), claim: 1)
    #expect(emptied == nil && types(of: "a.local", in: zone) == DNSTypeSet([.txt]))
    let address = zone.add("a.local", .address(.ipv4(1)), claim: nil).slot
    #expect(types(of: "a.local", in: zone) == DNSTypeSet([.txt, .a]))
    #expect(zone.slots(of: "a.local", .any) == [text, address] && zone.slots(of: "a.local", .txt) == [text])
    #expect(zone[text].isUnique && !zone[address].isUnique && zone.has("a.local") && !zone.has("b.local"))
    let denial = try #require(zone.names["a.local"]?.denial)
    zone[denial].lastSent = at(7)
    #expect(zone.remove(text) == [text] && types(of: "a.local", in: zone) == DNSTypeSet([.a]))
    #expect(zone[denial].lastSent == at(7))
    // Who leaves the name no longer denies anything of it.
    #expect(zone.leave("a.local", claim: 2) == nil && zone.leave("a.local", claim: 1) == denial)
    #expect(types(of: "a.local", in: zone) == nil && zone.find("a.local", .address(.ipv4(1))) == address)
    #expect(zone.remove(address) == [address] && !zone.has("a.local") && zone.find("a.local", .address(.ipv4(1))) == nil)
  }

  @Test func `a record of several claims stays until the last withdraws it`() throws {
    var zone = Zone()
    let first = zone.add("a.local", .txt([0]), claim: 1).slot
    let others = (1...3).map { zone.add("a.local", .txt([$0]), claim: 1).slot }
    #expect(zone.add("a.local", .txt([0]), claim: 2).slot == first && zone[first].holders == 2)
    #expect(zone.remove(first) == [] && zone.slots(of: "a.local", .txt) == [first] + others)
    #expect(zone.remove(first) == [first])
    // The last takes the free place.
    #expect(zone.slots(of: "a.local", .txt) == [others[2], others[0], others[1]] && zone[others[2]].place == 0)
    #expect(zone.leave("a.local", claim: 1) == nil && types(of: "a.local", in: zone) == DNSTypeSet([.txt]))
    for slot in others.dropLast() { #expect(zone.remove(slot) == [slot]) }
    let denial = try #require(zone.names["a.local"]?.denial)
    #expect(zone.remove(others[2]) == [others[2], denial])
  }

  @Test func `nothing is denied of a name that is not to be, such as a guest's`() {
    var zone = Zone()
    _ = zone.add("a.local", .txt([0]), claim: 1)
    _ = zone.add("b.local", .txt([0]), claim: 2)
    let denial = zone.names["a.local"]?.denial
    #expect(zone.setUndenied("a.local") == denial && denial != nil && types(of: "a.local", in: zone) == nil)
    #expect(zone.setUndenied("a.local") == nil)
    _ = zone.add("a.local", .address(.ipv4(1)), claim: 1)
    #expect(types(of: "a.local", in: zone) == nil)
    #expect(zone.setUndenied("nobody.local") == nil && types(of: "a.local", in: zone) == DNSTypeSet([.txt, .a]))
    #expect(types(of: "b.local", in: zone) == DNSTypeSet([.txt]))
  }

  @Test func `an alias answers questions of all types that its name does not have`() {
    var zone = Zone()
    let alias = zone.add("a.local", .cname("b.local"), claim: 1).slot
    #expect(zone.answers(to: DNSQuestion("a.local", .txt)) == [alias] && zone.answers(to: DNSQuestion("b.local", .txt)) == [])
    let text = zone.add("a.local", .txt([0]), claim: 1).slot
    #expect(zone.answers(to: DNSQuestion("a.local", .txt)) == [text])
  }

  @Test func `what was sent late counts from when it was sent`() {
    var zone = Zone()
    let slots = (0...2).map { zone.add("a.local", .txt([$0]), claim: 1).slot }
    (zone[slots[0]].lastSent, zone[slots[1]].lastSent) = (at(9), at(10))
    zone.noteSending(at(10)...at(40))
    #expect(slots.map { zone[$0].lastSent } == [at(9), at(40), nil])
  }

  // RFC 6762 §8.2
  @Test(
    arguments: [
      ([1], [1], false), ([1], [2], true), ([2], [1], false), ([1], [1, 1], true), ([1, 1], [1], false),
      ([0xFF], [1, 0], false),
      ([], [0], true),
    ] as [([UInt8], [UInt8], Bool)])
  func `the lexicographically later data win a tie`(_ ours: [UInt8], _ theirs: [UInt8], _ isLost: Bool) {
    #expect(Responder.tieBreak([.txt(ours)], precedes: [.txt(theirs)]) == isLost)
    // The type comes first, and the order does not matter.
    #expect(Responder.tieBreak([.txt(ours), .address(.ipv4(1))], precedes: [.address(.ipv4(1)), .txt(theirs)]) == isLost)
    #expect(Responder.tieBreak([.address(.ipv4(9))], precedes: [.txt(theirs)]))
    #expect(!Responder.tieBreak([.txt(ours)], precedes: [.address(.ipv4(9))]))
    #expect(Responder.tieBreak([.address(.ipv4(1))], precedes: [.address(.ipv4(1)), .txt(theirs)]))
  }
}
