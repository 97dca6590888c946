import Rooms
import Testing
import TwentyFour

struct RoomMessageTests {
  static let room = RoomID("6ba7b810-9dad-11d1-80b4-00c04fd430c8")!
  static let ada = Player(id: PlayerID(rawValue: 1), name: try! PlayerName("Ada"))
  static let bob = Player(id: PlayerID(rawValue: 2), name: try! PlayerName("Bob \"the\" 李"))
  static let hand = Hand(.eight, .nine, .two, .five)
  static let standings = [
    Standing(player: ada, status: .solved(.milliseconds(12_340)), points: 38),
    Standing(player: bob, status: .guessing, points: 0),
    Standing(player: bob, status: .joinedAndGuessing, points: 1),
    Standing(player: bob, status: .waiting, points: 2),
    Standing(player: bob, status: .gaveUp, points: 3),
    Standing(player: bob, status: .outOfTime, points: 4),
    Standing(player: bob, status: .guessing, points: 5, isAway: true, best: .milliseconds(12_340), hints: 3),
  ]
  static let solution = try! TwentyFour.Expression("8*9/(5-2)")

  static let rules = RoomRules(Match.Rules())
  static let welcome = RoomMessage.Welcome(
    room: room, player: ada, state: .waiting, token: "0123456789abcdef0123456789abcdef", returnLimit: .seconds(60), rules: rules
  )

  static let all: [RoomMessage] = [
    .hello(.init(name: "Bob")),
    .hello(.init(name: "Bob", token: "0123456789abcdef0123456789abcdef", players: 2...16, watches: true)),
    .welcome(welcome),
    .welcome(
      .init(
        room: room, player: nil, state: .playing, returnLimit: .zero,
        rules: RoomRules(Match.Rules(roundDuration: .seconds(5), pause: .seconds(1), rounds: 3)))),
    .refused(RoomReason(.full, "All places are taken.")),
    .joined(bob),
    .left(bob),
    .away(bob),
    .back(bob),
    .missing(2),
    .round(Match.Deal(number: 3, hand: hand, remaining: .milliseconds(99_500))),
    .answer(round: 3, expression: "8×9/(5−2)"),
    .giveUp(round: 3),
    .hint(round: 3),
    .hinted(round: 3, .lastOperation(.over), cost: 2),
    .hinted(round: 3, .firstStep(try! TwentyFour.Expression("5-2")), cost: 2),
    .hinted(round: 3, .lastStep(Rational(8), .over, try! Rational(1, over: 3)), cost: 0),
    .hintRefused(RoomReason(.noMoreHints, "There are no more.")),
    .accepted(ada, time: .milliseconds(12_340)),
    .answerRefused(RoomReason(.wrongValue, "That is 22, not 24.")),
    .standings(standings),
    .standings([]),
    .roundEnded(Match.RoundResult(number: 3, hand: hand, solution: solution, standings: standings, pause: .seconds(10))),
    .roundEnded(Match.RoundResult(number: 3, hand: hand, solution: solution, standings: [], pause: nil)),
    .leaving,
    .closed(RoomReason(RoomReason.Code(rawValue: "someNewCode"), "")),
    .ping,
    .pong,
  ]

  @Test(arguments: all)
  func `reads back what it writes`(message: RoomMessage) throws {
    #expect(try RoomMessage(decoding: message.encoded()) == message)
  }

  @Test(
    arguments: [
      (.hello(.init(name: "Bob")), #"{"kind":"hello","name":"Bob","version":1}"#),
      (
        .hello(.init(name: "Bob", token: "0f", players: 2...16, watches: true)),
        #"{"kind":"hello","name":"Bob","players":{"max":16,"min":2},"token":"0f","version":1,"watch":true}"#
      ),
      (
        .welcome(welcome),
        #"{"kind":"welcome","player":{"id":1,"name":"Ada"},"returnSeconds":60,"room":"6ba7b810-9dad-11d1-80b4-00c04fd430c8","#
          + #""rules":{"pauseSeconds":10,"roundSeconds":100},"state":"waiting","token":"0123456789abcdef0123456789abcdef","version":1}"#
      ),
      (.away(ada), #"{"kind":"away","player":{"id":1,"name":"Ada"}}"#),
      (.missing(2), #"{"count":2,"kind":"missing"}"#),
      (.hint(round: 3), #"{"kind":"hint","number":3}"#),
      (
        .hinted(round: 3, .lastOperation(.over), cost: 2), #"{"cost":2,"kind":"hinted","number":3,"operation":"/","step":1}"#
      ),
      (
        .hinted(round: 3, .firstStep(try! TwentyFour.Expression("5-2")), cost: 2),
        #"{"cost":2,"expression":"5-2","kind":"hinted","number":3,"step":2}"#
      ),
      (
        .hinted(round: 3, .lastStep(Rational(8), .over, try! Rational(1, over: 3)), cost: 2),
        #"{"cost":2,"kind":"hinted","left":"8","number":3,"operation":"/","right":"1/3","step":3}"#
      ),
      (
        .standings([standings[6]]),
        #"{"kind":"standings","standings":[{"away":true,"best":12.34,"hints":3,"player":{"id":2,"name":"Bob \"the\" 李"},"#
          + #""points":5,"status":"guessing"}]}"#
      ),
      (
        .round(Match.Deal(number: 3, hand: hand, remaining: .milliseconds(99_500))),
        #"{"hand":[8,9,2,5],"kind":"round","number":3,"seconds":99.5}"#
      ),
      (.answer(round: 3, expression: "8/2"), #"{"expression":"8/2","kind":"answer","number":3}"#),
      (
        .roundEnded(
          Match.RoundResult(
            number: 3, hand: hand, solution: solution, standings: [standings[0], standings[4]], pause: .seconds(10))),
        #"{"hand":[8,9,2,5],"kind":"roundEnded","number":3,"pause":10,"solution":"8*9/(5-2)","standings":["#
          + #"{"player":{"id":1,"name":"Ada"},"points":38,"seconds":12.34,"status":"solved"},"#
          + #"{"player":{"id":2,"name":"Bob \"the\" 李"},"points":3,"status":"gaveUp"}]}"#
      ),
      (.ping, #"{"kind":"ping"}"#),
    ] as [(RoomMessage, String)])
  func `stands on the wire as documented`(message: RoomMessage, json: String) {
    #expect(String(validating: message.encoded(), as: UTF8.self) == json)
  }

  @Test func `an older host's welcome is one without coming back, by the rules of the game`() throws {
    let old = #"{"kind":"welcome","version":1,"room":"\#(Self.room)","player":{"id":1,"name":"Ada"},"state":"waiting"}"#
    #expect(
      try decode(old)
        == .welcome(.init(room: Self.room, player: Self.ada, state: .waiting, returnLimit: .zero, rules: Self.rules)))
  }

  @Test func `ignores fields it does not know, and their depth`() throws {
    let deep = String(repeating: "[", count: 400) + String(repeating: "]", count: 400)
    #expect(try decode(#" {"x":{"y":[1,null]},"kind":"ping","seconds":"not for ping","z":\#(deep)} "#) == .ping)
  }

  @Test(
    arguments: [
      ("", .notJSON), ("{", .notJSON), ("[]", .notJSON), ("7", .notJSON), ("null", .notJSON), (#""ping""#, .notJSON),
      ("{}", .notJSON),
      (#"{"kind":7}"#, .invalid(field: "kind")), (#"{"kind":null}"#, .invalid(field: "kind")),
      (#"{"kind":"ping"} x"#, .notJSON), (#"{"kind":"ping""#, .notJSON),
      (#"{"kind":"dance"}"#, .unknownKind), (#"{"kind":"PING"}"#, .unknownKind), (#"{"kind":"","version":1}"#, .unknownKind),
      (#"{"kind":"hello"}"#, .invalid(field: "version")), (#"{"kind":"hello","version":1}"#, .invalid(field: "name")),
      (#"{"kind":"hello","version":"1","name":"Bob"}"#, .invalid(field: "version")),
      (#"{"kind":"hello","version":1e40,"name":"Bob"}"#, .notJSON),
      (#"{"kind":"hello","version":1.5,"name":"Bob"}"#, .notJSON),
      (#"{"kind":"hello","version":1,"name":["Bob"]}"#, .invalid(field: "name")),
      (#"{"kind":"answer","number":-1,"expression":"1"}"#, .invalid(field: "number")),
      (#"{"kind":"round","number":1,"hand":[1,2,3],"seconds":5}"#, .invalid(field: "hand")),
      (#"{"kind":"round","number":1,"hand":[1,2,3,10],"seconds":5}"#, .invalid(field: "hand")),
      (#"{"kind":"round","number":1,"hand":[1,2,3,"4"],"seconds":5}"#, .invalid(field: "hand")),
      (#"{"kind":"round","number":1,"hand":[1,2,3,4],"seconds":-5}"#, .invalid(field: "seconds")),
      (#"{"kind":"round","number":1,"hand":[1,2,3,4],"seconds":1e300}"#, .invalid(field: "seconds")),
      (#"{"kind":"round","number":1,"hand":[1,2,3,4],"seconds":1e999}"#, .notJSON),
      (#"{"kind":"joined","player":{"id":1}}"#, .invalid(field: "name")),
      (#"{"kind":"joined","player":{"id":1,"name":"a\u0007"}}"#, .invalid(field: "name")),
      (#"{"kind":"joined","player":{"id":1,"name":"\u202Ea"}}"#, .invalid(field: "name")),
      (#"{"kind":"welcome","version":1,"room":"x","player":{"id":1,"name":"A"},"state":"waiting"}"#, .invalid(field: "room")),
      (
        #"{"kind":"standings","standings":[{"player":{"id":1,"name":"A"},"status":"solved","points":1}]}"#,
        .invalid(field: "status")
      ),
      (
        #"{"kind":"standings","standings":[{"player":{"id":1,"name":"A"},"status":"asleep","points":1}]}"#,
        .invalid(field: "status")
      ),
      (
        #"{"kind":"standings","standings":[{"player":{"id":1,"name":"A"},"status":"waiting","points":-1}]}"#,
        .invalid(field: "points")
      ),
      (
        #"{"kind":"standings","standings":[{"player":{"id":1,"name":"A"},"status":"waiting","points":1,"hints":-1}]}"#,
        .invalid(field: "hints")
      ),
      (#"{"kind":"hello","version":1,"name":"A","token":7}"#, .invalid(field: "token")),
      (#"{"kind":"hello","version":1,"name":"A","token":"\#(String(repeating: "x", count: 65))"}"#, .invalid(field: "token")),
      (#"{"kind":"hello","version":1,"name":"A","players":{"min":3,"max":2}}"#, .invalid(field: "players")),
      (#"{"kind":"hello","version":1,"name":"A","players":{"min":0,"max":2}}"#, .invalid(field: "players")),
      (#"{"kind":"hello","version":1,"name":"A","players":{"min":1,"max":129}}"#, .invalid(field: "players")),
      (#"{"kind":"hello","version":1,"name":"A","players":{"min":1}}"#, .invalid(field: "max")),
      (#"{"kind":"hello","version":1,"name":"A","watch":"yes"}"#, .invalid(field: "watch")),
      (#"{"kind":"missing","count":-1}"#, .invalid(field: "count")),
      (#"{"kind":"hinted","number":1,"cost":-1,"step":1,"operation":"+"}"#, .invalid(field: "cost")),
      (#"{"kind":"hinted","number":1,"cost":2,"step":4}"#, .invalid(field: "step")),
      (#"{"kind":"hinted","number":1,"cost":2,"step":1}"#, .invalid(field: "operation")),
      (#"{"kind":"hinted","number":1,"cost":2,"step":1,"operation":"++"}"#, .invalid(field: "operation")),
      (#"{"kind":"hinted","number":1,"cost":2,"step":2,"expression":"("}"#, .invalid(field: "expression")),
      (#"{"kind":"hinted","number":1,"cost":2,"step":3,"left":"1/0","operation":"+","right":"1"}"#, .invalid(field: "left")),
      (#"{"kind":"hinted","number":1,"cost":2,"step":3,"left":"1","operation":"+","right":"1/2/3"}"#, .invalid(field: "right")),
      (#"{"kind":"standings","standings":[7]}"#, .invalid(field: "standings")),
      (#"{"kind":"roundEnded","number":1,"hand":[1,2,3,4],"solution":"(","standings":[]}"#, .invalid(field: "solution")),
      (
        #"{"kind":"roundEnded","number":1,"hand":[1,2,3,4],"solution":"1","standings":[],"pause":null}"#,
        .invalid(field: "pause")
      ),
      (#"{"kind":"closed","code":"x","text":"\#(String(repeating: "x", count: 1001))"}"#, .invalid(field: "text")),
      (#"{"kind":"closed","code":"\#(String(repeating: "x", count: 65))","text":""}"#, .invalid(field: "code")),
    ] as [(String, MalformedMessage)])
  func `says what is wrong with what it cannot read`(json: String, malformed: MalformedMessage) {
    #expect(throws: malformed) { try decode(json) }
    #expect(malformed.description.hasSuffix("."))
  }

  @Test func `is bounded in length, depth and number`() throws {
    let body = Array(#"{"kind":"ping"}"#.utf8)
    let full = body + Array(repeating: UInt8(ascii: " "), count: RoomMessage.maximumByteCount - body.count)
    #expect(try RoomMessage(decoding: full) == .ping)
    #expect(throws: MalformedMessage.tooLarge) { try RoomMessage(decoding: full + [0x20]) }
    #expect(throws: MalformedMessage.notUTF8) { try RoomMessage(decoding: body + [0xFF]) }
    #expect(throws: MalformedMessage.notJSON) { try RoomMessage(decoding: Array(repeating: UInt8(ascii: "["), count: 65_536)) }
    #expect(throws: MalformedMessage.notJSON) { try decode(String(repeating: #"{"kind":"#, count: 8_000)) }
    let line = #"{"player":{"id":1,"name":"A"},"status":"waiting","points":1}"#
    func standings(_ count: Int) -> String {
      #"{"kind":"standings","standings":[\#(Array(repeating: line, count: count).joined(separator: ","))]}"#
    }
    #expect(try decode(standings(Match.Rules.playerLimit)).encoded().count < RoomMessage.maximumByteCount)
    #expect(throws: MalformedMessage.invalid(field: "standings")) { try decode(standings(Match.Rules.playerLimit + 1)) }
  }

  @Test func `the largest room's standings fit into a message`() throws {
    let name = try PlayerName(String(repeating: "\"", count: 32))
    let longest = try PlayerName(String(repeating: "👍", count: 15))
    let standings = (0..<Match.Rules.playerLimit).map {
      Standing(
        player: Player(id: PlayerID(rawValue: .max - $0), name: $0 < 64 ? name : longest),
        status: .solved(.milliseconds(86_399_999)), points: .max, isAway: true, best: .milliseconds(86_399_999), hints: 3)
    }
    let result = Match.RoundResult(
      number: .max, hand: Self.hand, solution: Self.solution, standings: standings, pause: .seconds(10))
    #expect(RoomMessage.roundEnded(result).encoded().count < RoomMessage.maximumByteCount)
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `any mutilated message is read or refused`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<300 {
      var body = try #require(Self.all.randomElement(using: &random)).encoded()
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let index = Int.random(in: 0..<body.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: body[index] = UInt8.random(in: 0...255, using: &random)
        case 1: body.remove(at: index)
        case 2: body.insert(try #require("{}[]\",:0123456789-e\\".utf8.randomElement(using: &random)), at: index)
        default: body.removeSubrange(index...)
        }
        if body.isEmpty { body = [0] }
      }
      if let message = try? RoomMessage(decoding: body) {
        #expect(try RoomMessage(decoding: message.encoded()) == message, "seed \(seed)")
      }
    }
  }

  private func decode(_ json: String) throws -> RoomMessage { try RoomMessage(decoding: Array(json.utf8)) }
}
