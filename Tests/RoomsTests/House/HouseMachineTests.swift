import Rooms
import Testing
import TwentyFour

struct HouseMachineTests {
  @Test func `players wait, are told how many are missing, and start together`() throws {
    var house = TestHouse(Match.Rules(gathering: .zero, rounds: 1, minimumPlayers: 3, maximumPlayers: 4))
    let ada = house.enter("Ada")
    #expect(house.inboxes[ada]?.contains(.missing(2)) == true)
    let bob = house.enter("Bob")
    #expect(house.inboxes[ada]?.last == .missing(1))
    #expect(house.deal(ada) == nil)
    #expect(house.machine.counts.gathering == 1)
    let cy = house.enter("Cy")
    #expect(Set([ada, bob, cy].map { house.room($0) }).count == 1)
    #expect(Set([ada, bob, cy].map { house.deal($0) }).count == 1)
    #expect(house.deal(ada)?.remaining == .seconds(100))
    #expect(house.machine.counts.gathering == 0)
    #expect(house.admitted == [ada, bob, cy])
  }

  @Test func `matches are filled before others are opened, and a full house refuses`() {
    var house = TestHouse(matches: 2)
    let first = (0..<4).map { house.enter("Player \($0)") }
    let second = (4..<8).map { house.enter("Player \($0)") }
    #expect(Set(first.map { house.room($0) }).count == 1)
    #expect(Set(second.map { house.room($0) }).count == 1)
    #expect(house.room(first[0]) != house.room(second[0]))
    #expect(house.advertisements.last?.hasRoom == false)
    let heard = house.inboxes
    let late = house.enter("Late")
    #expect(house.reason(late) == .full)
    #expect(house.closed == [late])
    // Nobody else has noticed anything.
    #expect(house.inboxes.filter { $0.key != late } == heard)
    #expect(house.machine.counts.refused == ["full": 1])
    house.leave(first[2])
    let newcomer1 = house.enter("Later")
    #expect(house.room(newcomer1) == house.room(first[0]))
  }

  @Test func `a wish for a number of players is kept`() {
    var house = TestHouse(Match.Rules(gathering: .zero, rounds: 1, minimumPlayers: 2, maximumPlayers: 8), matches: 5)
    let pair = house.enter("Ada", players: 2...2)
    let crowd = house.enter("Bob", players: 4...8)
    let any = house.enter("Cy")
    #expect(Set([pair, crowd, any].map { house.room($0) }).count == 2)
    #expect(house.room(any) == house.room(crowd))
    let other = house.enter("Dan", players: 2...2)
    #expect(house.room(other) == house.room(pair))
    #expect(house.deal(pair) != nil)
    // Wider than the house allows.
    let newcomer2 = house.enter("Eve", players: 1...128)
    #expect(house.room(newcomer2) == house.room(crowd))
    let newcomer3 = house.enter("Fay", players: 9...12)
    #expect(house.reason(newcomer3) == .size)
    let newcomer4 = house.enter("Gus", players: 1...1)
    #expect(house.reason(newcomer4) == .size)
  }

  @Test func `who comes back with a token continues, in play or while waiting`() throws {
    var house = TestHouse()
    let ada = house.enter("Ada")
    let token = try #require(house.welcome(ada)?.token)
    house.lose(ada)
    #expect(house.machine.counts.away == 1)
    let again = house.enter("Ada", token: token)
    #expect(house.welcome(again)?.player == house.welcome(ada)?.player)
    let bob = house.enter("Bob")
    try house.solve(again)
    house.lose(again)
    #expect(house.inboxes[bob]?.contains(.away(house.welcome(ada)!.player!)) == true)
    house.pass(.seconds(40))
    let third = house.enter("Somebody", token: token)
    #expect(house.room(third) == house.room(bob))
    #expect(house.points(third) == 20)
    #expect(house.machine.counts.returns == 2)
    #expect(house.machine.counts.players == 2)
    // Another connection of the same player takes the place of the former.
    let fourth = house.enter("Ada", token: token)
    #expect(house.reason(third) == .replaced)
    #expect(house.machine.counts.watchers == 0)
    // After the limit the seat is gone, and he is a newcomer.
    house.lose(fourth)
    house.pass(.seconds(61))
    #expect(house.machine.counts.players == 1)
    let fifth = house.enter("Ada", token: token)
    #expect(house.welcome(fifth)?.token != token)
  }

  @Test func `a match that is over frees its place and its tokens`() throws {
    var house = TestHouse(Match.Rules(gathering: .zero, rounds: 1, minimumPlayers: 2, maximumPlayers: 2), matches: 1)
    let ada = house.enter("Ada")
    let bob = house.enter("Bob")
    let newcomer5 = house.enter("Cy")
    #expect(house.reason(newcomer5) == .full)
    try house.solve(ada)
    try house.solve(bob)
    #expect(house.reason(ada) == .finished)
    #expect(house.machine.counts.matches == 0)
    #expect(house.machine.nextDeadline == nil)
    let token = house.welcome(ada)?.token
    let again = house.enter("Ada", token: token)
    #expect(house.room(again) != house.room(ada))
    #expect(house.machine.overview.map(\.number) == [2])
  }

  @Test func `a match that everyone has left is closed`() {
    var house = TestHouse()
    let ada = house.enter("Ada")
    house.lose(house.enter("Bob"))
    let watcher = house.enter("Eve", watches: true)
    house.leave(ada)
    #expect(house.machine.counts.matches == 1)
    house.pass(.seconds(60))
    #expect(house.machine.counts.matches == 0)
    #expect(house.reason(watcher) == .finished)
    guard case .closed(let reason)? = house.reports.last?.event else {
      Issue.record("the last report is that the match is closed")
      return
    }
    #expect(reason.text == "Everyone has left.")
  }

  @Test func `who looks on gets the match with most players, and takes no place`() {
    var house = TestHouse()
    let newcomer6 = house.enter("Eve", watches: true)
    #expect(house.reason(newcomer6) == .noMatch)
    let pair = house.enter("Ada", players: 2...2)
    house.enter("Bob", players: 2...2)
    let three = house.enter("Cy", players: 3...4)
    let newcomer7 = house.enter("Eve", watches: true)
    #expect(house.room(newcomer7) == house.room(pair))
    house.enter("Dan", players: 3...4)
    house.enter("Fay", players: 3...4)
    let watcher = house.enter("Gus", watches: true)
    #expect(house.room(watcher) == house.room(three))
    #expect(house.welcome(watcher)?.player == nil)
    #expect(house.deal(watcher) == house.deal(three))
    #expect(house.machine.counts.players == 5)
    #expect(house.machine.counts.watchers == 2)
    #expect(house.machine.overview.map(\.watchers) == [1, 1])
    house.leave(watcher)
    #expect(house.machine.counts.watchers == 1)
  }

  @Test(
    arguments: [
      (.hello(.init(version: 2, name: "Bob")), .version), (.hello(.init(name: "")), .name), (.ping, .outOfOrder),
      (.answer(round: 1, expression: "1"), .outOfOrder),
      (.left(Player(id: .init(rawValue: 1), name: try! .init("x"))), .outOfOrder),
    ] as [(RoomMessage, RoomReason.Code)])
  func `who does not say a proper hello has no match opened`(message: RoomMessage, code: RoomReason.Code) {
    var house = TestHouse()
    let id = ConnectionID(rawValue: 77)
    house.handle(.connected(id))
    house.handle(.received(id, message))
    #expect(house.reason(id) == code)
    #expect(house.machine.counts.matchesOpened == 0)
    #expect(house.admitted == [])
    // What still comes of it has no effect.
    house.handle(.received(id, message))
    house.handle(.malformed(id, .notJSON))
    house.handle(.disconnected(id))
  }

  @Test func `nonsense ends a newcomer's connection, or one player's, and nobody else's`() {
    var house = TestHouse()
    let newcomer = ConnectionID(rawValue: 77)
    house.handle(.connected(newcomer))
    house.handle(.malformed(newcomer, .unknownKind))
    #expect(house.closed == [])
    house.handle(.malformed(newcomer, .notUTF8))
    #expect(house.reason(newcomer) == .malformed)
    let ada = house.enter("Ada")
    let bob = house.enter("Bob")
    house.handle(.malformed(ada, .notJSON))
    #expect(house.reason(ada) == .malformed)
    #expect(!house.closed.contains(bob))
  }

  // MARK: - Whoever runs the house

  @Test func `a player is shown out of his match`() throws {
    var house = TestHouse()
    let ada = house.enter("Ada")
    let bob = house.enter("Bob")
    house.enter("Ada", players: 3...3)
    #expect(house.machine.players(called: "ada", in: nil).map(\.match.rawValue) == [1, 2])
    let found = try #require(house.machine.players(called: "ADA", in: MatchNumber(rawValue: 1)).first)
    house.handle(.kick(found.player.id, from: found.match))
    #expect(house.reason(ada) == .kicked)
    #expect(house.inboxes[bob]?.contains(.left(found.player)) == true)
    let back = house.enter("Ada", token: house.welcome(ada)?.token)
    #expect(house.welcome(back)?.player?.id != found.player.id)
    #expect(house.machine.counts.kicked == 1)
    house.handle(.kick(found.player.id, from: MatchNumber(rawValue: 99)))
    #expect(house.machine.counts.kicked == 1)
  }

  @Test func `a match can be closed, and the others go on`() {
    var house = TestHouse()
    let ada = house.enter("Ada")
    let other = house.enter("Bob", players: 3...3)
    house.handle(.closeMatch(MatchNumber(rawValue: 1)))
    #expect(house.reason(ada) == .hostLeft)
    #expect(house.closed == [ada])
    #expect(house.machine.overview.map(\.players) == [["Bob"]])
    house.handle(.closeMatch(MatchNumber(rawValue: 1)))
    #expect(!house.closed.contains(other))
  }

  @Test func `drained, it lets nobody new in, lets those come back who play, and closes with the last match`() throws {
    var house = TestHouse()
    let ada = house.enter("Ada")
    let bob = house.enter("Bob")
    let waiting = house.enter("Cy", players: 3...3)
    house.handle(.drain)
    #expect(house.reason(waiting) == .closing)
    let newcomer8 = house.enter("Dan")
    #expect(house.reason(newcomer8) == .closing)
    #expect(house.advertisements.last?.hasRoom == false)
    #expect(house.machine.isDraining)
    house.lose(ada)
    let again = house.enter("Ada", token: house.welcome(ada)?.token)
    #expect(house.welcome(again)?.player?.name.text == "Ada")
    let newcomer = ConnectionID(rawValue: 77)
    for round in 1...2 {
      #expect(house.deal(bob)?.number == round)
      try house.solve(again)
      house.handle(.connected(newcomer.next(round)))
      #expect(!house.isClosed)
      try house.solve(bob)
      house.pass(.seconds(10))
    }
    #expect(house.reason(bob) == .finished)
    #expect(house.isClosed)
    // Those who had not said hello yet are told too.
    #expect(house.reason(newcomer.next(1)) == .closing)
  }

  @Test func `drained, a match without an end ends with its round`() throws {
    var house = TestHouse(Match.Rules(gathering: .zero, minimumPlayers: 2, maximumPlayers: 4))
    let ada = house.enter("Ada")
    let bob = house.enter("Bob")
    house.handle(.drain)
    #expect(!house.isClosed)
    try house.solve(ada)
    try house.solve(bob)
    #expect(house.reason(ada) == .closing)
    #expect(house.isClosed)
  }

  @Test func `an empty house that is drained is closed at once`() {
    var house = TestHouse()
    house.handle(.drain)
    #expect(house.isClosed)
    let late = house.enter("Late")
    #expect(house.reason(late) == .closing)
  }

  @Test func `closing tells everyone`() {
    var house = TestHouse()
    let ids = (0..<7).map { house.enter("Player \($0)") }
    let newcomer = ConnectionID(rawValue: 77)
    house.handle(.connected(newcomer))
    house.handle(.close)
    #expect((ids + [newcomer]).allSatisfy { house.reason($0) == .hostLeft })
    #expect(house.isClosed)
    #expect(house.machine.counts.matches == 0)
    #expect(house.machine.nextDeadline == nil)
  }

  @Test func `a program that knows only rooms sees one that it can enter as long as there is a place`() throws {
    var house = TestHouse(matches: 100)
    func seen() throws -> RoomAdvertisement { try RoomAdvertisement(pairs: house.machine.advertisement.pairs) }
    #expect(try seen().hasRoom)
    #expect(try seen().maximumPlayers == 128)
    for number in 0..<399 { house.enter("Player \(number)") }
    #expect(try seen().hasRoom)
    #expect(try seen().players == 127)
    #expect(try seen().state == .playing)
    house.enter("The last")
    #expect(try !seen().hasRoom)
    #expect(house.machine.advertisement.pairs["matches"] == "100")
    #expect(house.machine.advertisement.pairs["total"] == "400")
  }
}

extension ConnectionID {
  fileprivate func next(_ count: Int) -> ConnectionID { ConnectionID(rawValue: rawValue + count) }
}
