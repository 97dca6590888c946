import FramedCoding
import FramedJSON
import TestSupport
import Testing
import _BonjourishBase

@Suite struct JSONCodecTests {
  struct Player: Codable, Hashable {
    var name: String
    var points: Int
  }

  struct Table: Codable, Hashable {
    var players: [Player]
    var open: Bool
    var time: Double?
  }

  /// Anything that JSON has, at any depth.
  indirect enum Value: Codable, Hashable {
    case null, bool(Bool), number(Double), text(String), list([Value]), object([String: Value])

    init(from decoder: any Decoder) throws {
      let single = try decoder.singleValueContainer()
      if single.decodeNil() {
        self = .null
      } else if let bool = try? single.decode(Bool.self) {
        self = .bool(bool)
      } else if let number = try? single.decode(Double.self) {
        self = .number(number)
      } else if let text = try? single.decode(String.self) {
        self = .text(text)
      } else if let list = try? single.decode([Value].self) {
        self = .list(list)
      } else {
        self = .object(try single.decode([String: Value].self))
      }
    }

    func encode(to encoder: any Encoder) throws {
      var single = encoder.singleValueContainer()
      switch self {
      case .null: try single.encodeNil()
      case .bool(let bool): try single.encode(bool)
      case .number(let number): try single.encode(number)
      case .text(let text): try single.encode(text)
      case .list(let list): try single.encode(list)
      case .object(let object): try single.encode(object)
      }
    }

    static func random(using generator: inout SeededGenerator, depth: Int = 0) -> Value {
      switch generator.number(in: 0..<(depth < 4 ? 6 : 4)) {
      case 0: .null
      case 1: .bool(generator.once(in: 2))
      case 2: .number(Double(generator.number(in: -1_000_000..<1_000_000)) / 64)
      case 3: .text(text(using: &generator))
      case 4: .list((0..<generator.number(in: 0..<5)).map { _ in random(using: &generator, depth: depth + 1) })
      default:
        .object(
          Dictionary(
            (0..<generator.number(in: 0..<5)).map { _ in
              (text(using: &generator), random(using: &generator, depth: depth + 1))
            }, uniquingKeysWith: { first, _ in first }))
      }
    }

    private static func text(using generator: inout SeededGenerator) -> String {
      String((0..<generator.number(in: 0..<8)).map { _ in "a\"\\/\n\0\u{7F}é漢🂡".randomElement(using: &generator)! })
    }
  }

  @Test func `a message is one JSON text with its keys in order`() throws {
    let table = Table(players: [Player(name: "Ada/Bob", points: 3)], open: true, time: 1.5)
    let codec = JSONCodec<Table>()
    let body = try codec.encode(table)
    #expect(String(decoding: body, as: UTF8.self) == #"{"open":true,"players":[{"name":"Ada/Bob","points":3}],"time":1.5}"#)
    #expect(try codec.decode(body) == table)
    var appended: [UInt8] = [9]
    try codec.encode(table, into: &appended)
    #expect(appended == [9] + body)
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `any value survives`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let codec = JSONCodec<Value>()
    let value = Value.random(using: &generator)
    let body = try codec.encode(value)
    #expect(try codec.decode(body) == value, "seed \(seed)")
  }

  @Test func `an unknown field is ignored`() throws {
    #expect(try decode(Player.self, #" { "name" : "Ada", "points": 1, "colour": [{}] } "#) == Player(name: "Ada", points: 1))
  }

  @Test(
    arguments: [
      ("", .truncated, 0), (" ", .truncated, 1), ("[1,2", .truncated, 4), (#"{"a""#, .truncated, 4), (#""ab"#, .truncated, 3),
      ("[1,]", .malformed, 3), ("[1 2]", .malformed, 3), ("{1:2}", .malformed, 1), (#"{"a":1,}"#, .malformed, 7),
      ("01", .malformed, 1), ("1.", .truncated, 2), (".5", .malformed, 0), ("+1", .malformed, 0), ("1e+", .truncated, 3),
      ("nul", .malformed, 0), ("NaN", .malformed, 0), ("true false", .malformed, 5), ("'a'", .malformed, 0),
      (#""\x""#, .malformed, 2), (#""\u12G4""#, .malformed, 5), (#""\ud800""#, .malformed, 2),
      (#""\ud800\u0041""#, .malformed, 2), (#""\udc00""#, .malformed, 2), ("\"\u{1}\"", .malformed, 1),
      ("\u{FEFF}1", .malformed, 0), ("[/* */]", .malformed, 1), ("{} {}", .malformed, 3),
    ] as [(String, MessageError.Code, Int)])
  func `what is not JSON is refused at its byte`(text: String, code: MessageError.Code, offset: Int) {
    let error = #expect(throws: MessageError.self) { try decode(Value.self, text) }
    #expect(error?.code == code)
    #expect(error?.offset == offset)
  }

  @Test(
    arguments: [
      "0", "-0", "-0.5e-7", "1E+2", "1e400", #""\ud83c\udca1""#, #""\/\b\f\n\r\t\"\\""#, "\t[\r\n{ } , [ ] ]", "null",
    ])
  func `what is JSON passes the grammar`(text: String) {
    do throws(MessageError) {
      _ = try decode(Value.self, text)
    } catch {
      // Of these, only the number that no Double holds is refused, as a value.
      #expect(text == "1e400" && error.code == .invalidValue)
    }
  }

  @Test func `bytes that are not UTF-8 are refused at theirs`() {
    for bytes: [UInt8] in [[0x22, 0xC3, 0x28, 0x22], [0x22, 0xFF, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22]] {
      let error = #expect(throws: MessageError.self) { try JSONCodec<Value>().decode(bytes) }
      #expect(error?.code == .invalidUTF8)
      #expect(error?.offset == 1)
    }
    // UTF-16, which Foundation would take.
    let error = #expect(throws: MessageError.self) { try JSONCodec<[Int]>().decode([0xFE, 0xFF, 0, 0x5B, 0, 0x5D]) }
    #expect(error?.code == .invalidUTF8)
  }

  @Test func `nesting has an end`() throws {
    func nested(_ depth: Int) -> String { String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
    #expect(throws: Never.self) { try decode(Value.self, nested(64)) }
    let error = #expect(throws: MessageError.self) { try decode(Value.self, nested(65)) }
    #expect(error?.code == .tooDeep)
    #expect(error?.offset == 64)
    #expect(throws: Never.self) { try JSONCodec<Value>(maximumDepth: 256).decode(Array(nested(256).utf8)) }
    let objects = String(repeating: #"{"a":"#, count: 100_000)
    #expect(throws: MessageError.self) { try decode(Value.self, objects) }
  }

  @Test(
    arguments: [
      (#"{"players":[{"name":"Ada","points":1},{"name":7,"points":1}],"open":true}"#, "players[1].name"),
      (#"{"players":[{"name":"Ada"}],"open":true}"#, "players[0].points"),
      // Foundation does not tell whose number does not fit.
      (#"{"players":[{"name":"Ada","points":1.5}],"open":true}"#, nil),
      (#"{"players":[{"name":"Ada","points":99999999999999999999}],"open":true}"#, nil),
      (#"{"players":null,"open":true}"#, "players"), ("[]", nil), ("null", nil),
    ] as [(String, String?)])
  func `a value that cannot stand there is told by its field`(text: String, field: String?) {
    let error = #expect(throws: MessageError.self) { try decode(Table.self, text) }
    #expect(error?.code == .invalidValue)
    #expect(error?.field == field)
  }

  @Test func `an error of the message itself is passed on`() {
    struct Choosy: Codable {
      init() {}
      init(from decoder: any Decoder) throws { throw MessageError(.invalidValue, field: "kind", expected: "something else") }
      func encode(to encoder: any Encoder) throws { throw MessageError(.tooLarge, expected: "less") }
    }
    #expect(throws: MessageError(.invalidValue, field: "kind", expected: "something else")) { try decode(Choosy.self, "{}") }
    #expect(throws: MessageError(.tooLarge, expected: "less")) { try JSONCodec<Choosy>().encode(Choosy()) }
  }

  @Test func `another error of the message is told as it is`() {
    struct Trouble: Error {}
    struct Choosy: Codable {
      init() {}
      init(from decoder: any Decoder) throws { throw Trouble() }
      func encode(to encoder: any Encoder) throws { throw Trouble() }
    }
    let written = #expect(throws: MessageError.self) { try JSONCodec<Choosy>().encode(Choosy()) }
    let read = #expect(throws: MessageError.self) { try decode(Choosy.self, "{}") }
    #expect(written == MessageError(.invalidValue, expected: "a value that can be written: Trouble()"))
    #expect(read == MessageError(.invalidValue, expected: "another value: Trouble()"))
  }

  @Test func `a number that is not finite cannot be written`() {
    var body: [UInt8] = [1]
    let codec = JSONCodec<[Double]>()
    let error = #expect(throws: MessageError.self) { try codec.encode([1, .infinity], into: &body) }
    #expect(error?.code == .invalidValue)
    #expect(error?.field == "[1]")
    #expect(body == [1])
  }

  @Test func `names from the network are cut short in errors`() {
    let long = String(repeating: "x", count: 10_000)
    let error = #expect(throws: MessageError.self) { try decode([String: Int].self, #"{"\#(long)":true}"#) }
    #expect(error?.field == long.prefix(200) + "…")
    let short = #expect(throws: MessageError.self) { try decode([String: Int].self, #"{"\#(long.prefix(200))":true}"#) }
    #expect(short?.field == String(long.prefix(200)))
  }

  private func decode<Message: Codable & Sendable>(_ type: Message.Type, _ text: String) throws(MessageError) -> Message {
    try JSONCodec<Message>().decode(Array(text.utf8))
  }
}
