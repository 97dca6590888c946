import Rooms
import Testing
import TwentyFour

struct PlayerMachineTests {
  private let deal = Match.Deal(number: 4, hand: RoomMessageTests.hand, remaining: .seconds(80))
  private let welcome = RoomMessage.welcome(RoomMessageTests.welcome)
  private let opened = RoomEvent.open(
    room: RoomMessageTests.room, player: RoomMessageTests.ada, rules: RoomMessageTests.rules)

  private func outside() throws -> PlayerMachine {
    PlayerMachine(PlayerEntry(name: try PlayerName("Ada")), jitter: SeededGenerator(seed: 24))
  }

  private func inside() throws -> PlayerMachine {
    var machine = try outside()
    #expect(machine.handle(.connected, at: .seconds(1)) == [.send(.hello(.init(name: "Ada")))])
    #expect(machine.handle(.received(welcome), at: .seconds(1)) == [.report(opened)])
    return machine
  }

  @Test func `answers and gives up in the round that runs`() throws {
    var machine = try inside()
    #expect(machine.handle(.giveUp, at: .seconds(2)) == [])
    guard case .report(.refused(let reason))? = machine.handle(.answer("6*4"), at: .seconds(2)).first else {
      Issue.record("an answer without a round was taken")
      return
    }
    #expect(reason.code == .noSuchRound)
    #expect(machine.handle(.received(.round(deal)), at: .seconds(2)) == [.report(.round(deal))])
    #expect(machine.handle(.answer("6*4"), at: .seconds(2)) == [.send(.answer(round: 4, expression: "6*4"))])
    #expect(machine.handle(.giveUp, at: .seconds(2)) == [.send(.giveUp(round: 4))])
    let result = Match.RoundResult(
      number: 4, hand: RoomMessageTests.hand, solution: RoomMessageTests.solution, standings: RoomMessageTests.standings,
      pause: nil)
    #expect(machine.handle(.received(.roundEnded(result)), at: .seconds(3)) == [.report(.roundEnded(result))])
    #expect(machine.handle(.giveUp, at: .seconds(3)) == [])
  }

  @Test(arguments: RoomMessageTests.all)
  func `reports what a host says, and hangs up on what a host must not say`(message: RoomMessage) throws {
    var machine = try inside()
    let effects = machine.handle(.received(message), at: .seconds(2))
    switch message {
    case .joined(let player): #expect(effects == [.report(.joined(player))])
    case .left(let player): #expect(effects == [.report(.left(player))])
    case .away(let player): #expect(effects == [.report(.away(player))])
    case .back(let player): #expect(effects == [.report(.back(player))])
    case .missing(let count): #expect(effects == [.report(.missing(count))])
    case .hinted(_, let hint, let cost): #expect(effects == [.report(.hint(hint, cost: cost))])
    case .round(let deal): #expect(effects == [.report(.round(deal))])
    case .accepted(let player, let time): #expect(effects == [.report(.answer(player, time: time))])
    case .answerRefused(let reason), .hintRefused(let reason): #expect(effects == [.report(.refused(reason))])
    case .standings(let standings): #expect(effects == [.report(.standings(standings))])
    case .roundEnded(let result): #expect(effects == [.report(.roundEnded(result))])
    case .refused(let reason), .closed(let reason): #expect(effects == [.disconnect(after: nil), .report(.closed(reason))])
    case .ping: #expect(effects == [.send(.pong)])
    case .pong: #expect(effects == [])
    case .hello, .welcome, .answer, .giveUp, .hint, .leaving: expectClosed(effects, .outOfOrder)
    }
  }

  @Test(arguments: RoomMessageTests.all)
  func `wants to be welcomed first`(message: RoomMessage) throws {
    var machine = try outside()
    _ = machine.handle(.connected, at: .zero)
    let effects = machine.handle(.received(message), at: .zero)
    switch message {
    case .welcome: #expect(effects.count == 1)
    case .refused(let reason), .closed(let reason): expectClosed(effects, reason.code)
    case .hello, .joined, .left, .away, .back, .missing, .round, .answer, .giveUp, .hint, .accepted, .answerRefused, .hinted,
      .hintRefused, .standings, .roundEnded, .leaving, .ping, .pong:
      expectClosed(effects, .outOfOrder)
    }
  }

  @Test func `does not talk to a host of another version`() throws {
    var machine = try outside()
    _ = machine.handle(.connected, at: .zero)
    var welcome = RoomMessageTests.welcome
    welcome.version = 2
    expectClosed(machine.handle(.received(.welcome(welcome)), at: .zero), .version)
  }

  @Test func `does not wait longer than five seconds for a welcome`() throws {
    var machine = try outside()
    #expect(machine.nextDeadline == nil)
    _ = machine.handle(.connected, at: .seconds(10))
    #expect(machine.nextDeadline == .seconds(15))
    #expect(machine.handle(.malformed(.unknownKind), at: .seconds(14)) == [])
    expectClosed(machine.handle(.timePassed, at: .seconds(15)), .silent)
  }

  @Test func `notices a dead host within fifteen seconds`() throws {
    var machine = try inside()
    #expect(machine.nextDeadline == .seconds(6))
    #expect(machine.handle(.timePassed, at: .seconds(6)) == [.send(.ping)])
    #expect(machine.handle(.received(.pong), at: .seconds(7)) == [])
    for time in [12, 17] as [Int] {
      #expect(machine.nextDeadline == .seconds(time))
      #expect(machine.handle(.timePassed, at: .seconds(time)) == [.send(.ping)])
    }
    #expect(machine.nextDeadline == .seconds(22))
    let effects = machine.handle(.timePassed, at: .seconds(22))
    #expect(effects.first == .disconnect(after: nil))
    guard case .report(.reconnecting(1, _))? = effects.last else {
      Issue.record("does not come back: \(effects)")
      return
    }
  }

  @Test func `leaves politely, and hears nothing afterwards`() throws {
    var machine = try inside()
    let effects = machine.handle(.leave, at: .seconds(2))
    #expect(effects.first == .disconnect(after: .leaving))
    #expect(effects.count == 2)
    #expect(machine.handle(.received(.ping), at: .seconds(2)) == [])
    #expect(machine.handle(.malformed(.notJSON), at: .seconds(2)) == [])
    #expect(machine.handle(.answer("1"), at: .seconds(2)) == [])
    #expect(machine.handle(.disconnected, at: .seconds(2)) == [])
    #expect(machine.handle(.leave, at: .seconds(2)) == [])
    #expect(machine.handle(.timePassed, at: .seconds(100)) == [])
  }

  @Test func `may leave before the connection stands`() throws {
    var machine = try outside()
    #expect(machine.handle(.leave, at: .zero).count == 1)
    #expect(machine.handle(.connected, at: .seconds(1)) == [.disconnect(after: nil)])
  }

  @Test func `does not come back to a host that talks nonsense`() throws {
    var fooled = try inside()
    #expect(fooled.handle(.malformed(.unknownKind), at: .seconds(2)) == [])
    expectClosed(fooled.handle(.malformed(.tooLarge), at: .seconds(2)), .malformed)
  }

  // MARK: Coming back

  /// The time that a machine waits before it connects again.
  private func wait(_ effects: [PlayerMachine.Effect], attempt: Int) throws -> Duration {
    guard case .report(.reconnecting(attempt, let wait))? = effects.last else {
      Issue.record("does not come back: \(effects)")
      return .zero
    }
    return wait
  }

  @Test func `comes back to its seat with its secret`() throws {
    var machine = try inside()
    #expect(machine.token == RoomMessageTests.welcome.token)
    _ = machine.handle(.received(.round(deal)), at: .seconds(2))
    let wait = try wait(machine.handle(.disconnected, at: .seconds(3)), attempt: 1)
    #expect(.zero...(.seconds(1)) ~= wait)
    #expect(machine.nextDeadline == .seconds(3) + wait)
    // Meanwhile nothing can be said.
    for event in [.answer("1"), .hint] as [PlayerMachine.Event] {
      let effects = machine.handle(event, at: .seconds(3))
      #expect(effects.count == 1)
      #expect(effects.refusal == .away)
    }
    #expect(machine.handle(.giveUp, at: .seconds(3)) == [])
    #expect(machine.handle(.timePassed, at: .seconds(4)) == [.connect])
    #expect(machine.handle(.connected, at: .seconds(4)) == [.send(.hello(.init(name: "Ada", token: machine.token)))])
    #expect(machine.handle(.received(welcome), at: .seconds(4)) == [.report(.resumed)])
    // Only what is dealt anew can be answered.
    #expect(machine.handle(.giveUp, at: .seconds(4)) == [])
    #expect(machine.handle(.received(.round(deal)), at: .seconds(4)) == [.report(.round(deal))])
    #expect(machine.handle(.giveUp, at: .seconds(4)) == [.send(.giveUp(round: 4))])
  }

  @Test func `tries more and more rarely, and gives up when the seat is`() throws {
    var longest = Duration.zero
    for seed in 1...50 as ClosedRange<UInt64> {
      var machine = PlayerMachine(PlayerEntry(name: try PlayerName("Ada")), jitter: SeededGenerator(seed: seed))
      _ = machine.handle(.connected, at: .zero)
      _ = machine.handle(.received(welcome), at: .zero)
      var now = Duration.seconds(1)
      var effects = machine.handle(.disconnected, at: now)
      var attempt = 1
      while true {
        let wait = try wait(effects, attempt: attempt)
        #expect(wait <= [.seconds(1), .seconds(2), .seconds(4), .seconds(5)][min(attempt, 4) - 1], "seed \(seed)")
        longest = max(longest, wait)
        now += wait
        effects = machine.handle(.timePassed, at: now)
        guard effects == [.connect] else { break }
        // Each attempt takes its time; the last may last longer than the seat is kept.
        now = min(now + .milliseconds(500), .seconds(61))
        effects = machine.handle(.unreachable, at: now)
        attempt += 1
        if now == .seconds(61) { break }
      }
      #expect(now == .seconds(61), "seed \(seed)")
      #expect(effects.closing?.code == .lost, "seed \(seed)")
      #expect(attempt > 15, "seed \(seed): \(attempt)")
      // The attempt that was under way comes too late.
      #expect(machine.handle(.connected, at: now) == [.disconnect(after: nil)])
      #expect(machine.handle(.unreachable, at: now) == [])
    }
    // They are spread, so that not all come at once.
    #expect(longest > .milliseconds(4_500))
  }

  @Test func `begins with short waits again when it has been inside for a while`() throws {
    var machine = try inside()
    var now = Duration.seconds(1)
    for attempt in 1...4 {
      now += try wait(machine.handle(.disconnected, at: now), attempt: attempt)
      #expect(machine.handle(.timePassed, at: now) == [.connect])
      _ = machine.handle(.connected, at: now)
      #expect(machine.handle(.received(welcome), at: now) == [.report(.resumed)])
    }
    _ = try wait(machine.handle(.disconnected, at: now + .seconds(10)), attempt: 1)
  }

  @Test func `is a newcomer when its seat was not kept`() throws {
    var machine = try inside()
    _ = machine.handle(.disconnected, at: .seconds(2))
    _ = machine.handle(.timePassed, at: .seconds(3))
    _ = machine.handle(.connected, at: .seconds(3))
    var other = RoomMessageTests.welcome
    (other.player, other.token) = (RoomMessageTests.bob, "another")
    #expect(
      machine.handle(.received(.welcome(other)), at: .seconds(3)) == [
        .report(.open(room: other.room, player: RoomMessageTests.bob, rules: other.rules))
      ])
    #expect(machine.token == "another")
  }

  @Test func `does not come back when it was refused, or is not let in again`() throws {
    for message in [RoomMessage.refused(RoomReason(.replaced, "")), .closed(RoomReason(.hostLeft, ""))] {
      var machine = try inside()
      #expect(machine.handle(.received(message), at: .seconds(2)).closing != nil)
      var returning = try inside()
      _ = returning.handle(.disconnected, at: .seconds(2))
      _ = returning.handle(.timePassed, at: .seconds(3))
      _ = returning.handle(.connected, at: .seconds(3))
      #expect(returning.handle(.received(message), at: .seconds(3)).closing != nil)
    }
  }

  @Test func `tries again when a host accepts it and says nothing`() throws {
    var machine = try inside()
    _ = machine.handle(.disconnected, at: .seconds(2))
    _ = machine.handle(.timePassed, at: .seconds(3))
    _ = machine.handle(.connected, at: .seconds(3))
    #expect(machine.nextDeadline == .seconds(8))
    let effects = machine.handle(.timePassed, at: .seconds(8))
    #expect(effects.first == .disconnect(after: nil))
    _ = try wait(effects, attempt: 2)
    _ = machine.handle(.timePassed, at: .seconds(10))
    _ = machine.handle(.connected, at: .seconds(10))
    _ = try wait(machine.handle(.disconnected, at: .seconds(11)), attempt: 3)
  }

  @Test func `comes back after it has slept, whatever it is told of first`() throws {
    for event in [.timePassed, .disconnected] as [PlayerMachine.Event] {
      var machine = try inside()
      let effects = machine.handle(event, at: .seconds(1_000))
      #expect(effects.first == .disconnect(after: nil))
      _ = try wait(effects, attempt: 1)
    }
  }

  @Test func `leaves while it is away`() throws {
    var machine = try inside()
    _ = machine.handle(.disconnected, at: .seconds(2))
    let effects = machine.handle(.leave, at: .seconds(2))
    #expect(effects.count == 1)
    #expect(effects.closing?.code == .left)
    #expect(machine.nextDeadline == nil)
  }

  @Test func `does not come back to a host that keeps no seats`() throws {
    var machine = try outside()
    _ = machine.handle(.connected, at: .zero)
    var welcome = RoomMessageTests.welcome
    (welcome.returnLimit, welcome.token) = (.zero, nil)
    _ = machine.handle(.received(.welcome(welcome)), at: .zero)
    let effects = machine.handle(.disconnected, at: .seconds(2))
    #expect(effects.count == 1)
    #expect(effects.closing?.code == .lost)
    // Nor when it was never inside.
    var early = try outside()
    _ = early.handle(.connected, at: .zero)
    #expect(early.handle(.disconnected, at: .zero).closing?.code == .lost)
  }

  private func expectClosed(
    _ effects: [PlayerMachine.Effect], _ code: RoomReason.Code, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(effects.first == .disconnect(after: nil), sourceLocation: sourceLocation)
    #expect(effects.count == 2, sourceLocation: sourceLocation)
    #expect(effects.closing?.code == code, sourceLocation: sourceLocation)
  }
}

extension [PlayerMachine.Effect] {
  /// The code with which the app was told that something does not count, if that is the first effect.
  var refusal: RoomReason.Code? {
    if case .report(.refused(let reason))? = first { reason.code } else { nil }
  }

  /// Why the room is closed for the player, if that is the last effect.
  fileprivate var closing: RoomReason? {
    if case .report(.closed(let reason))? = last { reason } else { nil }
  }
}
