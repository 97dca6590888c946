import Synchronization
import Testing
import TwentyFour

@testable import Rooms

struct RoomMachineTests {
  private let bob = ConnectionID(rawValue: 7)
  private let cy = ConnectionID(rawValue: 8)

  @Test func `opening lets the host play and advertises the room`() throws {
    var room = try TestRoom()
    let effects = room.handle(.open)
    #expect(
      effects.events.first == .open(room: RoomMessageTests.room, player: RoomMessageTests.ada, rules: RoomMessageTests.rules))
    #expect(effects.hand != nil)
    #expect(
      effects.advertisements == [
        RoomAdvertisement(room: RoomMessageTests.room, players: 1, maximumPlayers: 16, state: .playing)
      ])
    #expect(!effects.contains { if case .send = $0 { true } else { false } })
    #expect(effects.last == .wake(RoomMessageTests.room, at: room.now + .seconds(102)))
  }

  @Test func `a host need not play`() throws {
    var room = try TestRoom(player: nil)
    #expect(
      room.handle(.open) == [
        .report(room.machine.room, .open(room: RoomMessageTests.room, player: nil, rules: RoomMessageTests.rules)),
        .broadcast(room.machine.room, .missing(1)),
        .advertise(RoomAdvertisement(room: RoomMessageTests.room, players: 0, maximumPlayers: 16, state: .waiting).pairs),
      ])
    #expect(room.act(.giveUp) == [])
    #expect(room.enter(bob, "Bob").hand != nil)
    #expect(room.receive(.leaving, from: bob).advertisements.map(\.state) == [.waiting])
  }

  @Test func `welcomes a player, deals to them, and tells the others`() throws {
    var room = try TestRoom()
    let hand = try #require(room.handle(.open).hand)
    room.enter(bob, "Bob")
    let effects = room.enter(cy, "bob")
    let player = Player(id: PlayerID(rawValue: 3), name: try PlayerName("bob 2"))
    let messages = effects.messages(to: cy)
    #expect(messages.count == 3)
    #expect(
      messages[0]
        == .welcome(
          .init(
            room: RoomMessageTests.room, player: player, secret: "token 3", returnLimit: .seconds(60),
            rules: RoomMessageTests.rules)))
    #expect(messages[1] == .event(.round(Match.Deal(number: 1, hand: hand, remaining: .seconds(100)))))
    #expect(effects.told(bob).first == .joined(player))
    #expect(effects.events.first == .joined(player))
    #expect(effects.advertisements.map(\.players) == [3])
    // One event for all is one effect: it is encoded once.
    #expect(effects.count { if case .broadcast(_, .standings) = $0 { true } else { false } } == 1)
  }

  @Test func `checks answers itself and tells the solver`() throws {
    var room = try TestRoom()
    let hand = try #require(room.handle(.open).hand)
    room.enter(bob, "Bob")
    let refused = room.receive(.act(round: 1, .answer("1+")), from: bob, after: .seconds(1))
    #expect(refused.told(bob) == [.refused(RoomReason(.syntax, "Column 3: a number is missing here."))])
    #expect(refused.events == [])
    let solution = try #require(Solver.firstSolution(of: hand)).description
    let accepted = room.receive(.act(round: 1, .answer(solution)), from: bob, after: .seconds(1))
    let player = Player(id: PlayerID(rawValue: 2), name: try PlayerName("Bob"))
    #expect(accepted.told(bob).first == .answer(player, time: .seconds(2)))
    #expect(accepted.events.first == .answer(player, time: .seconds(2)))
    #expect(room.receive(.act(round: 1, .answer(solution)), from: bob).messages(to: bob).count == 1)
    #expect(room.act(.answer("6*4")).events.count == 1)
    let ended = room.act(.giveUp)
    #expect(ended.advertisements.map(\.state) == [.waiting])
    guard case .roundEnded(let result)? = ended.told(bob).last else {
      Issue.record("the round goes on: \(ended)")
      return
    }
    #expect(ended.events.last == .roundEnded(result))
    #expect(result.standings.map(\.status) == [.solved(.seconds(2)), .gaveUp])
  }

  @Test(
    arguments: [
      (.hello(.init(version: 1, name: "Bob")), .version), (.hello(.init(name: "")), .name),
      (.hello(.init(name: "\u{202E}")), .name), (.hello(.init(name: "", spectates: true)), .name),
      (.act(round: 1, .answer("1")), .outOfOrder), (.event(.resumed), .outOfOrder),
      (.act(round: 1, .giveUp), .outOfOrder), (.act(round: 1, .hint), .outOfOrder),
      (.welcome(RoomMessageTests.welcome), .outOfOrder),
    ] as [(RoomMessage, RoomReason.Code)])
  func `a connection without a valid hello is not admitted`(message: RoomMessage, code: RoomReason.Code) throws {
    var room = try TestRoom()
    room.handle(.open)
    room.handle(.connected(bob))
    let effects = room.receive(message, from: bob)
    #expect(effects.count == 1)
    #expect(effects.refusal(of: bob) == code)
    // What it still sends is not heard.
    #expect(room.receive(.hello(.init(name: "Bob")), from: bob) == [])
    #expect(room.handle(.malformed(bob, .malformed("no JSON"))) == [])
    #expect(room.handle(.disconnected(bob)) == [])
  }

  @Test(arguments: RoomMessageTests.all)
  func `a player may say only what players say`(message: RoomMessage) throws {
    var room = try TestRoom()
    room.handle(.open)
    room.enter(bob, "Bob")
    room.enter(cy, "Cy")
    let effects = room.receive(message, from: bob)
    switch message {
    case .act: #expect(effects.refusal(of: bob) == nil)
    case .ping: #expect(effects == [.send(.pong, to: bob)])
    case .unknown: #expect(effects == [])
    case .leaving: #expect(effects.first == .disconnect(bob, because: nil))
    case .hello, .look, .room, .welcome, .approval, .pong, .event:
      #expect(effects.refusal(of: bob) == .outOfOrder)
      #expect(effects.told(cy).first == .left(Player(id: PlayerID(rawValue: 2), name: try PlayerName("Bob"))))
    }
  }

  @Test func `bytes that are no message end that connection only`() throws {
    var room = try TestRoom()
    room.handle(.open)
    room.enter(bob, "Bob")
    room.enter(cy, "Cy")
    let effects = room.handle(.malformed(bob, .malformed("no JSON")))
    #expect(effects.first == .disconnect(bob, because: RoomReason(.malformed, "no JSON")))
    #expect(effects.told(cy).count == 2)
    #expect(room.receive(.act(round: 1, .hint), from: cy).told(cy).count == 2)
  }

  @Test func `messages of unknown kinds are ignored, and are no hello`() throws {
    var room = try TestRoom()
    room.handle(.open)
    room.handle(.connected(bob))
    #expect(room.receive(.unknown(kind: "dance"), from: bob) == [])
    let effects = room.receive(.hello(.init(name: "Bob")), from: bob)
    #expect(effects.contains(.admit(bob, to: RoomMessageTests.room)))
    #expect(room.receive(.unknown(kind: "dance"), from: bob) == [])
  }

  @Test func `leaving removes a player and ends a round without players`() throws {
    var room = try TestRoom()
    room.handle(.open)
    room.enter(bob, "Bob")
    room.act(.giveUp)
    let effects = room.receive(.leaving, from: bob)
    #expect(effects.events.first == .left(Player(id: PlayerID(rawValue: 2), name: try PlayerName("Bob"))))
    guard case .roundEnded? = effects.events.last else {
      Issue.record("the round goes on: \(effects)")
      return
    }
    #expect(
      effects.advertisements == [
        RoomAdvertisement(room: RoomMessageTests.room, players: 1, maximumPlayers: 16, state: .waiting)
      ])
  }

  @Test func `refuses players who do not fit in`() throws {
    var room = try TestRoom(Match.Rules(maximumPlayers: 2))
    room.handle(.open)
    room.enter(bob, "Bob")
    #expect(room.enter(cy, "Cy").refusal(of: cy) == .full)
    #expect(room.handle(.disconnected(cy)) == [])
  }

  @Test func `closing tells everyone, and nothing follows`() throws {
    var room = try TestRoom()
    room.handle(.open)
    room.enter(bob, "Bob")
    room.handle(.connected(cy))
    let effects = room.handle(.close(because: .hostLeft))
    guard case .closed(let reason)? = effects.events.last else {
      Issue.record("not closed: \(effects)")
      return
    }
    #expect(reason.code == .hostLeft)
    #expect(
      effects == [
        .broadcast(room.machine.room, .closed(reason)), .disconnect(bob, because: nil), .disconnect(cy, because: reason), .over,
        .wake(room.machine.room, at: nil),
      ])
    #expect(!room.machine.isOpen)
    #expect(room.handle(.close(because: .hostLeft)) == [])
    #expect(room.act(.giveUp) == [])
    #expect(room.act(.answer("1")) == [])
    #expect(room.handle(.disconnected(bob)) == [])
    #expect(room.passTime(.seconds(1000)) == [])
    let late = ConnectionID(rawValue: 9)
    #expect(room.handle(.connected(late)).refusal(of: late) == .hostLeft)
  }

  @Test func `is closed when all rounds are played`() throws {
    var room = try TestRoom(Match.Rules(rounds: 1))
    room.handle(.open)
    room.enter(bob, "Bob")
    room.receive(.act(round: 1, .giveUp), from: bob)
    let effects = room.act(.giveUp)
    guard case .closed(let reason)? = effects.told(bob).last else {
      Issue.record("not closed: \(effects)")
      return
    }
    #expect(reason.code == .finished)
    #expect(effects.events.last == .closed(reason))
    #expect(!room.machine.isOpen)
  }
}
