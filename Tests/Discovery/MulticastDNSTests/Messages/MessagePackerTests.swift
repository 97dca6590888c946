import Testing
import _BonjourishDiscovery

@testable import _BonjourishMulticastDNS

/// What fits into a datagram, to the byte.
@Suite struct MessagePackerTests {
  /// A record whose name is a pointer, or 3 bytes long, and that has so many bytes besides.
  private func record(_ bytes: Int, _ number: UInt8 = 0) -> DNSRecord {
    DNSRecord("a", .other(DNSType(rawValue: 99), [UInt8](repeating: number, count: bytes - 10)), timeToLive: 120)
  }

  private func lengths(_ packets: [[UInt8]]) -> [Int] { packets.map(\.count) }

  private func parsed(_ packets: [[UInt8]]) throws -> [DNSMessage] {
    try packets.map { try DNSMessage(parsing: $0) }
  }

  // MARK: - Responses

  // The header has 12 bytes, the first name in a datagram 3, and the other one 2.
  @Test(arguments: [(512, [512]), (511, [265, 260])])
  func `answers go together as long as they fit`(_ limit: Int, _ expected: [Int]) throws {
    var packer = MessagePacker(isResponse: true, limit: limit)
    packer.add(answers: [record(250, 1)])
    packer.add(answers: [record(245, 2)])
    let packets = packer.finished()
    #expect(lengths(packets) == expected)
    #expect(try parsed(packets).flatMap(\.answers) == [record(250, 1), record(245, 2)])
  }

  @Test func `what belongs together begins a datagram of its own if it does not fit behind others`() throws {
    var packer = MessagePacker(isResponse: true, limit: 512)
    packer.add(answers: [record(250, 1)])
    packer.add(answers: [record(240, 2)], additionals: [record(240, 3)])
    let messages = try parsed(packer.finished())
    #expect(messages.map(\.answers) == [[record(250, 1)], [record(240, 2)]])
    #expect(messages.map(\.additionals) == [[], [record(240, 3)]])
  }

  @Test func `of what is too long together each answer comes, and additional records only where they fit`() throws {
    var packer = MessagePacker(isResponse: true, limit: 512)
    packer.add(answers: [record(250, 1), record(250, 2)], additionals: [record(300, 3), record(100, 4)])
    let messages = try parsed(packer.finished())
    #expect(messages.map(\.answers) == [[record(250, 1)], [record(250, 2)]])
    #expect(messages.map(\.additionals) == [[], [record(100, 4)]])
    #expect(messages.allSatisfy { $0.isResponse && !$0.isTruncated })
  }

  // RFC 6762 §17
  @Test(arguments: [(8_952, true), (8_953, false)])
  func `a record that needs fragments goes alone, up to 9,000 bytes with headers`(_ length: Int, _ isSent: Bool) throws {
    var packer = MessagePacker(isResponse: true, limit: 512)
    packer.add(answers: [record(100, 1)])
    packer.add(answers: [record(length - 15, 2)], additionals: [record(20, 3)])
    packer.add(answers: [record(100, 4)])
    let packets = packer.finished()
    #expect(lengths(packets) == (isSent ? [115, length, 115] : [115, 115]))
    #expect(try parsed(packets).allSatisfy(\.additionals.isEmpty))
    #expect(MessagePacker.fragmentedLimit == 8_952 && MessagePacker.longestLimit == 1_440)
  }

  @Test(arguments: [(0, 512), (572, 512), (573, 513), (1_280, 1_220), (1_500, 1_440), (1_501, 1_440), (65_536, 1_440)])
  func `the limit leaves room for headers, and is neither less than all hosts take nor more than Ethernet does`(
    _ mtu: Int, _ limit: Int
  ) {
    #expect(MessagePacker.limit(mtu: mtu) == limit)
  }

  // MARK: - Queries

  // RFC 6762 §8.2
  @Test(arguments: [(512, [512]), (511, [270, 255])])
  func `a probe is in one datagram with what it proposes`(_ limit: Int, _ expected: [Int]) throws {
    var packer = MessagePacker(isResponse: false, limit: limit)
    let questions = [DNSQuestion("a", .any), DNSQuestion("b", .any)]
    packer.add(questions[0], proposing: [record(249, 1)])
    packer.add(questions[1], proposing: [record(233, 2)])
    let packets = packer.finished()
    let messages = try parsed(packets)
    #expect(messages.flatMap(\.questions) == questions && messages.flatMap(\.authorities) == [record(249, 1), record(233, 2)])
    #expect(lengths(packets) == expected && messages.allSatisfy { $0.questions.count == $0.authorities.count })
  }

  // RFC 6762 §7.2
  @Test(arguments: [(510, 1), (511, 2)])
  func `known answers take another datagram as soon as they do not fit`(_ bytes: Int, _ count: Int) throws {
    var packer = MessagePacker(isResponse: false, limit: 512)
    packer.add(DNSQuestion("a", .any), knowing: [record(300, 1), record(bytes - 321, 2)])
    let messages = try parsed(packer.finished())
    #expect(messages.map(\.isTruncated) == (count == 1 ? [false] : [true, false]))
    #expect(messages.map(\.questions.count) == (count == 1 ? [1] : [1, 0]))
    #expect(messages.flatMap(\.answers) == [record(300, 1), record(bytes - 321, 2)])
  }

  @Test func `a question whose known answers do not fit behind others begins a datagram`() throws {
    var packer = MessagePacker(isResponse: false, limit: 512)
    packer.add(DNSQuestion("a", .any), knowing: [record(300, 1)])
    packer.add(DNSQuestion("b", .any), knowing: [record(300, 2)])
    packer.add(DNSQuestion("c", .any), knowing: [])
    let messages = try parsed(packer.finished())
    let names: [[DNSName]] = [["a"], ["b", "c"]]
    #expect(messages.map { $0.questions.map(\.name) } == names && messages.allSatisfy { !$0.isTruncated })
    #expect(messages.map(\.answers) == [[record(300, 1)], [record(300, 2)]])
  }

  // MARK: - Names

  // RFC 1035 §4.1.4: a pointer has 14 bits.
  @Test(arguments: [(16_383, true), (16_384, false)])
  func `a name is pointed to up to the last place that a pointer can name`(_ place: Int, _ isPointedTo: Bool) {
    var message = DNSMessage(isResponse: true)
    message.answers = [
      record(place - 15), DNSRecord("b", .txt([0]), timeToLive: 1), DNSRecord("b", .txt([0]), timeToLive: 1),
    ]
    let bytes = message.written()
    #expect(Array(bytes[place..<(place + 3)]) == [1, 0x62, 0])
    let end: [UInt8] = [0, 16, 0, 1, 0, 0, 0, 1, 0, 1, 0]
    let name: [UInt8] = isPointedTo ? [0xFF, 0xFF] : [0x62, 0]
    #expect(Array(bytes.suffix(end.count + 2)) == name + end)
  }

  @Test func `what does not fit leaves nothing behind that others could point to`() {
    var writer = MessageWriter()
    writer.write(DNSQuestion("a.local", .a))
    let mark = writer.mark
    #expect(mark.isNotEmpty && !writer.isEmpty)
    writer.write(DNSQuestion("b.x.local", .a))
    writer.goBack(to: mark)
    var other = MessageWriter()
    #expect(other.isEmpty && !other.mark.isNotEmpty)
    for question in [DNSQuestion("a.local", .a), DNSQuestion("c.x.local", .a)] { other.write(question) }
    writer.write(DNSQuestion("c.x.local", .a))
    #expect(writer.finished(isResponse: false) == other.finished(isResponse: false))
  }
}
