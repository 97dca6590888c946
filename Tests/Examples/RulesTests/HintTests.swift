import Testing
import TwentyFour

struct HintTests {
  private let ada = TestMatch.ada
  private let bob = TestMatch.bob

  @Test func `each gives away a little more of the same solution`() throws {
    #expect(
      try Hint.hints(to: Hand(.eight, .three, .eight, .three)) == [
        .lastOperation(.over), .firstStep(Expression("8/3")), .lastStep(Rational(8), .over, Rational(1, over: 3)),
      ])
    #expect(Hint.hints(to: Hand(.one, .one, .one, .one)) == [])
  }

  @Test(arguments: 1...200 as ClosedRange<UInt64>)
  func `to whatever hand, they are true`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let hand = Hand.random(using: &generator)
    let solution = try #require(Solver.firstSolution(of: hand))
    let hints = Hint.hints(to: hand)
    #expect(hints.map(\.step) == [1, 2, 3])
    guard case .lastOperation(let last) = hints[0], case .firstStep(let first) = hints[1],
      case .lastStep(let left, last, let right) = hints[2], case .binary(last, let leftPart, let rightPart) = solution
    else {
      Issue.record("seed \(seed): \(hints) to \(solution)")
      return
    }
    #expect(try (leftPart.value, rightPart.value) == (left, right), "seed \(seed)")
    // Two digits of the hand, which stand together in the solution.
    #expect(first.digits.count == 2, "seed \(seed)")
    #expect(solution.contains(first), "seed \(seed)")
  }

  @Test func `each costs two points of what the round brings, and one is left`() throws {
    for (hints, points) in [(0, 20), (1, 18), (2, 16), (3, 14)] {
      var room = TestMatch()
      let hand = try #require(try room.join(ada, "Ada").deal).hand
      for _ in 0..<hints { room.handle(.act(ada, round: 1, .hint)) }
      #expect(room.match.standings.map(\.hints) == [hints])
      _ = try room.solve(ada, hand)
      #expect(room.points == ["Ada": points])
    }
    var room = TestMatch(Match.Rules(hintCost: .max))
    let hand = try #require(try room.join(ada, "Ada").deal).hand
    room.handle(.act(ada, round: 1, .hint))
    _ = try room.solve(ada, hand)
    #expect(room.points == ["Ada": 1])
  }

  @Test func `are sent to the player who asked, and the others see their number`() throws {
    var room = TestMatch()
    let hand = try #require(try room.join(ada, "Ada").deal).hand
    try room.join(bob, "Bob")
    for hint in Hint.hints(to: hand) {
      #expect(room.handle(.act(ada, round: 1, .hint)) == [.hinted(hint, to: ada), .standings(room.match.standings)])
    }
    #expect(room.handle(.act(ada, round: 1, .hint)) == [.refused(ada, .noMoreHints)])
    #expect(room.match.standings.map(\.hints) == [3, 0])
    // They are the same for everyone, and forgotten in the next round.
    #expect(room.handle(.act(bob, round: 1, .hint)).first == .hinted(Hint.hints(to: hand)[0], to: bob))
    for id in [ada, bob] { room.handle(.act(id, round: 1, .giveUp)) }
    _ = try room.passToDeadline()
    #expect(room.match.standings.map(\.hints) == [0, 0])
  }

  @Test func `are for guessing players`() throws {
    var room = TestMatch()
    let hand = try #require(try room.join(ada, "Ada").deal).hand
    try room.join(bob, "Bob")
    try room.join(TestMatch.cy, "Cy", after: .seconds(80))
    #expect(room.handle(.act(ada, round: 2, .hint)) == [.refused(ada, .noSuchRound)])
    _ = try room.solve(ada, hand)
    room.handle(.act(bob, round: 1, .giveUp))
    #expect(room.handle(.act(ada, round: 1, .hint)) == [.refused(ada, .noSuchRound)])
    room = TestMatch()
    let other = try #require(try room.join(ada, "Ada").deal).hand
    try room.join(bob, "Bob")
    try room.join(TestMatch.cy, "Cy", after: .seconds(80))
    _ = try room.solve(ada, other)
    #expect(room.handle(.act(ada, round: 1, .hint)) == [.refused(ada, .alreadySolved)])
    #expect(room.handle(.act(TestMatch.cy, round: 1, .hint)) == [.refused(TestMatch.cy, .waiting)])
    #expect(room.handle(.act(PlayerID(rawValue: 9), round: 1, .hint)) == [])
    for refusal in [Match.Refusal.noMoreHints, .waiting] { #expect(refusal.description.hasSuffix(".")) }
  }

  @Test func `the fastest solution is remembered over the rounds`() throws {
    var room = TestMatch()
    var hand = try #require(try room.join(ada, "Ada").deal).hand
    for (seconds, best) in [(30, 30), (12, 12), (40, 12)] {
      _ = try room.solve(ada, hand, after: .seconds(seconds))
      #expect(room.match.standings.map(\.best) == [.seconds(best)])
      hand = try #require(try room.passToDeadline().deal).hand
    }
    #expect(room.match.standings.map(\.best) == [.seconds(12)])
  }
}

extension Expression {
  /// Whether a calculation stands in this one.
  fileprivate func contains(_ other: Expression) -> Bool {
    if self == other { return true }
    switch self {
    case .digit: return false
    case .binary(_, let left, let right): return left.contains(other) || right.contains(other)
    }
  }
}
