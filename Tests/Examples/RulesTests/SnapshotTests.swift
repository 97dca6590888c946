import Foundation
import Testing
import TwentyFour

/// Matches that are written down, and gone on with. That they go on the same is shown by the random evenings.
struct SnapshotTests {
  /// A match in its second round: Ada has points and a hint, Bob is away.
  private static let written = Result { () throws -> (room: TestMatch, json: String) in
    var room = TestMatch(Match.Rules(rounds: 5, difficulty: .easy))
    let hand = try #require(try room.join(TestMatch.ada, "Ada").deal).hand
    try room.join(TestMatch.bob, "Bob")
    _ = try room.solve(TestMatch.ada, hand, after: .seconds(10))
    room.handle(.act(TestMatch.bob, round: 1, .giveUp))
    _ = try room.passToDeadline()
    room.handle(.act(TestMatch.ada, round: 2, .hint), after: .seconds(5))
    room.handle(.lost(TestMatch.bob), after: .seconds(5))
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return (room, String(decoding: try encoder.encode(room.match.snapshot(at: room.now)), as: UTF8.self))
  }

  private func restore(_ json: String, at now: Duration) throws -> Match {
    try Match(
      restoring: try JSONDecoder().decode(Match.Snapshot.self, from: Data(json.utf8)),
      generator: SeededGenerator(seed: 25), at: now)
  }

  @Test func `time stands still in it`() throws {
    let (room, json) = try Self.written.get()
    var restored = try restore(json, at: .seconds(5))
    #expect(restored.rules == room.match.rules)
    #expect(restored.standings == room.match.standings)
    #expect(restored.deal(at: .seconds(5)) == room.match.deal(at: room.now))
    #expect(restored.deal(at: .seconds(5))?.remaining == .seconds(90))
    #expect(restored.nextDeadline == .seconds(65))
    #expect(restored.handle(.timePassed, at: .seconds(65)).first == .left(room.match.players[1]))
    #expect(restored.nextDeadline == .seconds(97))
  }

  @Test func `goes on with the running hand, and then with hands that it does not tell`() throws {
    let (room, json) = try Self.written.get()
    #expect(!json.contains("generator"))
    var room2 = room
    room2.match = try restore(json, at: room.now)
    var room1 = room
    #expect(room1.handle(.act(TestMatch.ada, round: 2, .giveUp)) == room2.handle(.act(TestMatch.ada, round: 2, .giveUp)))
    var next: (first: [Match.Effect], second: [Match.Effect]) = ([], [])
    for _ in 1...4 {
      next.first += try room1.passToDeadline()
      next.second += try room2.passToDeadline()
    }
    func hand(_ effects: [Match.Effect]) -> Hand? {
      for case .roundStarted(let deal) in effects { return deal.hand }
      return nil
    }
    #expect(hand(next.first) != nil && hand(next.second) != nil)
    #expect(hand(next.first) != hand(next.second))
  }

  @Test(
    arguments: [
      (#""roundNumber":2"#, #""roundNumber":-1"#), (#""roundNumber":2"#, #""roundNumber":0"#),
      (#""roundNumber":2"#, #""roundNumber":6"#), (#""rounds":5"#, #""rounds":0"#),
      (#""minimumPlayers":1"#, #""minimumPlayers":17"#), (#""maximumPlayers":16"#, #""maximumPlayers":129"#),
      (#""maximumPlayers":16"#, #""maximumPlayers":1"#), (#""hintCost":2"#, #""hintCost":-1"#),
      (#""elapsed":[0,10000000000000000000]"#, #""elapsed":[-1,0]"#),
      (#""elapsed":[0,10000000000000000000]"#, #""elapsed":[9223372036854775807,0]"#),
      (#""name":"Bob""#, #""name":"""#), (#""name":"Bob""#, #""name":"a\u0007""#), (#""name":"Bob""#, #""name":"ada""#),
      (#""id":2"#, #""id":1"#), (#""points":0"#, #""points":-1"#), (#""points":0"#, #""points":9223372036854775807"#),
      (#""hints":1"#, #""hints":4"#), (#""grace":[0,2000000000000000000]"#, #""grace":[-1,0]"#),
      (#""playing":{"elapsed":[0,10000000000000000000],"hand":"#, #""pausing":{"remaining":[0,1],"hand":"#),
    ])
  func `what no match can have been like is refused with the reason`(part: String, other: String) throws {
    let (_, json) = try Self.written.get()
    try #require(json.contains(part), "\(json)")
    let error = #expect(throws: Match.Snapshot.Invalid.self) {
      try restore(json.replacingOccurrences(of: part, with: other), at: .zero)
    }
    #expect(error?.description.isEmpty == false)
  }

  @Test(
    arguments: [
      // A million seconds, and one attosecond more.
      (
        #""elapsed":[0,10000000000000000000]"#, #""elapsed":[54210,2003764205206896640]"#,
        #""elapsed":[54210,2003764205206896641]"#
      ),
      (#""grace":[0,2000000000000000000]"#, #""grace":[0,0]"#, #""grace":[-1,18446744073709551615]"#),
      (#""rounds":5"#, #""rounds":2"#, #""rounds":1"#), (#","rounds":5"#, "", #","rounds":0"#),
      (#""maximumPlayers":16"#, #""maximumPlayers":2"#, #""maximumPlayers":1"#),
      (#""maximumPlayers":16"#, #""maximumPlayers":128"#, #""maximumPlayers":129"#),
      (#""minimumPlayers":1"#, #""minimumPlayers":16"#, #""minimumPlayers":0"#),
      (#""hintCost":2"#, #""hintCost":0"#, #""hintCost":-1"#),
      (#""points":0"#, #""points":1000000000"#, #""points":1000000001"#),
      (#""hints":1"#, #""hints":3"#, #""hints":-1"#),
    ])
  func `what is just possible is gone on with`(part: String, good: String, bad: String) throws {
    let (_, json) = try Self.written.get()
    try #require(json.contains(part), "\(json)")
    _ = try restore(json.replacingOccurrences(of: part, with: good), at: .zero)
    #expect(throws: Match.Snapshot.Invalid.self) { try restore(json.replacingOccurrences(of: part, with: bad), at: .zero) }
  }

  @Test func `no time in it is negative, or longer than a million seconds`() throws {
    // A pause after a round that Ada has solved.
    var room = TestMatch()
    let hand = try #require(try room.join(TestMatch.ada, "Ada").deal).hand
    try room.join(TestMatch.bob, "Bob")
    _ = try room.solve(TestMatch.ada, hand, after: .seconds(10))
    room.handle(.act(TestMatch.bob, round: 1, .giveUp))
    let pausing = String(decoding: try JSONEncoder().encode(room.match.snapshot(at: room.now)), as: UTF8.self)
    var names: Set<Substring> = []
    for json in [try Self.written.get().json, pausing] {
      for match in json.matches(of: /"(\w+)":(\[\d+,\d+\])/) {
        names.insert(match.output.1)
        let range = match.output.2.startIndex..<match.output.2.endIndex
        func restored(with time: String) -> Bool {
          (try? restore(json.replacingCharacters(in: range, with: time), at: .zero)) != nil
        }
        // A million seconds, and one attosecond more; one attosecond less than nothing.
        let times = ["[54210,2003764205206896640]", "[54210,2003764205206896641]", "[-1,18446744073709551615]"]
        #expect(times.map(restored(with:)) == [true, false, false], "\(match.output.1)")
      }
    }
    let rules: Set<Substring> = ["roundDuration", "grace", "pause", "gathering", "lateJoinThreshold", "returnLimit"]
    // The time of a solver has no name of its own.
    #expect(names == rules.union(["elapsed", "best", "kept", "remaining", "_0"]))
  }

  @Test(
    arguments: [
      (TestMatch.Moment.before, ["waiting", "pausing"], ["ended"]), (.between, ["pausing", "waiting", "ended"], []),
      (.after, ["over", "ended"], ["waiting", "pausing"]),
    ])
  func `a match is in a phase that it can be in`(moment: TestMatch.Moment, good: [String], bad: [String]) throws {
    var room = TestMatch(Match.Rules(rounds: 1 + (moment == .between ? 1 : 0), minimumPlayers: 2))
    try room.join(TestMatch.ada, "Ada")
    if moment != .before {
      try room.join(TestMatch.bob, "Bob")
      for player in [TestMatch.ada, TestMatch.bob] { room.handle(.act(player, round: 1, .giveUp)) }
    }
    let json = String(decoding: try JSONEncoder().encode(room.match.snapshot(at: room.now)), as: UTF8.self)
    let phase = try #require(json.firstMatch(of: /"phase":\{.*?\}\}/)?.output)
    func restore(_ name: String) throws {
      let fields = name == "pausing" ? #"{"remaining":[0,0]}"# : "{}"
      _ = try self.restore(json.replacing(phase, with: #""phase":{"\#(name)":\#(fields)}"#), at: .zero)
    }
    for name in good { #expect(throws: Never.self, "\(name)") { try restore(name) } }
    for name in bad { #expect(throws: Match.Snapshot.Invalid.self, "\(name)") { try restore(name) } }
  }

  @Test(arguments: ["[1,1,1,1]", "[1,2,3]", "[0,2,3,4]"])
  func `a hand that is never dealt is refused`(hand: String) throws {
    let (_, json) = try Self.written.get()
    let start = try #require(json.range(of: #""hand":["#)?.upperBound)
    let end = try #require(json[start...].firstIndex(of: "]"))
    let damaged = json[..<json.index(before: start)] + hand + json[json.index(after: end)...]
    #expect(throws: Match.Snapshot.Invalid.self) { try restore(String(damaged), at: .zero) }
  }

  @Test func `any mutilated snapshot is gone on with or refused`() throws {
    var played = 0
    for seed in 1...200 as ClosedRange<UInt64> where try isPlayable(mutilatedBy: seed) { played += 1 }
    #expect((10...180).contains(played))
  }

  /// Plays a mutilated snapshot to its end, and says whether it could be read at all.
  private func isPlayable(mutilatedBy seed: UInt64) throws -> Bool {
    var random = SeededGenerator(seed: seed)
    var json = Array(try Self.written.get().json.utf8)
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      let index = Int.random(in: 0..<json.count, using: &random)
      // Mostly other digits, which are read more often than what is no JSON.
      json[index] = try #require("0123456789-,\"ae".utf8.randomElement(using: &random))
    }
    guard let snapshot = try? JSONDecoder().decode(Match.Snapshot.self, from: Data(json)),
      var match = try? Match(restoring: snapshot, generator: random, at: .zero)
    else { return false }
    // Whatever was read can be played to its end.
    var now = Duration.zero
    for _ in 0..<200 {
      guard let deadline = match.nextDeadline else { break }
      now = max(now, deadline)
      _ = match.handle(.timePassed, at: now)
    }
    #expect(match.players.count <= match.rules.maximumPlayers, "seed \(seed)")
    #expect(match.isOver || match.nextDeadline == nil || match.rules.rounds.map { $0 > 5 } ?? true, "seed \(seed)")
    return true
  }
}
