import Rooms
import Synchronization
import Testing
import TwentyFour

/// Makes secrets that are none: `token 1`, `token 2`, and so on.
final class TokenMint: Sendable {
  private let count = Atomic(0)

  func next() -> SeatToken {
    SeatToken(text: "token \(count.add(1, ordering: .relaxed).newValue)")
  }
}

/// A host machine on a clock that is moved by hand.
struct TestRoom {
  var machine: RoomMachine
  var now = Duration.seconds(50)

  init(_ rules: Match.Rules = Match.Rules(), player: String? = "Ada") throws {
    machine = RoomMachine(
      room: RoomMessageTests.room, player: try player.map { try PlayerName($0) }, rules: rules,
      generator: SeededGenerator(seed: 24), tokens: TokenMint().next)
  }

  @discardableResult
  mutating func handle(_ event: RoomMachine.Event, after time: Duration = .zero) -> [RoomMachine.Effect] {
    now += time
    return machine.handle(event, at: now)
  }

  @discardableResult
  mutating func receive(_ message: RoomMessage, from id: ConnectionID, after time: Duration = .zero) -> [RoomMachine.Effect] {
    handle(.received(id, message), after: time)
  }

  @discardableResult
  mutating func enter(_ id: ConnectionID, _ name: String) -> [RoomMachine.Effect] {
    handle(.connected(id)) + receive(.hello(.init(name: name)), from: id)
  }
}

extension [RoomMachine.Effect] {
  /// What one connection gets, in order; what it gets last when it is disconnected is among it.
  func messages(to id: ConnectionID) -> [RoomMessage] {
    compactMap {
      switch $0 {
      case .send(let message, let receivers): receivers.contains(id) ? message : nil
      case .disconnect(id, let message): message
      case .admit, .disconnect, .advertise, .report: nil
      }
    }
  }

  var events: [RoomEvent] {
    compactMap { if case .report(let event) = $0 { event } else { nil } }
  }

  var advertisements: [RoomAdvertisement] {
    compactMap { if case .advertise(let advertisement) = $0 { advertisement } else { nil } }
  }

  var hand: Hand? {
    for case .round(let deal) in events { return deal.hand }
    return nil
  }

  /// The code with which a connection was shown out.
  func refusal(of id: ConnectionID) -> RoomReason.Code? {
    for case .disconnect(id, .refused(let reason)?) in self { return reason.code }
    return nil
  }
}

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
    #expect(room.machine.nextDeadline == room.now + .seconds(102))
  }

  @Test func `a host need not play`() throws {
    var room = try TestRoom(player: nil)
    #expect(
      room.handle(.open) == [
        .report(.open(room: RoomMessageTests.room, player: nil, rules: RoomMessageTests.rules)), .report(.missing(1)),
        .advertise(RoomAdvertisement(room: RoomMessageTests.room, players: 0, maximumPlayers: 16, state: .waiting)),
      ])
    #expect(room.machine.nextDeadline == nil)
    #expect(room.handle(.giveUp) == [])
    #expect(room.enter(bob, "Bob").hand != nil)
    #expect(room.receive(.leaving, from: bob).advertisements.map(\.state) == [.waiting])
  }

  @Test func `welcomes a player, deals to him, and tells the others`() throws {
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
            room: RoomMessageTests.room, player: player, state: .playing, token: "token 2", returnLimit: .seconds(60),
            rules: RoomMessageTests.rules)))
    #expect(messages[1] == .round(Match.Deal(number: 1, hand: hand, remaining: .seconds(100))))
    #expect(effects.messages(to: bob).first == .joined(player))
    #expect(effects.events.first == .joined(player))
    #expect(effects.advertisements.map(\.players) == [3])
    // One message for all is one effect: it is encoded once.
    let broadcasts = effects.filter { if case .send(.standings, let receivers) = $0 { receivers == [bob, cy] } else { false } }
    #expect(broadcasts.count == 1)
  }

  @Test func `checks answers itself and tells who solved`() throws {
    var room = try TestRoom()
    let hand = try #require(room.handle(.open).hand)
    room.enter(bob, "Bob")
    let refused = room.receive(.answer(round: 1, expression: "1+"), from: bob, after: .seconds(1))
    #expect(refused.messages(to: bob) == [.answerRefused(RoomReason(.syntax, "Column 3: a number is missing here."))])
    #expect(refused.events == [])
    let solution = try #require(Solver.firstSolution(of: hand)).description
    let accepted = room.receive(.answer(round: 1, expression: solution), from: bob, after: .seconds(1))
    let player = Player(id: PlayerID(rawValue: 2), name: try PlayerName("Bob"))
    #expect(accepted.messages(to: bob).first == .accepted(player, time: .seconds(2)))
    #expect(accepted.events.first == .answer(player, time: .seconds(2)))
    #expect(room.receive(.answer(round: 1, expression: solution), from: bob).messages(to: bob).count == 1)
    #expect(room.handle(.answer("6*4")).events.count == 1)
    let ended = room.handle(.giveUp)
    #expect(ended.advertisements.map(\.state) == [.waiting])
    guard case .roundEnded(let result)? = ended.messages(to: bob).last else {
      Issue.record("the round goes on: \(ended)")
      return
    }
    #expect(ended.events.last == .roundEnded(result))
    #expect(result.standings.map(\.status) == [.solved(.seconds(2)), .gaveUp])
  }

  @Test(
    arguments: [
      (.hello(.init(version: 2, name: "Bob")), .version), (.hello(.init(name: "")), .name),
      (.hello(.init(name: "\u{202E}")), .name), (.hello(.init(name: "", watches: true)), .name),
      (.answer(round: 1, expression: "1"), .outOfOrder), (.ping, .outOfOrder), (.pong, .outOfOrder),
      (.giveUp(round: 1), .outOfOrder), (.hint(round: 1), .outOfOrder),
      (.welcome(RoomMessageTests.welcome), .outOfOrder),
    ] as [(RoomMessage, RoomReason.Code)])
  func `who does not say a proper hello is not let in`(message: RoomMessage, code: RoomReason.Code) throws {
    var room = try TestRoom()
    room.handle(.open)
    room.handle(.connected(bob))
    let effects = room.receive(message, from: bob)
    #expect(effects.count == 1)
    #expect(effects.refusal(of: bob) == code)
    // What it still sends is not heard.
    #expect(room.receive(.hello(.init(name: "Bob")), from: bob) == [])
    #expect(room.handle(.malformed(bob, .notJSON)) == [])
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
    case .answer, .giveUp, .hint, .ping, .pong:
      #expect(effects.refusal(of: bob) == nil)
    case .leaving:
      #expect(effects.first == .disconnect(bob, after: nil))
    case .hello, .welcome, .refused, .joined, .left, .away, .back, .missing, .round, .accepted, .answerRefused, .hinted,
      .hintRefused, .standings, .roundEnded, .closed:
      #expect(effects.refusal(of: bob) == .outOfOrder)
      #expect(effects.messages(to: cy).first == .left(Player(id: PlayerID(rawValue: 2), name: try PlayerName("Bob"))))
    }
  }

  @Test(arguments: [MalformedMessage.tooLarge, .notUTF8, .notJSON, .invalid(field: "name")])
  func `bytes that are no message end that connection only`(malformed: MalformedMessage) throws {
    var room = try TestRoom()
    room.handle(.open)
    room.enter(bob, "Bob")
    room.enter(cy, "Cy")
    let effects = room.handle(.malformed(bob, malformed))
    #expect(effects.first == .disconnect(bob, after: .refused(RoomReason(.malformed, malformed.description))))
    #expect(effects.messages(to: cy).count == 2)
    #expect(room.receive(.ping, from: cy) == [.send(.pong, to: [cy])])
  }

  @Test func `messages of unknown kinds are ignored`() throws {
    var room = try TestRoom()
    room.handle(.open)
    room.handle(.connected(bob))
    #expect(room.handle(.malformed(bob, .unknownKind)) == [])
    room.receive(.hello(.init(name: "Bob")), from: bob)
    #expect(room.handle(.malformed(bob, .unknownKind)) == [])
  }

  @Test func `who has not said hello is the shell's affair`() throws {
    var room = try TestRoom()
    room.handle(.open)
    let deadline = room.machine.nextDeadline
    room.handle(.connected(bob))
    // Noise is no hello.
    #expect(room.handle(.malformed(bob, .unknownKind)) == [])
    #expect(room.machine.nextDeadline == deadline)
    #expect(room.receive(.hello(.init(name: "Bob")), from: bob).first == .admit(bob))
  }

  @Test func `a silent player is asked, and taken for away after fifteen seconds`() throws {
    var room = try TestRoom()
    room.handle(.open)
    room.enter(bob, "Bob")
    room.enter(cy, "Cy")
    let start = room.now
    for step in 1...2 {
      #expect(room.machine.nextDeadline == start + .seconds(5 * step))
      #expect(room.handle(.timePassed, after: .seconds(5)) == [.send(.ping, to: [bob]), .send(.ping, to: [cy])])
      #expect(room.receive(.pong, from: cy) == [])
    }
    let effects = room.handle(.timePassed, after: .seconds(5))
    #expect(effects.refusal(of: bob) == .silent)
    #expect(effects.refusal(of: cy) == nil)
    #expect(effects.messages(to: cy).first == .away(Player(id: PlayerID(rawValue: 2), name: try PlayerName("Bob"))))
    #expect(effects.messages(to: cy).contains(.ping))
    #expect(effects.advertisements == [])
  }

  @Test func `who is heard late is not taken for dead`() throws {
    var room = try TestRoom()
    room.handle(.open)
    room.enter(bob, "Bob")
    #expect(room.receive(.pong, from: bob, after: .seconds(16)) == [])
  }

  @Test func `leaving takes a player away and ends a round nobody is left in`() throws {
    var room = try TestRoom()
    room.handle(.open)
    room.enter(bob, "Bob")
    room.handle(.giveUp)
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

  @Test func `refuses who does not fit in`() throws {
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
    let effects = room.handle(.close)
    guard case .closed(let reason)? = effects.events.last else {
      Issue.record("not closed: \(effects)")
      return
    }
    #expect(reason.code == .hostLeft)
    #expect(
      effects == [
        .disconnect(bob, after: .closed(reason)), .disconnect(cy, after: .closed(reason)), .report(.closed(reason)),
      ])
    #expect(!room.machine.isOpen)
    #expect(room.machine.nextDeadline == nil)
    #expect(room.handle(.close) == [])
    #expect(room.handle(.giveUp) == [])
    #expect(room.handle(.answer("1")) == [])
    #expect(room.handle(.disconnected(bob)) == [])
    #expect(room.handle(.timePassed, after: .seconds(1000)) == [])
    let late = ConnectionID(rawValue: 9)
    #expect(room.handle(.connected(late)).refusal(of: late) == .hostLeft)
  }

  @Test func `is closed when all rounds are played`() throws {
    var room = try TestRoom(Match.Rules(rounds: 1))
    room.handle(.open)
    room.enter(bob, "Bob")
    room.receive(.giveUp(round: 1), from: bob)
    let effects = room.handle(.giveUp)
    guard case .closed(let reason)? = effects.messages(to: bob).last else {
      Issue.record("not closed: \(effects)")
      return
    }
    #expect(reason.code == .finished)
    #expect(effects.events.last == .closed(reason))
    #expect(!room.machine.isOpen)
  }
}
