import Foundation
import TestSupport
import Testing

@testable import TwentyFour

/// Hands that are not dealt twice.
struct DeckTests {
  /// The hands of the first rounds of a match, in which nobody has to be able to solve anything.
  private func hands(_ count: Int, difficulty: Hand.Difficulty? = nil, seed: UInt64 = 99) throws -> [Hand] {
    var room = TestMatch(Match.Rules(difficulty: difficulty), seed: seed)
    var deal = try #require(try room.join(TestMatch.ada, "Ada").deal)
    var hands = [deal.hand]
    while hands.count < count {
      room.handle(.act(TestMatch.ada, round: deal.number, .giveUp))
      deal = try #require(try room.passToDeadline().deal)
      hands.append(deal.hand)
    }
    return hands
  }

  @Test(arguments: seeds(1, of: 3)) func `no numbers are dealt twice before all have been dealt`(seed: UInt64) throws {
    let hands = try hands(406, seed: seed)
    #expect(Set(hands.prefix(404).map(\.sorted)).count == 404)
    #expect(hands[404].sorted != hands[403].sorted && hands[405].sorted != hands[404].sorted)
    #expect(Array(hands.prefix(20)) == (try self.hands(20, seed: seed)))
  }

  @Test func `nor those of one difficulty`() throws {
    let hands = try hands(97, difficulty: .hard)
    #expect(Set(hands.prefix(95).map(\.sorted)).count == 95 && hands.allSatisfy { $0.difficulty == .hard })
  }

  @Test func `another match goes on with the rest`() throws {
    var room = TestMatch(Match.Rules(pause: .zero, rounds: 5), seed: 99)
    room.match.staysOpen = true
    var dealt: [[Digit]] = []
    _ = try room.join(TestMatch.ada, "Ada")
    for _ in 1...20 {
      for round in 1...5 {
        dealt.append(try #require(room.match.deal(at: room.now)).hand.sorted)
        room.handle(.act(TestMatch.ada, round: round, .giveUp))
        if round < 5 { _ = try room.passToDeadline() }
      }
      room.handle(.again)
      _ = try room.passToDeadline()
    }
    #expect(dealt.count == 100 && Set(dealt).count == 100)
  }

  @Test func `a stored match does not deal again what it has dealt`() throws {
    var room = TestMatch(seed: 99)
    var dealt: [[Digit]] = []
    _ = try room.join(TestMatch.ada, "Ada")
    for round in 1...200 {
      dealt.append(try #require(room.match.deal(at: room.now)).hand.sorted)
      room.handle(.act(TestMatch.ada, round: round, .giveUp))
      if round % 20 == 0 {
        let json = try JSONEncoder().encode(room.match.snapshot(at: room.now))
        room.match = try Match(
          restoring: try JSONDecoder().decode(Match.Snapshot.self, from: json), generator: SeededGenerator(seed: 99),
          at: room.now)
      }
      _ = try room.passToDeadline()
    }
    #expect(Set(dealt).count == 200)
  }

  @Test func `a snapshot that has dealt a hand twice, or what is no hand, is refused`() throws {
    var room = TestMatch()
    _ = try room.join(TestMatch.ada, "Ada")
    for dealt in [[[3, 3, 8, 8], [3, 3, 8, 8]], [[3, 8, 3, 8], [3, 3, 8, 8]], [[0, 1, 2, 3]], [[1]]] {
      var snapshot = room.match.snapshot(at: room.now)
      snapshot.dealt = dealt
      #expect(throws: Match.Snapshot.Invalid.self) {
        try Match(restoring: snapshot, generator: SeededGenerator(seed: 1), at: room.now)
      }
    }
    // One of an earlier version.
    var snapshot = room.match.snapshot(at: room.now)
    snapshot.dealt = nil
    _ = try Match(restoring: snapshot, generator: SeededGenerator(seed: 1), at: room.now)
  }
}
