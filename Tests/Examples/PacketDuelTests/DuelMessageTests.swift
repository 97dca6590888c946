import FramedCoding
import PacketDuel
import TestSupport
import Testing
import _BonjourishBase

/// The bytes of packets, written down by hand.
struct DuelMessageTests {
  private let codec = MarshallingCodec<DuelMessage>()

  static let messages: [(DuelMessage, [UInt8])] = [
    // Type and action unknown, with arbitrary data.
    (.proof([0x00, 0xFF]), [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 2, 0x00, 0xFF]),
    (.proof([]), [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0]),
    (.name("Bob"), [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 3, 0x42, 0x6F, 0x62]),
    (.goodbye(.leaves, ""), [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0, 0, 0]),
    (.goodbye(.sawRuleBroken, "é"), [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 7, 2, 0, 0, 0, 2, 0xC3, 0xA9]),
    (.move(number: 42, column: 6), [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 42, 6]),
  ]

  @Test func `messages are packets, byte by byte`() throws {
    for (message, bytes) in Self.messages {
      #expect(try codec.encode(message) == bytes)
      #expect(try codec.decode(bytes) == message)
    }
  }

  @Test func `a frame is eight bytes of length, the least significant first`() throws {
    var frame: [UInt8] = []
    try FrameEncoder(format: .duel).encode(codec.encode(.proof([7])), into: &frame)
    #expect(frame == [13, 0, 0, 0, 0, 0, 0, 0] + [UInt8](repeating: 0xFF, count: 8) + [0, 0, 0, 1, 7])
  }

  @Test(arguments: [
    ([], MessageError.Code.truncated), ([0, 0, 0, 0, 0, 0, 0], .truncated),
    // Only one of the two unknown; a type and an action that do not exist.
    ([0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0, 0, 0, 0], .invalidValue),
    ([0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0], .invalidValue),
    ([0, 0, 0, 0, 0x7F, 0, 0, 0, 0, 0, 0, 0], .invalidValue),
    // Data that are longer or shorter than stated.
    ([0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 1, 0], .truncated),
    ([0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 1, 0, 0], .trailingBytes),
    ([0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 1, 0, 0], .trailingBytes),
    ([0, 0, 0, 1, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF], .invalidLength),
    // A name that is empty, is not UTF-8, or has a negative length; a goodbye with an unknown reason.
    ([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0], .invalidValue),
    ([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 1, 0xFF], .invalidUTF8),
    ([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0x80, 0, 0, 0], .invalidLength),
    ([0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 5, 3, 0, 0, 0, 0], .invalidValue),
  ])
  func `malformed messages are refused`(_ bytes: [UInt8], _ code: MessageError.Code) {
    #expect { try codec.decode(bytes) } throws: { ($0 as? MessageError)?.code == code }
  }

  @Test func `a refusal tells where in the data of a packet the wrong value is`() {
    for (bytes, place) in [
      ([0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 5, 3, 0, 0, 0, 0], "At byte 0 of a message, in the data of a packet"),
      ([0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 1, 0, 0], "At byte 5 of a message, in the data of a packet"),
      ([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0], "At byte 0 of a message, in the data of a packet"),
      ([0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0], "In the data of a packet of a message"), ([0, 0, 0], "At byte 0 of a message"),
    ] as [([UInt8], String)] {
      let error = #expect(throws: MessageError.self) { try codec.decode(bytes) }
      #expect(error?.message.hasPrefix(place + ": ") == true)
    }
  }

  @Test func `a name that is too long is refused`() throws {
    #expect(throws: Never.self) { try codec.decode(codec.encode(.name(String(repeating: "a", count: 63)))) }
    #expect(throws: MessageError.self) { try codec.decode(codec.encode(.name(String(repeating: "a", count: 64)))) }
  }

  @Test(arguments: 1...20) func `damaged packets are messages or errors, never traps`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var read = 0
    for _ in 0..<200 {
      var bytes = Self.messages.randomElement(using: &generator)?.1 ?? []
      for _ in 0..<generator.number(in: 1..<4) {
        guard !bytes.isEmpty else { break }
        bytes[generator.number(in: 0..<bytes.count)] = UInt8.random(in: .min ... .max, using: &generator)
        if generator.once(in: 4) { bytes.removeLast() }
      }
      guard let message = try? codec.decode(bytes) else { continue }
      #expect(try codec.encode(message) == bytes, "seed \(seed)")
      read += 1
    }
    #expect(read > 0, "seed \(seed)")
  }
}
