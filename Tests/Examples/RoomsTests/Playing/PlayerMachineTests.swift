import Testing
import TwentyFour

@testable import Rooms

struct PlayerMachineTests {
  private let deal = Match.Deal(number: 4, hand: RoomMessageTests.hand, remaining: .seconds(80))
  private let welcome = RoomMessage.welcome(RoomMessageTests.welcome)
  private let opened = RoomEvent.open(
    room: RoomMessageTests.room, player: RoomMessageTests.ada, rules: RoomMessageTests.rules)

  /// Without encryption.
  private let host = Peer(address: Origin(rawValue: "host"))

  private func outside() throws -> PlayerMachine {
    PlayerMachine(PlayerEntry(name: try PlayerName("Ada")))
  }

  private func inside() throws -> PlayerMachine {
    var machine = try outside()
    #expect(machine.handle(.connected(host), at: .seconds(1)) == [.send(.hello(.init(name: "Ada")))])
    #expect(machine.handle(.received(welcome), at: .seconds(1)) == [.report(opened)])
    return machine
  }

  /// A machine that was inside, and has a new connection.
  private func returning() throws -> PlayerMachine {
    var machine = try inside()
    #expect(machine.handle(.disconnected, at: .seconds(2)) == [])
    let hello = RoomMessage.hello(.init(name: "Ada", seat: RoomMessageTests.welcome.seatProof))
    #expect(machine.handle(.connected(host), at: .seconds(3)) == [.send(hello)])
    return machine
  }

  @Test func `comes back by the name of the match that the host has told, and tells by which it came`() throws {
    var machine = PlayerMachine(PlayerEntry(name: try PlayerName("Ada")), joined: "TwentyFour")
    let hello = RoomMessage.hello(.init(name: "Ada", place: "TwentyFour"))
    #expect(machine.handle(.connected(host), at: .seconds(1)) == [.send(hello)])
    var placed = RoomMessageTests.welcome
    placed.place = "TwentyFour · match 12-3f9a"
    let entered = machine.handle(.received(.welcome(placed)), at: .seconds(1))
    #expect(entered == [.comeBack(by: "TwentyFour · match 12-3f9a"), .report(opened)])
    _ = machine.handle(.disconnected, at: .seconds(2))
    _ = machine.handle(.connected(host), at: .seconds(3))
    #expect(machine.handle(.received(.welcome(placed)), at: .seconds(3)) == [.report(.resumed)])
    // A connection that ends without a word before the welcome is no refusal.
    _ = machine.handle(.disconnected, at: .seconds(4))
    _ = machine.handle(.connected(host), at: .seconds(5))
    #expect(machine.handle(.disconnected, at: .seconds(6)) == [])
    _ = machine.handle(.connected(host), at: .seconds(7))
    placed.place = nil
    let elsewhere = machine.handle(.received(.welcome(placed)), at: .seconds(7))
    #expect(elsewhere == [.comeBack(by: nil), .report(.resumed)])
  }

  @Test func `acts in the round that runs`() throws {
    var machine = try inside()
    #expect(machine.handle(.act(.giveUp), at: .seconds(2)) == [])
    for action in [.answer("6*4"), .hint] as [Match.Action] {
      #expect(machine.handle(.act(action), at: .seconds(2)).map(\.refusal) == [.noSuchRound])
    }
    #expect(machine.handle(.received(.event(.round(deal))), at: .seconds(2)) == [.report(.round(deal))])
    for action in [.answer("6*4"), .giveUp, .hint] as [Match.Action] {
      #expect(machine.handle(.act(action), at: .seconds(2)) == [.send(.act(round: 4, action))])
    }
    let result = Match.RoundResult(
      number: 4, hand: RoomMessageTests.hand, solution: RoomMessageTests.solution, standings: RoomMessageTests.standings,
      pause: nil)
    #expect(machine.handle(.received(.event(.roundEnded(result))), at: .seconds(3)) == [.report(.roundEnded(result))])
    #expect(machine.handle(.act(.giveUp), at: .seconds(3)) == [])
  }

  @Test(arguments: RoomMessageTests.all)
  func `hands through what a host says, and hangs up on what a host must not say`(message: RoomMessage) throws {
    var machine = try inside()
    let effects = machine.handle(.received(message), at: .seconds(2))
    switch message {
    case .event(.closed(let reason)): #expect(effects == [.end(after: nil), .report(.closed(reason))])
    case .event(let event): #expect(effects == [.report(event)])
    case .unknown, .pong: #expect(effects == [])
    case .hello, .look, .room, .act, .leaving, .ping, .welcome, .approval: expectClosed(effects, .outOfOrder)
    }
  }

  @Test(arguments: RoomMessageTests.all)
  func `wants to be welcomed first`(message: RoomMessage) throws {
    var machine = try outside()
    _ = machine.handle(.connected(host), at: .zero)
    let effects = machine.handle(.received(message), at: .zero)
    switch message {
    case .welcome: #expect(effects.count == 1)
    case .approval(let limit): #expect(effects == [.report(.waiting(limit))])
    case .event(.closed(let reason)), .event(.refused(let reason)): expectClosed(effects, reason.code)
    case .unknown, .pong: #expect(effects == [])
    case .hello, .look, .room, .act, .leaving, .ping, .event: expectClosed(effects, .outOfOrder)
    }
  }

  @Test func `does not talk to a host of another version`() throws {
    var machine = try outside()
    _ = machine.handle(.connected(host), at: .zero)
    var welcome = RoomMessageTests.welcome
    welcome.version = 1
    expectClosed(machine.handle(.received(.welcome(welcome)), at: .zero), .version)
  }

  @Test func `does not wait longer than five seconds for a welcome`() throws {
    var machine = try outside()
    #expect(machine.nextDeadline == nil)
    _ = machine.handle(.connected(host), at: .seconds(10))
    #expect(machine.nextDeadline == .seconds(15))
    #expect(machine.handle(.received(.unknown(kind: "dance")), at: .seconds(14)) == [])
    expectClosed(machine.handle(.timePassed, at: .seconds(15)), .silent)
  }

  @Test func `leaves politely, and hears nothing afterwards`() throws {
    var machine = try inside()
    let effects = machine.handle(.leave, at: .seconds(2))
    #expect(effects.first == .end(after: .leaving))
    #expect(effects.count == 2)
    #expect(machine.handle(.received(.event(.missing(1))), at: .seconds(2)) == [])
    #expect(machine.handle(.malformed(.malformed("")), at: .seconds(2)) == [])
    #expect(machine.handle(.act(.hint), at: .seconds(2)) == [])
    #expect(machine.handle(.disconnected, at: .seconds(2)) == [])
    #expect(machine.handle(.leave, at: .seconds(2)) == [])
    #expect(machine.handle(.timePassed, at: .seconds(100)) == [])
  }

  @Test func `may leave before the connection stands`() throws {
    var machine = try outside()
    #expect(machine.handle(.leave, at: .zero).count == 2)
    #expect(machine.handle(.connected(host), at: .seconds(1)) == [.end(after: nil)])
  }

  @Test func `does not come back to a host that talks nonsense`() throws {
    var fooled = try inside()
    expectClosed(fooled.handle(.malformed(.malformed("no JSON")), at: .seconds(2)), .malformed)
  }

  // MARK: Coming back

  @Test func `comes back to its seat with its secret`() throws {
    var machine = try inside()
    _ = machine.handle(.received(.event(.round(deal))), at: .seconds(2))
    #expect(machine.handle(.disconnected, at: .seconds(3)) == [])
    #expect(
      machine.handle(.waiting(.seconds(1)), at: .seconds(3)) == [.report(.reconnecting(attempt: 1, in: .seconds(1)))])
    // Meanwhile nothing can be said.
    for action in [.answer("1"), .hint] as [Match.Action] {
      #expect(machine.handle(.act(action), at: .seconds(3)).map(\.refusal) == [.away])
    }
    #expect(machine.handle(.act(.giveUp), at: .seconds(3)) == [])
    // A host that is not there yet.
    #expect(
      machine.handle(.waiting(.seconds(2)), at: .seconds(4)) == [.report(.reconnecting(attempt: 2, in: .seconds(2)))])
    #expect(
      machine.handle(.connected(host), at: .seconds(6)) == [
        .send(.hello(.init(name: "Ada", seat: RoomMessageTests.welcome.seatProof)))
      ])
    #expect(machine.handle(.received(welcome), at: .seconds(6)) == [.report(.resumed)])
    // Only what is dealt anew can be answered.
    #expect(machine.handle(.act(.giveUp), at: .seconds(6)) == [])
    #expect(machine.handle(.received(.event(.round(deal))), at: .seconds(6)) == [.report(.round(deal))])
    #expect(machine.handle(.act(.giveUp), at: .seconds(6)) == [.send(.act(round: 4, .giveUp))])
    // Attempts are counted anew.
    _ = machine.handle(.disconnected, at: .seconds(7))
    #expect(machine.handle(.waiting(.zero), at: .seconds(7)) == [.report(.reconnecting(attempt: 1, in: .zero))])
  }

  @Test func `says that the room moved to another host when it has not come back`() throws {
    let moved = RoomReason(.moved, "It is now offered by another host.")
    var machine = try inside()
    _ = machine.handle(.disconnected, at: .seconds(3))
    #expect(machine.handle(.moved(moved), at: .seconds(4)) == [])
    let end = try #require(machine.nextDeadline)
    var honest = machine
    expectClosed(machine.handle(.timePassed, at: end), .moved)
    // The room is back where it was.
    _ = honest.handle(.connected(host), at: .seconds(5))
    _ = honest.handle(.received(.welcome(RoomMessageTests.welcome)), at: .seconds(5))
    _ = honest.handle(.disconnected, at: .seconds(6))
    expectClosed(honest.handle(.timePassed, at: try #require(honest.nextDeadline)), .lost)
  }

  @Test func `gives up when the seat is`() throws {
    var machine = try inside()
    _ = machine.handle(.disconnected, at: .seconds(1))
    #expect(machine.nextDeadline == .seconds(61))
    #expect(
      machine.handle(.waiting(.seconds(5)), at: .seconds(60)) == [.report(.reconnecting(attempt: 1, in: .seconds(1)))])
    #expect(machine.handle(.timePassed, at: .milliseconds(60_999)) == [])
    expectClosed(machine.handle(.timePassed, at: .seconds(61)), .lost)
    // The attempt that was under way comes too late.
    #expect(machine.handle(.connected(host), at: .seconds(61)) == [.end(after: nil)])
    #expect(machine.handle(.waiting(.seconds(1)), at: .seconds(61)) == [])
  }

  @Test func `proves the passcode again when the host keeps no seat, once, and not for a link or an open room`() throws {
    let asked = RoomMessage.event(.closed(.passcode))
    for canProve in [true, false] {
      var machine = PlayerMachine(PlayerEntry(name: try PlayerName("Ada")), canProve: canProve)
      _ = machine.handle(.connected(host), at: .seconds(1))
      _ = machine.handle(.received(welcome), at: .seconds(1))
      _ = machine.handle(.disconnected, at: .seconds(2))
      _ = machine.handle(.connected(host), at: .seconds(3))
      let effects = machine.handle(.received(asked), at: .seconds(3))
      guard canProve else {
        expectClosed(effects, .passcode)
        continue
      }
      #expect(effects == [.prove, .drop])
      #expect(machine.handle(.disconnected, at: .seconds(3)) == [])
      _ = machine.handle(.connected(host), at: .seconds(4))
      expectClosed(machine.handle(.received(asked), at: .seconds(4)), .passcode)
    }
    // A new player is told at once.
    var applicant = PlayerMachine(PlayerEntry(name: try PlayerName("Ada")), canProve: true)
    _ = applicant.handle(.connected(host), at: .seconds(1))
    expectClosed(applicant.handle(.received(asked), at: .seconds(1)), .passcode)
    // A passcode that is another one meanwhile ends the attempts.
    var late = try inside()
    _ = late.handle(.disconnected, at: .seconds(2))
    let reason = RoomReason(.passcode, "")
    #expect(late.handle(.refused(reason), at: .seconds(3)) == [.end(after: nil), .report(.closed(reason))])
  }

  @Test func `is new when its seat was not kept`() throws {
    var machine = try returning()
    var other = RoomMessageTests.welcome
    (other.player, other.secret) = (RoomMessageTests.bob, "another")
    #expect(
      machine.handle(.received(.welcome(other)), at: .seconds(3)) == [
        .report(.open(room: other.room, player: RoomMessageTests.bob, rules: other.rules))
      ])
    _ = machine.handle(.disconnected, at: .seconds(4))
    let hello = RoomMessage.hello(.init(name: "Ada", seat: other.seatProof))
    #expect(machine.handle(.connected(host), at: .seconds(5)) == [.send(hello)])
  }

  @Test func `does not come back when it was removed, or is not let in again`() throws {
    let message = RoomMessage.event(.closed(RoomReason(.replaced, "")))
    for var machine in [try inside(), try returning()] {
      expectClosed(machine.handle(.received(message), at: .seconds(3)), .replaced)
    }
  }

  @Test func `tries again when a host accepts it and says nothing`() throws {
    var machine = try returning()
    #expect(machine.nextDeadline == .seconds(8))
    #expect(machine.handle(.timePassed, at: .seconds(8)) == [.drop])
    #expect(machine.handle(.disconnected, at: .seconds(8)) == [])
    #expect(machine.handle(.connected(host), at: .seconds(10)).count == 1)
    #expect(machine.handle(.disconnected, at: .seconds(11)) == [])
    #expect(machine.nextDeadline == .seconds(62))
  }

  @Test func `leaves while it is away`() throws {
    var machine = try inside()
    _ = machine.handle(.disconnected, at: .seconds(2))
    expectClosed(machine.handle(.leave, at: .seconds(2)), .left, after: .leaving)
    #expect(machine.nextDeadline == nil)
  }

  @Test func `does not come back to a host that keeps no seats`() throws {
    var machine = try outside()
    _ = machine.handle(.connected(host), at: .zero)
    var welcome = RoomMessageTests.welcome
    (welcome.returnLimit, welcome.secret) = (.zero, nil)
    _ = machine.handle(.received(.welcome(welcome)), at: .zero)
    expectClosed(machine.handle(.disconnected, at: .seconds(2)), .lost)
    // Nor when it was never inside.
    var early = try outside()
    _ = early.handle(.connected(host), at: .zero)
    expectClosed(early.handle(.disconnected, at: .zero), .lost)
  }

  private func expectClosed(
    _ effects: [PlayerMachine.Effect], _ code: RoomReason.Code, after message: RoomMessage? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(effects.first == .end(after: message), sourceLocation: sourceLocation)
    #expect(effects.count == 2, sourceLocation: sourceLocation)
    guard case .report(.closed(let reason))? = effects.last else {
      Issue.record("not closed: \(effects)", sourceLocation: sourceLocation)
      return
    }
    #expect(reason.code == code, sourceLocation: sourceLocation)
  }
}

extension PlayerMachine.Effect {
  /// The code with which the app was told that something does not count.
  var refusal: RoomReason.Code? {
    if case .report(.refused(let reason)) = self { reason.code } else { nil }
  }
}
