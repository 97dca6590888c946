import Foundation
import FramedJSON
import FramedTransport
import Testing
import TwentyFour

@testable import Rooms

/// How much time the players of a room have, as the network and the host's decisions have it.
struct RoomTimeTests {
  private let bob = ConnectionID(rawValue: 7)
  private let eve = ConnectionID(rawValue: 8)

  @Test(arguments: [(TimeAllowance.half, "1.5", 150), (.double, "2", 200), (.unlimited, "none", 100)])
  func `the time is advertised, and told to those who come in`(time: TimeAllowance, word: String, seconds: Int) throws {
    var room = try TestRoom(Match.Rules(time: time))
    #expect(room.machine.advertisedPairs["time"] == word)
    #expect(room.handle(.open).advertisements.first?.time == time)
    let welcome = try #require(room.enter(bob, "Bob").welcome(of: bob))
    #expect(welcome.rules.time == time && welcome.rules.roundDuration == .seconds(seconds))
    let json = String(decoding: try RoomMessage.codec.encode(.welcome(welcome)), as: UTF8.self)
    #expect(json.contains(#""roundSeconds":\#(seconds)"#) && json.contains(#""time":"\#(word)""#))
  }

  @Test func `the usual time has no key, and one of a later version does not hide the room`() throws {
    #expect(try TestRoom().machine.advertisedPairs["time"] == nil)
    for value in ["3", "", "NONE", String(repeating: "9", count: 200)] {
      let room = try RoomAdvertisement(pairs: RoomAdvertisementTests.pairs.merging(["time": value]) { $1 })
      #expect(room.time == .usual && room.pairs == RoomAdvertisementTests.pairs)
    }
    let pairs = RoomAdvertisementTests.pairs.merging(["time": "2"]) { $1 }
    #expect(try RoomAdvertisement(pairs: pairs).pairs == pairs)
    let later = #"{"roundSeconds":300,"pauseSeconds":10,"time":"3"}"#
    let rules = try JSONDecoder().decode(RoomRules.self, from: Data(later.utf8))
    #expect(rules.time == .usual && rules.roundDuration == .seconds(300))
  }

  @Test func `an earlier version plays a round without a limit as one of an hour`() throws {
    var room = try TestRoom(Match.Rules(time: .unlimited))
    room.handle(.open)
    let deal = try #require(
      room.enter(bob, "Bob").told(bob).compactMap { event -> Match.Deal? in
        if case .round(let deal) = event { deal } else { nil }
      }.first)
    #expect(!deal.isLimited)
    let fields = try #require(
      try JSONSerialization.jsonObject(with: Data(try RoomMessage.codec.encode(.event(.round(deal))))) as? [String: Any])
    #expect(fields["seconds"] as? Double == 3_600 && fields["limited"] as? Bool == false)
    // What it says is true: the round ends then.
    #expect(room.passTime(.seconds(3_601)).events.isEmpty)
    let ended = room.passTime(.seconds(1)).told(bob)
    #expect(ended.contains { if case .roundEnded = $0 { true } else { false } })
  }

  @Test(arguments: TimeAllowance.allCases) func `the host ends a round, and nothing where none is running`(
    time: TimeAllowance
  ) throws {
    var room = try TestRoom(Match.Rules(time: time))
    room.handle(.open)
    room.enter(bob, "Bob")
    let ended = room.handle(.command(.rule(.next)))
    #expect(ended.events.first == .rule(.next, nil))
    #expect(ended.told(bob).contains { if case .roundEnded(let result) = $0 { result.pause == .seconds(10) } else { false } })
    #expect(room.handle(.command(.rule(.next))).events == [.refused(.noRound)])
    #expect(room.passTime(.seconds(10)).hand != nil)
  }

  @Test func `whoever comes to a round without a limit plays or watches it, however late, and goes on after a break`() throws {
    var room = try TestRoom(Match.Rules(time: .unlimited))
    room.handle(.open)
    room.passTime(.seconds(3_000))
    room.enter(bob, "Bob")
    #expect(room.machine.match.standings.map(\.status).contains(.joinedAndGuessing))
    room.handle(.connected(eve))
    let seen = room.receive(.hello(.init(name: "Eve", spectates: true)), from: eve).told(eve)
    #expect(seen.contains { if case .round(let deal) = $0 { !deal.isLimited } else { false } })
    // A player who is away keeps it going for a minute, and not longer.
    room.receive(.act(round: 1, .answer("1")), from: bob)
    room.act(.giveUp)
    room.handle(.disconnected(bob))
    #expect(room.passTime(.seconds(59)).events.isEmpty)
    #expect(room.passTime(.seconds(1)).events.contains { if case .roundEnded = $0 { true } else { false } })
  }

  @Test func `a bot paces itself by the usual time where there is no limit`() {
    var (limited, unlimited) = (Bot(generator: SeededGenerator(seed: 4)), Bot(generator: SeededGenerator(seed: 4)))
    let hand = RoomMessageTests.hand
    let usual = limited.move(for: hand, remaining: .seconds(100))
    #expect(unlimited.move(for: hand, remaining: .seconds(200)).thinkingTime == usual.thinkingTime * 2)
    var player = BotPlayer(generator: SeededGenerator(seed: 4))
    let seat = NoSeat()
    player.react(
      to: .open(room: RoomMessageTests.room, player: nil, rules: RoomRules(Match.Rules(roundDuration: .seconds(40)))), at: seat)
    let deal = Match.Deal(number: 1, hand: hand, remaining: .seconds(3_600), isLimited: false)
    #expect(player.time(for: deal) == .seconds(40))
    #expect(player.time(for: Match.Deal(number: 1, hand: hand, remaining: .seconds(30))) == .seconds(30))
  }
}

/// A seat at which nothing happens.
private struct NoSeat: Seat {
  let events = RoomEvents(mailbox: RoomMailbox())
  func act(_ action: Match.Action) async {}
  func leave() async {}
}
