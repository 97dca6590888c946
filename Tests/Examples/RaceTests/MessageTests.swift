import FramedCoding
import TestSupport
import Testing
import _BonjourishBase

@testable import Race

/// The bytes of messages, written down by hand.
struct MessageTests {
  private let clients = MarshallingCodec<ClientMessage>.race
  private let servers = MarshallingCodec<ServerMessage>.race

  static func player(_ id: String = "a1", _ alias: String = "Ada") throws -> RacePlayer { try RacePlayer(id: id, alias: alias) }

  static let view = MatchView(
    courseLength: 1000, topSpeed: 100, own: 1,
    racers: [
      MatchView.Racer(alias: "Ada", position: 258, place: 0, presence: .away),
      MatchView.Racer(alias: "é", position: 1000, place: 1, presence: .here),
    ])

  private static func clientMessages() throws -> [(ClientMessage, [UInt8])] {
    [
      // The length of a string counts the zero byte at its end.
      (
        .playerConnected(try player(), continuesMatch: true),
        [0, 0, 0, 0, 3, 0x61, 0x31, 0, 0, 0, 0, 4, 0x41, 0x64, 0x61, 0, 1]
      ),
      (
        .playerConnected(try player("é", "B"), continuesMatch: false),
        [0, 0, 0, 0, 3, 0xC3, 0xA9, 0, 0, 0, 0, 2, 0x42, 0, 0]
      ),
      (.matchWanted(try #require(PlayerRange(2, 16))), [2, 0, 0, 0, 2, 0, 0, 0, 16]),
      (.position(66_051), [5, 0, 1, 2, 3]),
    ]
  }

  private static let serverMessages: [(ServerMessage, [UInt8])] = [
    (.notInMatch, [1]),
    (.waiting(missing: 3), [3, 0, 0, 0, 3]),
    (
      .match(view),
      [4, 0, 0, 0x03, 0xE8, 0, 0, 0, 100, 1, 0, 0, 0, 2]
        + [0, 0, 0, 4, 0x41, 0x64, 0x61, 0, 0, 0, 1, 2, 0, 0, 0, 0, 1]
        + [0, 0, 0, 3, 0xC3, 0xA9, 0, 0, 0, 0x03, 0xE8, 0, 0, 0, 1, 0]
    ),
    (.moved(racer: 15, position: 999), [6, 15, 0, 0, 0x03, 0xE7]),
    (.arrived(racer: 0, place: 16), [7, 0, 0, 0, 0, 16]),
    (.presence(racer: 2, .left), [8, 2, 2]),
    (.over(ranking: [1, 0]), [9, 0, 0, 0, 2, 1, 0]),
    (.refused(Refusal(.full, "no")), [10, 4, 0, 0, 0, 3, 0x6E, 0x6F, 0]),
  ]

  @Test func `messages are what the table says, byte by byte`() throws {
    for (message, bytes) in try Self.clientMessages() {
      #expect(try clients.encode(message) == bytes)
      #expect(try clients.decode(bytes) == message)
    }
    for (message, bytes) in Self.serverMessages {
      #expect(try servers.encode(message) == bytes)
      #expect(try servers.decode(bytes) == message)
    }
  }

  @Test func `a frame is four bytes of length, the most significant first`() throws {
    var frame: [UInt8] = []
    try FrameEncoder(format: .race).encode(servers.encode(.notInMatch), into: &frame)
    #expect(frame == [0, 0, 0, 1, 1])
  }

  @Test(arguments: [
    ([], MessageError.Code.truncated),
    // Unknown numbers, and those of the other side.
    ([11], .invalidValue), ([255], .invalidValue), ([1], .invalidValue), ([10, 0, 0, 0, 0, 1, 0], .invalidValue),
    // A string without its zero byte, with one too many, with none to count, of negative length, and longer than what is there.
    ([0, 0, 0, 0, 2, 0x61, 0x31, 0, 0, 0, 2, 0x42, 0, 0], .misplacedZero),
    ([0, 0, 0, 0, 3, 0, 0x31, 0, 0, 0, 0, 2, 0x42, 0, 0], .misplacedZero),
    ([0, 0, 0, 0, 0, 0, 0, 0, 2, 0x42, 0, 0], .invalidLength),
    ([0, 0xFF, 0xFF, 0xFF, 0xFF, 0x61, 0], .invalidLength),
    ([0, 0x7F, 0xFF, 0xFF, 0xFF, 0x61, 0], .truncated),
    ([0, 0, 0, 0, 2, 0xFF, 0, 0, 0, 0, 2, 0x42, 0, 0], .invalidUTF8),
    // An empty ID, an empty alias, a continue match that is neither yes nor no, a byte too few and one too many.
    ([0, 0, 0, 0, 1, 0, 0, 0, 0, 2, 0x42, 0, 0], .invalidValue), ([0, 0, 0, 0, 2, 0x42, 0, 0, 0, 0, 1, 0, 0], .invalidValue),
    ([0, 0, 0, 0, 2, 0x61, 0, 0, 0, 0, 2, 0x42, 0, 2], .invalidValue),
    ([0, 0, 0, 0, 2, 0x61, 0, 0, 0, 0, 2, 0x42, 0], .truncated),
    ([0, 0, 0, 0, 2, 0x61, 0, 0, 0, 0, 2, 0x42, 0, 0, 0], .trailingBytes),
    // Too few, too many, and more at least than at most.
    ([2, 0, 0, 0, 0, 0, 0, 0, 2], .invalidValue), ([2, 0, 0, 0, 2, 0, 0, 0, 17], .invalidValue),
    ([2, 0, 0, 0, 3, 0, 0, 0, 2], .invalidValue), ([2, 0x80, 0, 0, 0, 0, 0, 0, 2], .invalidValue),
    ([5, 0, 0, 0], .truncated),
  ])
  func `messages that no client may send are refused`(_ bytes: [UInt8], _ code: MessageError.Code) {
    #expect { try clients.decode(bytes) } throws: { ($0 as? MessageError)?.code == code }
  }

  /// The match above with some bytes replaced.
  private func match(_ changes: [Int: UInt8]) -> [UInt8] {
    var bytes = Self.serverMessages[2].1
    for (index, byte) in changes { bytes[index] = byte }
    return bytes
  }

  @Test func `messages that no server may send are refused`() {
    for (bytes, code) in [
      ([0], MessageError.Code.invalidValue), ([2, 0, 0, 0, 2, 0, 0, 0, 2], .invalidValue),
      // A course of no length, a top speed of 0, an own racer that does not exist, more racers than bytes.
      (match([3: 0, 4: 0]), .invalidValue), (match([8: 3]), .invalidValue), (match([9: 2]), .invalidValue),
      (match([10: 0x7F]), .truncated), (match([10: 0xFF]), .invalidLength),
      // A racer before the start or beyond the finish, a place that does not exist, an unknown presence.
      (match([22: 0x80]), .invalidValue), (match([24: 0x04]), .invalidValue), (match([29: 17]), .invalidValue),
      (match([30: 3]), .invalidValue),
      ([8, 0, 3], .invalidValue), ([9, 0, 0, 0, 3, 1, 0], .truncated), ([9, 0xFF, 0xFF, 0xFF, 0xFF], .invalidLength),
      ([10, 7, 0, 0, 0, 1, 0], .invalidValue), ([1, 1], .trailingBytes),
    ] {
      #expect("\(bytes) is refused as \(code)") { try servers.decode(bytes) } throws: { ($0 as? MessageError)?.code == code }
    }
  }

  @Test func `a refusal tells the byte at which the wrong value begins`() {
    for (bytes, offset) in [
      ([11], 0), ([0, 0, 0, 0, 1, 0, 0, 0, 0, 2, 0x42, 0, 0], 1), ([0, 0, 0, 0, 2, 0x61, 0, 0, 0, 0, 2, 0x42, 0, 2], 13),
      ([2, 0, 0, 0, 3, 0, 0, 0, 2], 1),
    ] as [([UInt8], Int)] {
      let error = #expect(throws: MessageError.self) { try clients.decode(bytes) }
      #expect(error?.offset == offset)
    }
    for (bytes, offset) in [
      ([0], 0), (match([3: 0, 4: 0]), 1), (match([9: 2]), 1), (match([22: 0x80]), 1), (match([30: 3]), 30), ([8, 0, 3], 2),
      ([10, 7, 0, 0, 0, 1, 0], 1),
      ([4, 0, 0, 0, 9, 0, 0, 0, 9, 0, 0, 0, 0, 1, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 10), 14),
    ] as [([UInt8], Int)] {
      let error = #expect(throws: MessageError.self) { try servers.decode(bytes) }
      #expect(error?.offset == offset)
    }
  }

  @Test(arguments: 1...20) func `damaged messages are messages or errors, never traps`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let bodies = try Self.clientMessages().map(\.1) + Self.serverMessages.map(\.1)
    var read = 0
    for _ in 0..<300 {
      var bytes = bodies.randomElement(using: &generator) ?? []
      for _ in 0..<generator.number(in: 1..<4) where !bytes.isEmpty {
        bytes[generator.number(in: 0..<bytes.count)] = UInt8.random(in: .min ... .max, using: &generator)
        if generator.once(in: 4) { bytes.removeLast() }
      }
      if let message = try? clients.decode(bytes) {
        #expect(try clients.encode(message) == bytes, "seed \(seed)")
        read += 1
      }
      if let message = try? servers.decode(bytes) {
        #expect(try servers.encode(message) == bytes, "seed \(seed)")
        read += 1
      }
    }
    #expect(read > 0, "seed \(seed)")
  }

  @Test func `the largest messages fit into a frame`() throws {
    let longest = String(repeating: "a", count: RacePlayer.longestText)
    let racers = (0..<PlayerRange.limit).map { _ in MatchView.Racer(alias: longest) }
    let view = MatchView(courseLength: 1, topSpeed: 4, own: 0, racers: racers)
    #expect(try servers.encode(.match(view)).count <= FrameFormat.race.largestBodySize)
    #expect(throws: RacePlayer.Invalid.id) { try RacePlayer(id: longest + "a", alias: "a") }
    #expect(throws: RacePlayer.Invalid.alias) { try RacePlayer(id: "a", alias: "a\0") }
  }

  @Test(
    arguments: [
      (1, 4, true), (1_000_000, 1_000_000, true), (0, 4, false), (1_000_001, 4, false), (1, 3, false), (1, 1_000_001, false),
    ] as [(Int32, Int32, Bool)])
  func `courses and speeds have bounds`(_ course: Int32, _ speed: Int32, _ isRead: Bool) throws {
    let view = MatchView(courseLength: course, topSpeed: speed, own: 0, racers: [MatchView.Racer(alias: "Ada", place: 16)])
    let bytes = try servers.encode(.match(view))
    #expect((try? servers.decode(bytes)) == (isRead ? .match(view) : nil))
  }

  @Test func `a match has one to sixteen racers`() throws {
    for (count, isRead) in [(0, false), (1, true), (16, true), (17, false)] {
      let racers = (0..<count).map { _ in MatchView.Racer(alias: "Ada") }
      let bytes = try servers.encode(.match(MatchView(courseLength: 10, topSpeed: 4, own: 0, racers: racers)))
      #expect(((try? servers.decode(bytes)) != nil) == isRead, "\(count)")
    }
  }

  @Test func `an alias of a racer has 1 to 64 bytes`() throws {
    for (count, isRead) in [(0, false), (1, true), (64, true), (65, false)] {
      let racers = [MatchView.Racer(alias: String(repeating: "a", count: count))]
      let bytes = try servers.encode(.match(MatchView(courseLength: 10, topSpeed: 4, own: 0, racers: racers)))
      #expect(((try? servers.decode(bytes)) != nil) == isRead, "\(count)")
    }
  }

  @Test(arguments: [("2:16", 2, 16), ("1:1", 1, 1)]) func `ranges are read`(_ text: String, _ minimum: Int, _ maximum: Int)
    throws
  {
    #expect(PlayerRange(text) == PlayerRange(minimum, maximum))
    #expect(try #require(PlayerRange(text)).description == text)
  }

  @Test(arguments: ["", "2", "2:", ":2", "0:2", "3:2", "2:17", "2:3:4", "a:b", "2:-1"])
  func `a malformed range is refused`(_ text: String) { #expect(PlayerRange(text) == nil) }
}
