import TestSupport
import Testing

@testable import Rooms

struct VacanciesTests {
  private func offer(_ size: ClosedRange<Int>, begun: Bool = false, _ players: Int) -> Vacancies.Offer {
    Vacancies.Offer(size: size, hasBegun: begun, players: players)
  }

  @Test func `first what has not begun, and of that what has most players`() {
    var vacancies = Vacancies()
    #expect(vacancies.match(for: 2...16) == nil)
    vacancies.set(1, to: offer(2...16, begun: true, 9))
    vacancies.set(2, to: offer(2...16, 1))
    vacancies.set(3, to: offer(2...16, 3))
    #expect(vacancies.match(for: 2...16) == 3)
    vacancies.set(3, to: offer(2...16, begun: true, 16))
    #expect(vacancies.match(for: 2...16) == 2)
    vacancies.set(2, to: nil)
    #expect(vacancies.match(for: 2...16) == 1)
    vacancies.set(1, to: nil)
    #expect(vacancies.isEmpty)
  }

  @Test func `a wish is kept: never with more, and never a beginning with fewer`() {
    var vacancies = Vacancies()
    vacancies.set(1, to: offer(2...16, 1))
    #expect(vacancies.match(for: 2...4) == nil)
    // It could begin with two.
    #expect(vacancies.match(for: 4...16) == nil)
    vacancies.set(1, to: offer(2...16, 3))
    #expect(vacancies.match(for: 4...16) == 1)
    vacancies.set(1, to: offer(6...8, 1))
    #expect(vacancies.match(for: 4...16) == 1)
    vacancies.set(1, to: offer(2...16, begun: true, 3))
    #expect(vacancies.match(for: 4...16) == 1)
    #expect(vacancies.match(for: 5...16) == nil)
  }

  @Test(arguments: 0..<5 as Range<UInt64>) func `it finds what looking at all finds`(seed: UInt64) {
    var generator = TestSupport.SeededGenerator(seed: seed)
    var vacancies = Vacancies()
    var model: [Int: Vacancies.Offer] = [:]
    func anySize() -> ClosedRange<Int> {
      let lower = Int.random(in: 1...4, using: &generator)
      return lower...Int.random(in: lower...6, using: &generator)
    }
    for _ in 0..<1_000 {
      let slot = Int.random(in: 0..<30, using: &generator)
      let size = anySize()
      let players = Int.random(in: 1...size.upperBound, using: &generator)
      let offer = Vacancies.Offer(size: size, hasBegun: Bool.random(using: &generator), players: players)
      let isGone = Int.random(in: 0..<3, using: &generator) == 0
      vacancies.set(slot, to: isGone ? nil : offer)
      model[slot] = isGone || players == size.upperBound ? nil : offer
      #expect(vacancies.isEmpty == model.isEmpty)
      let wish = anySize()
      let fitting = model.values.filter {
        $0.size.upperBound <= wish.upperBound
          && max($0.hasBegun ? 0 : $0.size.lowerBound, $0.players + 1) >= wish.lowerBound
      }
      let best = fitting.max { ($0.hasBegun ? 0 : 1, $0.players) < ($1.hasBegun ? 0 : 1, $1.players) }
      let found = vacancies.match(for: wish).flatMap { model[$0] }
      #expect(found?.hasBegun == best?.hasBegun)
      #expect(found?.players == best?.players)
      if let found { #expect(fitting.contains(found)) }
    }
  }
}
