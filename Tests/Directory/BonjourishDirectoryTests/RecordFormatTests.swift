import Foundation
import TestSupport
import Testing
import _BonjourishDirectoryProtocol
import _BonjourishDiscovery

/// The article "Records" and the schema, from which other languages write records: they say what this module does.
@Suite struct RecordFormatTests {
  private static let region = Region("world")!

  private static func article() throws -> String {
    let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
    let page = package.appending(path: "Sources/Directory/BonjourishDirectory/BonjourishDirectory.docc/Records.md")
    return try String(contentsOf: page, encoding: .utf8)
  }

  private static func record(_ name: InstanceName = "Ada's game", txt: TXTRecord = ["players": "2"]) -> DirectoryRecord {
    DirectoryRecord(
      name: name, type: "_game._tcp", port: 4242, host: "ada", addresses: [IPAddress("192.0.2.1")!], txt: txt, owner: 0xABC)
  }

  @Test func `the test values of the article are those of keys`() throws {
    let row = /\| `(.+)` \| `(.+)` \| `[0-9a-f]{8}` \| `([0-9]{2})` \|/
    let rows = try Self.article().split(separator: "\n").compactMap { $0.wholeMatch(of: row)?.output }
    #expect(rows.count == 7)
    for (_, name, escaped, shard) in rows {
      let key = DirectoryKey(region: Self.region, type: "_game._tcp", name: try InstanceName(String(name)))
      #expect(key.text == "world.game_tcp.\(shard).\(escaped)")
    }
  }

  @Test func `the example of the article is a record`() throws {
    let example = String(try #require(Self.article().split(separator: "```").first { $0.hasPrefix("\n{") }))
    let read = try DirectoryRecord(reading: Array(example.utf8), at: "world.game_tcp.61.ada=27s=20game", in: Self.region)
    #expect(read.addresses.count == 2)
    #expect(read.txt.strings.count == 2)
    #expect(try JSONSchema.ofRecords().faults(in: example).isEmpty)
  }

  @Test func `what is written follows the schema`() throws {
    var full = Self.record(txt: try TXTRecord(strings: [[0xFF, 0, 0x22], Array("players=2".utf8), Array("flag".utf8), []]))
    full.subtypes = ["_public", "_fast"]
    full.relay = .random()
    var bare = Self.record("部屋 \"1\" \\ 😀", txt: [:])
    bare.addresses = []
    for record in [Self.record(), full, bare] {
      #expect(try JSONSchema.ofRecords().faults(in: String(decoding: record.bytes, as: UTF8.self)).isEmpty)
    }
  }

  @Test(arguments: [
    (#""v":1"#, #""v":2"#), (#""v":1"#, #""v":"1""#), ("Ada's game", ""), ("Ada's game", "Ada\\u0007s game"),
    ("Ada's game", String(repeating: "x", count: 64)), ("_game._tcp", "_g me._tcp"), ("_game._tcp", "game"),
    ("_game._tcp", "_a-name-too-long1._tcp"), ("4242", "0"), ("4242", "65536"), ("4242", "1.5"), ("4242", #""1""#),
    (#""192.0.2.1""#, "1"), (#""192.0.2.1""#, #""ada.local""#), (#""players=2""#, "[256]"), (#""players=2""#, "{}"),
    ("0000000000000abc", "abc"), (#""ada""#, "null"), (#""host""#, #""hosts""#),
  ])
  func `the schema refuses what is not read`(_ old: String, _ new: String) throws {
    let text = String(decoding: Self.record().bytes, as: UTF8.self)
    let changed = text.replacing(old, with: new, maxReplacements: 1)
    #expect(changed != text)
    #expect(throws: DirectoryRecord.Flaw.self) {
      try DirectoryRecord(reading: Array(changed.utf8), at: Self.record().key(in: Self.region).text, in: Self.region)
    }
    #expect(try !JSONSchema.ofRecords().faults(in: changed).isEmpty)
  }
}
