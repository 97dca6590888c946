import Testing
import _BonjourishBase
import _BonjourishDiscovery

@testable import _BonjourishMulticastDNS

/// What a responder remembers of conflicts, and of the process that publishes the host's name, to the millisecond.
@Suite struct ResponderConflictTests {
  private static let link = MulticastLink(interface: 1, family: .ipv4)
  private let name: DNSName = "mine.local"

  private func at(_ milliseconds: Int64) -> Instant { Instant(microseconds: milliseconds * 1000) }

  private func step(_ moment: Instant) -> Step { Step(now: moment, random: SeededGenerator(seed: 1)) }

  private func responder() -> Responder { Responder(Self.link, LinkAddresses(ofInterface: [])) }

  private func claim(_ responder: inout Responder, at moment: Instant) {
    let record = ClaimedRecord(name: name, data: .txt([1]), isUnique: true)
    responder.claim([record], for: .registration(.init(1)), needsHost: false)
    var step = step(moment)
    responder.scheduleProbes(&step)
  }

  // MARK: - Many conflicts (RFC 6762 §8.1)

  /// Until when probing is slow after a conflict at 100 s; nil if it is not.
  ///
  /// - Parameters:
  ///   - count: The number of conflicts before, all at the same time.
  ///   - before: How long ago they were, in milliseconds.
  private func slowness(after count: Int, before: Int64 = 0, slowUntil: Instant? = nil) -> Instant? {
    var responder = responder()
    claim(&responder, at: at(0))
    var probe = step(responder.nextDeadline)
    responder.advance(&probe)
    responder.conflicts = [Instant](repeating: at(100_000 - before), count: count)
    if let slowUntil { responder.slowUntil = slowUntil }
    let former = responder.slowUntil
    var conflict = step(at(100_000))
    let rival = DNSRecord(name, .txt([2]), timeToLive: 120, cacheFlush: true)
    responder.compare(rival, isPublished: false, fromThisHost: false, &conflict)
    #expect(responder.counters.conflicts == 1 && responder.conflicts.count == min(count + 1, 15))
    #expect(responder.claims.count == 0 && responder.nextDeadline == .never, "the name is lost")
    return responder.slowUntil == former ? nil : responder.slowUntil
  }

  @Test func `fifteen conflicts in ten seconds slow probing down for a minute`() {
    #expect(slowness(after: 13) == nil && slowness(after: 14) == at(160_000) && slowness(after: 15) == at(160_000))
    #expect(slowness(after: 14, before: 10_000) == at(160_000) && slowness(after: 14, before: 10_001) == nil)
    // While it is slow, each conflict prolongs that.
    #expect(slowness(after: 0, slowUntil: at(100_001)) == at(160_000) && slowness(after: 0, slowUntil: at(100_000)) == nil)
  }

  @Test func `slow probing waits for five seconds more`() {
    func start(slowUntil: Instant, probingAt: Instant) -> Instant {
      var responder = responder()
      (responder.slowUntil, responder.probingAt) = (slowUntil, probingAt)
      claim(&responder, at: at(1_000))
      return responder.nextDeadline
    }
    #expect(start(slowUntil: at(1_000), probingAt: at(1_100)) == at(1_100))
    #expect(start(slowUntil: at(1_001), probingAt: at(1_100)) == at(6_100))
    // Probes that go now take new ones along, and those that have gone do not.
    #expect(start(slowUntil: at(0), probingAt: at(1_000)) == at(1_000))
    let new = start(slowUntil: at(0), probingAt: at(999))
    #expect((at(1_000)...at(1_250)).contains(new))
  }

  // MARK: - Guests

  private let four = DNSData.address(.ipv4(0x0A00_0001))
  private let other = DNSData.address(.ipv4(0x0A00_0002))
  private let six = DNSData.address(.ipv6(high: 0xFD00 << 48, low: 1))

  private func guest() -> Claim {
    let records = [four, other, six].map { ClaimedRecord(name: "me.local", data: $0, isUnique: true) }
    return Claim(owner: .host, phase: .guest(isAsked: false), records: records, needsHost: false)
  }

  private func told(_ data: DNSData, timeToLive: UInt32 = 120) -> DNSRecord {
    DNSRecord("me.local", data, timeToLive: timeToLive, cacheFlush: true)
  }

  // RFC 6762 §10.2
  @Test func `what the holder tells replaces what it told of that type more than a second before`() {
    for (time, isReplaced) in [(1_000, false), (1_001, true)] as [(Int64, Bool)] {
      var claim = guest()
      claim.note(holders: [told(four), told(other), told(six), told(.address(.ipv4(99)))], at: at(0))
      #expect(claim.ofHolder.count == 3 && claim.ofHolder.values.allSatisfy { $0.end == at(120_000) && $0.sent == at(0) })
      claim.note(holders: [told(four)], at: at(time))
      #expect(claim.ofHolder[four]?.end == at(time + 120_000) && claim.ofHolder[four]?.heard == at(time))
      #expect(claim.ofHolder[other]?.end == at(isReplaced ? time : 120_000))
      #expect(claim.ofHolder[six]?.end == at(120_000), "another type")
      claim.note(holders: [told(six, timeToLive: 0)], at: at(time))
      #expect(claim.ofHolder[six] == nil && claim.ofHolder.count == 2)
    }
  }

  @Test func `what the holder published is told until its end, and multicast once a second`() {
    var responder = responder()
    var claim = guest()
    claim.ofHolder[four] = HolderAddress(heard: at(0), end: at(5_000), sent: at(1_000))
    let slot = responder.claims.insert(claim)
    responder.claimSlots[.host] = slot
    let record = DNSRecord("me.local", four, timeToLive: 120)
    #expect(responder.holderAddresses(at: at(4_999)) == [record] && responder.holderAddresses(at: at(5_000)) == [])
    #expect(responder.holderAddressesToMulticast(at: at(1_999)) == [])
    #expect(responder.holderAddressesToMulticast(at: at(2_000)) == [record])
    // What was sent late counts from when it was sent.
    responder.noteSending(at(1_001)...at(1_500))
    #expect(responder.holderAddressesToMulticast(at: at(2_000)) == [record])
    responder.noteSending(at(1_000)...at(1_500))
    #expect(responder.holderAddressesToMulticast(at: at(2_499)) == [])
    #expect(responder.holderAddressesToMulticast(at: at(2_500)) == [record])
    responder.claims[slot].phase = .guest(isAsked: true)
    #expect(responder.holderAddresses(at: at(2_500)) == [])
  }

  @Test(arguments: [(DNSType.a, true), (.aaaa, true), (.any, true), (.txt, false)])
  func `a holder has 600 ms to answer others before it is asked, and then 1.5 seconds`(_ type: DNSType, _ isAsked: Bool) {
    let engine = LoneEngine()
    engine.do(.setHostName("me.local"))
    while engine.sent.isEmpty { engine.run(for: .milliseconds(1)) }
    engine.hear(DNSRecord("me.local", .address(LoneEngine.address), timeToLive: 120, cacheFlush: true), from: 1)
    engine.run(for: .seconds(10))
    engine.clear()
    let start = engine.now
    engine.hear(question: "me.local", type)
    engine.run(for: .seconds(3))
    let times = engine.sent.map { $0.time - start }
    #expect(times.first == (isAsked ? Duration.milliseconds(600) : nil))
    guard isAsked else { return }
    // Then it probes, after a short random time.
    #expect((.milliseconds(2_100) ... .milliseconds(2_350)).contains(times[1]), "\(times)")
  }

  // MARK: - Answers and goodbyes

  // RFC 6762 §6.6, §7.4
  @Test(arguments: [(4500, 0), (4499, 1), (2250, 1), (2249, 1)] as [(UInt32, Int)])
  func `another host's record is an answer if it lives as long as ours`(_ timeToLive: UInt32, _ answers: Int) {
    let engine = LoneEngine(hostName: "me.local")
    engine.establish(VirtualHost.service("mine"))
    let pointer = DNSRecord("_x._tcp.local", .ptr("mine._x._tcp.local"), timeToLive: timeToLive)
    engine.hear(question: pointer.name, .ptr)
    engine.hear(pointer)
    engine.run(for: .seconds(1))
    #expect(engine.responses.count == answers)
    // Less than half as long would be too short for caches.
    engine.run(for: .seconds(2))
    engine.clear()
    engine.hear(pointer)
    engine.run(for: .seconds(1))
    #expect(engine.responses.count == (timeToLive < 2250 ? 1 : 0))
  }

  @Test func `goodbyes wait for five milliseconds, or until they are flushed`() throws {
    let engine = LoneEngine(hostName: "me.local")
    engine.establish(VirtualHost.service("a"))
    engine.establish(VirtualHost.service("b"), as: 2)
    let start = engine.now
    engine.do(.withdraw(.init(1)))
    engine.run(for: .milliseconds(2))
    engine.do(.withdraw(.init(2)))
    #expect(engine.sent.isEmpty && engine.engine.nextDeadline == start + .milliseconds(5))
    engine.run(for: .milliseconds(3))
    let goodbyes = try #require(engine.sent.first).message.answers
    #expect(engine.sent.count == 1 && goodbyes.count == 7 && goodbyes.allSatisfy { $0.timeToLive == 0 })
    engine.run(for: .seconds(10))
    engine.clear()
    engine.establish(VirtualHost.service("c"), as: 3)
    engine.do(.withdraw(.init(3)))
    engine.do(.flush)
    #expect(engine.sent.count == 1)
  }

  @Test func `a denial replaces others of its name, and lives for two minutes`() {
    let engine = LoneEngine(hostName: "me.local")
    engine.hear(question: "me.local", .txt)
    let denial = DNSData.nsec(next: "me.local", types: DNSTypeSet([.a])!)
    #expect(engine.responses.map(\.message.answers) == [[DNSRecord("me.local", denial, timeToLive: 120, cacheFlush: true)]])
  }
}
