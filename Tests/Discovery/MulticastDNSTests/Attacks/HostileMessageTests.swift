import Testing
import _BonjourishDiscovery

@testable import _BonjourishMulticastDNS

/// Malformed messages with which other implementations were stopped, or made to read what is not there. The table is in ATTACKS.md.
@Suite struct HostileMessageTests {
  /// A record's bytes.
  ///
  /// - Parameter length: The length that it claims its data to have; nil for the true one.
  private func record(_ name: [UInt8], _ type: DNSType, _ data: [UInt8], length: Int? = nil, isUnique: Bool = true) -> [UInt8] {
    let length = length ?? data.count
    return name + [UInt8(type.rawValue >> 8), UInt8(type.rawValue & 0xFF), isUnique ? 0x80 : 0, 1, 0, 0, 0, 120]
      + [UInt8(length >> 8), UInt8(length & 0xFF)] + data
  }

  private func response(_ records: [[UInt8]]) -> [UInt8] {
    [0, 0, 0x84, 0, 0, 0, UInt8(records.count >> 8), UInt8(records.count & 0xFF), 0, 0, 0, 0] + records.joined()
  }

  private func wire(_ name: DNSName) -> [UInt8] { Array(name.wire) }

  /// Records that stand before and after what is wrong.
  private var good: [DNSRecord] {
    [
      DNSRecord("_x._tcp.local", .ptr("a._x._tcp.local"), timeToLive: 120),
      DNSRecord("h.local", .address(.ipv4(0x0A00_0002)), timeToLive: 120, cacheFlush: true),
      DNSRecord(
        "a._x._tcp.local", .srv(DNSService(target: "h.local", port: 9)), timeToLive: 120, cacheFlush: true),
    ]
  }

  private var goodBytes: [[UInt8]] {
    [
      record(wire("_x._tcp.local"), .ptr, wire("a._x._tcp.local"), isUnique: false),
      record(wire("h.local"), .a, [10, 0, 0, 2]),
      record(wire("a._x._tcp.local"), .srv, [0, 0, 0, 0, 0, 9] + wire("h.local")),
    ]
  }

  // MARK: - Pointers

  enum Chain: CaseIterable {
    case backward, forward, toItself, intoTheHeader, inPairs

    /// Where the pointer with a number points to.
    func target(of number: Int, from start: Int, name: Int, count: Int) -> Int {
      switch self {
      case .backward: number == 0 ? name : start + 2 * (number - 1)
      case .forward: number == count - 1 ? name : start + 2 * (number + 1)
      case .toItself: start + 2 * number
      case .intoTheHeader: number == 0 ? 0 : start + 2 * (number - 1)
      case .inPairs: start + 2 * (number ^ 1)
      }
    }
  }

  /// python-zeroconf followed each by a call of its own, until there was no stack left.
  @Test(arguments: Chain.allCases)
  func `1,500 chained compression pointers end, and what follows them is read (CVE-2026-47180)`(chain: Chain) throws {
    let count = 1500
    // In the data of a text, where pointers are bytes like any other.
    let start = 12 + 3 + 10
    let pointers = (0..<count).flatMap { number -> [UInt8] in
      let target = chain.target(of: number, from: start, name: 12, count: count)
      return [0xC0 | UInt8(target >> 8), UInt8(target & 0xFF)]
    }
    let owner: [UInt8] = [1, 0x61, 0]
    for last in [start, start + 2 * (count - 1)] {
      // As the name of a record, within a name, and in data; many of them, each of which would have to be followed to the end.
      let pointer = [0xC0 | UInt8(last >> 8), UInt8(last & 0xFF)]
      let bad = [
        record(pointer, .a, [1, 2, 3, 4]), record([1, 0x62] + pointer, .a, [1, 2, 3, 4]), record(owner, .ptr, pointer),
      ]
      let many = Array(repeating: bad, count: 100).flatMap(\.self)
      let bytes = response([record(owner, .txt, pointers)] + many + goodBytes)
      let message = try DNSMessage(parsing: bytes)
      #expect(message.answers.first == DNSRecord("a", .txt(pointers), timeToLive: 120, cacheFlush: true))
      // Those that lead to a name, or to the zero of the header, by one pointer alone are followed.
      let isShort = last == start ? chain == .backward || chain == .intoTheHeader : chain == .forward
      #expect(message.answers.count == 1 + (isShort ? many.count : 0) + good.count)
      #expect(Array(message.answers.suffix(good.count)) == good)
      #expect(DissectedMessage(bytes).fault == nil)
      let engine = LoneEngine()
      engine.do(.ask(.init(1), "_x._tcp.local", .ptr))
      engine.do(.received(bytes, from: MulticastSource(.ipv4(0x0A00_0002), port: 5353, link: engine.link), to: .multicast))
      #expect(engine.answered(.added(good[0], engine.link)))
    }
  }

  @Test func `a label before a name that was just read makes no name that is too long, or no text`() throws {
    let long: [UInt8] = (0..<4).flatMap { [UInt8(59)] + [UInt8](repeating: 0x61 + $0, count: 59) } + [0]  // 241 bytes
    let pointer: [UInt8] = [0xC0, 12]
    let labels: [(label: [UInt8], isValid: Bool)] = [
      ([UInt8](repeating: 0x7A, count: 13), true), ([UInt8](repeating: 0x7A, count: 14), false), ([0xFF], false),
      ([0xC3, 0xA9], true),
    ]
    let records = labels.map { record(pointer, .ptr, [UInt8($0.label.count)] + $0.label + pointer, isUnique: false) }
    let message = try DNSMessage(parsing: response([record(long, .txt, [0])] + records + goodBytes))
    let base = DNSName(checkedWire: long)
    #expect(message.answers.first == DNSRecord(base, .txt([0]), timeToLive: 120, cacheFlush: true))
    let expected = labels.filter(\.isValid).map { label, _ in
      DNSRecord(base, .ptr(DNSName(checkedWire: [UInt8(label.count)] + label + long)), timeToLive: 120)
    }
    #expect(Array(message.answers.dropFirst()) == expected + good)
  }

  // MARK: - Lengths

  /// Data that end within a name or number, and data after which something is left, by type. What they hide is a record.
  private static let hidden: [UInt8] = [4] + Array("evil".utf8) + [0, 0, 1, 0x80, 1, 0, 0, 0, 120, 0, 4, 6, 6, 6, 6]

  static let misfits: [(DNSType, [UInt8], Int)] = [
    // The name goes on in what follows.
    (.ptr, [63], 1), (.ptr, [9, 0x61], 2), (.ptr, [], 0), (.cname, [40], 1), (.srv, [0, 0, 0, 0, 0, 9, 50], 7),
    (.srv, [0, 0, 0], 3),
    (.nsec, [30], 1), (DNSType(rawValue: 15), [0, 1, 20], 3), (.a, [10], 1), (.aaaa, [1, 2, 3], 3), (.hinfo, [200, 1], 2),
    // After the name there is more.
    (.ptr, [1, 0x61, 0] + hidden, 3 + hidden.count), (.cname, [0] + hidden, 1 + hidden.count),
    (.a, [1, 2, 3, 4] + hidden, 4 + hidden.count),
    (.srv, [0, 0, 0, 0, 0, 9, 0] + hidden, 7 + hidden.count), (.hinfo, [0, 0] + hidden, 2 + hidden.count),
  ]

  /// python-zeroconf went on after the name in place of the data's end, and took what a stranger had put there for records.
  @Test(arguments: misfits)
  func `data that are too short or too long leave the records after them as they are (CVE-2026-48487)`(
    type: DNSType, data: [UInt8], length: Int
  ) throws {
    let bad = record(wire("bad.local"), type, data, length: length)
    for place in 0...good.count {
      var records = goodBytes
      records.insert(bad, at: place)
      let message = try DNSMessage(parsing: response(records))
      #expect(message.answers == good, "\(type) in place \(place)")
    }
  }

  @Test func `a record that claims more bytes than there are ends the message (CVE-2026-48487)`() {
    let bad = record(wire("bad.local"), .txt, [1], length: 65_535)
    #expect(throws: DNSMessageError.self) { try DNSMessage(parsing: response(goodBytes + [bad])) }
  }

  // MARK: - Denials

  /// Devices that send such were not found at all: home-assistant/core#53668, keepsimple1/mdns-sd#492.
  @Test(
    arguments: [
      [], [0], [0, 0], [0, 33] + [UInt8](repeating: 0xFF, count: 33), [0, 4, 0x40], [1, 1, 0x40], [0, 1, 0x40, 1, 1, 0x40],
      [0, 1, 0x40, 0, 1, 0x40], [0xFF, 0xFF, 0xFF], [0, 255, 0x40], [0, 1],
    ] as [[UInt8]])
  func `a denial with a broken bitmap denies nothing, and the records beside it are used (keepsimple1/mdns-sd#492)`(
    bitmap: [UInt8]
  ) throws {
    let engine = LoneEngine()
    engine.do(.ask(.init(1), "_x._tcp.local", .ptr))
    engine.do(.ask(.init(2), "a._x._tcp.local", .srv))
    engine.do(.ask(.init(3), "h.local", .a))
    engine.do(.ask(.init(4), "h.local", .aaaa))
    engine.run(for: .milliseconds(200))
    engine.clear()
    // Its name: in full, by a pointer to the record's own, and by one to itself.
    let denials = [wire("h.local"), [0xC0, 12], [0xC0, 0xFF]].map { record(wire("h.local"), .nsec, $0 + bitmap) }
    let bytes = response([denials[1], goodBytes[0], denials[0], goodBytes[1], denials[2], goodBytes[2]])
    engine.do(.received(bytes, from: MulticastSource(.ipv4(0x0A00_0002), port: 5353, link: engine.link), to: .multicast))
    #expect(engine.answered(.added(good[0], engine.link), to: 1))
    #expect(engine.answered(.added(good[2], engine.link), to: 2))
    #expect(engine.answered(.added(good[1], engine.link), to: 3))
    // It is still asked for, as nobody has said that there is none.
    engine.run(for: .seconds(3))
    #expect(!engine.questions("h.local", .aaaa).isEmpty)
    #expect(engine.questions("h.local", .a).isEmpty)
  }

  // MARK: - The same fault again and again

  /// python-zeroconf kept each datagram in which it had found a fault, to log it only once.
  @Test func `ten thousand faults, each with other contents, leave nothing behind (CVE-2026-47183)`() throws {
    let engine = LoneEngine(hostName: "me.local")
    let source = MulticastSource(.ipv4(0x0A00_0009), port: 5353, link: engine.link)
    for number in 0..<10_000 {
      let name = wire(DNSName(literal: "x\(number).local"))
      // A message that ends in a record, one whose record has a bad name, one whose data are bad, and one of another operation.
      let datagram: [UInt8] =
        switch number % 4 {
        case 0: response([record(name, .txt, Array(name), length: 999)])
        case 1: response([record([name[0], 0xFF] + name.dropFirst(2), .a, [1, 2, 3, 4])])
        case 2: response([record(name, .srv, [1, 2, 3])])
        default: [0, 0, 0x28, 0] + response([record(name, .a, [1, 2, 3, 4])]).dropFirst(4)
        }
      engine.do(.received(datagram, from: source, to: .multicast))
      if number % 100 == 0 { engine.run(for: .milliseconds(10)) }
    }
    #expect(engine.effects.isEmpty && engine.sent.isEmpty)
    let link = engine.engine.links[0]
    #expect(link.counters.malformed == 5000)
    #expect(link.load == MulticastEngine.Load(records: 0, bytes: 0, deferredQueries: 0))
    // A message that has no fault is used.
    engine.do(.ask(.init(1), "h.local", .a))
    engine.do(.received(response(goodBytes), from: source, to: .multicast))
    #expect(engine.answered(.added(good[1], engine.link)))
  }
}
