import _FramedWebProtocol

/// A stream of frames, and what a receiver must make of it.
struct FrameCase: CustomStringConvertible {
  let name: String
  /// The section of RFC 6455 that says so.
  let section: String
  let frames: [Frame]
  let told: [Told]

  init(_ name: String, _ section: String, _ frames: [Frame], _ told: [Told]) {
    (self.name, self.section, self.frames, self.told) = (name, section, frames, told)
  }

  var description: String { "\(name) (\(section))" }

  /// The kinds of cases that the Autobahn test suite has, in our own words.
  static let all: [FrameCase] = sizes + controls + reserved + fragments + texts + closing + closeCodes + lengths

  private static let sizes: [FrameCase] = [0, 1, 125, 126, 127, 128, 65_535, 65_536].flatMap { size in
    let text = [UInt8](repeating: 0x2A, count: size)
    let bytes = [UInt8](repeating: 0xFE, count: size)
    return [
      FrameCase("a text of \(size) bytes", "5.6", [.text(text)], [.message(text)]),
      FrameCase("\(size) bytes", "5.6", [.binary(bytes)], [.message(bytes)]),
    ]
  }

  private static let controls: [FrameCase] = [
    FrameCase("an empty ping", "5.5.2", [.ping()], [.ping([])]),
    FrameCase("a ping with text", "5.5.2", [.ping("Hello")], [.ping(Array("Hello".utf8))]),
    FrameCase("a ping with bytes that are no text", "5.5.2", [Frame(9, [0, 255, 254])], [.ping([0, 255, 254])]),
    FrameCase(
      "a ping of 125 bytes", "5.5", [Frame(9, [UInt8](repeating: 7, count: 125))], [.ping([UInt8](repeating: 7, count: 125))]),
    FrameCase("a ping of 126 bytes", "5.5", [Frame(9, [UInt8](repeating: 7, count: 126))], [.violation(1002)]),
    FrameCase("a pong that nobody asked for", "5.5.3", [.pong(), .text("a")], [.pong([]), .text("a")]),
    FrameCase("a pong with a payload, then a ping", "5.5.3", [.pong("x"), .ping("y")], [.pong([0x78]), .ping([0x79])]),
    FrameCase("ten pings", "5.5.2", (0..<10).map { Frame(9, [$0]) }, (0..<10).map { .ping([$0]) }),
    FrameCase("a fragmented ping", "5.5", [Frame(9, [1], isFinal: false)], [.violation(1002)]),
    FrameCase("a fragmented pong", "5.5", [Frame(10, [1], isFinal: false)], [.violation(1002)]),
    FrameCase("a fragmented closing frame", "5.5", [Frame(8, [3, 232], isFinal: false)], [.violation(1002)]),
  ]

  private static let reserved: [FrameCase] =
    [0x40, 0x20, 0x10, 0x70, 0x50].flatMap { (bits: UInt8) in
      [1, 2, 8, 9, 10].map { (opcode: UInt8) in
        FrameCase("reserved bits \(bits) in a frame \(opcode)", "5.2", [Frame(opcode, [], reserved: bits)], [.violation(1002)])
      }
    }
    + [3, 4, 5, 6, 7, 11, 12, 13, 14, 15].map { (opcode: UInt8) in
      FrameCase(
        "the reserved opcode \(opcode)", "5.2", [.text("a"), Frame(opcode), .text("b")], [.text("a"), .violation(1002)])
    }

  private static let fragments: [FrameCase] = [
    FrameCase("two fragments", "5.4", [.text("ab", isFinal: false), .last("cd")], [.text("abcd")]),
    FrameCase(
      "three fragments, some empty", "5.4", [.binary([], isFinal: false), .more([5]), .more([], isFinal: true)], [.message([5])]
    ),
    FrameCase("empty fragments", "5.4", [.text("", isFinal: false), .more(""), .last("")], [.text("")]),
    FrameCase(
      "a ping between fragments", "5.4", [.text("ab", isFinal: false), .ping("p"), .last("cd")], [.ping([0x70]), .text("abcd")]),
    FrameCase(
      "pings and pongs between fragments", "5.4",
      [.binary([1], isFinal: false), .ping(), .more([2]), .pong("q"), .ping("r"), .more([3], isFinal: true), .text("z")],
      [.ping([]), .pong([0x71]), .ping([0x72]), .message([1, 2, 3]), .text("z")]),
    FrameCase("a continuation of nothing", "5.4", [.last("ab")], [.violation(1002)]),
    FrameCase("a continuation of nothing that is not the last", "5.4", [.more("ab")], [.violation(1002)]),
    FrameCase("a continuation after a whole message", "5.4", [.text("ab"), .last("cd")], [.text("ab"), .violation(1002)]),
    FrameCase("a message inside another", "5.4", [.text("ab", isFinal: false), .text("cd")], [.violation(1002)]),
    FrameCase(
      "a message of another kind inside another", "5.4", [.text("ab", isFinal: false), .binary([1])], [.violation(1002)]),
    FrameCase(
      "a continuation after the last one", "5.4", [.text("ab", isFinal: false), .last("cd"), .last("ef")],
      [.text("abcd"), .violation(1002)]),
    FrameCase(
      "a closing frame between fragments", "5.4", [.text("ab", isFinal: false), .close(1000), .last("cd")], [.close(1000, "")]),
    FrameCase(
      "a message in two fragments after one in one", "5.4",
      [.text("é"), .binary([0xC3], isFinal: false), .more([0x28], isFinal: true)],
      [.text("é"), .message([0xC3, 0x28])]),
  ]

  private static let texts: [FrameCase] =
    [
      FrameCase(
        "letters of many kinds", "5.6", [.text("Hello-µ@ßöäüàá-UTF-8!!κόσμε😀")], [.text("Hello-µ@ßöäüàá-UTF-8!!κόσμε😀")]),
      FrameCase(
        "a character across fragments", "5.6",
        [.text([0xF0, 0x9F], isFinal: false), .ping(), .more([0x98, 0x80], isFinal: true)],
        [.ping([]), .text("😀")]),
      FrameCase(
        "each byte in a fragment of its own", "5.6",
        [.text([0xCE], isFinal: false), .more([0xBA]), .more([0xE1]), .more([0xBD]), .more([0xB9], isFinal: true)],
        [.message([0xCE, 0xBA, 0xE1, 0xBD, 0xB9])]),
      FrameCase(
        "U+0000, U+D7FF, U+E000 and U+10FFFF", "5.6", [.text("\u{0}\u{D7FF}\u{E000}\u{10FFFF}")],
        [.text("\u{0}\u{D7FF}\u{E000}\u{10FFFF}")]),
      FrameCase("a text that ends inside a character", "8.1", [.text([0x61, 0xE1, 0xBD])], [.violation(1007)]),
      FrameCase(
        "a fragmented text that ends inside a character", "8.1",
        [.text([0x61, 0xE1], isFinal: false), .more([0xBD], isFinal: true)],
        [.violation(1007)]),
      FrameCase(
        "a wrong byte in the first of two fragments", "8.1", [.text([0x61, 0xFF], isFinal: false)], [.violation(1007)]),
      FrameCase("bytes that are no text", "5.6", [.binary([0xFF, 0xC0])], [.message([0xFF, 0xC0])]),
    ]
    + [
      ("a lone continuation byte", [0x80]), ("a lone lead byte", [0xC3, 0x28]), ("a slash in two bytes", [0xC0, 0xAF]),
      ("a zero in two bytes", [0xC0, 0x80]), ("a slash in three bytes", [0xE0, 0x80, 0xAF]),
      ("U+07FF in three bytes", [0xE0, 0x9F, 0xBF]), ("U+FFFF in four bytes", [0xF0, 0x8F, 0xBF, 0xBF]),
      ("a first half of a surrogate pair", [0xED, 0xA0, 0x80]), ("a second half of a surrogate pair", [0xED, 0xBF, 0xBF]),
      ("U+110000", [0xF4, 0x90, 0x80, 0x80]), ("five bytes", [0xF8, 0x88, 0x80, 0x80, 0x80]),
      ("the byte 254", [0xFE]), ("the byte 255", [0xFF]), ("six bytes", [0xFC, 0x84, 0x80, 0x80, 0x80, 0x80]),
    ].map { (name: String, bytes: [UInt8]) in
      FrameCase(name, "8.1", [.text(Array("κόσμε".utf8) + bytes + Array("edited".utf8))], [.violation(1007)])
    }

  private static let closing: [FrameCase] = [
    FrameCase("an empty closing frame", "5.5.1", [.close([])], [.close(1005, "")]),
    FrameCase("a closing frame with one byte", "5.5.1", [.close([3])], [.violation(1002)]),
    FrameCase("a reason", "5.5.1", [.close(1000, "bye 👋")], [.close(1000, "bye 👋")]),
    FrameCase(
      "a reason of 123 bytes", "5.5.1", [.close(1000, String(repeating: "a", count: 123))],
      [.close(1000, String(repeating: "a", count: 123))]),
    FrameCase("a reason of 124 bytes", "5.5", [.close(1000, String(repeating: "a", count: 124))], [.violation(1002)]),
    FrameCase("a reason that is not UTF-8", "8.1", [.close([3, 232, 0xC3, 0x28])], [.violation(1007)]),
    FrameCase("frames after the closing frame", "5.5.1", [.close(1001), .text("a"), .ping(), Frame(3)], [.close(1001, "")]),
    FrameCase("two closing frames", "5.5.1", [.close(1000), .close(1000)], [.close(1000, "")]),
  ]

  private static let closeCodes: [FrameCase] =
    [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999].map { (code: UInt16) in
      FrameCase("the code \(code)", "7.4", [.close(code)], [.close(code, "")])
    }
    + [0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535].map { (code: UInt16) in
      FrameCase("the code \(code), which must not be sent", "7.4", [.close(code)], [.violation(1002)])
    }

  private static let lengths: [FrameCase] = [
    FrameCase(
      "a masked or unmasked frame of the wrong side", "5.1", [.text("a"), .text("b").wronglyMasked],
      [.text("a"), .violation(1002)]),
    FrameCase("a control frame that is wrongly masked", "5.1", [.ping().wronglyMasked], [.violation(1002)]),
    FrameCase("125 as 16 bits", "5.2", [.binary([]).with(length: [126, 0, 125])], [.violation(1002)]),
    FrameCase(
      "125 as 16 bits, all there", "5.2", [.binary([UInt8](repeating: 1, count: 125)).with(length: [126, 0, 125])],
      [.violation(1002)]),
    FrameCase("65535 as 64 bits", "5.2", [.binary([]).with(length: [127, 0, 0, 0, 0, 0, 0, 255, 255])], [.violation(1002)]),
    FrameCase(
      "the highest bit of a length", "5.2", [.binary([]).with(length: [127, 128, 0, 0, 0, 0, 0, 0, 1])], [.violation(1002)]),
    FrameCase(
      "a length of 2⁶³ − 1", "10.4", [.binary([]).with(length: [127, 127, 255, 255, 255, 255, 255, 255, 255])],
      [.violation(1009)]),
    FrameCase(
      "a message that is too large", "10.4", [.binary([]).with(length: [127, 0, 0, 0, 0, 0, 1, 0x86, 0xA1])], [.violation(1009)]
    ),
    FrameCase(
      "fragments that are too large together", "10.4",
      [.binary([UInt8](repeating: 1, count: 60_000), isFinal: false), .more([]).with(length: [126, 0x9C, 0x41])],
      [.violation(1009)]),
    FrameCase(
      "a fragment of 2⁶³ − 1 after another", "10.4",
      [.binary([1], isFinal: false), .more([]).with(length: [127, 127, 255, 255, 255, 255, 255, 255, 255])], [.violation(1009)]),
  ]
}
