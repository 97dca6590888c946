import Testing
import _BonjourishDiscovery

@testable import _BonjourishMulticastDNS

/// What a reflector knows of those who ask and answer, and when it forgets it.
@Suite struct ReflectorTablesTests {
  private let link = MulticastLink(interface: 1, family: .ipv4)

  private func at(_ milliseconds: Int64) -> Instant { Instant(microseconds: milliseconds * 1000) }

  private func source(_ host: UInt32, port: UInt16 = 5353, on interface: UInt32 = 1) -> MulticastSource {
    MulticastSource(.ipv4(host), port: port, link: MulticastLink(interface: interface, family: .ipv4))
  }

  // MARK: - Generations

  @Test func `a full half takes the place of the other when a new key comes`() {
    var table = Generations<Int, Int>(limit: 2)
    for key in [1, 2, 2, 1] { table[key] = key }
    #expect(table.count == 2)
    table[3] = 3
    #expect(table.count == 3 && table[1] == 1 && table[2] == 2)
    table[1] = 10
    #expect(table[1] == 10 && table[2] == 2)
    table[4] = 4
    #expect(table[2] == nil && table[1] == 10 && table[3] == 3)
    for key in [1, 3, 4] { table[key] = nil }
    #expect(table.count == 0)
  }

  // MARK: - AskerTable

  private let questions = [DNSQuestion("host.local", .a)]

  private func legacy() throws -> LegacyQuery {
    var message = DNSMessage(isResponse: false)
    message.questions = questions
    return try #require(LegacyQuery(message))
  }

  private func note(_ source: MulticastSource, in table: inout AskerTable, at milliseconds: Int64 = 0) {
    table.note(source, questions, legacy: nil, again: nil, at: at(milliseconds))
  }

  @Test func `whoever asks is waited with for a second, from another port for three`() throws {
    var table = AskerTable()
    note(source(1), in: &table)
    table.note(source(2, port: 50_000), questions, legacy: try legacy(), again: nil, at: at(0))
    note(source(3, on: 2), in: &table)
    #expect(table.waiting(on: 1, at: at(999)) == [0, 1] && table.waiting(on: 2, at: at(999)) == [2])
    #expect(table.waiting(on: 1, at: at(1_000)) == [1] && table.waiting(on: 1, at: at(2_999)) == [1])
    #expect(table.waiting(on: 1, at: at(3_000)) == [])
    // What is over is forgotten with the next.
    note(source(4), in: &table, at: 1_000)
    #expect(table.askers.map(\.source) == [source(2, port: 50_000), source(4)])
  }

  @Test func `the same question of the same program is one, and eight of a host and sixty-four are kept`() {
    var table = AskerTable()
    for _ in 0..<2 { note(source(1), in: &table) }
    #expect(table.askers.count == 1)
    for port in 1...8 as ClosedRange<UInt16> { note(source(1, port: port), in: &table) }
    #expect(table.askers.map(\.source.port) == Array(1...8))
    for host in 2...57 as ClosedRange<UInt32> { note(source(host), in: &table) }
    #expect(table.askers.count == 64 && table.askers[0].source.port == 1)
    note(source(58), in: &table)
    #expect(table.askers.count == 64 && table.askers[0].source.port == 2)
    // The host's own oldest goes, although others are older.
    for host in 59...65 as ClosedRange<UInt32> { note(source(host), in: &table) }
    for port in 1...9 as ClosedRange<UInt16> { note(source(2, port: port), in: &table) }
    #expect(table.askers.filter { $0.source.address == .ipv4(2) }.map(\.source.port) == Array(2...9))
  }

  @Test func `a question is asked again once, if nobody has answered by then`() throws {
    var table = AskerTable()
    #expect(table.nextDeadline == .never)
    for host in 1...2 as ClosedRange<UInt32> {
      table.note(source(host), questions, legacy: try legacy(), again: at(900 + Int64(host)), at: at(0))
    }
    #expect(table.nextDeadline == at(901) && table.takeDue(at: at(900)).isEmpty)
    #expect(table.takeDue(at: at(901)).map(\.source) == [source(1)] && table.nextDeadline == at(902))
    let isSent = table.take([[1]], for: 1, at: at(901))
    #expect(isSent && table.takeDue(at: at(902)).isEmpty && table.nextDeadline == .never)
  }

  @Test func `sixteen datagrams answer a question, and none without records or budget`() {
    var table = AskerTable()
    note(source(1), in: &table)
    #expect(!table.take([], for: 0, at: at(0)) && table.askers[0].answers == 0)
    for _ in 0..<15 { _ = table.take([[1]], for: 0, at: at(0)) }
    #expect(table.waiting(on: 1, at: at(0)) == [0])
    let isLast = table.take([[1]], for: 0, at: at(0))
    #expect(isLast && table.waiting(on: 1, at: at(0)) == [])
    note(source(2), in: &table)
    #expect(table.askers.map(\.source) == [source(2)])
    let large = [[UInt8](repeating: 0, count: 40_000)]
    #expect(table.take(large, for: 0, at: at(0)) && !table.take([[1]], for: 0, at: at(0)))
  }

  @Test func `a question is answered by its type, by an alias, and denied by a list of types`() {
    func question(_ type: DNSType, _ name: DNSName = "host.local") -> DNSQuestion { DNSQuestion(name, type) }
    let address = DNSRecord("host.local", .address(.ipv4(1)), timeToLive: 120)
    #expect(question(.a).isAnswered(by: address) && question(.any).isAnswered(by: address))
    #expect(!question(.txt).isAnswered(by: address) && !question(.a, "other.local").isAnswered(by: address))
    #expect(question(.txt).isAnswered(by: DNSRecord("host.local", .cname("other.local"), timeToLive: 120)))
    func denial(_ timeToLive: UInt32) -> DNSRecord {
      DNSRecord("host.local", .nsec(next: "host.local", types: DNSTypeSet([.a])!), timeToLive: timeToLive)
    }
    #expect(question(.txt).isDenied(by: denial(1)) && !question(.txt).isDenied(by: denial(0)))
    #expect(!question(.a).isDenied(by: denial(1)) && !question(.any).isDenied(by: denial(1)))
    #expect(!question(.txt, "other.local").isDenied(by: denial(1)) && !question(.txt).isDenied(by: address))
  }

  // MARK: - QueryAssembler

  private func query(_ questions: [DNSQuestion], knowing count: Int = 0, truncated: Bool) -> DNSMessage {
    var message = DNSMessage(isResponse: false)
    message.questions = questions
    message.answers = (0..<count).map { DNSRecord("host.local", .txt([UInt8($0)]), timeToLive: 120) }
    message.isTruncated = truncated
    return message
  }

  /// The sources and the numbers of known answers of what is complete.
  private func summary(_ complete: [(MulticastSource, DNSMessage)]) -> [[UInt32]] {
    complete.map { [UInt32($0.0.address.bytes[3]), UInt32($0.1.answers.count)] }
  }

  @Test func `known answers are put together until the last, or for half a second`() {
    var assembler = QueryAssembler()
    #expect(summary(assembler.take(query(questions, truncated: false), bytes: 9, from: source(1), at: at(0))) == [[1, 0]])
    // Known answers of nobody's question.
    #expect(assembler.take(query([], knowing: 1, truncated: false), bytes: 9, from: source(1), at: at(0)).isEmpty)
    #expect(assembler.nextDeadline == .never)
    #expect(assembler.take(query(questions, knowing: 1, truncated: true), bytes: 9, from: source(1), at: at(0)).isEmpty)
    #expect(assembler.nextDeadline == at(500))
    #expect(assembler.take(query([], knowing: 2, truncated: true), bytes: 9, from: source(1), at: at(100)).isEmpty)
    #expect(assembler.nextDeadline == at(600))
    #expect(
      summary(assembler.take(query([], knowing: 3, truncated: false), bytes: 9, from: source(1), at: at(200))) == [[1, 6]])
    #expect(assembler.take(query(questions, knowing: 1, truncated: true), bytes: 9, from: source(2), at: at(200)).isEmpty)
    #expect(assembler.takeDue(at: at(699)).isEmpty && summary(assembler.takeDue(at: at(700))) == [[2, 1]])
    #expect(assembler.nextDeadline == .never)
  }

  @Test func `the next question of a program ends the one before, and thirty-two are kept`() {
    var assembler = QueryAssembler()
    for host in 1...32 as ClosedRange<UInt32> {
      #expect(assembler.take(query(questions, knowing: 1, truncated: true), bytes: 9, from: source(host), at: at(0)).isEmpty)
    }
    let next = assembler.take(query(questions, knowing: 2, truncated: true), bytes: 9, from: source(3), at: at(1))
    #expect(summary(next) == [[3, 1]])
    let last = assembler.take(query(questions, knowing: 5, truncated: false), bytes: 9, from: source(3), at: at(1))
    #expect(summary(last) == [[3, 2], [3, 5]])
    #expect(assembler.take(query(questions, truncated: true), bytes: 9, from: source(33), at: at(1)).isEmpty)
    #expect(summary(assembler.take(query(questions, truncated: true), bytes: 9, from: source(34), at: at(1))) == [[1, 1]])
  }

  @Test func `no more than 32,768 bytes are put together`() {
    for (bytes, count) in [(32_668, 3 as UInt32), (32_669, 1)] {
      var assembler = QueryAssembler()
      _ = assembler.take(query(questions, knowing: 1, truncated: true), bytes: 100, from: source(1), at: at(0))
      let complete = assembler.take(query([], knowing: 2, truncated: false), bytes: bytes, from: source(1), at: at(0))
      #expect(summary(complete) == [[1, count]])
    }
  }

  // MARK: - SpeakerTable

  @Test func `a speaker has the name whose address it sends from, or one on its link that it alone can have`() {
    let networks = LinkAddresses(ofInterface: [InterfaceAddress(.ipv4(0x0A00_0001), prefixLength: 24)])
    let hidden = MulticastSource(.ipv6(high: 0xFE80 << 48, low: 1), port: 5353, link: link)
    func learns(_ source: MulticastSource, _ address: IPAddress, _ timeToLive: UInt32 = 120) -> Bool {
      var table = SpeakerTable()
      let unnamed = table[source]
      table.learn(DNSRecord("host.local", .address(address), timeToLive: timeToLive), from: source, in: networks)
      #expect(!unnamed.isNamed && table[source].isNamed != table[source].isSame(as: unnamed))
      return table[source].isNamed
    }
    let near = IPAddress.ipv4(0x0A00_0009)
    #expect(learns(source(0x0A00_0009), near, 1) && !learns(source(0x0A00_0009), near, 0))
    #expect(!learns(source(0x0A00_0008), near) && learns(hidden, near))
    #expect(!learns(hidden, .ipv4(0x0B00_0009)) && !learns(hidden, .ipv4(0xA9FE_0101)))
    var table = SpeakerTable()
    table.learn(DNSRecord("host.local", .txt([0]), timeToLive: 120), from: source(1), in: networks)
    #expect(!table[source(1)].isNamed)
  }

  @Test func `whoever says later than the owner what it says is a repeater, for ten minutes`() {
    var table = SpeakerTable()
    let (owner, repeater) = (table[source(1)], table[source(2)])
    table.note(owner, after: owner, at: at(0))
    #expect(!table.isRepeater(owner, at: at(0)) && table.repeaterCount == 0)
    table.note(repeater, after: owner, at: at(0))
    #expect(table.isRepeater(repeater, at: at(599_999)) && !table.isRepeater(repeater, at: at(600_000)))
    #expect(!table.isRepeater(owner, at: at(0)) && table.repeaterCount == 1)
    let isRenewed = table.renewRepeater(repeater, at: at(500_000))
    #expect(isRenewed && table.isRepeater(repeater, at: at(1_099_999)) && !table.isRepeater(repeater, at: at(1_100_000)))
    #expect(!table.renewRepeater(owner, at: at(0)) && !table.renewRepeater(repeater, at: at(1_100_000)))
  }

  @Test func `who was late eight times must be early as often, and a message counts once`() {
    var table = SpeakerTable()
    let (one, other) = (table[source(1)], table[source(2)])
    for time in 1...20 as ClosedRange<Int64> {
      for _ in 0..<3 { table.note(one, after: other, at: at(time)) }
    }
    for time in 21...27 as ClosedRange<Int64> { table.note(other, after: one, at: at(time)) }
    #expect(table.isRepeater(one, at: at(27)) && !table.isRepeater(other, at: at(27)))
    table.note(other, after: one, at: at(28))
    #expect(!table.isRepeater(one, at: at(28)) && !table.isRepeater(other, at: at(28)))
    table.note(other, after: one, at: at(29))
    #expect(table.isRepeater(other, at: at(29)) && table.repeaterCount == 2)
    // What was counted long ago says nothing.
    table.note(one, after: other, at: at(700_000))
    #expect(table.isRepeater(one, at: at(700_000)) && table.repeaterCount == 3)
  }

  // MARK: - Bounds

  @Test func `what is known of a speaker is forgotten when two thousand others have come`() {
    var table = SpeakerTable()
    let (owner, repeater) = (table[source(1)], table[source(2)])
    table.note(repeater, after: owner, at: at(0))
    for number in 2...1_025 as ClosedRange<UInt32> {
      #expect(table.isRepeater(repeater, at: at(0)), "\(number)")
      table.note(table[source(2 * number)], after: table[source(2 * number + 1)], at: at(0))
    }
    #expect(!table.isRepeater(repeater, at: at(0)))
  }

  @Test func `the name of a host is forgotten when four thousand others have told theirs`() {
    var table = SpeakerTable()
    for number in 1...4_097 as ClosedRange<UInt32> {
      let address = DNSRecord("host.local", .address(.ipv4(number)), timeToLive: 120)
      table.learn(address, from: source(number), in: LinkAddresses(ofInterface: []))
      if number == 4_096 { #expect(table[source(1)].isNamed) }
    }
    #expect(!table[source(1)].isNamed && table[source(2_049)].isNamed)
  }

  @Test func `probes for two thousand names are remembered, and where four thousand names live`() {
    var interface = ReflectedInterface()
    var homes = HomeTable()
    func name(_ number: Int) -> DNSName { DNSName(literal: "\(number).local") }
    for number in 1...4_097 {
      homes.noteHost(name(number), on: [1, 2], at: at(0))
      if number <= 2_049 { interface.note(probeFor: name(number), at: at(0)) }
      if number == 2_048 { #expect(interface.isProbed(name(1), within: 1, at: at(0))) }
      if number == 4_096 { #expect(homes.isAlso(name(1), on: 1, at: at(0))) }
    }
    #expect(!interface.isProbed(name(1), within: 1, at: at(0)) && interface.isProbed(name(1_025), within: 1, at: at(0)))
    #expect(!homes.isAlso(name(1), on: 1, at: at(0)) && homes.isAlso(name(4_097), on: 2, at: at(0)))
  }
}
