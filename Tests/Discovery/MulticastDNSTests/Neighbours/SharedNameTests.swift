import Testing
import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// Names that several registrations of a host share, and that it shares with them.
@Suite struct SharedNameTests {
  private let host: DNSName = "me.local"
  private let name: DNSName = "a.local"
  private let sshfp = DNSType(rawValue: 44)

  private var fingerprint: PublishedRecord { PublishedRecord(host, .data(.other(sshfp, [4, 1, 9])), .unique) }

  private func address(_ last: UInt32, _ name: DNSName? = nil) -> PublishedRecord {
    PublishedRecord(name ?? self.name, .data(.address(.ipv4(0x0A00_0000 + last))), .unique)
  }

  private func theirs(_ name: DNSName) -> DNSRecord {
    DNSRecord(name, .address(.ipv4(0x0A00_0063)), timeToLive: 120, cacheFlush: true)
  }

  private func establish(_ engine: LoneEngine, _ records: [PublishedRecord], as id: UInt64) {
    engine.do(.publish(.init(id), records, sharingNames: true))
    engine.run(for: .seconds(10))
    #expect(engine.effects.contains(.registration(.init(id), .established)))
  }

  private func answers(_ engine: LoneEngine, _ name: DNSName, _ type: DNSType) -> [DNSRecord] {
    engine.run(for: .seconds(2))
    engine.clear()
    engine.hear(question: name, type)
    engine.run(for: .seconds(1))
    // A goodbye may be repeated meanwhile.
    return engine.responses.flatMap(\.message.answers).filter { $0.name == name && $0.timeToLive > 0 }
  }

  private func conflicts(_ engine: LoneEngine) -> [UInt64] {
    engine.effects.compactMap { if case .registration(let id, .conflict) = $0 { id.rawValue } else { nil } }.sorted()
  }

  @Test func `a record of the host's name is published beside its addresses`() {
    let engine = LoneEngine(hostName: host)
    establish(engine, [fingerprint], as: 1)
    #expect(answers(engine, host, sshfp).map(\.data) == [.other(sshfp, [4, 1, 9])])
    #expect(answers(engine, host, .a).map(\.data) == [.address(LoneEngine.address)])
    #expect(answers(engine, host, .txt).map(\.data) == [.nsec(next: host, types: DNSTypeSet([.a, sshfp])!)])
    engine.do(.withdraw(.init(1)))
    #expect(answers(engine, host, sshfp).map(\.data) == [.nsec(next: host, types: DNSTypeSet([.a])!)])
    // The host keeps its name.
    #expect(answers(engine, host, .a).map(\.data) == [.address(LoneEngine.address)])
  }

  @Test func `a registration that does not share has no name of others`() {
    let engine = LoneEngine(hostName: host)
    engine.do(.publish(.init(1), [fingerprint]))
    #expect(engine.effects == [.registration(.init(1), .conflict(host))])
    establish(engine, [address(7)], as: 2)
    engine.clear()
    engine.do(.publish(.init(3), [address(8)]))
    #expect(engine.effects == [.registration(.init(3), .conflict(name))])
  }

  // §10.2
  @Test func `a set of several registrations is announced and answered as a whole`() {
    let engine = LoneEngine(hostName: host)
    establish(engine, [address(7)], as: 1)
    engine.clear()
    establish(engine, [address(8)], as: 2)
    let both = Set([7, 8].map { DNSData.address(.ipv4(0x0A00_0000 + $0)) })
    let announcements = engine.responses.map { $0.message.answers.filter { $0.name == name } }.filter { !$0.isEmpty }
    #expect(announcements.count == 3)
    for records in announcements { #expect(Set(records.map(\.data)) == both && records.allSatisfy(\.cacheFlush)) }
    #expect(Set(answers(engine, name, .a).map(\.data)) == both)
    engine.clear()
    engine.do(.withdraw(.init(2)))
    engine.run(for: .milliseconds(100))
    // A goodbye with the cache-flush bit would take the other away.
    let goodbyes = engine.responses.flatMap(\.message.answers)
    #expect(goodbyes.map(\.timeToLive) == [0] && goodbyes.map(\.cacheFlush) == [false])
    #expect(answers(engine, name, .a).map(\.data) == [.address(.ipv4(0x0A00_0007))])
  }

  @Test func `what two say is withdrawn with the second`() {
    let engine = LoneEngine(hostName: host)
    establish(engine, [address(7)], as: 1)
    establish(engine, [address(7)], as: 2)
    engine.clear()
    engine.do(.withdraw(.init(1)))
    engine.run(for: .seconds(1))
    #expect(engine.sent.isEmpty)
    #expect(answers(engine, name, .a).map(\.data) == [.address(.ipv4(0x0A00_0007))])
    engine.clear()
    engine.do(.withdraw(.init(2)))
    engine.run(for: .seconds(1))
    #expect(engine.responses.flatMap(\.message.answers).map(\.timeToLive) == [0])
    #expect(answers(engine, name, .a).isEmpty)
  }

  // §8.2
  @Test func `those who probe for one name ask once, with the records of all`() {
    let engine = LoneEngine(hostName: host)
    engine.do(.publish(.init(1), [address(7)], sharingNames: true))
    engine.do(.publish(.init(2), [address(8)], sharingNames: true))
    engine.run(for: .seconds(10))
    let probes = engine.questions(name, .any)
    #expect(probes.count == 3)
    for probe in probes {
      #expect(probe.message.questions.filter { $0.name == name }.count == 1)
      #expect(probe.message.authorities.filter { $0.name == name }.count == 2)
    }
  }

  // §8.2: the other host's record is later, so it wins.
  @Test func `those who probe for one name lose a tie together`() {
    let engine = LoneEngine(hostName: host)
    engine.do(.publish(.init(1), [address(7)], sharingNames: true))
    engine.do(.publish(.init(2), [address(8)], sharingNames: true))
    engine.run(for: .milliseconds(600))
    engine.hear(question: name, .any, proposing: [theirs(name)])
    engine.clear()
    engine.run(for: .milliseconds(900))
    #expect(engine.sent.isEmpty)
    engine.hear(theirs(name))
    #expect(conflicts(engine) == [1, 2])
  }

  // §9
  @Test func `another host disputes the records of all who share a name`() {
    let engine = LoneEngine(hostName: host)
    establish(engine, [address(7)], as: 1)
    establish(engine, [address(8)], as: 2)
    establish(engine, [PublishedRecord(name, .data(.txt([1, 68])), .unique)], as: 3)
    engine.clear()
    engine.hear(theirs(name))
    #expect(conflicts(engine).isEmpty)
    engine.run(for: .milliseconds(600))
    engine.hear(theirs(name))
    // The text is not disputed itself, but its name is lost.
    #expect(conflicts(engine) == [1, 2])
    engine.run(for: .milliseconds(600))
    engine.hear(theirs(name))
    #expect(conflicts(engine) == [1, 2, 3])
    #expect(answers(engine, name, .any).isEmpty)
  }

  // §9
  @Test func `who has a record of the host's name loses it with the host`() {
    let engine = LoneEngine(hostName: host)
    establish(engine, [fingerprint], as: 1)
    for _ in 0..<3 {
      engine.hear(theirs(host))
      engine.run(for: .milliseconds(600))
    }
    #expect(engine.effects.contains(.hostName(.renamed(from: host, to: "me-2.local"))))
    #expect(conflicts(engine) == [1])
    engine.run(for: .seconds(10))
    #expect(answers(engine, "me-2.local", .a).count == 1 && answers(engine, host, .any).isEmpty)
  }

  @Test func `nothing is denied of the host's name while another process has its addresses`() {
    let engine = LoneEngine()
    engine.do(.setHostName(host))
    engine.do(.publish(.init(1), [fingerprint], sharingNames: true))
    engine.run(for: .milliseconds(600))
    // The other process says so before this one has the name.
    engine.hear(DNSRecord(host, .address(LoneEngine.address), timeToLive: 120, cacheFlush: true), from: 1)
    engine.run(for: .seconds(10))
    #expect(engine.effects.contains(.registration(.init(1), .established)))
    #expect(answers(engine, host, sshfp).count == 1)
    #expect(answers(engine, host, .txt).isEmpty)
    #expect(answers(engine, host, .a).isEmpty)
    // When it goes, the addresses are this one's.
    engine.hear(DNSRecord(host, .address(LoneEngine.address), timeToLive: 0, cacheFlush: true), from: 1)
    engine.run(for: .seconds(10))
    #expect(answers(engine, host, .a).map(\.data) == [.address(LoneEngine.address)])
    #expect(answers(engine, host, .txt).map(\.data) == [.nsec(next: host, types: DNSTypeSet([.a, sshfp])!)])
  }

  @Test func `a record that need not be probed for is announced at once`() {
    let engine = LoneEngine(hostName: host)
    var record = address(7)
    record.isProbed = false
    engine.do(.publish(.init(1), [record], sharingNames: true))
    engine.run(for: .milliseconds(250))
    #expect(engine.questions(name, .any).isEmpty && engine.responses.count == 1)
    // It is disputed all the same, and announced again.
    engine.run(for: .seconds(10))
    engine.clear()
    engine.hear(theirs(name))
    engine.run(for: .milliseconds(1250))
    #expect(engine.questions(name, .any).isEmpty && !engine.responses.isEmpty && conflicts(engine).isEmpty)
  }

  @Test func `a record that is not announced is an answer all the same, and has a goodbye`() {
    let engine = LoneEngine(hostName: host)
    var record = address(7)
    (record.isProbed, record.isAnnounced) = (false, false)
    engine.do(.publish(.init(1), [record], sharingNames: true))
    engine.run(for: .seconds(10))
    #expect(engine.sent.isEmpty && engine.effects.contains(.registration(.init(1), .established)))
    #expect(answers(engine, name, .a).count == 1)
    engine.clear()
    engine.do(.withdraw(.init(1)))
    engine.run(for: .seconds(1))
    #expect(engine.responses.flatMap(\.message.answers).map(\.timeToLive) == [0])
  }

  @Test func `a time to live that is chosen is told, and compared with that of others`() {
    let engine = LoneEngine(hostName: host)
    var record = address(7)
    record.timeToLive = 40
    establish(engine, [record], as: 1)
    #expect(answers(engine, name, .a).map(\.timeToLive) == [40])
    // §6.6: half as much, and less.
    for (timeToLive, isSaid) in [(20, false), (19, true)] as [(UInt32, Bool)] {
      engine.run(for: .seconds(2))
      engine.clear()
      engine.hear(DNSRecord(name, .address(.ipv4(0x0A00_0007)), timeToLive: timeToLive, cacheFlush: true))
      engine.run(for: .seconds(1))
      #expect(!engine.responses.isEmpty == isSaid)
    }
    // Another one is told with the next answer.
    record.timeToLive = 50
    engine.clear()
    engine.do(.update(.init(1), [record]))
    engine.run(for: .seconds(1))
    #expect(engine.sent.isEmpty)
    #expect(answers(engine, name, .a).map(\.timeToLive) == [50])
  }
}
