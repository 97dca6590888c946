import Testing
import TwentyFour

@testable import Rooms

/// Seats that are kept for those whose connection broke, as the host sees it.
struct ReturningTests {
  private let bob = ConnectionID(rawValue: 7)
  private let cy = ConnectionID(rawValue: 8)
  private let again = ConnectionID(rawValue: 9)
  /// Bob's number and secret in a room that Ada hosts.
  private let player = Player(id: PlayerID(rawValue: 2), name: try! PlayerName("Bob"))
  private let secret = "token 1"

  /// A room with Ada, Bob and Cy, in its first round.
  private func playing(_ rules: Match.Rules = Match.Rules()) throws -> (room: TestRoom, hand: Hand) {
    var room = try TestRoom(rules)
    let hand = try #require(room.handle(.open).hand)
    room.enter(bob, "Bob")
    room.enter(cy, "Cy")
    // Who has sent an answer keeps the seat.
    for id in [bob, cy] { room.receive(.act(round: 1, .answer("1")), from: id) }
    return (room, hand)
  }

  private func comeBack(_ room: inout TestRoom, over id: ConnectionID, with secret: String) -> [HostEffect] {
    // From where Bob was before.
    room.handle(.connected(id, from: Origin(of: bob)))
    let seatProof = SeatProof(room: RoomMessageTests.room, player: player.id, secret: secret, over: [])
    return room.receive(.hello(.init(name: "Somebody", seat: seatProof)), from: id)
  }

  @Test func `each player gets a secret of their own`() throws {
    var room = try TestRoom()
    room.handle(.open)
    let secrets = [bob, cy].compactMap { id in
      room.enter(id, "Bob").welcome(of: id)?.secret
    }
    #expect(Set(secrets).count == 2)
    let random = SeatSecret.random()
    #expect(random.utf8.count == 32 && random.utf8.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit })
    #expect(random != SeatSecret.random())
  }

  @Test func `a player who comes back with it has their seat and their round again`() throws {
    var (room, hand) = try playing()
    let lost = room.handle(.disconnected(bob), after: .seconds(2))
    #expect(lost.told(cy).first == .away(player))
    #expect(lost.events.first == .away(player))
    #expect(lost.advertisements == [])

    room.now += .seconds(2)
    let effects = comeBack(&room, over: again, with: secret)
    let messages = effects.messages(to: again)
    let next = effects.welcome(of: again)?.secret
    #expect(next != nil && next != secret)
    #expect(
      messages.first
        == .welcome(
          .init(
            room: RoomMessageTests.room, player: player, secret: next, returnLimit: .seconds(60),
            rules: RoomMessageTests.rules)
        ))
    #expect(messages.dropFirst().first == .event(.round(Match.Deal(number: 1, hand: hand, remaining: .seconds(96)))))
    #expect(effects.told(cy).first == .back(player))
    #expect(effects.events.first == .back(player))
    let solution = try #require(Solver.firstSolution(of: hand)).description
    #expect(
      room.receive(.act(round: 1, .answer(solution)), from: again).told(cy).first == .answer(player, time: .seconds(4)))
  }

  @Test func `a state from before the last returns knows the secrets that these gave out`() throws {
    let peer = Peer(address: Origin(of: bob))
    func seatProof(_ secret: String) -> SeatProof {
      SeatProof(room: RoomMessageTests.room, player: player.id, secret: secret, over: peer.binding)
    }
    let stored = SeatSecret("first", seed: "seed")
    var (current, told) = (stored, ["first"])
    for _ in 0..<SeatSecret.window {
      current.exchange(after: seatProof(told.last!), over: peer) { "another seed" }
      told.append(current.latest)
    }
    #expect(Set(told).count == SeatSecret.window + 1)
    for secret in told { #expect(stored.isShown(by: seatProof(secret), over: peer)) }
    #expect(!stored.isShown(by: seatProof("seed"), over: peer))
    // Who has shown a later one has another one next, and the earlier ones are not good any more.
    var restored = stored
    restored.exchange(after: seatProof(told[3]), over: peer) { "another seed" }
    restored.confirm()
    #expect(restored.latest == told[4])
    for secret in told.prefix(4) { #expect(!restored.isShown(by: seatProof(secret), over: peer)) }
    // One more than there may be.
    current.exchange(after: seatProof(told.last!), over: peer) { "another seed" }
    #expect(!stored.isShown(by: seatProof(current.latest), over: peer))
  }

  @Test func `a second connection with the same secret takes the place of the first`() throws {
    var (room, _) = try playing()
    let effects = comeBack(&room, over: again, with: secret)
    #expect(effects.first == .disconnect(bob, because: RoomReason(.replaced, "You came back over another connection.")))
    #expect(effects.told(cy).prefix(1) == [.away(player)])
    #expect(effects.told(cy).contains(.back(player)))
    #expect(effects.told(again).contains { if case .round = $0 { true } else { false } })
    // What the old one still says, and that it breaks, means nothing.
    #expect(room.receive(.act(round: 1, .giveUp), from: bob) == [])
    #expect(room.handle(.disconnected(bob)) == [])
    #expect(room.receive(.act(round: 1, .hint), from: again).told(again).count == 2)
  }

  @Test(arguments: ["token 2", "token", "token 11", "", "token 1 ", "TOKEN 1"])
  func `a player without such a secret is new`(guess: String) throws {
    var room = try TestRoom()
    room.handle(.open)
    room.enter(bob, "Bob")
    room.receive(.act(round: 1, .answer("1")), from: bob)
    room.handle(.disconnected(bob))
    let effects = comeBack(&room, over: again, with: guess)
    let somebody = Player(id: PlayerID(rawValue: 3), name: try PlayerName("Somebody"))
    #expect(effects.events.first == .joined(somebody))
    #expect(room.machine.match.standings.map(\.isAway) == [false, true, false])
  }

  @Test func `the secret dies with the seat`() throws {
    for isDismissed in [true, false] {
      var (room, _) = try playing()
      if isDismissed { room.handle(.malformed(bob, .malformed("no JSON"))) } else { room.receive(.leaving, from: bob) }
      #expect(comeBack(&room, over: again, with: secret).events.first != .back(player))
      #expect(room.machine.match.standings.map(\.player.name.text) == ["Ada", "Cy", "Somebody"])
    }
    var (room, _) = try playing()
    room.handle(.disconnected(bob))
    #expect(room.passTime(.seconds(60)).events.first == .left(player))
    #expect(comeBack(&room, over: again, with: secret).events.contains(.back(player)) == false)
  }

  @Test func `a player who was removed has no seat any more, away or not`() throws {
    for isAway in [true, false] {
      var (room, _) = try playing()
      if isAway { room.handle(.disconnected(bob)) }
      let effects = room.handle(.command(.rule(.kick(player.id))))
      #expect(effects.refusal(of: bob) == (isAway ? nil : .kicked))
      #expect(effects.told(cy).first == .left(player))
      #expect(room.machine.match.standings.map(\.player.name.text) == ["Ada", "Cy"])
      #expect(room.handle(.command(.rule(.kick(player.id)))).events.count == 1)
      #expect(comeBack(&room, over: again, with: secret).events.contains(.back(player)) == false)
    }
  }

  @Test func `a room that keeps no seats has no secrets`() throws {
    var room = try TestRoom(Match.Rules(returnLimit: .zero))
    room.handle(.open)
    let welcome = try #require(room.enter(bob, "Bob").welcome(of: bob))
    #expect(welcome.secret == nil)
    #expect(welcome.returnLimit == .zero)
    #expect(room.handle(.disconnected(bob)).events.first == .left(player))
  }

  @Test func `a suspended room sends no goodbye`() throws {
    var (room, _) = try playing()
    let effects = room.handle(.suspend)
    #expect(effects.prefix(2) == [.disconnect(bob, because: nil), .disconnect(cy, because: nil)])
    #expect(effects.told.count == 3)
    #expect(!effects.contains(.over))
    #expect(!room.machine.isOpen)
    #expect(room.machine.snapshot(at: room.now) == nil)
    #expect(room.handle(.suspend) == [])
    // Whoever looks for the room at once comes too early, and shall look again.
    #expect(room.handle(.connected(again)) == [.disconnect(again, because: nil)])
  }

  @Test func `hints go to the player who asks, with their price`() throws {
    var (room, hand) = try playing()
    let hints = Hint.hints(to: hand)
    let effects = room.receive(.act(round: 1, .hint), from: bob)
    #expect(effects.told(bob).first == .hint(hints[0], cost: 2))
    #expect(effects.told(cy).count == 1)
    #expect(effects.events.count == 1)
    #expect(room.receive(.act(round: 2, .hint), from: bob).told(bob).map(\.refusal) == [.noSuchRound])
    for _ in 2...3 { room.receive(.act(round: 1, .hint), from: bob) }
    #expect(room.receive(.act(round: 1, .hint), from: bob).told(bob).map(\.refusal) == [.noMoreHints])
    // The host's own player asks without a connection.
    #expect(room.act(.hint).events.first == .hint(hints[0], cost: 2))
  }

  @Test func `waiting players are told how many are missing`() throws {
    var room = try TestRoom(Match.Rules(minimumPlayers: 3))
    #expect(room.handle(.open).events.contains(.missing(2)))
    #expect(room.enter(bob, "Bob").told(bob).last == .missing(1))
    let started = room.enter(cy, "Cy")
    #expect(started.hand != nil)
    #expect(started.told(bob).last == .missing(0))
    #expect(started.events.last == .missing(0))
    // One who is away is not missing; one who left is, and one who comes back is told.
    room.receive(.act(round: 1, .answer("1")), from: bob)
    #expect(!room.handle(.disconnected(bob)).events.contains { if case .missing = $0 { true } else { false } })
    #expect(room.receive(.leaving, from: cy).events.contains(.missing(1)))
    #expect(comeBack(&room, over: again, with: secret).told(again).last == .missing(1))
  }
}

extension RoomEvent {
  /// The code of what was refused.
  fileprivate var refusal: RoomReason.Code? {
    if case .refused(let reason) = self { reason.code } else { nil }
  }
}
