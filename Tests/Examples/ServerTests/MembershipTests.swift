import Rooms
import Testing
import TwentyFour

@testable import MatchServer

/// What a server takes, suspends, adopts and gives back.
struct MembershipTests {
  /// A server with this many running matches of two players.
  private func server(matches: Int) -> TestMember {
    var member = TestMember(matches: max(matches, 1), rules: Self.rules)
    for number in 0..<matches { _ = member.begin("Ada \(number)", "Bob \(number)") }
    return member
  }

  private static let rules = Match.Rules(pause: .seconds(2), rounds: 9, minimumPlayers: 2, maximumPlayers: 2)

  // MARK: - Adopting

  @Test func `orphans are taken for the places that there are, however late the store answers`() throws {
    let one = server(matches: 6)
    #expect(one.orphans.count == 6)
    var other = TestMember(seed: 25, matches: 1, rules: Self.rules)
    for (room, match) in one.orphans { other.handle(.orphaned(room, match)) }
    let first = one.orphans[0].room
    #expect(other.asked.filter { if case .take = $0 { true } else { false } } == [.take(first)])
    #expect(other.count { if case .ignore = $0 { true } else { false } } == 5)
    // Only one place, and it is kept.
    let applicant = other.server.enter("Cy")
    #expect(other.server.reason(applicant) == .full)
    other.handle(.owned(first, stored: 0))
    other.pass(.seconds(3))
    #expect(other.told.filter { if case .adopted = $0 { true } else { false } }.count == 1)
    #expect(other.server.machine.overview.map(\.players.count) == [2])
    #expect(other.count { if case .remove = $0 { true } else { false } } == 0)
  }

  @Test func `an orphan without a place is tried again when there is one`() throws {
    let one = server(matches: 2)
    var other = TestMember(seed: 25, matches: 1, rules: Self.rules)
    let own = other.begin("Cy", "Dan")
    for (room, match) in one.orphans { other.handle(.orphaned(room, match)) }
    other.pass(.seconds(2))
    #expect(other.asked == one.orphans.map { .ignore($0.room) })
    for player in own { other.server.leave(player) }
    other.pass(.seconds(1))
    // Both: others may have taken one of them.
    #expect(other.asked.suffix(2) == one.orphans.map { .reconsider($0.room) })
    other.handle(.orphaned(one.orphans[0].room, one.orphans[0].match))
    #expect(other.asked.last == .take(one.orphans[0].room))
    other.handle(.orphaned(one.orphans[1].room, one.orphans[1].match))
    // The other one waits again.
    #expect(other.asked.last == .ignore(one.orphans[1].room))
    other.handle(.lost(one.orphans[0].room))
    other.pass(.seconds(2))
    #expect(other.asked.last == .reconsider(one.orphans[1].room))
  }

  @Test func `what cannot be adopted is released for others`() throws {
    // It has not begun, so a server that drains would end it.
    var one = TestMember(rules: Self.rules)
    one.server.enter("Ada")
    one.survey()
    let (room, match) = try #require(one.orphans.first)
    var other = TestMember(seed: 25, rules: Self.rules)
    _ = other.begin("Cy", "Dan")
    other.handle(.orphaned(room, match))
    other.server.handle(.command(.drain))
    other.handle(.owned(room, stored: 0))
    #expect(other.asked == [.take(room), .release(room)])
    #expect(other.told.last == .released(try #require(match.match?.name)))
    #expect(other.server.machine.overview.count == 1)
    other.pass(.seconds(5))
    #expect(other.asked.count == 2)
  }

  @Test func `a server that drains gives back what it was about to take`() throws {
    let one = server(matches: 1)
    var other = TestMember(seed: 25, rules: Self.rules)
    other.handle(.orphaned(one.orphans[0].room, one.orphans[0].match))
    other.server.handle(.command(.drain))
    #expect(!other.server.isClosed)
    other.survey()
    #expect(other.asked == [.take(one.orphans[0].room), .release(one.orphans[0].room)])
    #expect(other.server.isClosed)
    // The answer was under way.
    other.handle(.owned(one.orphans[0].room, stored: 0))
    #expect(other.asked.last == .release(one.orphans[0].room))
  }

  @Test func `a match comes back from a server that went on with an older state`() throws {
    var one = server(matches: 1)
    let (room, match) = one.orphans[0]
    one.confirms = false
    one.pass(.seconds(3))
    #expect(try #require(one.put[room]).serial > match.serial + 1)
    one.handle(.doubtful(room))
    one.handle(.lost(room))
    // Another server had the last state that was stored, and wrote once.
    let next = StoredMatch(serial: match.serial + 1, publisher: 7, match: match.match)
    one.handle(.orphaned(room, next))
    #expect(one.asked == [.take(room)])
  }

  @Test func `a match that cannot go on here at all is not tried again`() throws {
    let one = server(matches: 1)
    var other = TestMember(seed: 25, rules: Self.rules)
    _ = other.begin("Cy", "Dan")
    let (room, match) = one.orphans[0]
    // A match of this name is here.
    let name = try #require(other.orphans[0].match.match?.name)
    let renamed = StoredMatch(serial: 1, publisher: 2, match: match.match.map { CarriedMatch(name: name, room: $0.room) })
    other.handle(.orphaned(room, renamed))
    other.pass(.seconds(3))
    #expect(other.asked == [.ignore(room)])
  }

  // MARK: - Suspending

  @Test func `the place of a suspended match is kept`() throws {
    var member = TestMember(matches: 1, rules: Self.rules)
    let players = member.begin("Ada", "Bob")
    let room = try #require(member.orphans.first?.room)
    try member.server.solve(players[0])
    member.survey()
    member.handle(.doubtful(room))
    #expect(member.server.closed.isSuperset(of: players))
    for name in ["Cy", "Dan"] {
      let applicant = member.server.enter(name)
      #expect(member.server.reason(applicant) == .full)
    }
    member.handle(.owned(room, stored: member.put[room]!.serial))
    let back = member.server.enter("Ada", seat: member.server.welcome(players[0])?.seatProof)
    #expect(member.server.points(back) == 20)
    #expect(member.asked.isEmpty)
    #expect(member.told.map { if case .resumed = $0 { true } else { false } } == [false, true])
  }

  @Test func `a server that drains waits for its suspended matches`() throws {
    var member = server(matches: 1)
    let room = member.orphans[0].room
    member.handle(.doubtful(room))
    member.server.handle(.command(.drain))
    member.pass(.seconds(5))
    #expect(!member.server.isClosed)
    var lost = member
    lost.handle(.lost(room))
    #expect(lost.server.isClosed)
    // It goes on here, until its players have gone.
    member.handle(.owned(room, stored: member.put[room]!.serial))
    #expect(member.server.machine.overview.count == 1 && !member.server.isClosed)
    member.pass(.seconds(65))
    #expect(member.server.isClosed)
    #expect(member.asked == [.remove(room)])
  }

  @Test func `a suspended match that cannot go on is released`() throws {
    var member = TestMember(rules: Self.rules)
    member.server.enter("Ada")
    member.survey()
    let room = try #require(member.orphans.first?.room)
    member.handle(.doubtful(room))
    member.server.handle(.command(.drain))
    member.handle(.owned(room, stored: member.put[room]!.serial))
    member.survey()
    #expect(member.asked == [.release(room)])
    #expect(member.server.isClosed)
  }

  @Test func `a suspended match that nobody looks for any more is left to others`() throws {
    var member = server(matches: 1)
    let room = member.orphans[0].room
    member.handle(.doubtful(room))
    member.pass(.seconds(119))
    #expect(member.asked.isEmpty)
    member.pass(.seconds(2))
    #expect(member.asked == [.release(room)])
    #expect(member.server.machine.freePlaces == 1)
  }

  @Test func `a server that ends leaves its suspended matches to others`() throws {
    var member = server(matches: 2)
    let room = member.orphans[0].room
    member.handle(.doubtful(room))
    member.handle(.ends)
    member.survey()
    #expect(member.membership.isSettled)
    #expect(member.asked.isEmpty)
  }

  @Test func `a match is removed only when its end is stored`() throws {
    var member = server(matches: 1)
    let room = member.orphans[0].room
    member.confirms = false
    member.server.handle(.command(.closeMatch(MatchNumber(rawValue: 1))))
    member.survey()
    let end = try #require(member.put[room])
    #expect(end.match == nil)
    member.handle(.owned(room, stored: end.serial - 1))
    #expect(member.asked.isEmpty)
    member.handle(.owned(room, stored: end.serial))
    #expect(member.asked == [.remove(room)])
    #expect(member.recorded.last == .closed(.hostLeft))
  }

  // MARK: - Results

  private func rounds(_ events: [RoomEvent]) -> [Match.RoundResult] {
    events.compactMap { if case .roundEnded(let result) = $0 { result } else { nil } }
  }

  @Test func `a round that a dead server may not have recorded is recorded by who goes on with the match`() throws {
    var one = TestMember(rules: Self.rules)
    let players = one.begin("Ada", "Bob")
    one.confirms = false
    for player in players { try one.server.solve(player) }
    one.survey()
    // It was stored, and the answer never came.
    let (room, match) = one.orphans[0]
    #expect(rounds(one.recorded).isEmpty)

    var two = TestMember(seed: 25, rules: Self.rules)
    two.handle(.orphaned(room, match))
    two.handle(.owned(room, stored: 0))
    two.survey()
    let results = rounds(two.recorded)
    #expect(results.map(\.number) == [1])
    #expect(results[0].standings.map(\.points) == [20, 20] && results[0].standings.allSatisfy { $0.time != nil })
    two.pass(.seconds(1))

    // Whoever goes on from here knows that it is recorded.
    var three = TestMember(seed: 26, rules: Self.rules)
    three.handle(.orphaned(room, two.orphans[0].match))
    three.handle(.owned(room, stored: 0))
    three.survey()
    #expect(rounds(three.recorded).isEmpty)
  }

  @Test func `a round whose time is over while its match is suspended is told, and recorded, once`() throws {
    var member = TestMember(rules: Self.rules)
    let players = member.begin("Ada", "Bob")
    let room = try #require(member.orphans.first?.room)
    try member.server.solve(players[0])
    member.survey()
    // The clock has moved on, and nobody has looked at it.
    member.server.now += .seconds(300)
    member.handle(.doubtful(room))
    #expect(rounds(member.recorded).isEmpty && rounds(member.server.told(players[0])).isEmpty)
    member.handle(.owned(room, stored: member.put[room]!.serial))
    member.pass(.seconds(1))
    #expect(rounds(member.recorded).map(\.number) == [1])
  }

  @Test func `the end of a match is recorded before it is stored`() throws {
    var member = server(matches: 1)
    member.confirms = false
    member.server.handle(.command(.closeMatch(MatchNumber(rawValue: 1))))
    member.survey()
    #expect(member.recorded.last == .closed(.hostLeft))
    #expect(member.asked.isEmpty)
  }
}
