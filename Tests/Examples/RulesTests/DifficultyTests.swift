import Testing
import TwentyFour

struct DifficultyTests {
  private static let hands: [Hand] = {
    let digits = Digit.allCases
    var hands: [Hand] = []
    for first in digits {
      for second in digits where second >= first {
        for third in digits where third >= second {
          for fourth in digits where fourth >= third { hands.append(Hand(first, second, third, fourth)) }
        }
      }
    }
    return hands
  }()

  @Test func `tells the hands apart by their solutions`() {
    var counts: [Hand.Difficulty?: Int] = [:]
    for hand in Self.hands { counts[hand.difficulty, default: 0] += 1 }
    #expect(counts == [.easy: 150, .medium: 159, .hard: 95, nil: 91])
  }

  @Test(
    arguments: [
      // Two solutions, both of which need fractions.
      ([1, 4, 5, 6], .hard), ([8, 8, 3, 3], .hard), ([1, 5, 5, 5], .hard),
      // A single one, of whole numbers.
      ([1, 1, 2, 7], .hard),
      ([1, 1, 1, 1], nil), ([2, 4, 6, 3], .easy), ([4, 4, 4, 9], .medium),
    ] as [([Int], Hand.Difficulty?)])
  func `needs no fractions only where an order of calculating avoids them`(numbers: [Int], difficulty: Hand.Difficulty?) throws
  {
    #expect(try Hand(numbers).difficulty == difficulty)
  }

  @Test(arguments: Hand.Difficulty.allCases)
  func `a match deals what was agreed upon`(difficulty: Hand.Difficulty) throws {
    var room = TestMatch(Match.Rules(difficulty: difficulty))
    var deal = try #require(try room.join(TestMatch.ada, "Ada").deal)
    for round in 1...5 {
      #expect(deal.hand.difficulty == difficulty)
      room.handle(.act(TestMatch.ada, round: round, .giveUp))
      deal = try #require(try room.passToDeadline().deal)
    }
  }

  @Test func `any difficulty deals what no difficulty deals`() {
    var generator = SeededGenerator(seed: 24)
    var same = SeededGenerator(seed: 24)
    for _ in 0..<10 { #expect(Hand.random(difficulty: nil, using: &generator) == Hand.random(using: &same)) }
  }
}
