import Rooms
import TestSupport
import Testing
import _BonjourishBase

@testable import MatchServer

struct OpenMatchIndexTests {
  private let rooms = (0..<30).map { _ in RoomID() }

  private func offer(_ size: ClosedRange<Int>, begun: Bool = false, _ players: Int) -> OpenMatchIndex.Offer {
    OpenMatchIndex.Offer(size: size, hasBegun: begun, players: players)
  }

  @Test func `first what has not begun, and of that what has most players`() {
    var index = OpenMatchIndex()
    #expect(index.match(for: 2...16) == nil)
    index.set(rooms[1], to: offer(2...16, begun: true, 9))
    index.set(rooms[2], to: offer(2...16, 1))
    index.set(rooms[3], to: offer(2...16, 3))
    #expect(index.match(for: 2...16) == rooms[3])
    index.set(rooms[3], to: offer(2...16, begun: true, 16))
    #expect(index.match(for: 2...16) == rooms[2])
    index.set(rooms[2], to: nil)
    #expect(index.match(for: 2...16) == rooms[1])
    index.set(rooms[1], to: nil)
    #expect(index.isEmpty)
  }

  @Test func `a wish is kept: never with more, and never a beginning with fewer`() {
    var index = OpenMatchIndex()
    index.set(rooms[1], to: offer(2...16, 1))
    #expect(index.match(for: 2...4) == nil)
    // It could begin with two.
    #expect(index.match(for: 4...16) == nil)
    index.set(rooms[1], to: offer(2...16, 3))
    #expect(index.match(for: 4...16) == rooms[1])
    index.set(rooms[1], to: offer(6...8, 1))
    #expect(index.match(for: 4...16) == rooms[1])
    index.set(rooms[1], to: offer(2...16, begun: true, 3))
    #expect(index.match(for: 4...16) == rooms[1])
    #expect(index.match(for: 5...16) == nil)
  }

  @Test(arguments: 0..<5 as Range<UInt64>) func `it finds what looking at all finds`(seed: UInt64) {
    var generator = _BonjourishBase.SeededGenerator(seed: seed)
    var index = OpenMatchIndex()
    var model: [RoomID: OpenMatchIndex.Offer] = [:]
    func anySize() -> ClosedRange<Int> {
      let lower = Int.random(in: 1...4, using: &generator)
      return lower...Int.random(in: lower...6, using: &generator)
    }
    for _ in 0..<1_000 {
      let room = rooms[Int.random(in: 0..<30, using: &generator)]
      let size = anySize()
      let players = Int.random(in: 1...size.upperBound, using: &generator)
      let offer = OpenMatchIndex.Offer(size: size, hasBegun: Bool.random(using: &generator), players: players)
      let isGone = Int.random(in: 0..<3, using: &generator) == 0
      index.set(room, to: isGone ? nil : offer)
      model[room] = isGone || players == size.upperBound ? nil : offer
      #expect(index.isEmpty == model.isEmpty)
      let wish = anySize()
      let fitting = model.values.filter {
        $0.size.upperBound <= wish.upperBound
          && max($0.hasBegun ? 0 : $0.size.lowerBound, $0.players + 1) >= wish.lowerBound
      }
      let best = fitting.max { ($0.hasBegun ? 0 : 1, $0.players) < ($1.hasBegun ? 0 : 1, $1.players) }
      let found = index.match(for: wish).flatMap { model[$0] }
      #expect(found?.hasBegun == best?.hasBegun)
      #expect(found?.players == best?.players)
      if let found { #expect(fitting.contains(found)) }
    }
  }
}
