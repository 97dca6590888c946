import FourInARow
import FramedCoding
import PacketDuel
import Testing

struct DuelMachineTests {
  private typealias Peer = DuelMachine.PeerID

  private let one = DuelMachine.PeerID(rawValue: 1)
  private let two = DuelMachine.PeerID(rawValue: 2)

  /// A host and a guest that have exchanged names.
  private func playing() throws -> (host: DuelMachine, guest: DuelMachine) {
    var (host, guest) = (DuelMachine(.host, name: "Ada"), DuelMachine(.guest, name: "Bob"))
    _ = host.handle(.connected(one))
    _ = guest.handle(.connected(one))
    _ = guest.handle(.received(one, .proofOfConcept))
    _ = host.handle(.received(one, .name("Bob")))
    _ = guest.handle(.received(one, .name("Ada")))
    return (host, guest)
  }

  @Test func `both sides exchange proof and names, and the game begins`() {
    var (host, guest) = (DuelMachine(.host, name: "Ada"), DuelMachine(.guest, name: "Bob"))
    #expect(host.handle(.connected(one)) == [.send(.proofOfConcept, to: one)])
    #expect(guest.handle(.connected(one)) == [])
    #expect(guest.handle(.received(one, .proofOfConcept)) == [.send(.name("Bob"), to: one)])
    #expect(
      host.handle(.received(one, .name("Bob"))) == [
        .admit(one), .send(.name("Ada"), to: one), .withdraw, .report(.opponent(name: "Bob", own: .second)),
      ])
    #expect(guest.handle(.received(one, .name("Ada"))) == [.report(.opponent(name: "Ada", own: .first))])
  }

  @Test func `moves are made in turn, and both sides see the same end`() throws {
    var (host, guest) = try playing()
    #expect(throws: MoveRefusal.notYourTurn) { try host.drop(in: 0) }
    #expect(throws: MoveRefusal.illegal(.noSuchColumn(7))) { try guest.drop(in: 7) }
    var board = Board()
    for (index, column) in [0, 0, 1, 1, 2, 2, 3].enumerated() {
      let player = board.turn
      try board.drop(in: column)
      let message = DuelMessage.move(number: Int32(index + 1), column: UInt8(column))
      let report = DuelMachine.Effect.report(.moved(player, column: column, board: board))
      let end: [DuelMachine.Effect] = board.outcome == nil ? [] : [.disconnect(one), .report(.closed(.finished))]
      if player == .first {
        #expect(try guest.drop(in: column) == [.send(message, to: one), report] + end)
        #expect(host.handle(.received(one, message)) == [report] + end)
      } else {
        #expect(try host.drop(in: column) == [.send(message, to: one), report] + end)
        #expect(guest.handle(.received(one, message)) == [report] + end)
      }
    }
    #expect(board.outcome == .won(.first))
    for machine in [host, guest] {
      var machine = machine
      #expect(throws: MoveRefusal.noGame) { try machine.drop(in: 0) }
      #expect(machine.handle(.disconnected(one)) == [] && machine.handle(.leave) == [])
    }
  }

  @Test(arguments: [
    (DuelMessage.move(number: 1, column: 7), Violation.illegal(.noSuchColumn(7))),
    (.move(number: 1, column: 255), .illegal(.noSuchColumn(255))),
    (.move(number: 0, column: 0), .miscounted(0, expected: 1)), (.move(number: 2, column: 0), .miscounted(2, expected: 1)),
    (.move(number: .min, column: 0), .miscounted(.min, expected: 1)),
    (.name("Bob"), .outOfOrder(expected: "a move or a goodbye")),
    (.proofOfConcept, .outOfOrder(expected: "a move or a goodbye")),
  ])
  func `an opponent who breaks the rules ends the game, and gets the reason`(_ message: DuelMessage, _ violation: Violation)
    throws
  {
    var (host, _) = try playing()
    #expect(
      host.handle(.received(one, message)) == [
        .send(.goodbye(.sawRuleBroken, violation.description), to: one), .disconnect(one),
        .report(.closed(.violated(violation))),
      ])
    // Whatever else was under way has no effect.
    #expect(host.handle(.received(one, .move(number: 1, column: 0))) == [])
  }

  @Test func `a move out of turn and one into a full column end the game`() throws {
    var (host, guest) = try playing()
    #expect(guest.handle(.received(one, .move(number: 1, column: 0))).last == .report(.closed(.violated(.outOfTurn))))
    for number: Int32 in [1, 3, 5] {
      _ = host.handle(.received(one, .move(number: number, column: 0)))
      _ = try host.drop(in: 0)
    }
    let effects = host.handle(.received(one, .move(number: 7, column: 0)))
    #expect(effects.last == .report(.closed(.violated(.illegal(.columnFull(0))))))
  }

  @Test func `a malformed message ends the game, or only the connection of a pending peer`() throws {
    let violation = Violation.malformed(MessageError(.truncated, at: 0, expected: "more"))
    let answer: [DuelMachine.Effect] = [.send(.goodbye(.sawRuleBroken, violation.description), to: one), .disconnect(one)]
    var (host, guest) = try playing()
    #expect(host.handle(.violated(one, violation)) == answer + [.report(.closed(.violated(violation)))])
    #expect(guest.handle(.violated(one, violation)) == answer + [.report(.closed(.violated(violation)))])

    var waiting = DuelMachine(.host, name: "Ada")
    _ = waiting.handle(.connected(one))
    #expect(waiting.handle(.violated(one, violation)) == [.warn(one, violation)] + answer)
    #expect(waiting.handle(.disconnected(one)) == [])
    _ = waiting.handle(.connected(two))
    let early = Violation.outOfOrder(expected: "the guest's name")
    #expect(waiting.handle(.received(two, .move(number: 1, column: 0))).first == .warn(two, early))
  }

  @Test func `the first peer that sends a name is the opponent`() {
    let three = Peer(rawValue: 3)
    var host = DuelMachine(.host, name: "Ada")
    for peer in [one, two] { #expect(host.handle(.connected(peer)) == [.send(.proofOfConcept, to: peer)]) }
    func turnedAway(_ peer: Peer) -> [DuelMachine.Effect] {
      [.send(.goodbye(.hasAnotherOpponent, "another player was first"), to: peer), .disconnect(peer)]
    }
    #expect(
      host.handle(.received(two, .name("Bob"))) == [.admit(two), .send(.name("Ada"), to: two), .withdraw] + turnedAway(one)
        + [.report(.opponent(name: "Bob", own: .second))])
    #expect(host.handle(.received(one, .name("Cleo"))) == [])
    #expect(host.handle(.connected(three)) == turnedAway(three))
    #expect(host.handle(.received(three, .move(number: 1, column: 0))) == [] && host.handle(.disconnected(three)) == [])
  }

  @Test func `either side may leave at any time, and the other is told`() throws {
    let goodbye: [DuelMachine.Effect] = [.send(.goodbye(.leaves, ""), to: one), .disconnect(one)]
    var (host, guest) = try playing()
    #expect(host.handle(.leave) == goodbye + [.report(.closed(.left))])
    #expect(guest.handle(.received(one, .goodbye(.leaves, ""))) == [.disconnect(one), .report(.closed(.opponentLeft))])

    // Before the game.
    var waiting = DuelMachine(.host, name: "Ada")
    _ = waiting.handle(.connected(one))
    #expect(waiting.handle(.leave) == goodbye + [.withdraw, .report(.closed(.left))])
    var looking = DuelMachine(.guest, name: "Bob")
    #expect(looking.handle(.leave) == [.report(.closed(.left))])
    // A guest that comes too late gets the reason.
    #expect(looking.handle(.connected(one)) == goodbye)
    var asking = DuelMachine(.guest, name: "Bob")
    _ = asking.handle(.connected(one))
    #expect(asking.handle(.leave) == goodbye + [.report(.closed(.left))])
    // A guest that leaves before sending a name does not end the host's waiting.
    var patient = DuelMachine(.host, name: "Ada")
    _ = patient.handle(.connected(one))
    #expect(patient.handle(.received(one, .goodbye(.leaves, ""))) == [.disconnect(one)])
    #expect(patient.handle(.connected(two)) == [.send(.proofOfConcept, to: two)])
  }

  @Test func `a host that stops waiting tells those who are there, in the order in which they came`() {
    var host = DuelMachine(.host, name: "Ada")
    for number in 1...12 { _ = host.handle(.connected(Peer(rawValue: number))) }
    #expect(host.handle(.disconnected(Peer(rawValue: 3))) == [])
    #expect(host.handle(.received(Peer(rawValue: 5), .goodbye(.leaves, ""))) == [.disconnect(Peer(rawValue: 5))])
    let goodbyes = [1, 2, 4, 6, 7, 8, 9, 10, 11, 12].map { Peer(rawValue: $0) }.flatMap { peer -> [DuelMachine.Effect] in
      [.send(.goodbye(.leaves, ""), to: peer), .disconnect(peer)]
    }
    #expect(host.handle(.leave) == goodbyes + [.withdraw, .report(.closed(.left))])
  }

  @Test func `what somebody else says or breaks is nothing to a game, nor to whoever waits for one`() throws {
    var (host, guest) = try playing()
    var waiting = DuelMachine(.host, name: "Ada")
    var looking = DuelMachine(.guest, name: "Bob")
    var asking = looking
    _ = asking.handle(.connected(one))
    _ = asking.handle(.received(one, .proofOfConcept))
    for event in [
      DuelMachine.Event.violated(two, .outOfTurn), .received(two, .goodbye(.leaves, "")), .received(two, .name("Eve")),
      .received(two, .move(number: 1, column: 0)), .received(two, .proofOfConcept), .disconnected(two),
    ] {
      #expect(host.handle(event) == [] && guest.handle(event) == [] && waiting.handle(event) == [])
      #expect(looking.handle(event) == [] && asking.handle(event) == [])
    }
    #expect(asking.handle(.received(one, .name("Ada"))) == [.report(.opponent(name: "Ada", own: .first))])
    #expect(try guest.drop(in: 3).first == .send(.move(number: 1, column: 3), to: one))
  }

  @Test func `a guest that is not answered with a name is told what was expected`() {
    var guest = DuelMachine(.guest, name: "Bob")
    _ = guest.handle(.connected(one))
    _ = guest.handle(.received(one, .proofOfConcept))
    #expect(throws: MoveRefusal.noGame) { try guest.drop(in: 0) }
    let violation = Violation.outOfOrder(expected: "the host's name")
    #expect(
      guest.handle(.received(one, .proofOfConcept)) == [
        .send(.goodbye(.sawRuleBroken, violation.description), to: one), .disconnect(one),
        .report(.closed(.violated(violation))),
      ])
  }

  @Test func `a guest learns why there is no game`() throws {
    for (goodbye, ending) in [
      (DuelMessage.Goodbye.hasAnotherOpponent, DuelEvent.Ending.turnedAway), (.leaves, .opponentLeft),
      (.sawRuleBroken, .accused("why")),
    ] {
      var guest = DuelMachine(.guest, name: "Bob")
      _ = guest.handle(.connected(one))
      #expect(guest.handle(.received(one, .goodbye(goodbye, "why"))) == [.disconnect(one), .report(.closed(ending))])
    }
    var early = DuelMachine(.guest, name: "Bob")
    _ = early.handle(.connected(one))
    let noProof = Violation.outOfOrder(expected: "the proof of concept")
    #expect(early.handle(.received(one, .name("Ada"))).last == .report(.closed(.violated(noProof))))
    var (host, guest) = try playing()
    #expect(host.handle(.disconnected(one)) == [.report(.closed(.lost))])
    #expect(guest.handle(.disconnected(one)) == [.report(.closed(.lost))])
  }
}
