import Bonjourish
import Rooms
import Testing
import TwentyFour

@testable import MatchServer

/// What a server's part in its group does about each event, effect by effect.
struct MembershipEffectTests {
  /// A match in its first round.
  let match: CarriedMatch
  /// The same match after that round.
  let later: CarriedMatch
  let reason = "too large"

  init() throws {
    var server = TestServer(Match.Rules(rounds: 9, minimumPlayers: 2), seed: 24)
    server.machine.advertisedAs = "TwentyFour"
    let players = ["Ada", "Bob"].map { server.enter($0) }
    let room = try #require(server.machine.advertisedRooms.first)
    match = try #require(server.machine.carried(room, at: server.now))
    for player in players { try server.solve(player) }
    later = try #require(server.machine.carried(room, at: server.now))
    #expect(match.room.endedRounds == 0 && later.room.endedRounds == 1)
  }

  var room: RoomID { match.id }

  func member(isInGroup: Bool = true, seenLimit: Int = 100) -> Membership {
    Membership(isInGroup: isInGroup, seenLimit: seenLimit, makePublisher: { 7 })
  }

  func running(_ match: CarriedMatch, players: Int = 2, events: Int) -> Membership.Event {
    .seen([.init(match: match, pairs: ["players": "\(players)"], eventCount: events)])
  }

  func stored(_ serial: UInt64, by publisher: UInt64 = 7, _ match: CarriedMatch?, recorded: Int? = 0) -> StoredMatch {
    StoredMatch(serial: serial, publisher: publisher, match: match, recordedRounds: recorded)
  }

  func survey(over: [RoomID: Int] = [:], freePlaces: Int = 0, isDraining: Bool = false) -> Membership.Event {
    .surveyed(.init(over: over, freePlaces: freePlaces, isDraining: isDraining))
  }

  func unusable(_ reason: String, _ room: RoomID? = nil) -> Membership.Effect {
    .tell(.unusable((room ?? self.room).text, reason: reason))
  }

  /// The match runs here, and its first state is stored.
  func keeping() -> Membership {
    var member = member()
    _ = member.handle(running(match, events: 5), at: .zero)
    _ = member.handle(.owned(room, stored: 1), at: .zero)
    return member
  }

  /// The match runs here no more, because the directory does not answer.
  func suspending() -> Membership {
    var member = keeping()
    _ = member.handle(.doubtful(room), at: .zero)
    _ = member.handle(.answered(.suspended(room, match)), at: .zero)
    return member
  }

  /// The match of another server is being taken.
  private func taking() -> Membership {
    var member = member()
    _ = member.handle(.orphaned(room, stored(3, by: 9, match, recorded: nil)), at: .zero)
    _ = member.handle(.answered(.reserved(room)), at: .zero)
    return member
  }

  // MARK: - Running

  @Test func `a match is listed and stored when it changes, and recorded when that is confirmed`() {
    var member = member()
    let listed = Membership.Effect.advertise(match, ["players": "2"], Succession(publisher: 7))
    #expect(member.handle(running(match, events: 5), at: .zero) == [listed, .put(room, stored(1, match))])
    #expect(!member.isSettled)
    #expect(member.handle(running(match, events: 5), at: .seconds(1)) == [])
    #expect(member.handle(.owned(room, stored: 1), at: .seconds(1)) == [.record(room, through: 5)])
    #expect(member.isSettled)
    #expect(member.handle(.owned(room, stored: 1), at: .seconds(1)) == [])
    let changed = member.handle(running(match, players: 1, events: 6), at: .seconds(2))
    #expect(changed == [.advertise(match, ["players": "1"], Succession(publisher: 7))])
    // The round is recorded for certain only when the state after it is stored.
    #expect(member.handle(running(later, players: 1, events: 9), at: .seconds(3)) == [.put(room, stored(2, later))])
    #expect(member.handle(.owned(room, stored: 2), at: .seconds(3)) == [.record(room, through: 9)])
    #expect(
      member.handle(running(match, players: 1, events: 9), at: .seconds(4)) == [.put(room, stored(3, match, recorded: 1))])
    #expect(member.handle(.timePassed, at: .seconds(4)) == [.server(.beat)])
  }

  @Test func `without a group a match is listed, and nothing else`() {
    var member = member(isInGroup: false)
    let listed = Membership.Effect.advertise(match, ["players": "2"], Succession(publisher: 7))
    #expect(member.handle(running(match, events: 5), at: .zero) == [listed])
    #expect(member.handle(running(later, events: 9), at: .seconds(1)) == [])
    #expect(member.handle(.timePassed, at: .seconds(100)) == [])
    #expect(member.handle(.ends, at: .seconds(100)) == [])
    #expect(member.isSettled)
    #expect(member.handle(survey(over: [room: 9]), at: .seconds(100)) == [.withdraw(room)])
    #expect(member.handle(.owned(room, stored: 1), at: .seconds(100)) == [] && member.rooms == [])
  }

  @Test func `of many states that are not confirmed the last are remembered`() {
    var member = member()
    // Each is another one than before.
    for number in 1...65 { _ = member.handle(running(number % 2 == 0 ? match : later, events: number), at: .seconds(number)) }
    #expect(member.handle(.owned(room, stored: 1), at: .seconds(66)) == [])
    #expect(member.handle(.owned(room, stored: 2), at: .seconds(66)) == [.record(room, through: 2)])
    #expect(member.handle(.owned(room, stored: 65), at: .seconds(66)) == [.record(room, through: 65)])
  }

  @Test func `a match that is over is withdrawn, recorded, and removed when its end is stored`() {
    var member = keeping()
    let end: [Membership.Effect] = [.withdraw(room), .record(room, through: 8), .put(room, stored(2, nil))]
    #expect(member.handle(survey(over: [room: 8]), at: .seconds(1)) == end)
    #expect(!member.isSettled)
    #expect(member.handle(survey(over: [room: 8]), at: .seconds(2)) == [])
    #expect(member.handle(running(later, events: 9), at: .seconds(2)) == [])
    #expect(member.handle(.owned(room, stored: 1), at: .seconds(2)) == [])
    let gone: [Membership.Effect] = [.record(room, through: 8), .forget(room, isClosed: false), .remove(room)]
    #expect(member.handle(.owned(room, stored: 2), at: .seconds(2)) == gone)
    #expect(member.isSettled && member.rooms == [])
    // Nobody brings it back.
    let old = member.handle(.orphaned(room, stored(9, by: 9, match)), at: .seconds(3))
    #expect(old == [.ignore(room), unusable("it is older than what was seen of this match")])
    // One that was over before it was stored is only recorded.
    let other = RoomID()
    let unseen = member.handle(survey(over: [other: 3]), at: .seconds(4))
    #expect(unseen == [.record(other, through: .max), .forget(other, isClosed: false)])
  }

  @Test func `a value that nobody asked for is released`() {
    var member = member()
    #expect(member.handle(.owned(room, stored: 0), at: .zero) == [.release(room)])
    #expect(member.handle(.doubtful(room), at: .zero) == [])
    #expect(member.handle(.lost(room), at: .zero) == [])
    #expect(member.handle(.failed(room, reason: reason), at: .zero) == [])
    #expect(member.handle(.answered(.reserved(room)), at: .zero) == [.server(.leave(room))])
    #expect(member.handle(.answered(.adopted(room)), at: .zero) == [.server(.leave(room))])
    for answer in [.noRoom(room), .unusable(room), .paused, .suspended(room, match)] as [Membership.Answer] {
      #expect(member.handle(.answered(answer), at: .zero) == [])
    }
    #expect(member.handle(.answered(.suspended(room, nil)), at: .zero) == [.resume(room)])
  }

  // MARK: - Of others

  @Test func `a match of another server is reserved, taken and adopted, and listed in the place of its publisher`() {
    var member = member()
    #expect(member.handle(.orphaned(room, stored(3, by: 9, match)), at: .zero) == [.server(.reserve(match))])
    #expect(member.handle(.orphaned(room, stored(3, by: 9, match)), at: .zero) == [.ignore(room)])
    #expect(member.handle(.owned(room, stored: 0), at: .zero) == [])
    #expect(member.handle(.answered(.reserved(room)), at: .zero) == [.take(room)])
    #expect(member.handle(.owned(room, stored: 0), at: .zero) == [.server(.adopt(match, recordedRounds: 0))])
    #expect(member.handle(.answered(.adopted(room)), at: .zero) == [.tell(.adopted(match.name)), .survey])
    #expect(member.handle(.answered(.adopted(room)), at: .zero) == [])
    let listed = Membership.Effect.advertise(later, ["players": "2"], Succession(publisher: 7, after: 9))
    #expect(member.handle(running(later, events: 2), at: .zero) == [listed, .put(room, stored(4, later))])
  }

  @Test func `what an earlier version has stored is recorded as far as its rounds have ended`() {
    var member = member()
    _ = member.handle(.orphaned(room, stored(3, by: 9, later, recorded: nil)), at: .zero)
    _ = member.handle(.answered(.reserved(room)), at: .zero)
    #expect(member.handle(.owned(room, stored: 0), at: .zero) == [.server(.adopt(later, recordedRounds: nil))])
    _ = member.handle(.answered(.adopted(room)), at: .zero)
    #expect(member.handle(running(later, events: 2), at: .zero).last == .put(room, stored(4, later, recorded: 1)))
  }

  @Test func `a match of another server that is over is taken to be removed`() {
    var member = member()
    #expect(member.handle(.orphaned(room, stored(3, by: 9, nil)), at: .zero) == [.take(room)])
    #expect(member.handle(.owned(room, stored: 0), at: .zero) == [.remove(room)])
    #expect(member.rooms == [])
  }

  @Test func `a match without a place is told once, one that is damaged each time, and both are left to others`() {
    var member = member()
    let orphan = Membership.Event.orphaned(room, stored(3, by: 9, match))
    for isFirst in [true, false] {
      #expect(member.handle(orphan, at: .zero) == [.server(.reserve(match))])
      let told = isFirst ? [unusable("there is no place for it here at present")] : []
      #expect(member.handle(.answered(.noRoom(room)), at: .zero) == [.ignore(room)] + told)
    }
    for _ in 1...2 {
      #expect(member.handle(orphan, at: .zero) == [.server(.reserve(match))])
      #expect(member.handle(.answered(.unusable(room)), at: .zero) == [.ignore(room), unusable("it is damaged")])
    }
    // An older state than was seen is none.
    let old = member.handle(.orphaned(room, stored(2, by: 9, match)), at: .zero)
    #expect(old == [.ignore(room), unusable("it is older than what was seen of this match")])
  }

  @Test func `those without a place are offered again, eight at a time, each once`() {
    var member = member()
    let rooms = (0..<10).map { _ in RoomID() }
    for room in rooms + rooms.prefix(1) {
      _ = member.handle(.orphaned(room, stored(3, by: 9, match)), at: .zero)
      _ = member.handle(.answered(.noRoom(room)), at: .zero)
    }
    #expect(member.handle(survey(freePlaces: 0), at: .seconds(1)) == [])
    #expect(member.handle(survey(freePlaces: 1), at: .seconds(2)) == rooms.prefix(8).map { .reconsider($0) })
    #expect(member.handle(survey(freePlaces: 9), at: .seconds(3)) == rooms.suffix(2).map { .reconsider($0) })
    #expect(member.handle(survey(freePlaces: 9), at: .seconds(4)) == [])
  }

  @Test func `a server that drains gives back what it was about to take, but for what is over`() {
    var member = taking()
    let over = RoomID()
    _ = member.handle(.orphaned(over, stored(3, by: 9, nil)), at: .zero)
    let drained = member.handle(survey(freePlaces: 9, isDraining: true), at: .seconds(1))
    #expect(drained == [.server(.leave(room)), .release(room)] && member.rooms == [over])
  }

  @Test func `a match that the store or the server does not give is given back`() {
    var member = taking()
    let refused = member.handle(.failed(room, reason: reason), at: .zero)
    #expect(refused == [unusable(reason), .server(.leave(room)), .release(room)])
    #expect(member.handle(.orphaned(room, stored(4, by: 9, match)), at: .zero) == [.ignore(room)])
    var late = taking()
    let released: [Membership.Effect] = [
      .server(.leave(room)), .release(room), .forget(room, isClosed: true), .withdraw(room), .tell(.released(match.name)),
    ]
    #expect(late.handle(.answered(.noRoom(room)), at: .zero) == released && late.rooms == [])
    var lost = taking()
    #expect(lost.handle(.lost(room), at: .zero) == [.server(.leave(room))] && lost.rooms == [])
  }

  @Test func `what is remembered of others is bounded`() {
    var member = member(seenLimit: 4)
    let rooms = (0..<20).map { _ in RoomID() }
    _ = member.handle(running(match, events: 1), at: .zero)
    _ = member.handle(.owned(room, stored: 1), at: .zero)
    for room in rooms {
      // Without a place, refused by the store, and over.
      _ = member.handle(.orphaned(room, stored(1, by: 9, match)), at: .zero)
      _ = member.handle(.answered(.noRoom(room)), at: .zero)
      _ = member.handle(.orphaned(room, stored(2, by: 9, nil)), at: .zero)
      _ = member.handle(.failed(room, reason: reason), at: .zero)
      #expect(member.seen[room] == 2 && member.refusedTakes.contains(room) && member.turnedAway.contains(room))
      #expect(member.seen.count <= 4 && member.refusedTakes.count <= 4 && member.turnedAway.count <= 4)
    }
    #expect(member.postponed == Array(rooms.prefix(4)))
    // Of what runs here everything is known.
    #expect(member.seen[room] == 1)
  }

  // MARK: - Suspended

  @Test func `a match that may be another server's is suspended, and goes on when it is this one's`() {
    var member = keeping()
    #expect(member.handle(.doubtful(room), at: .seconds(1)) == [.pause(room), .server(.suspend(room))])
    #expect(member.handle(.answered(.suspended(room, match)), at: .seconds(1)) == [.tell(.suspended(match.name))])
    #expect(member.handle(.doubtful(room), at: .seconds(1)) == [] && member.isSettled)
    #expect(member.handle(.failed(room, reason: reason), at: .seconds(1)) == [unusable(reason)])
    let back = member.handle(.owned(room, stored: 1), at: .seconds(2))
    #expect(back == [.resume(room), .server(.adopt(match, recordedRounds: nil))])
    #expect(member.handle(.answered(.adopted(room)), at: .seconds(2)) == [.tell(.resumed(match.name)), .survey])
    // Who lists it is the same as before.
    let listed = Membership.Effect.advertise(match, ["players": "0"], Succession(publisher: 7))
    #expect(member.handle(running(match, players: 0, events: 5), at: .seconds(2)) == [listed])
  }

  @Test func `a suspended match is another server's, or goes nowhere for two minutes at most`() {
    var lost = suspending()
    let gone: [Membership.Effect] = [.pause(room), .server(.leave(room)), .forget(room, isClosed: true), .withdraw(room)]
    #expect(lost.handle(.lost(room), at: .seconds(1)) == gone + [.tell(.lost(match.name))] && lost.rooms == [])
    let released: [Membership.Effect] = [
      .server(.leave(room)), .release(room), .forget(room, isClosed: true), .withdraw(room), .tell(.released(match.name)),
    ]
    var late = suspending()
    #expect(late.handle(.timePassed, at: .milliseconds(119_999)) == [.server(.beat)])
    #expect(late.handle(.timePassed, at: .seconds(120)) == [.server(.beat)] + released)
    var refused = suspending()
    #expect(refused.handle(.answered(.unusable(room)), at: .zero) == released)
  }
}
