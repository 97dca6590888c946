import Rooms
import Testing
import TwentyFour

@testable import MatchServer

/// A server that is cut off from its directory tells no points that would be undone.
struct HoldingTests {
  private static let rules = Match.Rules(pause: .seconds(2), rounds: 9, minimumPlayers: 2, maximumPlayers: 2)

  /// A match of two in its first round, stored two seconds ago, after which nothing is confirmed.
  private func cutOff() throws -> (member: TestMember, players: [ConnectionID], room: RoomID) {
    var member = TestMember(rules: Self.rules)
    let players = member.begin("Ada", "Bob")
    member.pass(.seconds(3))
    member.confirms = false
    return (member, players, try #require(member.orphans.first?.room))
  }

  private func rounds(_ member: TestMember, of player: ConnectionID) -> Int {
    member.server.told(player).count { if case .roundEnded = $0 { true } else { false } }
  }

  @Test func `no points are told when the last stored state is too old, and answers are kept`() throws {
    var (member, players, room) = try cutOff()
    member.pass(.seconds(3))
    #expect(member.server.told(players[0]).last == .refused(.held))
    let told = member.server.told(players[1]).count
    try member.server.solve(players[0])
    member.pass(.seconds(1))
    try member.server.solve(players[1])
    member.server.handle(.received(players[1], .ping))
    #expect(member.server.told(players[1]).count == told)
    #expect(rounds(member, of: players[0]) == 0)
    // A state since then is stored, so that everything told is.
    let serial = try #require(member.put[room]).serial
    member.pass(.seconds(2))
    member.handle(.owned(room, stored: serial))
    #expect(rounds(member, of: players[0]) == 1)
    // As of the time of the answer, after six seconds.
    #expect(member.server.points(players[0]) == 19)
    let second = member.server.deal(players[0])
    #expect(second?.number == 2 && second?.remaining == Self.rules.roundDuration)
  }

  @Test func `what was told is at most as old as the limit when another server goes on`() throws {
    var (member, players, room) = try cutOff()
    let stored = try #require(member.put[room])
    let start = member.server.now
    // Every time they can, they solve the round.
    var lastTold = start
    for _ in 0..<80 {
      let before = member.server.told(players[0]).count
      for player in players where member.server.deal(player) != nil { try member.server.solve(player) }
      member.pass(.milliseconds(100))
      if member.server.told(players[0]).dropFirst(before).contains(where: { if case .standings = $0 { true } else { false } }) {
        lastTold = member.server.now
      }
    }
    #expect(lastTold - start <= .milliseconds(2_800))
    #expect(stored.serial < member.put[room]!.serial)
  }

  @Test func `a healthy directory with round trips of 600 ms never holds a match`() throws {
    var member = TestMember(rules: Self.rules)
    let players = member.begin("Ada", "Bob")
    let room = try #require(member.orphans.first?.room)
    member.confirms = false
    // As an owned value is written: one at a time, a second after the last, looked at four times a second.
    var writing: (serial: UInt64, until: Duration)?
    var (written, serial) = (member.server.now, member.put[room]!.serial)
    for step in 0..<2_400 {
      member.pass(.milliseconds(50))
      let now = member.server.now
      if let write = writing, write.until <= now {
        writing = nil
        member.handle(.owned(room, stored: write.serial))
      }
      if step % 5 == 0, writing == nil, now - written >= .seconds(1), member.put[room]!.serial > serial {
        (written, serial) = (now, member.put[room]!.serial)
        writing = (serial, now + .milliseconds(600))
      }
      if step % 100 == 0 { member.server.guess(players[0]) }
    }
    #expect(!member.server.told(players[0]).contains(.refused(.held)))
  }

  @Test func `a directory that is slower than the limit still lets a match go on`() throws {
    var (member, players, room) = try cutOff()
    for _ in 0..<3 {
      member.pass(.seconds(4))
      // Written four seconds ago, but nothing was told since.
      member.handle(.owned(room, stored: member.put[room]!.serial))
    }
    try member.server.solve(players[0])
    #expect(member.server.points(players[0]) != 0)
  }

  @Test func `a match that was never stored, or is refused, plays on`() throws {
    var (member, players, room) = try cutOff()
    member.pass(.seconds(3))
    member.handle(.failed(room, reason: "too large"))
    try member.server.solve(players[0])
    #expect(member.server.points(players[0]) ?? 0 > 0)
    member.pass(.seconds(10))
    #expect(member.server.told(players[0]).count { $0 == .refused(.held) } == 1)
    var alone = TestMember(seed: 25, rules: Self.rules)
    alone.confirms = false
    let others = alone.begin("Cy", "Dan")
    alone.pass(.seconds(20))
    #expect(!alone.server.told(others[0]).contains(.refused(.held)))
  }

  @Test func `a held match goes on after a minute, whatever the directory does`() throws {
    var (member, players, _) = try cutOff()
    member.pass(.seconds(70))
    try member.server.solve(players[0])
    #expect(member.server.points(players[0]) ?? 0 > 0)
  }

  @Test func `what is suspended while it is held tells nothing`() throws {
    var (member, players, room) = try cutOff()
    member.pass(.seconds(3))
    for player in players { try member.server.solve(player) }
    member.handle(.doubtful(room))
    #expect(member.server.closed.isSuperset(of: players) && rounds(member, of: players[0]) == 0)
    member.handle(.owned(room, stored: member.put[room]!.serial))
    let back = member.server.enter("Ada", seat: member.server.welcome(players[0])?.seatProof)
    // The state since it was held is stored, so that it is not held any more.
    #expect(member.server.points(back) == 0)
    #expect(member.server.deal(back)?.number == 1)
  }

  @Test func `an administrator who ends a round twice while it is held ends no other one`() throws {
    var (member, players, room) = try cutOff()
    member.pass(.seconds(3))
    let number = try #require(member.server.machine.matches[room]).number
    for _ in 0..<2 {
      #expect(member.server.machine.flaw(of: .next, in: number)?.code == .held)
      member.server.handle(.command(.rule(.next, in: number)))
      member.pass(.seconds(3))
    }
    member.handle(.owned(room, stored: member.put[room]!.serial))
    #expect(rounds(member, of: players[0]) == 0 && member.server.deal(players[0])?.number == 1)
    #expect(member.server.machine.flaw(of: .next, in: number) == nil)
    member.server.handle(.command(.rule(.next, in: number)))
    #expect(rounds(member, of: players[0]) == 1)
  }

  @Test func `a server that was paused tells nothing until its matches are known to be its own`() throws {
    for isConfirmed in [true, false] {
      var (member, players, room) = try cutOff()
      member.pass(.seconds(1))
      member.handle(.owned(room, stored: member.put[room]!.serial))
      let told = member.server.told(players[0]).count
      // What its sockets have comes before anything else.
      member.server.now += .seconds(20)
      for player in players { try member.server.solve(player) }
      #expect(member.server.told(players[0]).dropFirst(told) == [.refused(.held)])
      member.pass(.seconds(1))
      #expect(rounds(member, of: players[0]) == 0)
      if isConfirmed {
        member.handle(.owned(room, stored: member.put[room]!.serial))
        #expect(rounds(member, of: players[0]) == 1)
      } else {
        member.handle(.lost(room))
        #expect(member.server.closed.isSuperset(of: players) && rounds(member, of: players[0]) == 0)
      }
    }
  }

  @Test func `the messages that are kept of a held match are bounded`() throws {
    var (member, players, _) = try cutOff()
    member.pass(.seconds(3))
    for _ in 0..<300 { member.server.handle(.received(players[0], .act(round: 1, .answer("1")))) }
    #expect(member.server.closed.contains(players[0]))
    #expect(member.server.reason(players[0]) == .tooFast)
    // The others lose nothing by that.
    member.server.handle(.received(players[1], .act(round: 1, .answer("1"))))
    #expect(!member.server.closed.contains(players[1]))
  }

  @Test func `a match that was opened just before a pause goes on after it`() throws {
    var (member, _, _) = try cutOff()
    let new = ["Cy", "Dora"].map { member.server.enter($0) }
    member.server.now += .seconds(20)
    member.server.handle(.received(new[0], .act(round: 1, .answer("1"))))
    member.pass(.seconds(5))
    let count = member.server.machine.matches.values.count { $0.held != nil }
    #expect(count <= 1)
    #expect(member.server.machine.matches.values.contains { $0.held == nil })
  }

  @Test func `a player who comes back to a held match has the seat when it goes on`() throws {
    var (member, players, room) = try cutOff()
    member.pass(.seconds(3))
    member.server.lose(players[0])
    let back = member.server.enter("Ada", seat: member.server.welcome(players[0])?.seatProof)
    #expect(member.server.welcome(back) == nil && !member.server.closed.contains(back))
    member.pass(.seconds(1))
    member.handle(.owned(room, stored: member.put[room]!.serial))
    #expect(member.server.welcome(back)?.player == member.server.welcome(players[0])?.player)
  }

  @Test func `whoever comes to a held match that is suspended is let go, and players of other matches are not`() throws {
    var (member, players, room) = try cutOff()
    let others = ["Cy", "Dan"].map { member.server.enter($0) }
    member.pass(.seconds(3))
    member.server.lose(players[0])
    let back = member.server.enter("Ada", seat: member.server.welcome(players[0])?.seatProof)
    #expect(member.server.welcome(back) == nil && !member.server.closed.contains(back))
    member.handle(.doubtful(room))
    #expect(member.server.closed.isSuperset(of: [back, players[1]]) && member.server.closed.isDisjoint(with: others))
    #expect(member.server.reason(back) == nil)
  }
}
