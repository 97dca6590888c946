import Rooms
import Testing
import TwentyFour

/// Those who look on.
struct SpectatorTests {
  private let bob = ConnectionID(rawValue: 7)
  private let eve = ConnectionID(rawValue: 8)
  private let fay = ConnectionID(rawValue: 9)

  private func watch(_ room: inout TestRoom, _ id: ConnectionID) -> [RoomMachine.Effect] {
    room.handle(.connected(id)) + room.receive(.hello(.init(name: "Eve", watches: true)), from: id)
  }

  @Test func `see everything and take no place`() throws {
    var room = try TestRoom(Match.Rules(maximumPlayers: 2))
    let hand = try #require(room.handle(.open).hand)
    room.enter(bob, "Bob")
    room.now += .seconds(4)
    let effects = watch(&room, eve)
    #expect(
      effects == [
        .admit(eve),
        .send(
          .welcome(
            .init(
              room: RoomMessageTests.room, player: nil, state: .playing, returnLimit: .seconds(60),
              rules: RoomMessageTests.rules)),
          to: [eve]),
        .send(.round(Match.Deal(number: 1, hand: hand, remaining: .seconds(96))), to: [eve]),
        .send(.standings(room.machine.standings), to: [eve]),
      ])
    #expect(room.machine.spectatorCount == 1)
    #expect(room.machine.standings.count == 2)
    let ended = room.handle(.giveUp) + room.receive(.giveUp(round: 1), from: bob)
    #expect(ended.messages(to: eve) == ended.messages(to: bob))
    #expect(ended.messages(to: eve).count == 3)
    // They are asked and dropped like players, and nobody is told.
    #expect(room.receive(.ping, from: eve) == [.send(.pong, to: [eve])])
    #expect(room.handle(.disconnected(eve)) == [])
    #expect(room.machine.spectatorCount == 0)
  }

  @Test(arguments: [.answer(round: 1, expression: "1"), .giveUp(round: 1), .hint(round: 1)] as [RoomMessage])
  func `do not play`(message: RoomMessage) throws {
    var room = try TestRoom()
    room.handle(.open)
    _ = watch(&room, eve)
    #expect(room.receive(message, from: eve).refusal(of: eve) == .outOfOrder)
  }

  @Test func `are as many as players at most`() throws {
    var room = try TestRoom(Match.Rules(maximumPlayers: 1))
    room.handle(.open)
    #expect(watch(&room, eve).refusal(of: eve) == nil)
    #expect(watch(&room, fay).refusal(of: fay) == .full)
    #expect(room.receive(.leaving, from: eve) == [.disconnect(eve, after: nil)])
    #expect(watch(&room, ConnectionID(rawValue: 10)).first == .admit(ConnectionID(rawValue: 10)))
  }

  @Test func `are told how many players are missing`() throws {
    var room = try TestRoom(Match.Rules(minimumPlayers: 2))
    room.handle(.open)
    #expect(watch(&room, eve).messages(to: eve).last == .missing(1))
    #expect(room.enter(bob, "Bob").messages(to: eve).last == .missing(0))
  }

  @Test func `are told alone how many are missing, for the others know`() throws {
    var room = try TestRoom(Match.Rules(minimumPlayers: 3))
    room.handle(.open)
    #expect(room.enter(bob, "Bob").messages(to: bob).last == .missing(1))
    let effects = watch(&room, eve)
    #expect(effects.messages(to: eve).last == .missing(1))
    #expect(effects.messages(to: bob) == [])
    #expect(!effects.contains(.report(.missing(1))))
  }

  @Test func `come back as what they were`() throws {
    var entry = PlayerEntry(name: try PlayerName("Eve"))
    entry.watches = true
    var machine = PlayerMachine(entry, jitter: SeededGenerator(seed: 24))
    #expect(machine.handle(.connected, at: .zero) == [.send(.hello(.init(name: "Eve", watches: true)))])
    var welcome = RoomMessageTests.welcome
    (welcome.player, welcome.token) = (nil, nil)
    let opened = RoomEvent.open(room: welcome.room, player: nil, rules: welcome.rules)
    #expect(machine.handle(.received(.welcome(welcome)), at: .zero) == [.report(opened)])
    let deal = Match.Deal(number: 1, hand: RoomMessageTests.hand, remaining: .seconds(5))
    #expect(machine.handle(.received(.round(deal)), at: .zero) == [.report(.round(deal))])
    // What they may not say is not said.
    for event in [.answer("1"), .hint] as [PlayerMachine.Event] {
      let effects = machine.handle(event, at: .zero)
      #expect(effects.count == 1)
      #expect(effects.refusal == .watching)
    }
    #expect(machine.handle(.giveUp, at: .zero) == [])
    _ = machine.handle(.disconnected, at: .seconds(1))
    #expect(machine.handle(.timePassed, at: try #require(machine.nextDeadline)) == [.connect])
    _ = machine.handle(.connected, at: .seconds(3))
    #expect(machine.handle(.received(.welcome(welcome)), at: .seconds(3)) == [.report(.resumed)])
  }
}
