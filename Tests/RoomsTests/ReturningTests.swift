import Rooms
import Testing
import TwentyFour

/// Seats that are kept for those whose connection broke, as the host sees it.
struct ReturningTests {
  private let bob = ConnectionID(rawValue: 7)
  private let cy = ConnectionID(rawValue: 8)
  private let again = ConnectionID(rawValue: 9)
  /// Bob's number and secret in a room that Ada hosts.
  private let player = Player(id: PlayerID(rawValue: 2), name: try! PlayerName("Bob"))
  private let token = "token 1"

  /// A room with Ada, Bob and Cy, in its first round.
  private func playing(_ rules: Match.Rules = Match.Rules()) throws -> (room: TestRoom, hand: Hand) {
    var room = try TestRoom(rules)
    let hand = try #require(room.handle(.open).hand)
    room.enter(bob, "Bob")
    room.enter(cy, "Cy")
    return (room, hand)
  }

  private func comeBack(_ room: inout TestRoom, over id: ConnectionID, with token: String) -> [RoomMachine.Effect] {
    room.handle(.connected(id))
    return room.receive(.hello(.init(name: "Somebody", token: token)), from: id)
  }

  @Test func `each player gets a secret of his own`() throws {
    var room = try TestRoom()
    room.handle(.open)
    let tokens = [bob, cy].compactMap { id -> String? in
      for case .welcome(let welcome) in room.enter(id, "Bob").messages(to: id) { return welcome.token }
      return nil
    }
    #expect(tokens == ["token 1", "token 2"])
    let random = SeatToken.random().text
    #expect(random.utf8.count == 32 && random.utf8.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit })
    #expect(random != SeatToken.random().text)
  }

  @Test func `who comes back with it has his seat and his round again`() throws {
    var (room, hand) = try playing()
    let lost = room.handle(.disconnected(bob), after: .seconds(2))
    #expect(lost.messages(to: cy).first == .away(player))
    #expect(lost.events.first == .away(player))
    #expect(lost.advertisements == [])

    room.now += .seconds(2)
    let effects = comeBack(&room, over: again, with: token)
    #expect(effects.first == .admit(again))
    let messages = effects.messages(to: again)
    #expect(
      messages.first
        == .welcome(
          .init(
            room: RoomMessageTests.room, player: player, state: .playing, token: token, returnLimit: .seconds(60),
            rules: RoomMessageTests.rules)))
    #expect(messages.dropFirst().first == .round(Match.Deal(number: 1, hand: hand, remaining: .seconds(96))))
    #expect(effects.messages(to: cy).first == .back(player))
    #expect(effects.events.first == .back(player))
    let solution = try #require(Solver.firstSolution(of: hand)).description
    #expect(
      room.receive(.answer(round: 1, expression: solution), from: again).messages(to: cy).first
        == .accepted(player, time: .seconds(4)))
  }

  @Test func `a second connection with the same secret takes the place of the first`() throws {
    var (room, _) = try playing()
    let effects = comeBack(&room, over: again, with: token)
    #expect(effects.first == .disconnect(bob, after: .refused(RoomReason(.replaced, "You came back over another connection."))))
    #expect(effects.messages(to: cy).prefix(1) == [.away(player)])
    #expect(effects.messages(to: cy).contains(.back(player)))
    #expect(effects.messages(to: again).contains { if case .round = $0 { true } else { false } })
    // What the old one still says, and that it breaks, means nothing.
    #expect(room.receive(.giveUp(round: 1), from: bob) == [])
    #expect(room.handle(.disconnected(bob)) == [])
    #expect(room.receive(.ping, from: again) == [.send(.pong, to: [again])])
  }

  @Test(arguments: ["token 2", "token", "token 11", "", "token 1 ", "TOKEN 1"])
  func `who has no such secret is a newcomer`(guess: String) throws {
    var room = try TestRoom()
    room.handle(.open)
    room.enter(bob, "Bob")
    room.handle(.disconnected(bob))
    let effects = comeBack(&room, over: again, with: guess)
    let somebody = Player(id: PlayerID(rawValue: 3), name: try PlayerName("Somebody"))
    #expect(effects.events.first == .joined(somebody))
    #expect(room.machine.standings.map(\.isAway) == [false, true, false])
  }

  @Test func `the secret dies with the seat`() throws {
    for isDismissed in [true, false] {
      var (room, _) = try playing()
      if isDismissed { room.handle(.malformed(bob, .notJSON)) } else { room.receive(.leaving, from: bob) }
      #expect(comeBack(&room, over: again, with: token).events.first != .back(player))
      #expect(room.machine.standings.map(\.player.name.text) == ["Ada", "Cy", "Somebody"])
    }
    var (room, _) = try playing()
    room.handle(.disconnected(bob))
    #expect(room.handle(.timePassed, after: .seconds(60)).events.first == .left(player))
    #expect(comeBack(&room, over: again, with: token).events.contains(.back(player)) == false)
  }

  @Test func `who is shown out has no seat any more, away or not`() throws {
    for isAway in [true, false] {
      var (room, _) = try playing()
      if isAway { room.handle(.disconnected(bob)) }
      let effects = room.handle(.kick(player.id))
      #expect(effects.refusal(of: bob) == (isAway ? nil : .kicked))
      #expect(effects.messages(to: cy).first == .left(player))
      #expect(room.machine.standings.map(\.player.name.text) == ["Ada", "Cy"])
      #expect(room.handle(.kick(player.id)) == [])
      #expect(comeBack(&room, over: again, with: token).events.contains(.back(player)) == false)
    }
  }

  @Test func `a room that keeps no seats has no secrets`() throws {
    var room = try TestRoom(Match.Rules(returnLimit: .zero))
    room.handle(.open)
    for case .welcome(let welcome) in room.enter(bob, "Bob").messages(to: bob) {
      #expect(welcome.token == nil)
      #expect(welcome.returnLimit == .zero)
    }
    #expect(room.handle(.disconnected(bob)).events.first == .left(player))
  }

  @Test func `a host who goes for a while says nothing`() throws {
    var (room, _) = try playing()
    let effects = room.handle(.suspend)
    #expect(effects.prefix(2) == [.disconnect(bob, after: nil), .disconnect(cy, after: nil)])
    #expect(effects.count == 3)
    #expect(!room.machine.isOpen)
    #expect(room.machine.snapshot(at: room.now) == nil)
    #expect(room.handle(.suspend) == [])
  }

  @Test func `hints go to the one who asks, with their price`() throws {
    var (room, hand) = try playing()
    let hints = Hint.hints(to: hand)
    let effects = room.receive(.hint(round: 1), from: bob)
    #expect(effects.messages(to: bob).first == .hinted(round: 1, hints[0], cost: 2))
    #expect(effects.messages(to: cy).count == 1)
    #expect(effects.events.count == 1)
    #expect(room.receive(.hint(round: 2), from: bob).messages(to: bob).map(\.refusal) == [.noSuchRound])
    for _ in 2...3 { room.receive(.hint(round: 1), from: bob) }
    #expect(room.receive(.hint(round: 1), from: bob).messages(to: bob).map(\.refusal) == [.noMoreHints])
    // The host's own player asks without a connection.
    #expect(room.handle(.hint).events.first == .hint(hints[0], cost: 2))
  }

  @Test func `who is missing is told to those who wait`() throws {
    var room = try TestRoom(Match.Rules(minimumPlayers: 3))
    #expect(room.handle(.open).events.contains(.missing(2)))
    #expect(room.enter(bob, "Bob").messages(to: bob).last == .missing(1))
    let started = room.enter(cy, "Cy")
    #expect(started.hand != nil)
    #expect(started.messages(to: bob).last == .missing(0))
    #expect(started.events.last == .missing(0))
    // One who is away is not missing; one who left is, and one who comes back is told.
    #expect(!room.handle(.disconnected(bob)).events.contains { if case .missing = $0 { true } else { false } })
    #expect(room.receive(.leaving, from: cy).events.contains(.missing(1)))
    #expect(comeBack(&room, over: again, with: token).messages(to: again).last == .missing(1))
  }
}

extension RoomMessage {
  /// The code of an answer or a hint that was refused.
  fileprivate var refusal: RoomReason.Code? {
    switch self {
    case .answerRefused(let reason), .hintRefused(let reason): reason.code
    default: nil
    }
  }
}
