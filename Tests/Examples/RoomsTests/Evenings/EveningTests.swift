import FramedCoding
import FramedJSON
import Testing
import TwentyFour

@testable import Rooms

/// Whole evenings of a host and several players, without a socket and without waiting.
struct EveningTests {
  private let bob = ConnectionID(rawValue: 1)
  private let cy = ConnectionID(rawValue: 2)
  private let dee = ConnectionID(rawValue: 3)

  @Test func `three rounds are the same for everyone`() throws {
    var room = try MemoryRoom(Match.Rules(pause: .seconds(1), rounds: 3), player: "Ada")
    try room.connect(bob, "Bob")
    room.pass(.seconds(3))
    try room.connect(cy, "bob")
    for round in 1...3 {
      let hand = try #require(room.hand(nil))
      #expect(room.hand(bob) == hand)
      #expect(room.hand(cy) == hand)
      let solution = try #require(Solver.solutions(of: hand).last).description
      room.pass(.seconds(round))
      room.act(cy, .answer("1+1"))
      room.act(cy, .answer(solution))
      room.pass(.milliseconds(1500))
      room.actAtHost(.answer(solution))
      room.act(bob, .giveUp)
      #expect(room.results(nil).count == round)
      if round < 3 { room.pass(.seconds(1)) }
    }
    for id in [nil, bob, cy] {
      #expect(room.results(id) == room.results(nil))
      #expect(room.closing(id) == .finished)
    }
    let final = try #require(room.results(nil).last)
    #expect(final.standings.map(\.player.name.text) == ["bob 2", "Ada", "Bob"])
    #expect(final.standings.map(\.time) == [.seconds(3), .milliseconds(4500), nil])
    #expect(final.standings.map(\.points) == [19 * 3, 19 * 3, 0])
    #expect(final.pause == nil)
    #expect(!room.host.isOpen)
  }

  @Test func `the advertisement follows the room`() throws {
    var room = try MemoryRoom(Match.Rules(pause: .seconds(1), maximumPlayers: 4), player: "Ada")
    try room.connect(bob, "Bob")
    room.actAtHost(.giveUp)
    room.act(bob, .giveUp)
    room.leave(bob)
    room.pass(.seconds(1))
    #expect(room.advertisements.map(\.players) == [1, 2, 2, 1, 1])
    #expect(room.advertisements.map(\.state) == [.playing, .playing, .waiting, .waiting, .playing])
  }

  @Test func `an evening without any action continues with time`() throws {
    var room = try MemoryRoom(Match.Rules(rounds: 20), player: "Ada")
    try room.connect(bob, "Bob")
    room.pass(.seconds(20 * 102 + 19 * 10))
    #expect(room.results(bob).map(\.number) == Array(1...20))
    #expect(room.results(bob) == room.results(nil))
    #expect(room.closing(bob) == .finished)
  }

  @Test func `a pulled cable is noticed on both sides, the others play on, and after a minute the seat is given up`() throws {
    var room = try MemoryRoom(Match.Rules(), player: "Ada")
    try room.connect(bob, "Bob")
    try room.connect(cy, "Cy")
    // Who has sent an answer keeps the seat.
    room.act(bob, .answer("1"))
    room.cut(bob)
    room.pass(.seconds(14))
    #expect(room.standings(nil)?.map(\.isAway) == [false, false, false])
    room.pass(.seconds(1))
    for id in [nil, cy] { #expect(room.standings(id)?.map(\.isAway) == [false, true, false]) }
    room.pass(.milliseconds(59_999))
    #expect(room.closing(bob) == nil)
    room.pass(.milliseconds(1))
    #expect(room.closing(bob) == .lost)
    for id in [nil, cy] {
      #expect(room.standings(id)?.map(\.player.name.text) == ["Ada", "Cy"])
      #expect(room.closing(id) == nil)
    }
  }

  @Test func `players are told when the host closes the room`() throws {
    var room = try MemoryRoom(Match.Rules(), player: "Ada")
    try room.connect(bob, "Bob")
    try room.connect(cy, "Cy")
    room.tellHost(.close(because: .hostLeft))
    for id in [nil, bob, cy] { #expect(room.closing(id) == .hostLeft) }
    try room.connect(dee, "Dee")
    #expect(room.closing(dee) == .hostLeft)
  }

  @Test func `a player without a place is told so`() throws {
    var room = try MemoryRoom(Match.Rules(maximumPlayers: 2), player: "Ada")
    try room.connect(bob, "Bob")
    try room.connect(cy, "Cy")
    #expect(room.closing(cy) == .full)
    #expect(room.standings(nil)?.count == 2)
    room.leave(bob)
    #expect(room.closing(bob) == .left)
    try room.connect(dee, "Dee")
    #expect(room.standings(dee)?.map(\.player.name.text) == ["Ada", "Dee"])
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `garbage from strangers does not disturb the players`(seed: UInt64) throws {
    var random = TwentyFour.SeededGenerator(seed: seed)
    var room = try MemoryRoom(Match.Rules(), player: "Ada")
    try room.connect(bob, "Bob")
    for number in 100..<160 {
      let stranger = ConnectionID(rawValue: number)
      room.tellHost(.connected(stranger))
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        var bytes = try RoomMessage.codec.encode(try #require(RoomMessageTests.all.randomElement(using: &random)))
        if Bool.random(using: &random) { bytes.removeLast(Int.random(in: 0...bytes.count, using: &random)) }
        if Bool.random(using: &random) { bytes.append(UInt8.random(in: 0...255, using: &random)) }
        room.throwAtHost(stranger, bytes)
      }
      room.pass(.milliseconds(Int.random(in: 0...200, using: &random)))
    }
    #expect(room.closing(bob) == nil, "seed \(seed)")
    let hand = try #require(room.hand(bob))
    room.act(bob, .answer(try #require(Solver.firstSolution(of: hand)).description))
    #expect(room.standings(bob)?.first?.player.name.text == "Bob", "seed \(seed)")
    #expect(room.standings(bob)?.first?.time != nil, "seed \(seed)")
    // Strangers who got in are gone when their connections were given up, and they have been away for too long.
    for number in 100..<160 { room.tellHost(.disconnected(ConnectionID(rawValue: number))) }
    room.pass(.seconds(60))
    #expect(room.standings(nil)?.map(\.player.name.text).sorted() == ["Ada", "Bob"], "seed \(seed)")
    #expect(room.standings(bob) == room.standings(nil), "seed \(seed)")
  }

  @Test func `bots play an evening of their own`() throws {
    var room = try MemoryRoom(Match.Rules(roundDuration: .seconds(5), pause: .seconds(1), rounds: 5), player: nil)
    var bots = [
      bob: Bot(generator: TwentyFour.SeededGenerator(seed: 1)), cy: Bot(generator: TwentyFour.SeededGenerator(seed: 2)),
    ]
    try room.connect(bob, "Bob")
    try room.connect(cy, "Cy")
    // Cy came too late for the first of such short rounds.
    #expect(room.hand(cy) == nil)
    room.act(bob, .giveUp)
    for round in 2...5 {
      room.pass(.seconds(1))
      let hand = try #require(room.hand(bob))
      let moves = [bob, cy].map { (id: $0, move: bots[$0]!.move(for: hand, remaining: .seconds(5))) }
      var passed = Duration.zero
      for (id, move) in moves.sorted(by: { $0.move.thinkingTime < $1.move.thinkingTime }) {
        room.pass(move.thinkingTime - passed)
        passed = move.thinkingTime
        switch move.choice {
        case .answer(let expression): room.act(id, .answer(expression.description))
        case .giveUp: room.act(id, .giveUp)
        }
      }
      #expect(room.results(bob).count == round)
    }
    #expect(room.results(bob) == room.results(cy))
    #expect(room.closing(cy) == .finished)
    #expect(room.events[bob, default: []].allSatisfy { if case .refused = $0 { false } else { true } })
  }
}
