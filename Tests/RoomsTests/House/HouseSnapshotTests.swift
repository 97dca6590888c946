import Foundation
import Rooms
import Testing
import TwentyFour

/// A house that is started anew.
struct HouseSnapshotTests {
  /// The house as another process has it that read what this one wrote.
  private func restart(_ house: inout TestHouse, matches: Int = 3) throws {
    let written = try JSONEncoder().encode(try #require(house.machine.snapshot(at: house.now)))
    house.handle(.suspend)
    #expect(house.isClosed)
    let read = try JSONDecoder().decode(HouseMachine.Snapshot.self, from: written)
    house.replace(try HouseMachine(restoring: read, matchLimit: matches, rules: TestHouse.rules, at: house.now))
  }

  @Test func `matches go on, and players come back to their seats, points and rounds`() throws {
    var house = TestHouse()
    let (ada, bob) = (house.enter("Ada"), house.enter("Bob"))
    let waiting = house.enter("Cy", players: 3...3)
    let rooms = [ada, waiting].map { house.room($0) }
    try house.solve(ada)
    house.pass(.seconds(30))
    try restart(&house)
    // Without a word, so that they come back.
    #expect(house.reason(ada) == nil && house.closed.contains(ada))
    house.handle(.open)
    #expect(house.machine.counts.players == 3)
    #expect(house.machine.counts.away == 3)
    #expect(house.machine.counts.gathering == 1)
    house.pass(.seconds(20))
    let bobAgain = house.enter("Bob", token: house.welcome(bob)?.token)
    #expect(house.deal(bobAgain)?.hand == house.deal(bob)?.hand)
    #expect(house.deal(bobAgain)?.remaining == .seconds(50))
    let adaAgain = house.enter("Ada", token: house.welcome(ada)?.token)
    let cyAgain = house.enter("Cy", token: house.welcome(waiting)?.token)
    #expect([adaAgain, cyAgain].map { house.room($0) } == rooms)
    #expect(house.points(adaAgain) == 20)
    #expect(house.machine.counts.away == 0)
    #expect(house.machine.overview.map(\.number) == [1, 2])
    // What is new is numbered on, and named apart.
    let dan = house.enter("Dan", players: 4...4)
    #expect(house.machine.overview.map(\.number) == [1, 2, 3])
    #expect(!rooms.contains(house.room(dan)))
  }

  @Test func `who does not come back is gone after the limit, and so is a match of nobody`() throws {
    var house = TestHouse()
    house.enter("Ada")
    house.enter("Bob")
    try restart(&house)
    house.handle(.open)
    house.pass(.seconds(61))
    #expect(house.machine.counts.matches == 0)
    #expect(house.machine.counts.players == 0)
  }

  @Test func `a house that is smaller now plays what it has to the end`() throws {
    var house = TestHouse()
    for number in 0..<12 { house.enter("Player \(number)") }
    #expect(house.machine.counts.matches == 3)
    try restart(&house, matches: 1)
    house.handle(.open)
    #expect(house.machine.counts.matches == 3)
  }

  @Test func `what no house can have been is refused`() throws {
    var house = TestHouse()
    house.enter("Ada")
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let written = try encoder.encode(try #require(house.machine.snapshot(at: house.now)))
    let text = String(decoding: written, as: UTF8.self)
    func restore(_ text: String) throws {
      let snapshot = try JSONDecoder().decode(HouseMachine.Snapshot.self, from: Data(text.utf8))
      _ = try HouseMachine(restoring: snapshot, matchLimit: 1, rules: TestHouse.rules, at: .zero)
    }
    try restore(text)
    for (part, other) in [
      ("\"lastNumber\":1", "\"lastNumber\":0"), ("\"number\":1", "\"number\":-1"), ("\"house\":\"", "\"house\":\"x"),
      ("\"format\":1,\"generator\"", "\"format\":2,\"generator\""),
    ] {
      let changed = text.replacing(part, with: other)
      #expect(changed != text, "\(part) is in \(text)")
      #expect(throws: (any Error).self) { try restore(changed) }
    }
  }
}
