import Bonjourish
import MatchServer
import Rooms
import Testing
import TwentyFour

@testable import MatchServer

/// Matches that go from one server to another.
struct ServerGroupTests {
  /// A server of a group, which lists its matches.
  private static func server(seed: UInt64 = 24) -> TestServer {
    var server = TestServer(seed: seed)
    server.machine.isInGroup = true
    server.machine.advertisedAs = "TwentyFour"
    return server
  }

  @Test func `a match goes on at another server with its seats, points and round`() throws {
    var (one, other) = (Self.server(), Self.server(seed: 25))
    let (ada, bob) = (one.enter("Ada"), one.enter("Bob"))
    try one.solve(ada)
    one.guess(bob)
    one.pass(.seconds(30))
    let match = try #require(one.machine.advertisedRooms.first.flatMap { one.machine.carried($0, at: one.now) })
    #expect(match.name.hasPrefix("TwentyFour · match 1-"))
    #expect(one.welcome(ada)?.place == match.name)
    // The other server has matches of its own.
    other.enter("Cy")
    #expect(other.ask(.reserve(match)) == .reserved(match.id))
    #expect(other.ask(.adopt(match, recordedRounds: nil)) == .adopted(match.id))
    #expect(other.machine.overview.map(\.number) == [1, 2])
    let (adaAgain, bobAgain) = (
      other.enter("Ada", seat: one.welcome(ada)?.seatProof), other.enter("Bob", seat: one.welcome(bob)?.seatProof)
    )
    #expect(other.room(adaAgain) == match.id)
    #expect(other.deal(bobAgain)?.hand == one.deal(bob)?.hand)
    #expect(other.points(adaAgain) == one.points(ada))
    // A match is adopted once.
    let before = other.machine.counts
    #expect(other.ask(.reserve(match)) == .unusable(match.id))
    #expect(other.ask(.adopt(match, recordedRounds: nil)) == .noRoom(match.id))
    #expect(other.machine.counts == before)
  }

  @Test func `a match that is suspended ends without a word, and its players are not taken for new ones`() throws {
    var server = Self.server()
    let (ada, bob) = (server.enter("Ada"), server.enter("Bob"))
    try server.solve(ada)
    let match = try #require(server.machine.advertisedRooms.first.flatMap { server.machine.carried($0, at: server.now) })
    #expect(server.ask(.suspend(match.id)) == .suspended(match.id, match))
    #expect(server.closed.isSuperset(of: [ada, bob]) && server.reason(ada) == nil)
    #expect(server.machine.counts.matches == 0)
    let again = server.enter("Ada", seat: server.welcome(ada)?.seatProof)
    // They go on looking.
    #expect(server.closed.contains(again) && server.reason(again) == nil && server.welcome(again) == nil)
    #expect(server.machine.counts.matches == 0)
    #expect(server.ask(.adopt(match, recordedRounds: nil)) == .adopted(match.id))
    let back = server.enter("Ada", seat: server.welcome(ada)?.seatProof)
    #expect(server.points(back) == 20)
  }

  @Test func `a player whose match is over is a new player`() throws {
    var server = Self.server()
    let (ada, bob) = (server.enter("Ada"), server.enter("Bob"))
    try server.solve(ada)
    server.handle(.command(.closeMatch(MatchNumber(rawValue: 1))))
    #expect(server.reason(bob) == .hostLeft)
    let again = server.enter("Ada", seat: server.welcome(ada)?.seatProof)
    #expect(server.welcome(again) != nil)
  }

  @Test func `a server without a group takes the player of an unknown match for a new one`() throws {
    var (one, other) = (TestServer(), TestServer(seed: 25))
    let ada = one.enter("Ada")
    #expect(one.welcome(ada)?.place == nil)
    let again = other.enter("Ada", seat: one.welcome(ada)?.seatProof)
    #expect(other.welcome(again) != nil)
  }

  @Test func `whoever has found a match by its name plays in it`() throws {
    var server = Self.server()
    let (ada, bob) = (server.enter("Ada", players: 2...4), server.enter("Bob", players: 3...3))
    let names = [ada, bob].map { server.welcome($0)?.place }
    #expect(Set(names).count == 2)
    let cy = server.enter("Cy", place: names[1] ?? nil)
    #expect(server.room(cy) == server.room(bob))
    let dan = server.enter("Dan", place: names[0] ?? nil)
    #expect(server.room(dan) == server.room(ada))
    // The server's own name, or that of a match that is over, is no wish.
    let eve = server.enter("Eve", place: "TwentyFour")
    #expect(server.welcome(eve) != nil)
  }

  @Test func `players who came back after the last stored state have their seats elsewhere`() throws {
    var (one, other) = (Self.server(), Self.server(seed: 25))
    let players = [one.enter("Ada"), one.enter("Bob")]
    for player in players { one.guess(player) }
    try one.solve(players[0])
    let match = try #require(one.machine.advertisedRooms.first.flatMap { one.machine.carried($0, at: one.now) })
    // Several times within the second before the next write.
    var back = players
    for _ in 0..<3 {
      for (index, name) in ["Ada", "Bob"].enumerated() {
        one.lose(back[index])
        back[index] = one.enter(name, seat: one.welcome(back[index])?.seatProof)
        #expect(one.welcome(back[index])?.player == one.welcome(players[index])?.player)
      }
    }
    other.ask(.reserve(match))
    other.ask(.adopt(match, recordedRounds: nil))
    for (index, name) in ["Ada", "Bob"].enumerated() {
      let again = other.enter(name, seat: one.welcome(back[index])?.seatProof)
      #expect(other.welcome(again)?.player == one.welcome(players[index])?.player)
      #expect(other.points(again) == one.points(players[index]))
    }
    #expect(other.machine.overview.count == 1)
  }

  @Test func `whoever claims a seat of a match that is here is put into no other one`() throws {
    var server = Self.server()
    let ada = server.enter("Ada", players: 2...3)
    let others = [server.enter("Bob", players: 2...3), server.enter("Cy", players: 2...3)]
    let seatProof = server.welcome(ada)?.seatProof
    // A seat is not kept for who has sent no answer.
    server.lose(ada)
    let waiting = server.enter("Eve", players: 4...4)
    #expect(server.room(waiting) != seatProof?.room)
    let again = server.enter("Ada", players: 4...4, seat: seatProof)
    #expect(server.room(again) == seatProof?.room && server.welcome(again)?.player != server.welcome(ada)?.player)
    #expect(Set(others.map { server.room($0) }) == [seatProof?.room])
    // Others have all places now.
    let late = server.enter("Ada", seat: seatProof)
    #expect(server.reason(late) == .full)
  }

  @Test func `long names are shortened by whole characters`() throws {
    var server = Self.server()
    server.machine.advertisedAs = try InstanceName(String(repeating: "ä", count: 31))
    let ada = server.enter("Ada")
    let place = try #require(server.welcome(ada)?.place)
    #expect(place.utf8.count <= 63 && place.contains("ä · match 1-"))
  }

  @Test func `a match that does not fit is not adopted`() throws {
    var (one, other) = (Self.server(), Self.server(seed: 25))
    one.enter("Ada")
    let match = try #require(one.machine.advertisedRooms.first.flatMap { one.machine.carried($0, at: one.now) })
    for number in 0..<12 { other.enter("Player \(number)") }
    #expect(other.ask(.reserve(match)) == .noRoom(match.id))
    other = Self.server(seed: 25)
    other.handle(.command(.drain))
    #expect(other.ask(.reserve(match)) == .noRoom(match.id))
  }

  @Test func `a match that was over here and goes on again is not over`() throws {
    var server = Self.server()
    let (ada, _) = (server.enter("Ada"), server.enter("Bob"))
    try server.solve(ada)
    let match = try #require(server.machine.advertisedRooms.first.flatMap { server.machine.carried($0, at: server.now) })
    func survey() -> Membership.Survey { server.machine.survey(of: [match.id, RoomID()], nil) }
    #expect(survey() == Membership.Survey(freePlaces: 2, isDraining: false))
    server.handle(.command(.closeMatch(MatchNumber(rawValue: 1))))
    #expect(survey() == Membership.Survey(over: [match.id: 0], freePlaces: 3, isDraining: false))
    // Another server had an older state of it.
    #expect(server.ask(.reserve(match)) == .reserved(match.id))
    #expect(survey().freePlaces == 2)
    #expect(server.ask(.adopt(match, recordedRounds: nil)) == .adopted(match.id))
    #expect(survey() == Membership.Survey(freePlaces: 2, isDraining: false))
    server.handle(.command(.drain))
    #expect(survey() == Membership.Survey(freePlaces: 0, isDraining: true))
  }

  @Test(arguments: [(0, true), (1, false), (nil, false)] as [(Int?, Bool)])
  func `the last round is reported again if fewer are recorded`(recorded: Int?, isReported: Bool) throws {
    var (one, other) = (Self.server(), Self.server(seed: 25))
    let players = [one.enter("Ada"), one.enter("Bob")]
    for player in players { try one.solve(player) }
    let match = try #require(one.machine.advertisedRooms.first.flatMap { one.machine.carried($0, at: one.now) })
    other.ask(.reserve(match))
    #expect(other.ask(.adopt(match, recordedRounds: recorded)) == .adopted(match.id))
    let rounds = other.reports.compactMap { if case .roundEnded(let result) = $0.event { result } else { nil } }
    #expect(rounds.map(\.number) == (isReported ? [1] : []))
    #expect(rounds.allSatisfy { $0.standings.map(\.points) == [20, 20] && $0.pause == TestServer.rules.pause })
  }

  @Test func `a match whose name or room is here, or that nobody plays in, cannot go on here`() throws {
    var (one, other) = (Self.server(), Self.server(seed: 25))
    one.enter("Ada")
    other.enter("Cy")
    let match = try #require(one.machine.advertisedRooms.first.flatMap { one.machine.carried($0, at: one.now) })
    let here = try #require(other.machine.advertisedRooms.first.flatMap { other.machine.carried($0, at: other.now) })
    for unusable in [
      here, CarriedMatch(name: here.name, room: match.room), CarriedMatch(name: "", room: match.room),
      CarriedMatch(name: String(repeating: "x", count: 64), room: match.room),
    ] {
      #expect(other.ask(.reserve(unusable)) == .unusable(unusable.id))
    }
    #expect(other.ask(.reserve(match)) == .reserved(match.id))
    #expect(other.ask(.reserve(match)) == .unusable(match.id))
    // A place that is kept no more is free.
    other.ask(.leave(match.id))
    #expect(other.machine.freePlaces == 2 && other.machine.matches.count == 1)
    #expect(other.ask(.adopt(match, recordedRounds: nil)) == .noRoom(match.id))
  }

  @Test func `the rooms that are noted last are known, half of them dropped at a time`() {
    let rooms = (0...RecentRooms.limit).map { _ in RoomID() }
    var recent = RecentRooms()
    for room in rooms.dropLast() { recent.insert(room) }
    #expect(recent.contains(rooms[0]) && !recent.contains(rooms[RecentRooms.limit]))
    // What is noted already takes no more space.
    recent.insert(rooms[1])
    #expect(recent.contains(rooms[0]))
    recent.remove(rooms[2])
    recent.insert(rooms[2])
    #expect(recent.contains(rooms[0]) && recent.contains(rooms[2]))
    recent.insert(rooms[RecentRooms.limit])
    // The third one was noted again.
    let half = RecentRooms.limit / 2
    #expect(!recent.contains(rooms[0]) && !recent.contains(rooms[half]) && recent.contains(rooms[half + 1]))
    #expect(recent.contains(rooms[2]) && recent.contains(rooms[RecentRooms.limit]))
    recent.remove(RoomID())
  }
}
