import Testing
import _BonjourishDiscovery
import _BonjourishMulticastDNS

@Suite struct DNSMessageTests {
  private let records: [DNSRecord] = [
    DNSRecord("one.local", .address(.ipv4(0x0A00_0001)), timeToLive: 120, cacheFlush: true),
    DNSRecord("one.local", .address(.ipv6(high: 0xFE80 << 48, low: 1)), timeToLive: 120, cacheFlush: true),
    DNSRecord("_x._tcp.local", .ptr("A\\.B._x._tcp.local"), timeToLive: 4500),
    DNSRecord(
      "A\\.B._x._tcp.local", .srv(DNSService(target: "one.local", port: 9, priority: 1, weight: 2)), timeToLive: 120),
    DNSRecord("A\\.B._x._tcp.local", .txt([3, 0x61, 0x3D, 0x62]), timeToLive: 4500),
    DNSRecord("one.local", .nsec(next: "one.local", types: DNSTypeSet([.a, .aaaa])!), timeToLive: 120),
    DNSRecord("alias.local", .cname("one.local"), timeToLive: 10),
    DNSRecord("one.local", .hinfo(cpu: [0x41], system: []), timeToLive: 0),
    DNSRecord("one.local", .other(DNSType(rawValue: 999), [1, 2, 3]), timeToLive: 1),
  ]

  @Test func `every type round trips`() throws {
    var message = DNSMessage(isResponse: true)
    message.id = 77
    message.isTruncated = true
    message.questions = [DNSQuestion("one.local", .any, wantsUnicast: true), DNSQuestion("_x._tcp.local", .ptr)]
    message.answers = records
    message.authorities = Array(records.prefix(2))
    message.additionals = records.reversed()
    #expect(try DNSMessage(parsing: message.written()) == message)
  }

  @Test func `data are read as they are written out`() {
    for record in records { #expect(DNSData(record.type, uncompressed: record.data.uncompressed) == record.data) }
    let target: [UInt8] = [3, 0x6F, 0x6E, 0x65, 5, 0x6C, 0x6F, 0x63, 0x61, 0x6C, 0]
    #expect(records[3].data.uncompressed == [0, 1, 0, 2, 0, 9] + target)
    #expect(records[5].data.uncompressed == target + [0, 4, 0x40, 0, 0, 8])
    #expect(records[7].data.uncompressed == [1, 0x41, 0])
    let long = [UInt8](repeating: 7, count: 300)
    #expect(DNSData(DNSType(rawValue: 999), uncompressed: long) == .other(DNSType(rawValue: 999), long))
    // Not the form of the type, or a pointer, or more than a name.
    for (type, bytes) in [(.a, [1, 2, 3]), (.ptr, [0xC0, 12]), (.ptr, [0, 0]), (.ptr, [])] as [(DNSType, [UInt8])] {
      #expect(DNSData(type, uncompressed: bytes) == nil, "\(bytes)")
    }
  }

  // RFC 1035 §4.1.4, RFC 6762 §18.14
  @Test func `names are compressed in data too`() {
    var message = DNSMessage(isResponse: true)
    message.answers = [records[2], records[3], records[5]]
    // 12 for the header, and each label once: _x _tcp local, A.B, one, with fixed parts, and pointers else.
    let first = (15 + 10) + (4 + 2)
    let second = (2 + 10) + 6 + (4 + 2)
    let third = (2 + 10) + 2 + (2 + 4)
    #expect(message.written().count == 12 + first + second + third)
  }

  // RFC 6762 §10.2, §18.12, §18.13
  @Test func `top bits of the class`() throws {
    var message = DNSMessage(isResponse: false)
    message.questions = [DNSQuestion("a", .a, wantsUnicast: true)]
    message.answers = [DNSRecord("a", .address(.ipv4(1)), timeToLive: 1, cacheFlush: true)]
    let bytes = message.written()
    #expect(bytes[12...] == [1, 0x61, 0, 0, 1, 0x80, 1, 0xC0, 12, 0, 1, 0x80, 1, 0, 0, 0, 1, 0, 4, 0, 0, 0, 1])
  }

  // RFC 6762 §18.2 to §18.11
  /// CVE-2024-52616 was about IDs that can be guessed: by multicast there is none but 0 (RFC 6762 §18.1).
  @Test func `header of what is sent`() {
    #expect(DNSMessage(isResponse: false).written() == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
    #expect(DNSMessage(isResponse: true).written() == [0, 0, 0x84, 0, 0, 0, 0, 0, 0, 0, 0, 0])
  }

  @Test func `other operations and error codes are errors`() {
    for flags in [[0x08, 0], [0x80, 0x03]] as [[UInt8]] {
      #expect(throws: DNSMessageError.unknownOperation(flags: UInt16(flags[0]) << 8 | UInt16(flags[1]))) {
        try DNSMessage(parsing: [0, 0] + flags + [0, 0, 0, 0, 0, 0, 0, 0])
      }
    }
    // Bits to be ignored (§18.4, §18.6 to §18.10).
    #expect(throws: Never.self) { try DNSMessage(parsing: [0, 0, 0x07, 0xF0, 0, 0, 0, 0, 0, 0, 0, 0]) }
  }

  @Test func `a question with an invalid name is dropped and the others stay`() throws {
    let fine: [UInt8] = [1, 0x62, 0, 0, 1, 0, 1]
    let label = [63] + [UInt8](repeating: 0x61, count: 63)
    for name in [
      [0xC0, 12], [1, 0x61, 0xC0, 12], [0xC0, 14], [0xFF, 0xFF], [1, 0xFF, 0], label + label + label + label + [0],
    ] as [[UInt8]] {
      let message = try DNSMessage(parsing: [0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0] + name + [0, 1, 0, 1] + fine)
      #expect(message.questions == [DNSQuestion("b", .a)], "\(name)")
    }
  }

  // RFC 1035 §2.3.4
  @Test func `a name of 255 bytes is read, with pointers and without, and a longer one is not`() throws {
    func label(_ count: Int) -> [UInt8] { [UInt8(count)] + [UInt8](repeating: 0x61, count: count) }
    func questions(_ last: Int, _ second: [UInt8]) throws -> [DNSQuestion] {
      let name = label(last) + label(63) + label(63) + label(63) + [0]
      let message: [UInt8] = [0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0] + name + [0, 1, 0, 1] + second + [0, 1, 0, 1]
      return try DNSMessage(parsing: message).questions
    }
    let longest = try DNSName(labels: [61, 63, 63, 63].map { [UInt8](repeating: 0x61, count: $0) })
    // The second name begins as the first one, and goes on behind its first label.
    #expect(try questions(61, label(61) + [0xC0, 12 + 62]) == [DNSQuestion(longest, .a), DNSQuestion(longest, .a)])
    #expect(try questions(61, label(62) + [0xC0, 12 + 62]) == [DNSQuestion(longest, .a)])
    #expect(try questions(62, label(61) + [0xC0, 12 + 63]) == [DNSQuestion(longest, .a)])
  }

  @Test func `a name without an end is an error`() {
    func query(_ name: [UInt8]) -> [UInt8] { [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0] + name + [0, 1, 0, 1] }
    #expect(throws: DNSMessageError.badLabel(offset: 12)) { try DNSMessage(parsing: query([0x40])) }
    #expect(throws: DNSMessageError.badLabel(offset: 12)) { try DNSMessage(parsing: query([1, 0xFF, 0x80])) }
    #expect(throws: DNSMessageError.truncated(offset: 12)) { try DNSMessage(parsing: query([63])) }
    #expect(throws: DNSMessageError.truncated(offset: 12)) { try DNSMessage(parsing: query([63]) + [0xC0]) }
  }

  @Test func `a record with invalid data is dropped and the others stay`() throws {
    let fine: [UInt8] = [1, 0x62, 0, 0, 1, 0, 1, 0, 0, 0, 9, 0, 4, 1, 2, 3, 4]
    for (type, data) in [
      (1, [1, 2, 3]), (28, [1, 2, 3, 4]), (12, [0, 0]), (12, [1, 0x61, 0, 9]), (33, [0, 0, 0, 0, 0, 1, 0, 9]), (33, [0]),
      (13, [9, 0]), (13, [0]), (15, [1]), (12, [0x80]), (12, [1, 0xFF, 0]), (5, [0xC0, 0xFF]), (12, [1]),
    ] as [(UInt8, [UInt8])] {
      let bad = [1, 0x61, 0, 0, type, 0, 1, 0, 0, 0, 9, 0, UInt8(data.count)] + data
      for bytes in [bad + fine, fine + bad] {
        let message = try DNSMessage(parsing: [0, 0, 0x84, 0, 0, 0, 0, 2, 0, 0, 0, 0] + bytes)
        #expect(message.answers == [DNSRecord("b", .address(.ipv4(0x0102_0304)), timeToLive: 9)], "\(type) \(data)")
      }
    }
    // The name of the pointer goes on beyond its data.
    let long: [UInt8] = [0, 0, 0x84, 0, 0, 0, 0, 1, 0, 0, 0, 0] + [0, 0, 12, 0, 1, 0, 0, 0, 9, 0, 1, 1, 0x61, 0]
    #expect(try DNSMessage(parsing: long).answers.isEmpty)
    // The record's own name is not text.
    let nameless: [UInt8] = [0, 0, 0x84, 0, 0, 0, 0, 2, 0, 0, 0, 0] + [1, 0xFF] + fine.dropFirst(2) + fine
    #expect(try DNSMessage(parsing: nameless).answers.count == 1)
  }

  @Test func `counts and lengths that lie are errors`() {
    let head: [UInt8] = [0, 0, 0x84, 0, 0, 0, 0, 1, 0, 0, 0, 0]
    #expect(throws: DNSMessageError.truncated(offset: 12)) { try DNSMessage(parsing: head) }
    #expect(throws: DNSMessageError.truncated(offset: 12)) {
      try DNSMessage(parsing: head + [0, 0, 1, 0, 1, 0, 0, 0, 9, 0, 5, 1, 2, 3, 4])
    }
    #expect(throws: DNSMessageError.tooLong(bytes: 8973)) {
      try DNSMessage(parsing: [UInt8](repeating: 0, count: 8973))
    }
  }

  @Test func `chains of pointers are followed for a while`() throws {
    /// Questions: the name `a`, pointers each to the one before, and more pointers to the last.
    func message(chain: Int, names: Int) -> [UInt8] {
      func question(_ name: [UInt8]) -> [UInt8] { name + [0, 1, 0, 1] }
      var bytes = [0, 0, 0, 0, UInt8((1 + chain + names) >> 8), UInt8((1 + chain + names) & 0xFF), 0, 0, 0, 0, 0, 0]
      bytes += question([1, 0x61, 0])
      var target = 12
      // The reader knows recent names, so the chain is built of bytes in the class of questions that are passed over.
      for _ in 0..<chain {
        let place = bytes.count + 3
        bytes += [0, 0, 1, 0xC0 | UInt8(target >> 8), UInt8(target & 0xFF)]
        target = place
      }
      for _ in 0..<names { bytes += question([1, 0x62, 0xC0 | UInt8(target >> 8), UInt8(target & 0xFF)]) }
      return bytes
    }
    // What writers do: four pointers in each name.
    #expect(try DNSMessage(parsing: message(chain: 3, names: 500)).questions.count == 501)
    // One name of 128 labels at most.
    #expect(try DNSMessage(parsing: message(chain: 127, names: 1)).questions.count == 2)
    // Beyond four of its own, a name may follow 128 pointers.
    #expect(try DNSMessage(parsing: message(chain: 131, names: 1)).questions.count == 2)
    #expect(try DNSMessage(parsing: message(chain: 132, names: 1)).questions.count == 1)
    // No work without end: of two hundred names the first two have taken all.
    #expect(try DNSMessage(parsing: message(chain: 60, names: 200)).questions.count == 1 + 2)
  }

  // RFC 6762 §6.1
  @Test func `denials of any form do not spoil the message`() throws {
    let head: [UInt8] = [0, 0, 0x84, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0x61, 0, 0, 47, 0, 1, 0, 0, 0, 9, 0]
    for rest in [[], [1, 1, 0x40], [0, 0], [0, 1, 0x40, 1, 1, 1]] as [[UInt8]] {
      let message = try DNSMessage(parsing: head + [UInt8(2 + rest.count), 0xC0, 12] + rest)
      #expect(message.answers.first?.data == .other(.nsec, [1, 0x61, 0] + rest))
    }
    for data in [[], [0xFF], [0xC0, 0xFF], [1, 0x61]] as [[UInt8]] {
      #expect(try DNSMessage(parsing: head + [UInt8(data.count)] + data).answers.isEmpty)
    }
    // Another next name is no fault.
    let fine = try DNSMessage(parsing: head + [4, 0, 0, 1, 0x40])
    #expect(fine.answers.first?.data == .nsec(next: .root, types: DNSTypeSet([.a])!))
  }

  // RFC 6762 §18.14
  @Test func `names in data of other types are written out`() throws {
    let bytes: [UInt8] = [0, 0, 0x84, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0x61, 0, 0, 15, 0, 1, 0, 0, 0, 9, 0, 4, 0, 7, 0xC0, 12]
    #expect(try DNSMessage(parsing: bytes).answers.first?.data == .other(DNSType(rawValue: 15), [0, 7, 1, 0x61, 0]))
  }

  @Test func `other classes and pseudo records are passed over`() throws {
    let bytes: [UInt8] =
      [0, 0, 0, 0, 0, 1, 0, 2, 0, 0, 0, 0] + [0, 0, 1, 0, 3] + [0, 0, 1, 0, 3, 0, 0, 0, 0, 0, 0]
      + [0, 0, 41, 5, 0xA0, 0, 0, 0, 0, 0, 1, 9]
    let message = try DNSMessage(parsing: bytes)
    #expect(message.questions.isEmpty && message.answers.isEmpty)
  }
}
