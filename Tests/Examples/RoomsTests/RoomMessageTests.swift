import Foundation
import FramedJSON
import FramedTransport
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
    room: room, player: ada, secret: "0123456789abcdef0123456789abcdef", returnLimit: .seconds(60), rules: rules)

  /// Everything that a host tells.
  static let events: [RoomEvent] = [
    .joined(bob), .left(bob), .away(bob), .back(bob), .missing(2),
    .round(Match.Deal(number: 3, hand: hand, remaining: .milliseconds(99_500))),
    .round(Match.Deal(number: 3, hand: hand, remaining: .seconds(3_600), isLimited: false)),
    .hint(.lastOperation(.over), cost: 2),
    .hint(.firstStep(try! TwentyFour.Expression("5-2")), cost: 2),
    .hint(.lastStep(Rational(8), .over, try! Rational(1, over: 3)), cost: 0),
    .answer(ada, time: .milliseconds(12_340)),
    .refused(RoomReason(.wrongValue, "That is 22, not 24.")),
    .standings(standings), .standings([]),
    .roundEnded(Match.RoundResult(number: 3, hand: hand, solution: solution, standings: standings, pause: .seconds(10))),
    .roundEnded(Match.RoundResult(number: 3, hand: hand, solution: solution, standings: [], pause: nil)),
    .matchEnded, .matchBegan(number: 2),
    .closed(RoomReason(RoomReason.Code(rawValue: "someNewCode"), "")),
  ]

  static let all: [RoomMessage] =
    [
      .hello(.init(name: "Bob")),
      .hello(.init(name: "Bob", seat: welcome.seatProof, invitation: Data([1, 2]), players: 2...16, spectates: true)),
      .hello(.init(name: "Bob", place: "TwentyFour · match 12-3f9a")),
      .hello(.init(name: "Bob", room: room)),
      .look(.init()), .look(.init(admission: "abc", name: "Bob", spectates: true)),
      .room(.init(room: room, title: RoomTitle(name: "Ada's game", host: "Ada"), admits: true)),
      .room(.init(room: room, title: RoomTitle(name: "TwentyFour"), admits: false)),
      .welcome(welcome),
      .welcome(
        .init(
          room: room, player: nil, returnLimit: .zero,
          rules: RoomRules(Match.Rules(roundDuration: .seconds(5), pause: .seconds(1), rounds: 3)))),
      .welcome(.init(room: room, player: ada, returnLimit: .zero, rules: RoomRules(Match.Rules(time: .unlimited)))),
      .welcome(.init(room: room, player: ada, returnLimit: .zero, rules: RoomRules(Match.Rules(time: .double)))),
      .act(round: 3, .answer("8×9/(5−2)")), .act(round: 3, .giveUp), .act(round: 3, .hint), .leaving, .ping, .pong,
      .unknown(kind: "dance"),
      .approval(within: .seconds(60)),
    ] + events.map { .event($0) }

  @Test(arguments: all)
  func `reads back what it writes`(message: RoomMessage) throws {
    #expect(try RoomMessage.codec.decode(try RoomMessage.codec.encode(message)) == message)
  }

  @Test(
    arguments: [
      (.hello(.init(name: "Bob")), #"{"kind":"hello","name":"Bob","version":3}"#),
      (
        .hello(.init(name: "Bob", seat: welcome.seatProof, invitation: Data([1, 2]), players: 2...16, spectates: true)),
        #"{"invitation":"AQI=","kind":"hello","name":"Bob","players":[2,16],"seat":{"player":1,"#
          + #""proof":"RtL73eaY0lLLtsQw+BuL233PHr8YeA5/4XLwskcRGO0=","room":"6ba7b810-9dad-11d1-80b4-00c04fd430c8"},"version":3,"watch":true}"#
      ),
      (.act(round: 3, .answer("8/2")), #"{"action":{"answer":{"expression":"8/2"}},"kind":"act","number":3}"#),
      (.approval(within: .seconds(60)), #"{"kind":"approval","seconds":60}"#),
      (.act(round: 3, .hint), #"{"action":{"hint":{}},"kind":"act","number":3}"#),
      (.leaving, #"{"kind":"leaving"}"#),
      (
        .welcome(welcome),
        #"{"kind":"welcome","player":{"id":1,"name":"Ada"},"returnSeconds":60,"room":"6ba7b810-9dad-11d1-80b4-00c04fd430c8","#
          + #""rules":{"pauseSeconds":10,"roundSeconds":100},"#
          + #""secret":"0123456789abcdef0123456789abcdef","version":3}"#
      ),
      (.event(.away(ada)), #"{"kind":"away","player":{"id":1,"name":"Ada"}}"#),
      (.event(.closed(RoomReason(.full, "No."))), #"{"code":"full","kind":"closed","text":"No."}"#),
      (
        .event(.hint(.lastStep(Rational(8), .over, try! Rational(1, over: 3)), cost: 2)),
        #"{"cost":2,"kind":"hint","left":"8","operation":"/","right":"1/3","step":3}"#
      ),
      (
        .event(.standings([standings[6]])),
        #"{"kind":"standings","standings":[{"away":true,"best":12.34,"hints":3,"player":{"id":2,"name":"Bob \"the\" 李"},"#
          + #""points":5,"status":"guessing"}]}"#
      ),
      (
        .event(.round(Match.Deal(number: 3, hand: hand, remaining: .milliseconds(99_500)))),
        #"{"hand":[8,9,2,5],"kind":"round","number":3,"seconds":99.5}"#
      ),
    ] as [(RoomMessage, String)])
  func `stands on the wire as documented`(message: RoomMessage, json: String) throws {
    #expect(String(validating: try RoomMessage.codec.encode(message), as: UTF8.self) == json)
  }

  @Test func `events stand there as in a record, but for three names, and the numbers in standings`() throws {
    let encoder = JSONEncoder()
    for event in Self.events {
      let message = try JSONSerialization.jsonObject(with: Data(try RoomMessage.codec.encode(.event(event))))
      let record = try JSONSerialization.jsonObject(with: try encoder.encode(event))
      #expect(try named(message) == named(record))
      guard let lines = (record as? [String: Any])?["standings"] as? [[String: Any]] else { continue }
      #expect(lines.allSatisfy { $0["number"] is Int })
    }
  }

  /// The names of all fields, with those of a record instead of those of a message, and players by name.
  private func named(_ value: Any) throws -> [String] {
    switch value {
    case let fields as [String: Any]:
      if let name = fields["name"] as? String, fields["id"] != nil { return [name] }
      let fields = fields.filter { $0.key != "number" || fields["status"] == nil }
      return try fields.map { (["kind": "event", "code": "reason"][$0.key] ?? $0.key, $0.value) }.sorted { $0.0 < $1.0 }
        .flatMap { [$0.0] + (try named($0.1)) }
    case let values as [Any]: return try values.flatMap(named)
    default: return ["\(value)"]
    }
  }

  @Test func `of another version's hello only the version is read`() throws {
    for rest in ["", #","name":7,"players":{"min":1,"max":2}"#] {
      #expect(try decode(#"{"kind":"hello","version":1\#(rest)}"#) == .hello(.init(version: 1, name: "")))
    }
  }

  @Test func `ignores fields it does not know, and their depth`() throws {
    let deep = String(repeating: "[", count: 60) + String(repeating: "]", count: 60)
    #expect(try decode(#" {"x":{"y":[1,null]},"kind":"leaving","seconds":"not for leaving","z":\#(deep)} "#) == .leaving)
    #expect(try decode(#"{"kind":"dance","player":7}"#) == .unknown(kind: "dance"))
    #expect(try decode(#"{"kind":"act","number":1,"action":{"cheer":{}}}"#) == .unknown(kind: "act"))
    // What no host tells.
    for kind in ["open", "reconnecting", "resumed"] { #expect(try decode(#"{"kind":"\#(kind)"}"#) == .unknown(kind: kind)) }
  }

  @Test(
    arguments: [
      ("", nil), ("{", nil), ("[]", nil), ("7", nil), ("null", nil), (#""leaving""#, nil), (#"{"kind":"leaving"} x"#, nil),
      ("{}", "kind"), (#"{"kind":7}"#, "kind"), (#"{"kind":null}"#, "kind"),
      (#"{"kind":"hello"}"#, "version"), (#"{"kind":"hello","version":3}"#, "name"),
      (#"{"kind":"hello","version":"2","name":"Bob"}"#, "version"), (#"{"kind":"hello","version":1.5,"name":"Bob"}"#, nil),
      (#"{"kind":"hello","version":3,"name":["Bob"]}"#, "name"),
      (#"{"kind":"hello","version":3,"name":"A","seat":7}"#, "seat"),
      (#"{"kind":"hello","version":3,"name":"A","players":[3,2]}"#, "players"),
      (#"{"kind":"hello","version":3,"name":"A","players":[1]}"#, "players[1]"),
      (#"{"kind":"hello","version":3,"name":"A","watch":"yes"}"#, "watch"),
      (#"{"kind":"act","action":{"hint":{}}}"#, "number"),
      (#"{"kind":"round","number":-1,"hand":[1,2,3,4],"seconds":5}"#, "number"),
      (#"{"kind":"round","number":1,"hand":[1,2,3],"seconds":5}"#, "hand"),
      (#"{"kind":"round","number":1,"hand":[1,2,3,10],"seconds":5}"#, "hand"),
      (#"{"kind":"round","number":1,"hand":[1,2,3,"4"],"seconds":5}"#, "hand[3]"),
      (#"{"kind":"round","number":1,"hand":[1,2,3,4],"seconds":-5}"#, "seconds"),
      (#"{"kind":"round","number":1,"hand":[1,2,3,4],"seconds":1e300}"#, "seconds"),
      (#"{"kind":"round","number":1,"hand":[1,2,3,4],"seconds":1e999}"#, nil),
      (#"{"kind":"joined","player":{"id":1}}"#, "player.name"), (#"{"kind":"joined"}"#, "player"),
      (#"{"kind":"joined","player":{"id":1,"name":"a\u0007"}}"#, "player.name"),
      (#"{"kind":"joined","player":{"id":1,"name":"\u202Ea"}}"#, "player.name"),
      (#"{"kind":"welcome","version":3,"room":"x","returnSeconds":1,"rules":{"roundSeconds":1,"pauseSeconds":1}}"#, "room"),
      (
        #"{"kind":"welcome","version":3,"room":"6ba7b810-9dad-11d1-80b4-00c04fd430c8","returnSeconds":1,"#
          + #""rules":{"roundSeconds":0,"pauseSeconds":1}}"#, "rules"
      ),
      (#"{"kind":"standings","standings":[{"player":{"id":1,"name":"A"},"status":"solved","points":1}]}"#, "status"),
      (#"{"kind":"standings","standings":[{"player":{"id":1,"name":"A"},"status":"asleep","points":1}]}"#, "status"),
      (#"{"kind":"standings","standings":[{"player":{"id":1,"name":"A"},"status":"waiting","points":-1}]}"#, "points"),
      (#"{"kind":"standings","standings":[{"player":{"id":1,"name":"A"},"status":"waiting","points":1,"hints":-1}]}"#, "hints"),
      (#"{"kind":"standings","standings":[7]}"#, "standings[0]"), (#"{"kind":"missing","count":-1}"#, "count"),
      (#"{"kind":"hint","cost":-1,"step":1,"operation":"+"}"#, "cost"), (#"{"kind":"hint","cost":2,"step":4}"#, "step"),
      (#"{"kind":"hint","cost":2,"step":1}"#, "operation"),
      (#"{"kind":"hint","cost":2,"step":1,"operation":"++"}"#, "operation"),
      (#"{"kind":"hint","cost":2,"step":2,"expression":"("}"#, "expression"),
      (#"{"kind":"hint","cost":2,"step":3,"left":"1/0","operation":"+","right":"1"}"#, "left"),
      (#"{"kind":"hint","cost":2,"step":3,"left":"1","operation":"+","right":"1/2/3"}"#, "right"),
      (#"{"kind":"roundEnded","number":1,"hand":[1,2,3,4],"solution":"(","standings":[]}"#, "solution"),
      (#"{"kind":"closed","code":"x","text":"\#(String(repeating: "x", count: 1001))"}"#, "text"),
      (#"{"kind":"closed","code":"\#(String(repeating: "x", count: 65))","text":""}"#, "code"),
    ] as [(String, String?)])
  func `says where it is wrong what it cannot read`(json: String, field: String?) {
    let error = #expect(throws: MessageError.self) { try decode(json) }
    #expect(error?.field == field)
  }

  @Test func `is bounded in depth and number`() throws {
    #expect(throws: MessageError.self) { try decode(String(repeating: "[", count: 65_536)) }
    #expect(throws: MessageError.self) { try decode(String(repeating: #"{"kind":"#, count: 8_000)) }
    let line = #"{"player":{"id":1,"name":"A"},"status":"waiting","points":1}"#
    func standings(_ count: Int) -> String {
      #"{"kind":"standings","standings":[\#(Array(repeating: line, count: count).joined(separator: ","))]}"#
    }
    #expect(try RoomMessage.codec.encode(try decode(standings(Match.Rules.playerLimit))).count < 65_536)
    #expect(throws: MessageError.self) { try decode(standings(Match.Rules.playerLimit + 1)) }
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
    #expect(try RoomMessage.codec.encode(.event(.roundEnded(result))).count < RoomMessage.format.maximumBodySize)
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `any mutilated message is read or refused`(seed: UInt64) throws {
    var random = TwentyFour.SeededGenerator(seed: seed)
    var read = 0
    for _ in 0..<300 {
      var body = try RoomMessage.codec.encode(try #require(Self.all.randomElement(using: &random)))
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
      if let message = try? RoomMessage.codec.decode(body) {
        if case .unknown = message { continue }
        #expect(try RoomMessage.codec.decode(try RoomMessage.codec.encode(message)) == message, "seed \(seed)")
        read += 1
      }
    }
    #expect(read > 0, "seed \(seed)")
  }

  private func decode(_ json: String) throws -> RoomMessage { try RoomMessage.codec.decode(Array(json.utf8)) }
}
