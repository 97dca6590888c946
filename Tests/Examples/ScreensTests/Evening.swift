import Bonjourish
import Rooms
import TwentyFour

@testable import Screens

/// The events of the rooms of these tests.
enum Evening {
  static let ada = Player(id: PlayerID(rawValue: 1), name: name("Ada"))
  static let lei = Player(id: PlayerID(rawValue: 2), name: name("李雷"))
  static let bob = Player(id: PlayerID(rawValue: 3), name: name("Bob"))

  static func name(_ text: String) -> PlayerName { try! PlayerName(text) }

  static let hand = try! Hand([8, 9, 2, 5])
  static let deal = Match.Deal(number: 1, hand: hand, remaining: .seconds(100))
  static let rules = RoomRules(Match.Rules(rounds: 5))

  static func standing(
    _ player: Player, _ status: Standing.Status, _ points: Int, isAway: Bool = false, best: Duration? = nil
  ) -> Standing {
    Standing(player: player, status: status, points: points, isAway: isAway, best: best)
  }

  static let beginning = [standing(ada, .waiting, 0), standing(bob, .waiting, 0), standing(lei, .waiting, 0)]

  static let firstResult = Match.RoundResult(
    number: 1, hand: hand, solution: try! Expression("8*(9/(5-2))"),
    standings: [
      standing(lei, .solved(.milliseconds(12_340)), 18, best: .milliseconds(12_340)), standing(ada, .gaveUp, 0),
      standing(bob, .outOfTime, 0),
    ], pause: .seconds(10))

  /// Bob's view of a room, up to the middle of the second round.
  static func secondRound(upTo count: Int = .max) -> GameState {
    var state = GameState(name: name("Bob"), title: "Ada's game, port 4242")
    let events: [(RoomEvent, Duration)] = [
      (.open(room: RoomID(), player: bob, rules: rules), .zero), (.standings(beginning), .zero),
      (.round(Match.Deal(number: 1, hand: hand, remaining: .seconds(100))), .seconds(10)),
      (.answer(lei, time: .milliseconds(12_340)), .milliseconds(22_340)), (.roundEnded(firstResult), .seconds(112)),
      (.round(Match.Deal(number: 2, hand: try! Hand([3, 3, 8, 8]), remaining: .seconds(100))), .seconds(122)),
      (
        .standings([
          standing(ada, .guessing, 0, isAway: true), standing(bob, .guessing, 0),
          standing(lei, .guessing, 18, best: .milliseconds(12_340)),
        ]), .seconds(122)
      ), (.away(ada), .seconds(130)), (.hint(.lastOperation(.over), cost: 2), .seconds(131)),
    ]
    for (event, time) in events.prefix(count) { state.take(event, at: time) }
    return state
  }

  static func room(
    _ name: String, players: Int = 3, max: Int = 16, state: RoomState = .playing, time: TimeAllowance = .usual,
    host: DomainName = "h1.local", id: RoomID = RoomID(), lock: RoomLock = .open,
    interfaces: [String] = []
  ) -> DiscoveredRoom {
    let advertisement = RoomAdvertisement(room: id, players: players, maximumPlayers: max, state: state, time: time, lock: lock)
    var txt = TXTRecord()
    for (key, value) in advertisement.pairs { try! txt.set(.init(value), for: key) }
    let instance = ServiceInstance(try! InstanceName(name), type: RoomHost.serviceType)
    let links = interfaces.map { name in
      let region = name.hasPrefix("directory:") ? name.split(separator: ":").last : nil
      return Link(region.map { .directory(String($0)) } ?? DiscoverySource(NetworkInterface(index: 2, name: name)), .ipv4)
    }
    let endpoint = Endpoint(host: host, port: 4242, txt: txt, addresses: [])
    return DiscoveredRoom(DiscoveredService(instance: instance, links: links, endpoint: endpoint))!
  }
}

extension TwentyFour.SeededGenerator {
  mutating func number(in range: Range<Int>) -> Int { Int.random(in: range, using: &self) }

  /// True once in so many times.
  mutating func once(in count: Int) -> Bool { number(in: 0..<count) == 0 }
}
