import Bonjourish
import Foundation
import TestSupport
import Testing
import _BonjourishBase
import _BonjourishConsole
import _BonjourishJSONOutput
import _BonjourishMulticastBackend
import _BonjourishMulticastDNS

@testable import bonjourish_cli

/// What `query --raw` writes of a datagram.
struct DatagramTests {
  private static let eth0 = NetworkInterface(index: 2, name: "eth0")

  private func shown(_ bytes: [UInt8], from source: String = "10.77.0.2", port: UInt16 = 5353, isOwn: Bool = false) throws
    -> ShownDatagram
  {
    let datagram = GroupDatagram(
      bytes: bytes, source: try #require(IPAddress(source)), port: port, interface: Self.eth0, isOwn: isOwn, delay: .zero)
    return ShownDatagram(datagram, DissectedMessage(bytes), at: WallTime(milliseconds: 0))
  }

  /// The lines without the time of day, which depends on the place.
  private func lines(_ bytes: [UInt8], from source: String = "10.77.0.2", port: UInt16 = 5353, isOwn: Bool = false) throws
    -> [String]
  {
    var lines = try shown(bytes, from: source, port: port, isOwn: isOwn).lines
    lines[0].removeFirst("00:00:00.000 ".count)
    return lines
  }

  private static func hex(_ text: String) -> [UInt8] {
    let digits = Array(text.filter(\.isHexDigit))
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(String(digits[$0...($0 + 1)]), radix: 16)! }
  }

  /// The name `a.local`, at offset 12 of a message.
  private static let name = "01 61 05 6c6f63616c 00"

  @Test func `a query is a line and its questions`() throws {
    var message = DNSMessage(isResponse: false)
    message.questions = [
      DNSQuestion(try DNSName("_http._tcp.local"), .ptr), DNSQuestion(try DNSName("Ada's x.local"), .any, wantsUnicast: true),
      DNSQuestion(try DNSName("a.local"), DNSType(rawValue: 65_280), isOfAnyClass: true),
    ]
    message.answers = [DNSRecord(try DNSName("_http._tcp.local"), .ptr(try DNSName("b._http._tcp.local")), timeToLive: 3_000)]
    message.isTruncated = true
    let bytes = message.written()
    let shown = try lines(bytes)
    #expect(
      shown == [
        "eth0 < 10.77.0.2:5353 query TC, \(bytes.count) bytes", "  question _http._tcp.local. IN PTR QM",
        #"  question "Ada's x.local". IN ANY QU"#, "  question a.local. ANY TYPE65280 QM",
        "  answer _http._tcp.local. 3000 IN PTR b._http._tcp.local.",
      ])
  }

  @Test func `a response is a line and its records`() throws {
    var message = DNSMessage(isResponse: true)
    let host = try DNSName("a.local")
    message.id = 7
    message.answers = [
      DNSRecord(try DNSName("x._http._tcp.local"), .srv(DNSService(target: host, port: 80)), timeToLive: 120, cacheFlush: true),
      DNSRecord(try DNSName("x._http._tcp.local"), .txt([1, 0x1B, 2, 0x61, 0xFF]), timeToLive: 0, cacheFlush: true),
    ]
    message.authorities = [DNSRecord(host, .cname(try DNSName("b.local")), timeToLive: 10)]
    message.additionals = [
      DNSRecord(host, .address(.ipv6(high: 0xFE80 << 48, low: 1)), timeToLive: 120, cacheFlush: true),
      DNSRecord(host, .hinfo(cpu: [0x0A], system: []), timeToLive: 120),
      DNSRecord(host, .nsec(next: host, types: try #require(DNSTypeSet([.a, .aaaa]))), timeToLive: 120),
      DNSRecord(host, .other(DNSType(rawValue: 65_280), [1, 255]), timeToLive: 120),
    ]
    let bytes = message.written()
    let shown = try lines(bytes, from: "fe80::2%eth0", port: 40_000, isOwn: true)
    #expect(
      shown == [
        "eth0 > [fe80::2%eth0]:40000 response AA, id 7, \(bytes.count) bytes",
        "  answer x._http._tcp.local. 120 IN/unique SRV 0 0 80 a.local.",
        #"  answer x._http._tcp.local. 0 IN/unique TXT "\u{1B}" "a\xFF""#, "  authority a.local. 10 IN CNAME b.local.",
        "  additional a.local. 120 IN/unique AAAA fe80::1%eth0", #"  additional a.local. 120 IN HINFO "\n" """#,
        "  additional a.local. 120 IN NSEC A AAAA", ##"  additional a.local. 120 IN TYPE65280 \# 2 01ff"##,
      ])
  }

  @Test func `what others skip is shown`() throws {
    let header = "0000 8400 0000 0005 0000 0000"
    let records = [
      "\(Self.name) 0001 0003 00000001 0004 0a000001",  // class CHAOS
      "c00c 0001 0001 00000001 0003 0a0000",  // three bytes of address
      "c0ff 0001 0001 00000001 0004 0a000001",  // a pointer forwards
      "00 0029 05a0 00000000 0008 00040004 01020304",  // OPT
      "c00c 0001 8001 ffffffff 0004 0a000001",  // a time to live above the largest
    ]
    let bytes = Self.hex(header + records.joined()) + [9, 9]
    let shown = try lines(bytes)
    #expect(
      shown == [
        "eth0 < 10.77.0.2:5353 response AA, \(bytes.count) bytes", ##"  answer a.local. 1 CLASS3 A \# 4 0a000001"##,
        ##"  answer a.local. 1 IN A (invalid data) \# 3 0a0000"##, "  answer (invalid name) 1 IN A 10.0.0.1",
        ##"  answer . OPT 1440 bytes \# 8 0004000401020304"##, "  answer a.local. 4294967295 IN/unique A 10.0.0.1",
        "  (2 bytes after the end)",
      ])
  }

  @Test(arguments: [
    ("", ["query, 0 bytes", "  malformed: the message ends inside the element that begins at byte 0"]),
    (
      "0000 0000 0001 0000 0000 0000 01",
      [
        "query, 13 bytes", ##"  malformed: the message ends inside the element that begins at byte 12: \# 1 01"##,
      ]
    ),
    (
      "0000 8400 0001 0001 0000 0000 \(name) 0001 0001 80",
      [
        "response AA, 26 bytes", "  question a.local. IN A QM",
        ##"  malformed: the name at byte 25 has a label without a length: \# 1 80"##,
      ]
    ),
    (
      "0000 2805 0001 0000 0000 0000 \(name) 0001 8001",
      [
        "query opcode=5 rcode=5, 25 bytes", "  question a.local. IN A QU",
        "  ignored: the operation code or the response code is not zero: flags 10245",
      ]
    ),
  ])
  func `what is wrong with a datagram is told with the place`(bytes: String, lines: [String]) throws {
    #expect(try self.lines(Self.hex(bytes)) == ["eth0 < 10.77.0.2:5353 " + lines[0]] + lines.dropFirst())
  }

  @Test func `each flag of the header has its name`() throws {
    #expect(try lines(Self.hex("0001 07f0 0000 0000 0000 0000"))[0].hasSuffix("query AA TC RD RA Z AD CD, id 1, 12 bytes"))
    for (flag, name) in [
      ("0400", "AA"), ("0200", "TC"), ("0100", "RD"), ("0080", "RA"), ("0040", "Z"), ("0020", "AD"), ("0010", "CD"),
    ] {
      #expect(try lines(Self.hex("0000 \(flag) 0000 0000 0000 0000"))[0].hasSuffix("query \(name), 12 bytes"))
    }
  }

  @Test func `of data as much is shown as is asked for`() {
    let text = RecordData(.txt, [3, 97, 61, 98, 1, 99], seenOn: nil)
    func shown(_ limit: Int) -> String { Line.data(text, [3, 97, 61, 98, 1, 99], atMost: limit) }
    #expect(
      shown(6) == #""a=b" "c""# && shown(5) == #""a=b" (6 bytes)"# && shown(4) == #""a=b" (6 bytes)"# && shown(3) == "(6 bytes)"
    )
    #expect(Line.hexadecimal([1, 2], atMost: 2) == "\\# 2 0102" && Line.hexadecimal([1, 2], atMost: 1) == "\\# 2 01…")
    let types = RecordData.types([.a, .aaaa])
    #expect(Line.data(types, [], atMost: 16) == "A AAAA" && Line.data(types, [], atMost: 15) == "A (2 types)")
  }

  @Test func `a long datagram is shortened`() throws {
    var message = DNSMessage(isResponse: true)
    let long = [UInt8](repeating: 200, count: 255)
    message.answers = [
      DNSRecord(.root, .txt([UInt8](repeating: 0, count: 300)), timeToLive: 1),
      DNSRecord(.root, .txt([255] + long + [255] + long), timeToLive: 1),
      DNSRecord(.root, .other(DNSType(rawValue: 65_280), [UInt8](repeating: 1, count: 300)), timeToLive: 1),
    ]
    let lines = try lines(message.written())
    #expect(lines[1].hasSuffix(" \"\" (300 bytes)") && lines[2].hasSuffix("\\xC8\" (512 bytes)") && lines[3].hasSuffix("01…"))
    #expect(lines[3].count < 600)
    var many = DNSMessage(isResponse: false)
    many.questions = Array(repeating: DNSQuestion(.root, .a), count: 1_000)
    let shown = try self.lines(many.written())
    #expect(shown.count == ShownDatagram.mostElements + 2 && shown.last == "  (872 more)")
  }

  /// What fuzzing has gathered, whole, cut and changed: no line may be long, control a terminal, or break the schema.
  @Test func `hostile datagrams are shown in bounded, harmless lines`() throws {
    let schema = try JSONSchema.ofBonjourish()
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Fuzz/Corpus/message").standardized
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    try #require(files.count > 50)
    var random = SeededGenerator(seed: 5)
    for file in files {
      let whole = Array(try Data(contentsOf: file))
      var changed = whole
      for _ in 0..<8 where !changed.isEmpty {
        changed[random.number(in: 0..<changed.count)] = UInt8(random.number(in: 0..<256))
      }
      for bytes in [whole, Array(whole.dropLast(random.number(in: 0..<20))), changed] {
        let shown = try shown(bytes)
        let text = shown.lines.joined()
        #expect(text.utf8.count < 32_768 && shown.lines.count <= ShownDatagram.mostElements + 4, "\(file)")
        let isHarmless = text.unicodeScalars.allSatisfy { $0.isSafeToDisplay }
        #expect(isHarmless, "\(file): \(shown.lines)")
        let record = JSONLine.text(of: JSONEvent(DatagramEvent(shown)))
        #expect(schema.faults(in: record, as: "query") == [], "\(file): \(record)")
        #expect(record.utf8.count < 262_144)
      }
    }
  }

  @Test func `a line of JSON has the whole datagram`() throws {
    let bytes = Self.hex("0000 0000 0002 0000 0000 0000 \(Self.name) 0001 8001 01")
    #expect(
      JSONLine.text(of: JSONEvent(DatagramEvent(try shown(bytes))))
        == #"{"additionals":[],"answers":[],"authorities":[],"event":"datagram","family":"ipv4","#
        + #""fault":{"base64":"AQ==","offset":25,"reason":"the message ends inside the element that begins at byte 25"},"#
        + #""flags":[],"id":0,"interface":"eth0","kind":"query","own":false,"port":5353,"#
        + #""questions":[{"class":1,"name":"a.local","type":"A","unicast":true}],"schema":1,"size":26,"source":"10.77.0.2","#
        + #""time":"1970-01-01T00:00:00.000Z"}"#)
  }

  @Test func `a record of JSON tells whether its name and its data are valid`() throws {
    struct Datagram: Decodable {
      struct Answer: Decodable {
        let name: String?
        let type: String
        let `class`: Int
        let ttl: UInt32
        let unique: Bool
        let data: String
        let base64: String
        let valid: Bool
      }
      let answers: [Answer]
      let excess: Int
    }
    let records = [
      "\(Self.name) 0001 0001 00000001 0004 0a000001",
      "c00c 0001 8001 00000002 0003 0a0000",  // three bytes of address
      "c0ff 0001 0001 00000003 0004 0a000001",  // a pointer forwards
      "c0ff 0001 0001 00000004 0003 0a0000",  // both
    ]
    let bytes = Self.hex("0000 8400 0000 0004 0000 0000" + records.joined()) + [9]
    let line = JSONLine.text(of: DatagramEvent(try shown(bytes)))
    let read = try JSONDecoder().decode(Datagram.self, from: Data(line.utf8))
    let answers = read.answers.map {
      "\($0.name ?? "-") \($0.type) \($0.class) \($0.ttl) \($0.unique) \($0.data) \($0.base64) \($0.valid)"
    }
    #expect(
      answers == [
        "a.local A 1 1 false 10.0.0.1 CgAAAQ== true", ##"a.local A 1 2 true (invalid data) \# 3 0a0000 CgAA false"##,
        "- A 1 3 false 10.0.0.1 CgAAAQ== false", ##"- A 1 4 false (invalid data) \# 3 0a0000 CgAA false"##,
      ])
    #expect(read.excess == 1)
  }

  @Test func `elements of JSON are counted beyond a number`() throws {
    struct Datagram: Decodable {
      let omitted: Int?
      let excess: Int?
    }
    for (count, omitted) in [(ShownDatagram.mostElements, nil), (ShownDatagram.mostElements + 1, 1)] as [(Int, Int?)] {
      var message = DNSMessage(isResponse: false)
      message.questions = Array(repeating: DNSQuestion(.root, .a), count: count)
      let line = JSONLine.text(of: DatagramEvent(try shown(message.written())))
      let read = try JSONDecoder().decode(Datagram.self, from: Data(line.utf8))
      #expect(read.omitted == omitted && read.excess == nil)
    }
  }

  @Test func `times are written with milliseconds`() {
    #expect(WallTime(milliseconds: 1_795_354_801_007).timestamp == "2026-11-22T13:40:01.007Z")
    #expect(WallTime(milliseconds: -1).timestamp == "1969-12-31T23:59:59.999Z")
  }
}
