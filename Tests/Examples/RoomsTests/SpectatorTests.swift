import FramedCoding
import FramedJSON
import Testing
import TwentyFour

@testable import Rooms

/// Those who watch.
struct SpectatorTests {
  private let bob = ConnectionID(rawValue: 7)
  private let eve = ConnectionID(rawValue: 8)
  private let fay = ConnectionID(rawValue: 9)

  private func watch(_ room: inout TestRoom, _ id: ConnectionID) -> [HostEffect] {
    room.handle(.connected(id)) + room.receive(.hello(.init(name: "Eve", spectates: true)), from: id)
  }

  @Test func `see everything and take no place`() throws {
    var room = try TestRoom(Match.Rules(maximumPlayers: 2))
    let hand = try #require(room.handle(.open).hand)
    room.enter(bob, "Bob")
    room.now += .seconds(4)
    let effects = watch(&room, eve)
    #expect(
      effects == [
        .admit(eve, to: RoomMessageTests.room),
        .send(
          .welcome(
            .init(room: RoomMessageTests.room, player: nil, returnLimit: .seconds(60), rules: RoomMessageTests.rules)),
          to: eve),
        .send(.event(.round(Match.Deal(number: 1, hand: hand, remaining: .seconds(96)))), to: eve),
        .send(.event(.standings(room.machine.match.standings)), to: eve),
        .report(RoomMessageTests.room, .spectators(1)),
      ])
    #expect(room.machine.spectatorCount == 1)
    #expect(room.machine.match.standings.count == 2)
    let ended = room.act(.giveUp) + room.receive(.act(round: 1, .giveUp), from: bob)
    #expect(ended.messages(to: eve) == ended.messages(to: bob))
    #expect(ended.messages(to: eve).count == 3)
    // Only the host is told when they go.
    #expect(room.handle(.disconnected(eve)) == [.report(RoomMessageTests.room, .spectators(0))])
    #expect(room.machine.spectatorCount == 0)
  }

  @Test(arguments: [.act(round: 1, .answer("1")), .act(round: 1, .giveUp), .act(round: 1, .hint)] as [RoomMessage])
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
    #expect(
      room.receive(.leaving, from: eve) == [.disconnect(eve, because: nil), .report(RoomMessageTests.room, .spectators(0))])
    #expect(watch(&room, fay.next).refusal(of: fay.next) == nil)
  }

  @Test func `are told how many players are missing`() throws {
    var room = try TestRoom(Match.Rules(minimumPlayers: 2))
    room.handle(.open)
    #expect(watch(&room, eve).told(eve).last == .missing(1))
    #expect(room.enter(bob, "Bob").told(eve).last == .missing(0))
  }

  @Test func `are told alone how many are missing, for the others know`() throws {
    var room = try TestRoom(Match.Rules(minimumPlayers: 3))
    room.handle(.open)
    #expect(room.enter(bob, "Bob").told(bob).last == .missing(1))
    let effects = watch(&room, eve)
    #expect(effects.told(eve).last == .missing(1))
    #expect(effects.events == [.spectators(1)])
  }

  @Test func `are told nothing that helps a player`() throws {
    var room = try TestRoom(Match.Rules(rounds: 2))
    let hand = try #require(room.handle(.open).hand)
    room.enter(bob, "Bob")
    var effects = watch(&room, eve)
    effects += room.receive(.act(round: 1, .hint), from: bob) + room.receive(.act(round: 1, .answer("8*")), from: bob)
    let solution = try #require(Solver.firstSolution(of: hand)).description
    effects += room.receive(.act(round: 1, .answer(solution)), from: bob, after: .seconds(5))
    let told = effects.told(eve)
    for event in told {
      switch event {
      // The hand, which every player has, who solved it when, and who guesses.
      case .round, .answer, .standings: break
      default: Issue.record("told: \(event)")
      }
    }
    #expect(told.contains { if case .answer = $0 { true } else { false } })
    let body = try told.map { String(decoding: try RoomMessage.codec.encode(.event($0)), as: UTF8.self) }.joined()
    #expect(!body.contains(solution) && !body.contains("expression"))
    // The hand of the next round is told to nobody before it begins; the solution of this one, when it is over.
    let ended = room.act(.giveUp)
    #expect(ended.messages(to: eve) == ended.messages(to: bob))
    #expect(ended.told(eve).contains { if case .roundEnded = $0 { true } else { false } })
    #expect(ended.hand == nil)
  }

  @Test func `come back as what they were`() throws {
    var entry = PlayerEntry(name: try PlayerName("Eve"))
    entry.spectates = true
    var machine = PlayerMachine(entry)
    #expect(
      machine.handle(.connected(Peer(address: Origin(rawValue: "host"))), at: .zero) == [
        .send(.hello(.init(name: "Eve", spectates: true)))
      ])
    var welcome = RoomMessageTests.welcome
    (welcome.player, welcome.secret) = (nil, nil)
    let opened = RoomEvent.open(room: welcome.room, player: nil, rules: welcome.rules)
    #expect(machine.handle(.received(.welcome(welcome)), at: .zero) == [.report(opened)])
    let deal = Match.Deal(number: 1, hand: RoomMessageTests.hand, remaining: .seconds(5))
    #expect(machine.handle(.received(.event(.round(deal))), at: .zero) == [.report(.round(deal))])
    // What they may not say is not said.
    for action in [.answer("1"), .hint] as [Match.Action] {
      #expect(machine.handle(.act(action), at: .zero).map(\.refusal) == [.watching])
    }
    #expect(machine.handle(.act(.giveUp), at: .zero) == [])
    _ = machine.handle(.disconnected, at: .seconds(1))
    _ = machine.handle(.waiting(.seconds(1)), at: .seconds(1))
    _ = machine.handle(.connected(Peer(address: Origin(rawValue: "host"))), at: .seconds(3))
    #expect(machine.handle(.received(.welcome(welcome)), at: .seconds(3)) == [.report(.resumed)])
  }
}

extension ConnectionID {
  fileprivate var next: ConnectionID { ConnectionID(rawValue: rawValue + 1) }
}
