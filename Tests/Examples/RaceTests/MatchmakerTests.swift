import TestSupport
import Testing
import _BonjourishBase

@testable import Race

struct MatchmakerTests {
  private func matchmaker(_ wishes: (String, Int, Int)..., gathering: Duration = .seconds(2)) throws -> Matchmaker {
    var matchmaker = Matchmaker(gathering: gathering)
    for (id, minimum, maximum) in wishes { matchmaker.add(id, try #require(PlayerRange(minimum, maximum))) }
    return matchmaker
  }

  @Test func `players wait a while for more when there are enough`() throws {
    var matchmaker = try matchmaker(("a", 2, 4))
    #expect(matchmaker.takeGroups(at: .seconds(1)) == [] && matchmaker.nextDeadline == nil)
    matchmaker.add("b", .any)
    #expect(matchmaker.takeGroups(at: .seconds(5)) == [] && matchmaker.nextDeadline == .seconds(7))
    matchmaker.add("c", .any)
    #expect(matchmaker.takeGroups(at: .seconds(6)) == [] && matchmaker.nextDeadline == .seconds(7))
    #expect(matchmaker.takeGroups(at: .seconds(7)) == [["a", "b", "c"]] && matchmaker.nextDeadline == nil)
    #expect(matchmaker.missing.isEmpty)
  }

  @Test func `a match that is full begins at once`() throws {
    var matchmaker = try matchmaker(("a", 2, 2), ("b", 2, 16))
    #expect(matchmaker.takeGroups(at: .zero) == [["a", "b"]])
  }

  @Test func `the wait begins again when a player leaves and there are not enough`() throws {
    var matchmaker = try matchmaker(("a", 2, 4), ("b", 2, 4))
    #expect(matchmaker.takeGroups(at: .zero) == [])
    matchmaker.remove("a")
    #expect(matchmaker.takeGroups(at: .seconds(1)) == [] && matchmaker.nextDeadline == nil)
    matchmaker.add("c", .any)
    #expect(matchmaker.takeGroups(at: .seconds(9)) == [] && matchmaker.nextDeadline == .seconds(11))
  }

  @Test func `a player who wants many does not hold up players who want few`() throws {
    var matchmaker = try matchmaker(("many", 5, 16), ("a", 2, 3), ("b", 2, 3), gathering: .zero)
    #expect(matchmaker.missing.map(\.count) == [4, 0, 0])
    #expect(matchmaker.takeGroups(at: .zero) == [["a", "b"]])
    #expect(matchmaker.missing.map(\.id) == ["many"])
  }

  @Test func `the earlier go before the later, and several matches begin at once`() throws {
    var matchmaker = Matchmaker(gathering: .zero)
    for number in 0..<35 { matchmaker.add("\(number)", .any) }
    let groups = matchmaker.takeGroups(at: .zero)
    #expect(groups.map(\.count) == [16, 16, 3] && groups.flatMap(\.self) == (0..<35).map(String.init))
  }

  @Test(arguments: 1...50) func `all players in a match wished for one of that size`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var matchmaker = Matchmaker(gathering: .seconds(1))
    var wishes: [String: PlayerRange] = [:]
    for step in 0..<200 {
      let minimum = generator.number(in: 1..<17)
      let range = try #require(PlayerRange(minimum, generator.number(in: minimum..<17)))
      wishes["\(step)"] = range
      matchmaker.add("\(step)", range)
      for group in matchmaker.takeGroups(at: .milliseconds(300 * step)) {
        #expect(Set(group).count == group.count && !group.isEmpty)
        for id in group {
          let range = try #require(wishes[id], "seed \(seed)")
          wishes[id] = nil
          #expect(range.contains(group.count), "seed \(seed)")
        }
      }
      #expect(Set(matchmaker.missing.map(\.id)) == Set(wishes.keys), "seed \(seed)")
      #expect(matchmaker.missing.allSatisfy { (0...16).contains($0.count) }, "seed \(seed)")
    }
  }
}
