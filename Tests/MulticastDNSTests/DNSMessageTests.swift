import MulticastDNS
import Testing

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

  @Test func everyTypeRoundTrips() throws {
    var message = DNSMessage(isResponse: true)
    message.id = 77
    message.isTruncated = true
    message.questions = [DNSQuestion("one.local", .any, wantsUnicast: true), DNSQuestion("_x._tcp.local", .ptr)]
    message.answers = records
    message.authorities = Array(records.prefix(2))
    message.additionals = records.reversed()
    #expect(try DNSMessage(parsing: message.written()) == message)
  }

  // RFC 1035 §4.1.4, RFC 6762 §18.14
  @Test func namesAreCompressedInDataToo() {
    var message = DNSMessage(isResponse: true)
    message.answers = [records[2], records[3], records[5]]
    // 12 for the header, and each label once: _x _tcp local, A.B, one, with fixed parts, and pointers else.
    let first = (15 + 10) + (4 + 2)
    let second = (2 + 10) + 6 + (4 + 2)
    let third = (2 + 10) + 2 + (2 + 4)
    #expect(message.written().count == 12 + first + second + third)
  }

  // RFC 6762 §10.2, §18.12, §18.13
  @Test func topBitsOfTheClass() throws {
    var message = DNSMessage(isResponse: false)
    message.questions = [DNSQuestion("a", .a, wantsUnicast: true)]
    message.answers = [DNSRecord("a", .address(.ipv4(1)), timeToLive: 1, cacheFlush: true)]
    let bytes = message.written()
    #expect(bytes[12...] == [1, 0x61, 0, 0, 1, 0x80, 1, 0xC0, 12, 0, 1, 0x80, 1, 0, 0, 0, 1, 0, 4, 0, 0, 0, 1])
  }

  // RFC 6762 §18.2 to §18.11
  @Test func headerOfWhatIsSent() {
    #expect(DNSMessage(isResponse: false).written() == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
    #expect(DNSMessage(isResponse: true).written() == [0, 0, 0x84, 0, 0, 0, 0, 0, 0, 0, 0, 0])
  }

  @Test func otherOperationsAndErrorCodesAreErrors() {
    for flags in [[0x08, 0], [0x80, 0x03]] as [[UInt8]] {
      #expect(throws: DNSMessageError.unknownOperation(flags: UInt16(flags[0]) << 8 | UInt16(flags[1]))) {
        try DNSMessage(parsing: [0, 0] + flags + [0, 0, 0, 0, 0, 0, 0, 0])
      }
    }
    // Bits to be ignored (§18.4, §18.6 to §18.10).
    #expect(throws: Never.self) { try DNSMessage(parsing: [0, 0, 0x07, 0xF0, 0, 0, 0, 0, 0, 0, 0, 0]) }
  }

  private func query(_ name: [UInt8]) -> [UInt8] { [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0] + name + [0, 1, 0, 1] }

  @Test func namesThatLieAreErrors() {
    #expect(throws: DNSMessageError.badPointer(offset: 12)) { try DNSMessage(parsing: query([0xC0, 12])) }
    #expect(throws: DNSMessageError.badPointer(offset: 12)) { try DNSMessage(parsing: query([1, 0x61, 0xC0, 12])) }
    #expect(throws: DNSMessageError.badPointer(offset: 12)) { try DNSMessage(parsing: query([0xC0, 14, 0])) }
    #expect(throws: DNSMessageError.badLabel(offset: 12)) { try DNSMessage(parsing: query([0x40])) }
    #expect(throws: DNSMessageError.badLabel(offset: 12)) { try DNSMessage(parsing: query([0x80])) }
    #expect(throws: DNSMessageError.labelNotText(offset: 12)) { try DNSMessage(parsing: query([1, 0xFF, 0])) }
    #expect(throws: DNSMessageError.truncated(offset: 12)) { try DNSMessage(parsing: query([63])) }
    let long = [UInt8](repeating: 0x61, count: 63)
    #expect(throws: DNSMessageError.nameTooLong(offset: 12)) {
      try DNSMessage(parsing: query(([63] + long) + ([63] + long) + ([63] + long) + ([63] + long) + [0]))
    }
  }

  @Test func countsAndLengthsThatLieAreErrors() {
    let head: [UInt8] = [0, 0, 0x84, 0, 0, 0, 0, 1, 0, 0, 0, 0]
    func record(_ type: UInt8, _ length: UInt8, _ data: [UInt8]) -> [UInt8] {
      head + [0, 0, type, 0, 1, 0, 0, 0, 9, 0, length] + data
    }
    #expect(throws: DNSMessageError.truncated(offset: 12)) { try DNSMessage(parsing: head) }
    #expect(throws: DNSMessageError.truncated(offset: 12)) { try DNSMessage(parsing: record(1, 5, [1, 2, 3, 4])) }
    for (type, data) in [
      (1, [1, 2, 3]), (28, [1, 2, 3, 4]), (12, [0, 0]), (12, [1, 0x61, 0, 9]), (33, [0, 0, 0, 0, 0, 1, 0, 9]),
      (13, [9, 0]), (13, [0]), (15, [1]),
    ] as [(UInt8, [UInt8])] {
      #expect(throws: DNSMessageError.badDataLength(offset: 12), "\(type) \(data)") {
        try DNSMessage(parsing: record(type, UInt8(data.count), data))
      }
    }
    // The name of a pointer goes on beyond its data.
    #expect(throws: DNSMessageError.badDataLength(offset: 12)) { try DNSMessage(parsing: record(12, 1, [1, 0x61, 0])) }
    #expect(throws: DNSMessageError.tooLong(bytes: 8973)) {
      try DNSMessage(parsing: [UInt8](repeating: 0, count: 8973))
    }
  }

  // RFC 6762 §6.1
  @Test func denialsOfAnyFormDoNotSpoilTheMessage() throws {
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
  @Test func namesInDataOfOtherTypesAreWrittenOut() throws {
    let bytes: [UInt8] = [0, 0, 0x84, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0x61, 0, 0, 15, 0, 1, 0, 0, 0, 9, 0, 4, 0, 7, 0xC0, 12]
    #expect(try DNSMessage(parsing: bytes).answers.first?.data == .other(DNSType(rawValue: 15), [0, 7, 1, 0x61, 0]))
  }

  @Test func otherClassesAndPseudoRecordsArePassedOver() throws {
    let bytes: [UInt8] =
      [0, 0, 0, 0, 0, 1, 0, 2, 0, 0, 0, 0] + [0, 0, 1, 0, 3] + [0, 0, 1, 0, 3, 0, 0, 0, 0, 0, 0]
      + [0, 0, 41, 5, 0xA0, 0, 0, 0, 0, 0, 1, 9]
    let message = try DNSMessage(parsing: bytes)
    #expect(message.questions.isEmpty && message.answers.isEmpty)
  }
}
