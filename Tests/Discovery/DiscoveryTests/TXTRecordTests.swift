import TestSupport
import Testing
import _BonjourishBase

@testable import _BonjourishDiscovery

/// RFC 6763 §6.
struct TXTRecordTests {
  /// Strings with their lengths before them, as they are on the wire.
  private func wire(_ strings: [[UInt8]]) -> [UInt8] { strings.flatMap { [UInt8($0.count)] + $0 } }

  private func read(_ strings: String...) -> TXTRecord { TXTRecord(data: wire(strings.map { Array($0.utf8) })) }

  @Test func `flag, empty and missing values differ`() {
    let txt = read("flag", "empty=", "value=1=2", "v= x ")
    #expect(txt["flag"] == .flag)
    #expect(txt["empty"] == .bytes([]))
    #expect(txt["value"] == "1=2")
    #expect(txt["v"] == " x ")
    #expect(txt["missing"] == nil)
    #expect(txt.text("flag") == nil)
    #expect(txt.text("empty") == "")
    #expect(txt.text("missing") == nil)
    #expect(txt.entries.map(\.key) == ["flag", "empty", "value", "v"])
    #expect(txt.description == "flag empty= value=1=2 v= x ")
  }

  @Test func `the first entry of a key wins, in any case`() {
    let txt = read("Key=1", "KEY=2", "key", "other=3")
    #expect(txt.entries.map(\.key) == ["Key", "other"])
    #expect(txt["kEy"] == "1")
  }

  @Test func `a record is a collection of its pairs, in their order`() {
    var txt: TXTRecord = ["v": "1", "Path": "/", "note": "hello"]
    #expect(txt.map(\.key) == ["v", "Path", "note"])
    #expect(txt.map(\.value) == ["1", "/", "hello"])
    #expect(txt[1].key == "Path" && txt.last?.value == "hello" && txt.count == 3)
    #expect(txt.removeValue(forKey: "pATH") == "/")
    #expect(txt.removeValue(forKey: "Path") == nil)
    #expect(txt == ["v": "1", "note": "hello"])
    txt.removeValue(forKey: "v")
    txt.removeValue(forKey: "note")
    #expect(txt.isEmpty && txt == TXTRecord())
  }

  @Test func `strings that are no pairs are kept, but are no elements`() throws {
    let txt = read("", "=value", "=", "a=1", "\u{7F}=1", "A=2", "tab\t=1", "é=1", "b")
    #expect(txt.map(\.key) == ["a", "b"] && txt["a"] == "1" && txt.description == "a=1 b")
    #expect(
      txt.strings.map { String(decoding: $0, as: UTF8.self) } == [
        "", "=value", "=", "a=1", "\u{7F}=1", "A=2", "tab\t=1", "é=1", "b",
      ])
    #expect(txt != read("a=1", "b"))
    #expect(TXTRecord(data: []) == TXTRecord())
    #expect(TXTRecord(data: [0]) == TXTRecord())
    #expect(TXTRecord(data: [0, 0, 0]).isEmpty && TXTRecord(data: [0, 0, 0]).data == [0, 0, 0])
    #expect(TXTRecord(data: [3] + "a=1".utf8 + [4] + "b=1".utf8) == read("a=1"), "cut short")
    #expect(TXTRecord(data: [255]) == TXTRecord())
  }

  @Test func `keys may have spaces and values any byte`() {
    let all = Array(UInt8.min ... .max).dropLast(20)
    let txt = TXTRecord(data: wire([Array("a key=".utf8) + all, Array("~=\u{0}".utf8)]))
    #expect(txt["a key"] == .bytes(Array(all)))
    #expect(txt.text("a key") == nil, "not UTF-8")
    #expect(txt["~"] == "\u{0}")
    #expect(txt.description.contains("a key=(236 bytes)"))
  }

  @Test func `strings that are no pairs stay where they are when pairs change`() throws {
    var txt = read("", "a=1", "=x", "b", "A=2", "c=3", "=y")
    func strings() -> [String] { txt.strings.map { String(decoding: $0, as: UTF8.self) } }
    try txt.set("9", for: "b")
    try txt.set(.flag, for: "d")
    #expect(strings() == ["", "a=1", "=x", "b=9", "A=2", "c=3", "=y", "d"])
    #expect(txt.removeValue(forKey: "a") == "1")
    #expect(strings() == ["", "=x", "b=9", "c=3", "=y", "d"], "what repeated the key is gone too")
    #expect(txt["a"] == nil && txt["c"] == "3" && txt.count == 3)
  }

  @Test func `a record can be made of any strings`() throws {
    let strings: [[UInt8]] = [Array("path=/".utf8), [], [0, 255], Array("flag".utf8), Array("=".utf8)]
    let txt = try TXTRecord(strings: strings)
    #expect(txt.strings == strings && txt.data == wire(strings) && TXTRecord(data: txt.data) == txt)
    #expect(TXTRecord().data == [0])
    let long = #expect(throws: DiscoveryError.self) { try TXTRecord(strings: [[UInt8](repeating: 1, count: 256)]) }
    #expect(long?.code == .invalidTXTRecord)
    let large = [[UInt8]](repeating: [UInt8](repeating: 0, count: 129), count: 10)
    #expect(try TXTRecord(strings: large).data.count == TXTRecord.maximumByteCount)
    let error = #expect(throws: DiscoveryError.self) { try TXTRecord(strings: large + [[]]) }
    #expect(error?.code == .invalidTXTRecord && error?.message.contains("1301 bytes") == true)
  }

  @Test func `values that are not UTF-8 are not text`() {
    for bytes: [UInt8] in [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x82]] {
      #expect(TXTRecord.Value.bytes(bytes).text == nil)
    }
    #expect(TXTRecord.Value.bytes(Array("é".utf8)).text == "é")
  }

  @Test func `set adds at the end and replaces in place`() throws {
    var txt: TXTRecord = ["v": "1", "players": "3"]
    try txt.set(.flag, for: "PLAYERS")
    try txt.set("x", for: "new")
    #expect(txt.strings == [Array("v=1".utf8), Array("PLAYERS".utf8), Array("new=x".utf8)])
    try txt.set(.bytes([]), for: "new")
    #expect(txt.strings.last == Array("new=".utf8))
  }

  @Test func `an entry has at most 255 bytes`() throws {
    var txt = TXTRecord()
    try txt.set(.bytes([UInt8](repeating: 1, count: 253)), for: "k")
    try txt.set(.flag, for: String(repeating: "f", count: 255))
    try txt.set(.bytes([]), for: String(repeating: "e", count: 254))
    let before = txt
    let error = #expect(throws: DiscoveryError.self) { try txt.set(.bytes([UInt8](repeating: 1, count: 254)), for: "k") }
    #expect(error?.code == .invalidTXTRecord)
    #expect(error?.message.contains("256 bytes") == true)
    #expect(throws: DiscoveryError.self) { try txt.set(.flag, for: String(repeating: "g", count: 256)) }
    #expect(throws: DiscoveryError.self) { try txt.set(.bytes([]), for: String(repeating: "g", count: 255)) }
    #expect(txt == before)
  }

  @Test func `the record has at most 1,300 bytes`() throws {
    var txt = TXTRecord()
    for key in ["a", "b", "c", "d", "e"] { try txt.set(.bytes([UInt8](repeating: 0, count: 253)), for: key) }
    #expect(txt.strings.reduce(0) { $0 + $1.count + 1 } == 1_280)
    var full = txt
    try full.set(.bytes([UInt8](repeating: 0, count: 17)), for: "f")
    #expect(full.strings.reduce(0) { $0 + $1.count + 1 } == TXTRecord.maximumByteCount)
    try full.set(.bytes([UInt8](repeating: 1, count: 17)), for: "F")
    let before = txt
    let error = #expect(throws: DiscoveryError.self) { try txt.set(.bytes([UInt8](repeating: 0, count: 18)), for: "f") }
    #expect(error?.code == .invalidTXTRecord)
    #expect(error?.message.contains("1301 bytes") == true)
    #expect(txt == before)
  }

  @Test func `a key is printable ASCII without an equals sign`() throws {
    for byte in UInt8.min...0x7F {
      var txt = TXTRecord()
      let key = String(Unicode.Scalar(byte))
      let isAllowed = (0x20...0x7E).contains(byte) && key != "="
      if isAllowed {
        try txt.set(.flag, for: key)
        #expect(txt[key] == .flag)
      } else {
        let error = #expect(throws: DiscoveryError.self) { try txt.set(.flag, for: key) }
        #expect(error?.code == .invalidTXTRecord)
        #expect(txt == TXTRecord())
      }
    }
    var txt = TXTRecord()
    #expect(throws: DiscoveryError.self) { try txt.set("1", for: "") }
    #expect(throws: DiscoveryError.self) { try txt.set("1", for: "clé") }
    #expect(throws: DiscoveryError.self) { try txt.set("1", for: "a=b") }
  }

  @Test func `records are equal in any case of their keys`() {
    let (small, large): (TXTRecord, TXTRecord) = (["key": "Value"], ["KEY": "Value"])
    #expect(small == large)
    #expect(small.hashValue == large.hashValue)
    #expect(small != ["key": "value"])
    #expect(small != ["key": .flag])
    #expect(TXTRecord(dictionaryLiteral: ("a", ""), ("b", "")) != ["b": "", "a": ""], "order counts")
  }

  /// After CVE-2023-38469: a TXT record ended Avahi.
  @Test(arguments: 1...40 as ClosedRange<UInt64>) func `any bytes can be read`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 1...200 {
      // Few different bytes, so that lengths fit and keys come again.
      let letters: [UInt8] = [0, 1, 2, 3, 5, UInt8(ascii: "="), UInt8(ascii: "a"), UInt8(ascii: "A"), 0x7F, 0xFF]
      let count = random.number(in: 0..<80)
      let data =
        random.once(in: 3) ? random.bytes(count: count) : (0..<count).map { _ in letters[random.number(in: 0..<letters.count)] }
      let txt = TXTRecord(data: data)
      #expect(Set(txt.entries.map { $0.key.lowercased() }).count == txt.entries.count, "\(data)")
      #expect(txt.entries.allSatisfy { !$0.key.isEmpty && !$0.key.contains("=") && $0.key.allSatisfy(\.isASCII) }, "\(data)")
      #expect(TXTRecord(data: wire(txt.strings)).strings == txt.strings, "\(data)")
      let strings = TXTRecord(data: data).strings
      #expect(strings.isEmpty || wire(strings) == Array(data.prefix(wire(strings).count)), "\(data)")
    }
  }

  @Test(arguments: 1...40 as ClosedRange<UInt64>) func `set values are read back`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var txt = TXTRecord()
    var model: [String: TXTRecord.Value] = [:]
    for _ in 1...100 {
      let key = String(["a", "B", "c", "Dd", "~ ~"][random.number(in: 0..<5)])
      let spelled = random.once(in: 2) ? key.uppercased() : key.lowercased()
      let value: TXTRecord.Value = random.once(in: 4) ? .flag : .bytes(random.bytes(count: random.number(in: 0..<200)))
      try txt.set(value, for: spelled)
      model[key] = value
    }
    let back = TXTRecord(data: wire(txt.strings))
    #expect(back == txt)
    #expect(back.entries.count == model.count)
    for (key, value) in model { #expect(back[key] == value) }
  }
}
