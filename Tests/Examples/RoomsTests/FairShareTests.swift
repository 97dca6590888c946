import Testing
import TwentyFour

@testable import Rooms

/// Attacks on a room from one address, and what honest players at other addresses, or the same, still get.
struct FairShareTests {
  private let attacker = Origin(rawValue: "10.0.0.66")

  /// Connects from an address and says hello.
  private func enter(
    _ room: inout TestRoom, _ number: Int, from origin: Origin, spectates: Bool = false, seat: SeatProof? = nil
  ) -> [HostEffect] {
    let id = ConnectionID(rawValue: number)
    return room.handle(.connected(id, from: origin))
      + room.receive(.hello(.init(name: "Player \(number)", seat: seat, spectates: spectates)), from: id)
  }

  /// Bob, whose connection has an address of its own, plays.
  private func room(_ rules: Match.Rules = Match.Rules(), shares: ShareLimits = ShareLimits()) throws -> TestRoom {
    var room = try TestRoom(rules, shares: shares)
    room.handle(.open)
    return room
  }

  @Test func `one address cannot take all seats`() throws {
    var room = try room()
    let effects = (1...16).map { enter(&room, $0, from: attacker) }
    #expect(room.machine.match.players.count == 1 + 4)
    #expect(effects[4].refusal(of: ConnectionID(rawValue: 5)) == .share)
    // Honest players at other addresses get the rest.
    for number in 101...111 {
      let id = ConnectionID(rawValue: number)
      #expect(enter(&room, number, from: Origin(of: id)).welcome(of: id) != nil)
    }
    #expect(room.machine.match.players.count == 16)
  }

  @Test func `seats are not held without a socket`() throws {
    var room = try room(Match.Rules(maximumPlayers: 5))
    for number in 1...4 {
      _ = enter(&room, number, from: Origin(rawValue: "\(number)"))
      room.handle(.disconnected(ConnectionID(rawValue: number)))
    }
    #expect(room.machine.match.players.count == 1)
    // Who has sent an answer, even a wrong one, keeps the seat, until somebody needs it: the longest away goes first.
    for number in 11...14 {
      let id = ConnectionID(rawValue: number)
      _ = enter(&room, number, from: Origin(rawValue: "\(number)"))
      room.receive(.act(round: 1, .answer("1")), from: id)
      room.handle(.disconnected(id), after: .seconds(1))
    }
    #expect(room.machine.match.awayCount == 4)
    let first = room.machine.match.players[1]
    let honest = ConnectionID(rawValue: 21)
    let effects = enter(&room, 21, from: Origin(of: honest))
    #expect(effects.welcome(of: honest) != nil)
    #expect(effects.events.contains(.left(first)))
    #expect(room.machine.match.awayCount == 3)
    #expect(room.machine.match.players.count == 5)
  }

  @Test func `an address with a seat gets none of the last quarter`() throws {
    var room = try room(Match.Rules(maximumPlayers: 8), shares: ShareLimits(seats: 8))
    for number in 1...8 { _ = enter(&room, number, from: attacker) }
    #expect(room.machine.match.players.count == 6)
    for number in [11, 12] {
      let id = ConnectionID(rawValue: number)
      #expect(enter(&room, number, from: Origin(of: id)).welcome(of: id) != nil)
    }
    #expect(room.machine.match.players.count == 8)
  }

  @Test func `a small room can be filled from one address`() throws {
    var room = try room(Match.Rules(maximumPlayers: 3))
    for number in 1...2 { _ = enter(&room, number, from: attacker) }
    #expect(room.machine.match.players.count == 3)
  }

  @Test func `the share is free again when players leave`() throws {
    var room = try room()
    for number in 1...4 { _ = enter(&room, number, from: attacker) }
    room.receive(.leaving, from: ConnectionID(rawValue: 1))
    room.now += .seconds(1)
    #expect(enter(&room, 5, from: attacker).welcome(of: ConnectionID(rawValue: 5)) != nil)
    room.now += .seconds(1)
    #expect(enter(&room, 6, from: attacker).refusal(of: ConnectionID(rawValue: 6)) == .share)
  }

  @Test func `one address cannot take all places to watch`() throws {
    var room = try room()
    for number in 1...8 { _ = enter(&room, number, from: attacker, spectates: true) }
    #expect(room.machine.spectatorCount == 4)
    #expect(enter(&room, 9, from: Origin(rawValue: "other"), spectates: true).count > 1)
    #expect(room.machine.spectatorCount == 5)
  }

  @Test func `joins from one address are limited in time, and others come in`() throws {
    var room = try room()
    var refused = 0
    for number in 1...100 {
      let id = ConnectionID(rawValue: number)
      if enter(&room, number, from: attacker).refusal(of: id) == .tooFast { refused += 1 }
      room.receive(.leaving, from: id)
    }
    #expect(refused == 92)
    #expect(enter(&room, 200, from: Origin(rawValue: "other")).refusal(of: ConnectionID(rawValue: 200)) == nil)
    room.now += .seconds(1)
    #expect(enter(&room, 201, from: attacker).refusal(of: ConnectionID(rawValue: 201)) == nil)
    #expect(enter(&room, 202, from: attacker).refusal(of: ConnectionID(rawValue: 202)) == .tooFast)
  }

  @Test func `a flood of messages ends its connection, and the others of the room play on`() throws {
    var room = try room()
    let (flooder, bob) = (ConnectionID(rawValue: 1), ConnectionID(rawValue: 2))
    _ = enter(&room, 1, from: attacker)
    _ = enter(&room, 2, from: Origin(of: bob))
    var answered = 0
    for _ in 0..<1_500 {
      let effects = room.receive(.act(round: 1, .answer("1")), from: flooder)
      if effects.refusal(of: flooder) == .tooFast { break }
      answered += 1
    }
    #expect(answered == 199)
    #expect(room.receive(.act(round: 1, .hint), from: bob).told(bob).count == 2)
    // Fifty a second for ever are allowed.
    room.now += .seconds(10)
    _ = enter(&room, 3, from: attacker)
    for _ in 0..<500 {
      room.now += .milliseconds(20)
      #expect(room.receive(.unknown(kind: "dance"), from: ConnectionID(rawValue: 3)) == [])
    }
  }

  @Test func `without limits one address may do everything`() throws {
    var room = try room(shares: .none)
    for number in 1...15 { _ = enter(&room, number, from: attacker) }
    #expect(room.machine.match.players.count == 16)
    for number in 21...36 { _ = enter(&room, number, from: attacker, spectates: true) }
    #expect(room.machine.spectatorCount == 16)
  }

  @Test func `a seat that another address takes over is told apart from one that moved`() throws {
    var room = try room()
    let origin = Origin(rawValue: "10.0.0.2")
    let first = enter(&room, 1, from: origin)
    let seatProof = try #require(first.welcome(of: ConnectionID(rawValue: 1))?.seatProof)
    let moved = enter(&room, 2, from: origin, seat: seatProof)
    #expect(moved.refusal(of: ConnectionID(rawValue: 1)) == .replaced)
    let stolen = enter(&room, 3, from: attacker, seat: seatProof)
    #expect(stolen.refusal(of: ConnectionID(rawValue: 2)) == .takenOver)
    // The seat now counts for the address that has it.
    #expect(room.machine.takenPlaces == [attacker: TakenPlaces(seats: 1)])
  }

  @Test func `a seat that nobody plays at does not hold up a round beyond its clock`() throws {
    var room = try room()
    for number in 1...2 { _ = enter(&room, number, from: Origin(rawValue: "\(number)")) }
    room.receive(.act(round: 1, .answer("1")), from: ConnectionID(rawValue: 1))
    room.handle(.disconnected(ConnectionID(rawValue: 1)), after: .seconds(50))
    room.act(.giveUp)
    let effects = room.passTime(.seconds(52))
    #expect(effects.events.contains { if case .roundEnded = $0 { true } else { false } })
  }
}

/// What the limits are made of.
struct RateLimiterTests {
  private let origins = (0..<10_000).map { Origin(rawValue: "\($0)") }

  @Test func `a burst at once, then the rate`() {
    var limiter = RateLimiter(ShareLimits.Rate(perSecond: 2, burst: 3))
    #expect((0..<5).map { _ in limiter.allows(origins[0], at: .zero) } == [true, true, true, false, false])
    let other = limiter.allows(origins[1], at: .zero)
    #expect(other)
    let later = [499, 500, 999].map { limiter.allows(origins[0], at: .milliseconds($0)) }
    #expect(later == [false, true, false])
    // After a rest the whole burst again, not more.
    #expect((0..<4).map { _ in limiter.allows(origins[0], at: .seconds(100)) } == [true, true, true, false])
  }

  @Test func `addresses that have rested are forgotten`() {
    var limiter = RateLimiter(ShareLimits.Rate(perSecond: 10, burst: 10))
    for (index, origin) in origins.enumerated() { _ = limiter.allows(origin, at: .milliseconds(index)) }
    #expect(limiter.count <= 512)
    var unlimited = RateLimiter(nil)
    #expect((0..<1_000).allSatisfy { _ in unlimited.allows(origins[0], at: .zero) })
    #expect(unlimited.count == 0)
  }
}
