import Testing
import _BonjourishDiscovery
import _BonjourishMulticastDNS

@Suite struct DissectedMessageTests {
  @Test func `a valid message is taken apart into all that it has`() throws {
    var message = DNSMessage(isResponse: true)
    let name: DNSName = "a.local"
    message.questions = [DNSQuestion(name, .any, wantsUnicast: true, isOfAnyClass: true)]
    message.answers = [DNSRecord(name, .address(.ipv4(1)), timeToLive: 5, cacheFlush: true)]
    message.authorities = [DNSRecord(name, .ptr(name), timeToLive: 6)]
    message.additionals = [DNSRecord(name, .txt([0]), timeToLive: 7)]
    let dissected = DissectedMessage(message.written())
    #expect(dissected.isResponse && dissected.flags == 0x8400 && dissected.fault == nil && dissected.excess == 0)
    #expect(dissected.elements.map(\.section) == [.question, .answer, .authority, .additional])
    #expect(dissected.elements.allSatisfy { $0.name == name })
    #expect(dissected.elements.map(\.type) == [.any, .a, .ptr, .txt])
    #expect(dissected.elements.map(\.classNumber) == [255, 1, 1, 1])
    #expect(dissected.elements.map(\.hasTopBit) == [true, true, false, false])
    #expect(dissected.elements.map { $0.record?.data } == [nil, .address(.ipv4(1)), .ptr(name), .txt([0])])
    #expect(dissected.elements.map { $0.record?.timeToLive } == [nil, 5, 6, 7])
    // The name in the data is a pointer on the wire.
    #expect(dissected.elements[2].record?.bytes == [0xC0, 12])
  }

  @Test func `what was read before a fault is kept`() throws {
    var message = DNSMessage(isResponse: false)
    message.questions = [DNSQuestion("a.local", .a), DNSQuestion("b.local", .a)]
    let bytes = message.written()
    for count in 0..<bytes.count {
      let dissected = DissectedMessage(Array(bytes[..<count]))
      #expect(dissected.elements.count == (count < 25 ? 0 : 1))
      let start = count < 12 ? 0 : count < 25 ? 12 : 25
      let offset = try #require(dissected.fault?.offset)
      #expect((start...count).contains(offset))
    }
    #expect(DissectedMessage(bytes).fault == nil)
    #expect(DissectedMessage(bytes + [0, 0]).excess == 2)
    #expect(DissectedMessage([UInt8](repeating: 0, count: DNSMessage.maximumBytes + 1)).fault == .tooLong(bytes: 8_973))
  }
}
