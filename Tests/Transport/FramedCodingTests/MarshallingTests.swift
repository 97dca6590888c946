import FramedCoding
import TestSupport
import Testing
import _BonjourishBase

@Suite struct MarshallingTests {
  struct Move: Marshallable, Hashable {
    var player: String
    var column: UInt8
    var isLast: Bool

    init(player: String, column: UInt8, isLast: Bool) {
      self.player = player
      self.column = column
      self.isLast = isLast
    }

    init(from reader: inout MessageReader) throws(MessageError) {
      player = try reader.readString()
      column = try reader.readUInt8()
      guard column < 7 else { throw MessageError(.invalidValue, at: reader.offset - 1, expected: "a column from 0 to 6") }
      isLast = try reader.readBool()
    }

    func write(to writer: inout MessageWriter) throws(MessageError) {
      try writer.writeString(player)
      writer.writeUInt8(column)
      writer.writeBool(isLast)
    }
  }

  struct Game: Marshallable, Hashable {
    var moves: [Move]
    var next: Move

    init(moves: [Move], next: Move) {
      self.moves = moves
      self.next = next
    }

    init(from reader: inout MessageReader) throws(MessageError) {
      moves = try reader.readArray()
      next = try reader.read()
    }

    func write(to writer: inout MessageWriter) throws(MessageError) {
      try writer.writeArray(moves)
      try writer.write(next)
    }
  }

  /// A list in a list in a list, each of which takes one byte.
  indirect enum Nest: Marshallable, Hashable {
    case end
    case inside(Nest)

    init(from reader: inout MessageReader) throws(MessageError) {
      self = try reader.readBool() ? .inside(try reader.read()) : .end
    }

    func write(to writer: inout MessageWriter) throws(MessageError) {
      switch self {
      case .end:
        writer.writeBool(false)
      case .inside(let nest):
        writer.writeBool(true)
        try writer.write(nest)
      }
    }

    init(depth: Int) {
      self = depth == 0 ? .end : .inside(Nest(depth: depth - 1))
    }
  }

  struct Nothing: Marshallable {
    init() {}
    init(from reader: inout MessageReader) {}
    func write(to writer: inout MessageWriter) {}
  }

  private let codec = MarshallingCodec<Game>()

  @Test func `values are written one after another and read again`() throws {
    let game = Game(
      moves: [Move(player: "A", column: 3, isLast: false), Move(player: "B", column: 6, isLast: false)],
      next: Move(player: "", column: 0, isLast: true))
    let body = try codec.encode(game)
    #expect(body == [0, 0, 0, 2, 0, 0, 0, 1, 0x41, 3, 0, 0, 0, 0, 1, 0x42, 6, 0, 0, 0, 0, 0, 0, 1])
    #expect(try codec.decode(body) == game)
    for length in body.indices {
      let error = #expect(throws: MessageError.self) { try codec.decode(Array(body[..<length])) }
      #expect(error?.code == .truncated)
    }
    let error = #expect(throws: MessageError.self) { try codec.decode(body + [0]) }
    #expect(error?.code == .trailingBytes)
    #expect(error?.offset == body.count)
  }

  @Test func `a codec's strings are laid out as asked`() throws {
    let codec = MarshallingCodec(Move.self, strings: .zeroTerminated)
    let move = Move(player: "A", column: 1, isLast: true)
    let body = try codec.encode(move)
    #expect(body == [0, 0, 0, 2, 0x41, 0, 1, 1])
    #expect(try codec.decode(body) == move)
  }

  @Test func `a message is appended, and leaves nothing when it cannot be written`() throws {
    let codec = MarshallingCodec<Move>(strings: .zeroTerminated)
    var body: [UInt8] = [7, 8]
    let error = #expect(throws: MessageError.self) {
      try codec.encode(Move(player: "a\0", column: 0, isLast: false), into: &body)
    }
    #expect(error?.code == .misplacedZero)
    #expect(error?.offset == 0)
    #expect(body == [7, 8])
    try codec.encode(Move(player: "", column: 5, isLast: false), into: &body)
    #expect(body == [7, 8, 0, 0, 0, 1, 0, 5, 0])
  }

  @Test(
    arguments: [
      ([0xFF, 0xFF, 0xFF, 0xFF], .invalidLength, 0), ([0x7F, 0xFF, 0xFF, 0xFF, 1], .truncated, 0),
      ([0, 0, 0, 1, 0, 0, 0, 0, 7, 0], .invalidValue, 8), ([0, 0, 0, 1, 0, 0, 0, 0, 1, 2], .invalidValue, 9),
    ] as [([UInt8], MessageError.Code, Int)])
  func `a value that cannot be is refused at its byte`(body: [UInt8], code: MessageError.Code, offset: Int) {
    let error = #expect(throws: MessageError.self) { try codec.decode(body) }
    #expect(error?.code == code)
    #expect(error?.offset == offset)
  }

  @Test func `after a refusal the reader stands where it stood`() throws {
    var reader = MessageReader([5, 0, 0, 0, 0, 9, 0])
    #expect(try reader.readUInt8() == 5)
    #expect(throws: MessageError.self) { try reader.read(Move.self) }
    #expect(reader.offset == 1)
    #expect(throws: MessageError.self) { try reader.readArray(of: Move.self) + [reader.read()] }
    #expect(reader.offset == 5)
    #expect(throws: MessageError.self) { try reader.readBool() }
    #expect(reader.offset == 5)
  }

  @Test func `values can be nested 64 deep, whatever the bytes say`() throws {
    let codec = MarshallingCodec<Nest>()
    let deepest = Nest(depth: 63)
    #expect(try codec.decode(codec.encode(deepest)) == deepest)
    #expect(throws: MessageError.self) { try codec.encode(Nest(depth: 64)) }
    let error = #expect(throws: MessageError.self) { try codec.decode([UInt8](repeating: 1, count: 1_000_000)) }
    #expect(error?.code == .tooDeep)
    #expect(error?.offset == 64)
  }

  @Test func `elements take a byte each, so that a number cannot make many of nothing`() throws {
    var writer = MessageWriter()
    let error = #expect(throws: MessageError.self) { try writer.writeArray([Nothing(), Nothing()]) }
    #expect(error?.code == .tooLarge)
    #expect(writer.bytes.isEmpty)
    var reader = MessageReader([0x7F, 0xFF, 0xFF, 0xFF, 0, 0])
    #expect(throws: MessageError.self) { try reader.readArray(of: Nothing.self) }
  }

  @Test(arguments: 0..<100 as Range<UInt64>)
  func `random bytes are a message or refused`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      let highest: UInt8 = [0, 1, 7, 255].randomElement(using: &generator) ?? 0
      let body = (0..<generator.number(in: 0..<40)).map { _ in UInt8.random(in: 0...highest, using: &generator) }
      do throws(MessageError) {
        #expect(try codec.encode(codec.decode(body)) == body, "seed \(seed)")
      } catch {
        #expect((0...body.count).contains(error.offset ?? -1), "seed \(seed)")
      }
    }
  }

  @Test func `any number of values can be written side by side, also after some that could not be`() throws {
    let codec = MarshallingCodec<Game>(strings: .zeroTerminated)
    let move = Move(player: "A", column: 3, isLast: false)
    let game = Game(moves: Array(repeating: move, count: 100), next: move)
    #expect(try codec.decode(codec.encode(game)) == game)
    var writer = MessageWriter(strings: .zeroTerminated)
    for _ in 0..<100 { #expect(throws: MessageError.self) { try writer.write(Move(player: "\0", column: 3, isLast: false)) } }
    try writer.write(move)
    #expect(writer.bytes == [0, 0, 0, 2, 0x41, 0, 3, 0])
  }
}
