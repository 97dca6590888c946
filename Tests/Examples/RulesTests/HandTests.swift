import Testing
import TwentyFour

struct HandTests {
  @Test func `keeps the order of dealing and sorts on request`() throws {
    let hand = try Hand([8, 3, 8, 1])
    #expect(hand == Hand(.eight, .three, .eight, .one))
    #expect(hand.numbers == [8, 3, 8, 1])
    #expect(hand.sorted == [.one, .three, .eight, .eight])
    #expect(hand.description == "8 3 8 1")
  }

  @Test func `says what is wrong with numbers that are no hand`() {
    #expect(throws: Hand.Invalid.count(3)) { try Hand([1, 2, 3]) }
    #expect(throws: Hand.Invalid.count(5)) { try Hand([1, 2, 3, 4, 5]) }
    #expect(throws: Hand.Invalid.notADigit(0)) { try Hand([1, 2, 0, 4]) }
    #expect(throws: Hand.Invalid.notADigit(.min)) { try Hand([1, 2, 3, .min]) }
    #expect(Hand.Invalid.notADigit(10).description.contains("10"))
  }

  @Test func `deals only what can be solved, and the same for the same seed`() {
    var generator = SeededGenerator(seed: 24)
    var same = SeededGenerator(seed: 24)
    var seen: Set<Digit> = []
    for _ in 0..<100 {
      let hand = Hand.random(using: &generator)
      #expect(hand == Hand.random(using: &same))
      #expect(Solver.firstSolution(of: hand) != nil)
      seen.formUnion(hand.digits)
    }
    #expect(seen == Set(Digit.allCases))
    var other = SeededGenerator(seed: 25)
    #expect((0..<4).map { _ in Hand.random(using: &other) } != (0..<4).map { _ in Hand.random(using: &same) })
  }

  @Test func `the seeded generator is SplitMix64`() {
    // The first outputs for the seed 1234567 in the reference implementation.
    var generator = SeededGenerator(seed: 1_234_567)
    #expect(generator.next() == 6_457_827_717_110_365_317)
    #expect(generator.next() == 3_203_168_211_198_807_973)
  }
}
