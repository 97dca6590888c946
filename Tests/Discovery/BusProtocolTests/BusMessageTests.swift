import Testing
import _BonjourishBase

@testable import _BonjourishBusProtocol

/// Messages of D-Bus, as they are read and written.
@Suite struct BusMessageTests {
  /// An answer to call 1 with the text "h1.local", as dbus-daemon sends it.
  private static let answer: [UInt8] =
    [0x6C, 2, 1, 1, 13, 0, 0, 0, 5, 0, 0, 0, 15, 0, 0, 0]
    + [5, 1, 0x75, 0, 1, 0, 0, 0] + [8, 1, 0x67, 0, 1, 0x73, 0] + [0]
    + [8, 0, 0, 0] + Array("h1.local".utf8) + [0]

  private static func read(_ bytes: [UInt8]) throws -> BusMessage? {
    var stream = BusStream()
    stream.append(bytes)
    return try stream.next()
  }

  @Test func `an answer is read`() throws {
    var stream = BusStream()
    stream.append(Self.answer + [1, 2])
    let message = try #require(try stream.next())
    #expect(message.kind == .answer && message.answers == 1 && message.body == [.text("h1.local")] && message.serial == 5)
    #expect(message.wantsNoAnswer && stream.count == 2)
  }

  @Test func `an answer is written as dbus-daemon writes it`() {
    var answer = BusMessage(.answer)
    (answer.serial, answer.answers, answer.wantsNoAnswer, answer.body) = (5, 1, true, [.text("h1.local")])
    // Besides the flag that nobody is to be started.
    var expected = Self.answer
    expected[2] = 3
    #expect(answer.encoded == expected)
  }

  @Test func `an answer that has not arrived completely is waited for`() throws {
    for count in 0..<Self.answer.count { #expect(try Self.read(Array(Self.answer[..<count])) == nil) }
  }

  @Test func `a message in big-endian order is read`() throws {
    let bytes: [UInt8] =
      [0x42, 1, 0, 1, 0, 0, 0, 4, 0, 0, 0, 9, 0, 0, 0, 23] + [1, 1, 0x6F, 0, 0, 0, 0, 1, 0x2F, 0, 0, 0, 0, 0, 0, 0]
      + [8, 1, 0x67, 0, 1, 0x75, 0, 0] + [0, 0, 1, 2]
    let message = try #require(try Self.read(bytes))
    #expect(message.kind == .call && message.serial == 9 && message.path == "/" && message.body == [.uint32(258)])
  }

  @Test func `every type of value is read as it was written`() throws {
    let values: [BusValue] = [
      .byte(7), .truth(true), .int16(-2), .uint16(3), .int32(-4), .uint32(5), .int64(-6), .uint64(7), .double(8), .text("ä"),
      .path("/a"), .signature("a{sv}"), .descriptor(0), .bytes([1, 2, 3]), .array(of: "ay", [.bytes([1]), .bytes([])]),
      .array(of: "(iv)", []), .structure([.byte(1), .int64(2)]),
      .array(of: "{sv}", [.entry(.text("a"), .variant(.array(of: "s", [.text("b")])))]), .variant(.variant(.byte(1))),
    ]
    var message = BusMessage.call("Do", of: "a.b", at: "/c", in: "d.e", values)
    message.serial = 77
    #expect(try Self.read(message.encoded) == message)
  }

  /// After five bytes, so that padding shows.
  @Test func `values are written in little-endian order at their alignment`() {
    let three: [UInt8] = [0, 0, 0]
    let one: [UInt8] = [1, 0, 0, 0, 0, 0, 0, 0]
    let cases: [(BusValue, [UInt8])] = [
      (.byte(7), [7]), (.truth(true), three + [1, 0, 0, 0]), (.truth(false), three + [0, 0, 0, 0]),
      (.int16(-2), [0, 0xFE, 0xFF]), (.uint16(0x102), [0, 2, 1]), (.int32(-2), three + [0xFE, 0xFF, 0xFF, 0xFF]),
      (.uint32(0x1020304), three + [4, 3, 2, 1]), (.descriptor(1), three + [1, 0, 0, 0]), (.uint64(1), three + one),
      (.int64(-2), three + [0xFE] + [UInt8](repeating: 0xFF, count: 7)), (.double(1), three + one),
      (.text("ä"), three + [2, 0, 0, 0, 0xC3, 0xA4, 0]), (.path("/"), three + [1, 0, 0, 0, 0x2F, 0]),
      (.signature("i"), [1, 0x69, 0]), (.bytes([9]), three + [1, 0, 0, 0, 9]),
      (.structure([.byte(1), .int16(2)]), three + [1, 0, 2, 0]), (.variant(.byte(3)), [1, 0x79, 0, 3]),
      (.array(of: "n", [.int16(1), .int16(2)]), three + [4, 0, 0, 0, 1, 0, 2, 0]),
      (.array(of: "x", [.int64(1)]), three + [8, 0, 0, 0, 0, 0, 0, 0] + one),
    ]
    for (value, bytes) in cases {
      var writer = BusWriter()
      writer.bytes = [1, 2, 3, 4, 5]
      writer.value(value)
      #expect(Array(writer.bytes.dropFirst(5)) == bytes, "\(value)")
    }
  }

  /// Elements of eight bytes begin at a multiple of eight, and the padding before them does not count.
  @Test(arguments: [
    (BusValue.uint64(1), 8), (.int64(1), 8), (.double(1), 8), (.structure([.byte(1)]), 1),
    (.entry(.byte(1), .byte(2)), 2),
  ])
  func `an array of what is aligned to eight bytes has padding after its length`(element: BusValue, length: Int) {
    var writer = BusWriter()
    writer.value(.array(of: element.type, [element]))
    #expect(Array(writer.bytes.prefix(9)) == [UInt8(length), 0, 0, 0, 0, 0, 0, 0, 1] && writer.bytes.count == 8 + length)
  }

  @Test func `a text ends before a null character, which the bus would refuse`() throws {
    let message = BusMessage.signal("S", of: "a.b", at: "/", to: nil, [.text("a\0b")])
    #expect(try Self.read(message.encoded)?.body == [.text("a")])
  }

  @Test func `what is not D-Bus is refused`() {
    #expect(throws: BusStream.Malformed.self) { try Self.read(Array("HTTP/1.1 400 Bad Request".utf8)) }
    var long = Self.answer
    long[7] = 0x7F
    #expect(throws: BusStream.Malformed.self) { try Self.read(long) }
  }

  @Test func `a message that is too long is skipped, and its caller can be told`() throws {
    var long = BusMessage.call("Do", of: "a.b", at: "/c", in: "d.e", [.bytes([UInt8](repeating: 1, count: 300_000))])
    (long.serial, long.sender) = (3, ":1.5")
    var stream = BusStream()
    var messages: [BusMessage] = []
    let bytes = long.encoded + Self.answer
    for start in stride(from: 0, to: bytes.count, by: 65_536) {
      stream.append(bytes[start..<min(start + 65_536, bytes.count)])
      #expect(stream.count <= BusMessage.maximumBytes)
      while let message = try stream.next() { messages.append(message) }
    }
    #expect(messages.count == 2)
    #expect(messages[0].sender == ":1.5" && messages[0].serial == 3 && messages[0].body == nil)
    #expect(messages[1].body == [.text("h1.local")])
  }

  @Test(arguments: ["(", "()", "a", "{sv}", "a{vs}", "a{s}", "(i", "i)", "z", String(repeating: "a", count: 34) + "i"])
  func `a signature that is not valid is refused`(_ text: String) {
    #expect(BusType.all(in: text) == nil)
  }

  private static func nested(_ depth: Int) -> BusValue { depth == 0 ? .byte(1) : .variant(nested(depth - 1)) }

  @Test func `variants within variants are read to a limit`() throws {
    func message(_ depth: Int) -> BusMessage { .signal("S", of: "a.b", at: "/", to: nil, [Self.nested(depth)]) }
    #expect(try Self.read(message(64).encoded)?.body != nil)
    #expect(try Self.read(message(65).encoded)?.body == nil)
  }

  /// dbus-broker passes on what dbus-daemon refuses.
  @Test func `a message whose header cannot be read is skipped, and the next one is read`() throws {
    func message(_ field: BusValue) -> [UInt8] {
      var writer = BusWriter()
      writer.bytes = [UInt8(ascii: "l"), 1, 0, 1, 4, 0, 0, 0, 7, 0, 0, 0]
      writer.value(.array(of: "(yv)", [.structure([.byte(1), .variant(.path("/"))]), .structure([.byte(200), field])]))
      writer.align(8)
      return writer.bytes + [1, 2, 3, 4]
    }
    #expect(try Self.read(message(Self.nested(32)))?.path == "/")
    var broken = message(.variant(.text("a")))
    broken[broken.lastIndex(of: UInt8(ascii: "s"))!] = UInt8(ascii: "z")
    for bytes in [message(Self.nested(70)), broken] {
      #expect(try Self.read(bytes + Self.answer)?.body == [.text("h1.local")])
    }
  }

  @Test func `damaged messages are refused or read`() throws {
    var random = SeededGenerator(seed: 3)
    let whole = BusMessage.call(
      "AddService", of: "org.freedesktop.Avahi.EntryGroup", at: "/Client1/EntryGroup1", in: "org.freedesktop.Avahi",
      [
        .int32(-1), .text("Ada"), .array(of: "ay", [.bytes([1, 2]), .bytes([])]), .variant(.structure([.byte(1), .double(2)])),
      ]
    ).encoded
    var read = 0
    for _ in 0..<20_000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      if let message = try? Self.read(bytes), message.body != nil { read += 1 }
    }
    #expect(read > 0)
  }

  @Test func `every integer that fits is a number, and nothing else is`() {
    let numbers: [BusValue] = [
      .byte(7), .int16(-7), .uint16(7), .int32(-7), .uint32(7), .int64(-7), .uint64(7), .uint64(.max), .int64(.min),
    ]
    #expect(numbers.map(\.number) == [7, -7, 7, -7, 7, -7, 7, nil, Int(Int64.min)])
    for value in [BusValue.truth(true), .double(1), .text("1"), .variant(.byte(1)), .bytes([1]), .descriptor(1)] {
      #expect(value.number == nil)
    }
  }

  @Test func `signatures may be 255 bytes long and 32 arrays or structures deep`() {
    #expect(BusType.all(in: String(repeating: "i", count: 255))?.count == 255)
    #expect(BusType.all(in: String(repeating: "i", count: 256)) == nil)
    func nested(_ open: String, _ count: Int, _ close: String) -> String {
      String(repeating: open, count: count) + "i" + String(repeating: close, count: count)
    }
    for (open, close) in [("a", ""), ("(", ")"), ("a{s", "}")] {
      #expect(BusType.all(in: nested(open, 32, close))?.count == 1)
      #expect(BusType.all(in: nested(open, 33, close)) == nil)
    }
  }

  @Test func `a message of 262,144 bytes is read, and of a longer one the header`() throws {
    func message(_ count: Int) -> BusMessage {
      .signal("S", of: "a.b", at: "/", to: nil, [.bytes([UInt8](repeating: 1, count: count))])
    }
    let rest = BusMessage.maximumBytes - message(0).encoded.count
    #expect(message(rest).encoded.count == BusMessage.maximumBytes)
    #expect(try Self.read(message(rest).encoded)?.body != nil)
    let longer = try #require(try Self.read(message(rest + 1).encoded))
    #expect(longer.body == nil && longer.member == "S")
  }

  @Test func `who sends a message, and what it answers, is in its header`() throws {
    let call = BusCall(sender: ":1.5", serial: 9)
    for made in [BusMessage.answer(to: call, [.byte(1)]), .error("a.b.C", "no", to: call)] {
      var message = made
      (message.serial, message.sender) = (3, ":1.7")
      let read = try #require(try Self.read(message.encoded))
      #expect(read == message && read.answers == 9 && read.destination == ":1.5" && read.wantsNoAnswer)
    }
    #expect(BusMessage.error("a.b.C", "no", to: call).body == [.text("no")])
    var signal = BusMessage.signal("S", of: "a.b", at: "/c", to: ":1.5")
    signal.serial = 1
    let read = try #require(try Self.read(signal.encoded))
    #expect(read == signal && read.kind == .signal && read.interface == "a.b" && read.path == "/c" && read.body == [])
    #expect(!BusMessage.call("M", of: "a.b", at: "/", in: "c.d").wantsNoAnswer)
  }

  @Test func `a value in the wrong place ends what is read of a body`() throws {
    // An array whose elements do not fill it; a truth that is neither; a text without its end.
    func body(_ signature: String, _ bytes: [UInt8]) throws -> [BusValue]? {
      var writer = BusWriter()
      writer.bytes = [UInt8(ascii: "l"), 4, 1, 1, UInt8(bytes.count), 0, 0, 0, 7, 0, 0, 0]
      writer.value(.array(of: "(yv)", [.structure([.byte(8), .variant(.signature(signature))])]))
      writer.align(8)
      return try Self.read(writer.bytes + bytes)?.body
    }
    #expect(try body("ai", [4, 0, 0, 0, 9, 0, 0, 0]) == [.array(of: "i", [.int32(9)])])
    #expect(try body("ai", [3, 0, 0, 0, 9, 0, 0, 0]) == nil)
    #expect(try body("b", [1, 0, 0, 0]) == [.truth(true)])
    #expect(try body("b", [2, 0, 0, 0]) == nil)
    #expect(try body("s", [1, 0, 0, 0, 0x61, 0]) == [.text("a")])
    #expect(try body("s", [1, 0, 0, 0, 0x61, 1]) == nil)
    #expect(try body("s", [2, 0, 0, 0, 0x61, 0, 0]) == nil, "a null character in the text")
    #expect(try body("y", [1, 2]) == nil, "more than was said")
  }
}
