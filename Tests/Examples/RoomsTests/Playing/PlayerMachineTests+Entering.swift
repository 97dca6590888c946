import FramedSecurity
import Testing
import TwentyFour

@testable import Rooms

/// What a player shows a host, and what a host shows a player.
extension PlayerMachineTests {
  private static let binding: [UInt8] = [1, 2, 3]

  /// An encrypted host.
  private func encrypted(key number: UInt8? = 5, comparison: String? = "047 113") throws -> Peer {
    let key = try number.map { try #require(KeyFingerprint([UInt8](repeating: $0, count: KeyFingerprint.byteCount))) }
    return Peer(address: Origin(rawValue: "host"), key: key, binding: Self.binding, comparison: comparison)
  }

  @Test(arguments: [true, false])
  func `a player is told who the host is, and a spectator has nothing to compare`(spectates: Bool) throws {
    var entry = PlayerEntry(name: try PlayerName("Ada"))
    entry.spectates = spectates
    for (key, comparison) in [(5, "047 113"), (5, nil), (nil, "047 113")] as [(UInt8?, String?)] {
      var machine = PlayerMachine(entry)
      let host = try encrypted(key: key, comparison: comparison)
      _ = machine.handle(.connected(host), at: .zero)
      let effects = machine.handle(.received(.welcome(RoomMessageTests.welcome)), at: .zero)
      #expect(effects.last == .report(.identified(nil, key: host.key, comparison: spectates ? nil : comparison)))
    }
  }

  @Test func `hello has the invitation of a link, the seat and the wish, proved over the connection`() throws {
    let invitation = Invitation.random()
    var entry = PlayerEntry(name: try PlayerName("Ada"))
    entry.players = 2...4
    var machine = PlayerMachine(entry, invitation: invitation, joined: "TwentyFour")
    let hello = RoomMessage.Hello(
      name: "Ada", invitation: invitation.proof(over: Self.binding), players: 2...4, place: "TwentyFour")
    #expect(machine.handle(.connected(try encrypted()), at: .zero) == [.send(.hello(hello))])
    _ = machine.handle(.received(.welcome(RoomMessageTests.welcome)), at: .zero)
    _ = machine.handle(.disconnected, at: .zero)
    var back = hello
    back.seat = RoomMessageTests.welcome.seatProof(over: Self.binding)
    #expect(machine.handle(.connected(try encrypted()), at: .zero) == [.send(.hello(back))])
  }

  @Test func `the seat of the same number in another room is another one`() throws {
    var machine = PlayerMachine(PlayerEntry(name: try PlayerName("Ada")))
    let host = Peer(address: Origin(rawValue: "host"))
    _ = machine.handle(.connected(host), at: .zero)
    _ = machine.handle(.received(.welcome(RoomMessageTests.welcome)), at: .zero)
    _ = machine.handle(.disconnected, at: .zero)
    _ = machine.handle(.connected(host), at: .zero)
    var other = RoomMessageTests.welcome
    other.room = RoomID()
    let opened = RoomEvent.open(room: other.room, player: other.player, rules: other.rules)
    #expect(machine.handle(.received(.welcome(other)), at: .zero) == [.report(opened)])
  }

  @Test func `a host that asks for less time takes none away`() throws {
    var machine = PlayerMachine(PlayerEntry(name: try PlayerName("Ada")))
    _ = machine.handle(.connected(Peer(address: Origin(rawValue: "host"))), at: .zero)
    for (limit, deadline) in [(60, 66), (1, 66), (61, 67)] {
      let effects = machine.handle(.received(.approval(within: .seconds(limit))), at: .seconds(1))
      #expect(effects == [.report(.waiting(.seconds(limit)))] && machine.nextDeadline == .seconds(deadline))
    }
  }

  @Test func `a bot answers what it can solve, and gives up what it cannot`() async throws {
    let seat = NotingSeat()
    var bot = BotPlayer(strength: .expert, generator: TwentyFour.SeededGenerator(seed: 24))
    var actions = seat.actions.stream.makeAsyncIterator()
    // With no time left, it thinks for none.
    let hand = Hand(.eight, .three, .eight, .three)
    bot.react(to: .round(Match.Deal(number: 1, hand: hand, remaining: .zero)), at: seat)
    #expect(await actions.next() == .answer("8/(3-8/3)"))
    bot.react(to: .round(Match.Deal(number: 2, hand: Hand(.one, .one, .one, .one), remaining: .zero)), at: seat)
    #expect(await actions.next() == .giveUp)
    // Nothing is said to a round that is over, and the next one is played.
    bot.react(to: .round(Match.Deal(number: 3, hand: hand, remaining: .seconds(100_000))), at: seat)
    bot.react(to: .closed(.hostLeft), at: seat)
    bot.react(to: .round(Match.Deal(number: 4, hand: hand, remaining: .zero)), at: seat)
    #expect(await actions.next() == .answer("8/(3-8/3)"))
  }
}

/// A seat that notes what is done at it.
private struct NotingSeat: Seat {
  let events = RoomEvents(mailbox: RoomMailbox())
  let actions = AsyncStream<Match.Action>.makeStream()

  func act(_ action: Match.Action) async { actions.continuation.yield(action) }
  func leave() async {}
}
