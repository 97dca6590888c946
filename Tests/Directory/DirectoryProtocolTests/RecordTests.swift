import Testing
import _BonjourishDirectoryProtocol
import _BonjourishDiscovery

@Suite struct RecordTests {
  static let region = Region("world")!

  static func record(
    _ name: InstanceName = "Ada's game", addresses: [String] = ["192.0.2.1", "2001:db8::1"], txt: TXTRecord = ["a": "1"]
  ) -> DirectoryRecord {
    DirectoryRecord(
      name: name, type: "_game._tcp", port: 4242, host: "ada", addresses: addresses.compactMap { IPAddress($0) }, txt: txt,
      owner: 0xABC)
  }

  static func read(_ bytes: [UInt8], at key: String? = nil, allowsLoopback: Bool = false) throws(DirectoryRecord.Flaw)
    -> DirectoryRecord
  {
    try DirectoryRecord(
      reading: bytes, at: key ?? record().key(in: region).text, in: region, allowsLoopback: allowsLoopback)
  }

  @Test func `a record is read as it was written`() throws {
    var txt: TXTRecord = ["players": "3"]
    try txt.set(.flag, for: "flag")
    try txt.set(.bytes([0xFF, 0x00, 0x22, 0x5C]), for: "raw")
    var record = Self.record("Ada's \"best\" \\ gäme", txt: txt)
    record.subtypes = ["_public", "_fast"]
    #expect(try Self.read(record.bytes, at: record.key(in: Self.region).text) == record)
    #expect(record.bytes.count < 400)
  }

  @Test func `an address at the relay is read as it was written, and another text is refused`() throws {
    var record = Self.record()
    record.relay = RelayNumber(high: 1, low: 0xABC)
    #expect(try Self.read(record.bytes) == record)
    let text = String(decoding: record.bytes, as: UTF8.self)
    for wrong in [#""abc""#, "7", "null", #""0000000000000001 000000000000abc""#] {
      let other = Array(text.replacing(#""00000000000000010000000000000abc""#, with: wrong).utf8)
      #expect(other != record.bytes)
      #expect(throws: DirectoryRecord.Flaw.relay) { try Self.read(other) }
    }
  }

  @Test func `the largest TXT record fits`() throws {
    let strings = (0..<5).map { _ in [UInt8](repeating: 0xFF, count: 255) } + [[UInt8](repeating: 0xFF, count: 18)]
    let record = Self.record(txt: try TXTRecord(strings: strings))
    #expect(record.txt.data.count == 1_299)
    #expect(try Self.read(record.bytes) == record)
  }

  @Test func `a record that no reader takes is told to who would write it`() throws {
    var record = Self.record(addresses: (1...16).map { "2001:db8:1111:2222:3333:4444:5555:66\(10 + $0)" })
    #expect(record.refusal(during: "x") == nil)
    record.txt = try TXTRecord(strings: (0..<5).map { _ in [UInt8](repeating: 0x01, count: 255) })
    let size = try #require(record.refusal(during: "publishing"))
    #expect(size.code == .limitReached && size.message.contains("\(record.bytes.count) bytes"))
    #expect(throws: DirectoryRecord.Flaw.tooLarge) { try Self.read(record.bytes) }
    var many = Self.record()
    many.subtypes = Set(try (1...16).map { try ServiceSubtype("_s\($0)") })
    #expect(many.refusal(during: "x") == nil)
    many.subtypes.insert("_s17")
    #expect(many.refusal(during: "x")?.code == .limitReached)
    #expect(throws: DirectoryRecord.Flaw.subtypes) { try Self.read(many.bytes) }
  }

  @Test func `what breaks a rule is refused with the reason`() throws {
    func flaw(_ replaced: String, _ replacement: String) throws -> DirectoryRecord.Flaw? {
      let text = String(decoding: Self.record().bytes, as: UTF8.self)
      let place = try #require(text.range(of: replaced))
      let changed = text.replacing(place, with: replacement)
      do throws(DirectoryRecord.Flaw) {
        _ = try Self.read(Array(changed.utf8))
        return nil
      } catch {
        return error
      }
    }
    #expect(try flaw("\"v\":1", "\"v\":2") == .otherVersion)
    #expect(try flaw("Ada's game", "") == .name)
    #expect(try flaw("Ada's game", "Ada\\u0007s game") == .name)
    #expect(try flaw("Ada's game", String(repeating: "x", count: 64)) == .name)
    #expect(try flaw("Ada's game", "e\\u0301") == .name)
    #expect(try flaw("Ada's game", "Bob's game") == .wrongKey)
    #expect(try flaw("_game._tcp", "_other._tcp") == .wrongKey)
    #expect(try flaw("_game._tcp", "_g me._tcp") == .type)
    #expect(try flaw("_game._tcp", "game") == .type)
    for port in ["0", "65536", "-1", "1.5", "\"1\"", "99999999999999999999"] { #expect(try flaw("4242", port) == .port) }
    #expect(try flaw("\"192.0.2.1\"", "\"192.0.2\"") == .addresses)
    #expect(try flaw("\"192.0.2.1\"", "1") == .addresses)
    #expect(try flaw("\"a=1\"", "\"\(String(repeating: "x", count: 256))\"") == .txt)
    #expect(try flaw("\"a=1\"", "[256]") == .txt)
    #expect(try flaw("\"a=1\"", "{}") == .txt)
    #expect(try flaw("0000000000000abc", "abc") == .owner)
    #expect(try flaw("\"ada\"", "null") == .host)
    #expect(try flaw("\"v\":1", "\"v\":1,\"later\":[{}]") == nil)
    #expect(throws: DirectoryRecord.Flaw.tooLarge) {
      try Self.read(Array(repeating: UInt8(ascii: " "), count: DirectoryRecord.maximumByteCount + 1))
    }
    for text in ["", "[]", "{", "{\"v\":1,\"v\":1}", "nul", String(repeating: "[", count: 100), "\"\\ud800\"", "{}x"] {
      #expect(throws: DirectoryRecord.Flaw.notJSON, "\(text)") { try Self.read(Array(text.utf8)) }
    }
  }

  @Test func `addresses that lead nowhere or to the reader itself are left out`() throws {
    let addresses = [
      "127.0.0.1", "::1", "169.254.1.1", "fe80::1", "224.0.0.1", "0.0.0.0", "::", "::ffff:127.0.0.1", "192.0.2.7",
    ]
    let record = Self.record(addresses: addresses)
    #expect(try Self.read(record.bytes).addresses == [try #require(IPAddress("192.0.2.7"))])
    let own = try Self.read(record.bytes, allowsLoopback: true).addresses.map(\.description)
    #expect(own == ["127.0.0.1", "::1", "192.0.2.7"])
  }

  @Test func `a record answers for its service and its own host only`() throws {
    let record = Self.record()
    let instance = ServiceInstance("ada's GAME", type: "_game._tcp")
    let server = RecordQuestion(.instance(instance), .srv)
    #expect(DirectoryRecord.key(of: server, in: Self.region) == record.key(in: Self.region))
    guard case .server(let host, 4242, _, _)? = record.answers(to: server, in: Self.region).first?.data else {
      Issue.record("no SRV record")
      return
    }
    #expect(host.text == "Ada's game._game._tcp.world.directory.alt")
    let addresses = RecordQuestion(.domain(host), .a)
    #expect(DirectoryRecord.key(of: addresses, in: Self.region) == record.key(in: Self.region))
    #expect(record.answers(to: addresses, in: Self.region).map(\.bytes) == [[192, 0, 2, 1]])
    // Hosts of the local network and of other regions are none of the directory's.
    for name in ["ada.local", "Ada's game._game._tcp.eu.directory.alt", "directory.alt"] {
      let question = RecordQuestion(.domain(try DomainName(name)), .a)
      #expect(DirectoryRecord.key(of: question, in: Self.region) == nil)
    }
  }
}

extension String {
  fileprivate func range(of text: String) -> Range<Index>? {
    indices.first { self[$0...].hasPrefix(text) }.map { $0..<index($0, offsetBy: text.count) }
  }

  fileprivate func replacing(_ range: Range<Index>, with text: String) -> String {
    self[..<range.lowerBound] + text + self[range.upperBound...]
  }
}
