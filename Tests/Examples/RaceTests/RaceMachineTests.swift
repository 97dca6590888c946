import FramedCoding
import TestSupport
import Testing

@testable import Race

struct RaceMachineTests {
  private typealias ID = RaceMachine.ConnectionID

  /// A server with players, whose connections have the numbers of their letters.
  private struct Server {
    var machine: RaceMachine
    var now: Duration = .zero

    init(_ change: (inout RaceRules) -> Void = { _ in }) {
      var rules = RaceRules()
      rules.gathering = .zero
      change(&rules)
      machine = RaceMachine(rules: rules)
    }

    mutating func handle(_ event: RaceMachine.Event) -> [RaceMachine.Effect] { machine.handle(event, at: now) }

    mutating func connect(_ number: Int) { #expect(handle(.connected(.init(rawValue: number))) == []) }

    /// Connects a player.
    mutating func hello(_ player: RacePlayer, on number: Int, continues: Bool = false) -> [RaceMachine.Effect] {
      connect(number)
      return say(.playerConnected(player, continuesMatch: continues), on: number)
    }

    mutating func say(_ message: ClientMessage, on number: Int) -> [RaceMachine.Effect] {
      handle(.received(.init(rawValue: number), message))
    }

    /// Starts a race of so many players, on connections 0, 1, …
    mutating func start(_ players: [RacePlayer]) throws {
      let range = try #require(PlayerRange(players.count, players.count))
      for (number, player) in players.enumerated() {
        _ = hello(player, on: number)
        _ = say(.matchWanted(range), on: number)
      }
      #expect(machine.matches.count == 1)
    }
  }

  private let ada = try! RacePlayer(id: "a1", alias: "Ada")
  private let bob = try! RacePlayer(id: "b1", alias: "Bob")
  private let cleo = try! RacePlayer(id: "c1", alias: "Cleo")

  private func id(_ number: Int) -> RaceMachine.ConnectionID { .init(rawValue: number) }

  private func sent(_ message: ServerMessage, to numbers: Int...) -> RaceMachine.Effect { .send(message, to: numbers.map(id)) }

  private func refused(_ reason: Refusal.Reason, _ effects: [RaceMachine.Effect], _ number: Int) -> Bool {
    guard effects.count >= 3, case .report(.refused(id(number), _, let refusal)) = effects[0] else { return false }
    return refusal.reason == reason && effects[1] == sent(.refused(refusal), to: number)
      && effects[2] == .disconnect(id(number))
  }

  @Test func `a player is in no match, asks for one, waits, and races`() throws {
    var server = Server()
    #expect(
      server.hello(ada, on: 1, continues: true) == [
        .admit(id(1)), .report(.connected(ada, continued: false)), sent(.notInMatch, to: 1),
      ])
    #expect(server.say(.matchWanted(.any), on: 1) == [sent(.waiting(missing: 1), to: 1)])
    _ = server.hello(bob, on: 2)
    let racers = [MatchView.Racer(alias: "Ada"), MatchView.Racer(alias: "Bob")]
    #expect(
      server.say(.matchWanted(.any), on: 2) == [
        .report(.started(match: 1, [ada, bob])),
        sent(.match(MatchView(courseLength: 1000, topSpeed: 100, own: 0, racers: racers)), to: 1),
        sent(.match(MatchView(courseLength: 1000, topSpeed: 100, own: 1, racers: racers)), to: 2),
      ])
  }

  @Test func `waiting players are told how many are missing, and that the match starts soon`() throws {
    var server = Server { $0.gathering = .seconds(2) }
    let three = try #require(PlayerRange(3, 16))
    for (number, player) in [ada, bob, cleo].enumerated() { _ = server.hello(player, on: number) }
    #expect(server.say(.matchWanted(three), on: 0) == [sent(.waiting(missing: 2), to: 0)])
    #expect(server.say(.matchWanted(three), on: 1) == [sent(.waiting(missing: 1), to: 0), sent(.waiting(missing: 1), to: 1)])
    // A player who leaves is missing again.
    #expect(server.handle(.disconnected(id(1))) == [.report(.disconnected(bob)), sent(.waiting(missing: 2), to: 0)])
    _ = server.hello(bob, on: 3)
    _ = server.say(.matchWanted(three), on: 3)
    #expect(server.say(.matchWanted(three), on: 2) == [0, 3, 2].map { sent(.waiting(missing: 0), to: $0) })
    #expect(server.machine.nextDeadline == .seconds(2))
    server.now = .seconds(2)
    #expect(server.handle(.timePassed).first == .report(.started(match: 1, [ada, bob, cleo])))
  }

  @Test func `whoever waits for another number of players is not told the same again`() throws {
    var server = Server()
    for (number, player) in [ada, bob, cleo].enumerated() { _ = server.hello(player, on: number) }
    let (three, four) = (try #require(PlayerRange(3, 3)), try #require(PlayerRange(4, 4)))
    #expect(server.say(.matchWanted(four), on: 0) == [sent(.waiting(missing: 3), to: 0)])
    #expect(server.say(.matchWanted(three), on: 1) == [sent(.waiting(missing: 2), to: 1)])
    #expect(server.handle(.disconnected(id(1))) == [.report(.disconnected(bob))])
  }

  @Test func `positions are told to the others, arrivals to all, and the ranking at the end`() throws {
    var server = Server { $0.courseLength = 100 }
    try server.start([ada, bob])
    server.now = .milliseconds(500)
    #expect(server.say(.position(60), on: 0) == [sent(.moved(racer: 0, position: 60), to: 1)])
    server.now = .seconds(1)
    #expect(
      server.say(.position(100), on: 1) == [
        sent(.moved(racer: 1, position: 100), to: 0), sent(.arrived(racer: 1, place: 1), to: 0, 1),
        .report(.arrived(match: 1, bob, place: 1)),
      ])
    #expect(
      server.say(.position(100), on: 0) == [
        sent(.moved(racer: 0, position: 100), to: 1), sent(.arrived(racer: 0, place: 2), to: 0, 1),
        .report(.arrived(match: 1, ada, place: 2)), sent(.over(ranking: [1, 0]), to: 0, 1),
        .report(.over(match: 1, [bob, ada])),
      ])
    #expect(server.machine.matches.count == 0 && server.machine.entries.count == 2 && server.machine.nextDeadline == nil)
    // A position that crossed the end does no harm, and the player may ask for another match.
    #expect(server.say(.position(5), on: 0) == [])
    #expect(server.say(.matchWanted(.any), on: 0) == [sent(.waiting(missing: 1), to: 0)])
  }

  @Test(arguments: [(20, 19), (20, 20), (20, 0), (0, -1), (0, .min)])
  func `a position that does not grow ends only its connection`(_ first: Int32, _ second: Int32) throws {
    var server = Server()
    try server.start([ada, bob])
    if first > 0 { _ = server.say(.position(first), on: 0) }
    let effects = server.say(.position(second), on: 0)
    #expect(refused(.impossible, effects, 0))
    #expect(effects.last == sent(.presence(racer: 0, .away), to: 1))
    #expect(server.say(.position(10), on: 1) == [])
    #expect(server.machine.matches.count == 1)
  }

  @Test func `no racer runs faster than the top speed, or beyond the finish`() throws {
    for (milliseconds, position, isFair) in [
      (0, 50, true), (0, 51, false), (1000, 150, true), (1000, 151, false), (20_000, 1000, true), (20_000, 1001, false),
      (20_000, .max, false),
    ] as [(Int, Int32, Bool)] {
      var server = Server()
      try server.start([ada, bob])
      server.now = .milliseconds(milliseconds)
      let effects = server.say(.position(position), on: 0)
      #expect(refused(.impossible, effects, 0) != isFair, "\(position) after \(milliseconds) ms")
    }
  }

  @Test func `a player who comes back to continue has the same racer and position`() throws {
    var server = Server { $0.courseLength = 100 }
    try server.start([ada, bob])
    server.now = .seconds(1)
    _ = server.say(.position(40), on: 0)
    #expect(
      server.handle(.disconnected(id(0))) == [
        .report(.disconnected(ada)), .report(.presence(match: 1, ada, .away)), sent(.presence(racer: 0, .away), to: 1),
      ])
    _ = server.say(.position(100), on: 1)
    server.now = .seconds(60)
    let racers = [
      MatchView.Racer(alias: "Ada", position: 40), MatchView.Racer(alias: "Bob", position: 100, place: 1),
    ]
    #expect(
      server.hello(ada, on: 7, continues: true) == [
        .admit(id(7)), .report(.connected(ada, continued: true)), .report(.presence(match: 1, ada, .here)),
        sent(.presence(racer: 0, .here), to: 1),
        sent(.match(MatchView(courseLength: 100, topSpeed: 100, own: 0, racers: racers)), to: 7),
      ])
    #expect(server.say(.position(41), on: 7) == [sent(.moved(racer: 0, position: 41), to: 1)])
  }

  @Test func `a player who comes back without continuing leaves the match`() throws {
    var server = Server()
    try server.start([ada, bob, cleo])
    _ = server.handle(.disconnected(id(0)))
    #expect(
      server.hello(ada, on: 7) == [
        .admit(id(7)), .report(.connected(ada, continued: false)), .report(.presence(match: 1, ada, .left)),
        sent(.presence(racer: 0, .left), to: 1, 2), sent(.notInMatch, to: 7),
      ])
    #expect(server.say(.matchWanted(.any), on: 7) == [sent(.waiting(missing: 1), to: 7)])
  }

  @Test func `a player who is away for a minute has left, which may end the race`() throws {
    var server = Server { $0.courseLength = 10 }
    try server.start([ada, bob])
    _ = server.say(.position(10), on: 1)
    server.now = .seconds(1)
    _ = server.handle(.disconnected(id(0)))
    #expect(server.machine.nextDeadline == .seconds(61))
    server.now = .seconds(61)
    #expect(
      server.handle(.timePassed) == [
        .report(.presence(match: 1, ada, .left)), sent(.presence(racer: 0, .left), to: 1), sent(.over(ranking: [1, 0]), to: 1),
        .report(.over(match: 1, [bob, ada])),
      ])
    #expect(server.machine.entries.count == 1)
    #expect(server.hello(ada, on: 9, continues: true).last == sent(.notInMatch, to: 9))
  }

  @Test func `a race that takes too long is ended, and ranked by position`() throws {
    var server = Server()
    try server.start([ada, bob, cleo])
    server.now = .seconds(5)
    _ = server.say(.position(5), on: 0)
    _ = server.say(.position(7), on: 1)
    _ = server.say(.position(9), on: 2)
    server.now = .seconds(599)
    _ = server.handle(.disconnected(id(2)))
    #expect(server.machine.nextDeadline == .seconds(600))
    server.now = .seconds(600)
    #expect(server.handle(.timePassed).first == sent(.over(ranking: [2, 1, 0]), to: 0, 1))
    // A player who is away has no match to come back to.
    #expect(server.machine.entries.count == 2 && server.machine.matches.count == 0)
  }

  @Test func `a second connection of a player replaces the first`() throws {
    var server = Server()
    try server.start([ada, bob])
    let effects = server.hello(ada, on: 7, continues: true)
    #expect(refused(.replaced, effects, 0))
    guard case .send(.match(let view), [id(7)]) = effects.last else {
      Issue.record("no match: \(effects)")
      return
    }
    #expect(view.own == 0 && view.racers.allSatisfy { $0.presence == .here })
    // Later messages of the first connection have no effect.
    #expect(server.say(.position(10), on: 0) == [] && server.handle(.disconnected(id(0))) == [])
    #expect(server.machine.entries.count == 2)
  }

  @Test func `a message that is not allowed at that time ends only its connection`() throws {
    var server = Server()
    for (number, message) in [(1, ClientMessage.matchWanted(.any)), (2, .position(1))] {
      server.connect(number)
      #expect(refused(.outOfOrder, server.say(message, on: number), number))
    }
    _ = server.hello(ada, on: 3)
    #expect(refused(.outOfOrder, server.say(.playerConnected(ada, continuesMatch: false), on: 3), 3))
    _ = server.hello(ada, on: 4)
    _ = server.say(.matchWanted(.any), on: 4)
    #expect(refused(.outOfOrder, server.say(.matchWanted(.any), on: 4), 4))
    #expect(server.machine.entries.count == 0)
    // Malformed bytes of a pending peer, and of a racing player.
    server.connect(5)
    #expect(refused(.malformed, server.handle(.violated(id(5), Refusal(.malformed, "broken"))), 5))
    try server.start([ada, bob])
    #expect(refused(.malformed, server.handle(.violated(id(0), Refusal(.malformed, "broken"))), 0))
    #expect(server.machine.entries.count == 2)
    #expect(server.handle(.violated(id(99), Refusal(.malformed, "nobody"))) == [])
  }

  @Test func `wishes are narrowed to the server's range, or refused`() throws {
    var server = Server { $0.players = PlayerRange(2, 3)! }
    _ = server.hello(ada, on: 1)
    #expect(server.say(.matchWanted(PlayerRange(1, 16)!), on: 1) == [sent(.waiting(missing: 1), to: 1)])
    _ = server.hello(bob, on: 2)
    #expect(refused(.players, server.say(.matchWanted(PlayerRange(4, 16)!), on: 2), 2))
  }

  @Test func `the number of players is bounded`() throws {
    var server = Server { $0.capacity = 2 }
    try server.start([ada, bob])
    #expect(refused(.full, server.hello(cleo, on: 5), 5))
    // Players who are away count.
    _ = server.handle(.disconnected(id(0)))
    #expect(refused(.full, server.hello(cleo, on: 6), 6))
    #expect(server.hello(ada, on: 7, continues: true).count == 5)
  }

  @Test func `a server has room for 1,024 players`() throws {
    var server = Server()
    for number in 0..<1_024 {
      #expect(server.hello(try RacePlayer(id: "p\(number)", alias: "Player"), on: number).first == .admit(id(number)))
    }
    #expect(refused(.full, server.hello(ada, on: 1_024), 1_024))
  }

  @Test func `the time of a match that runs and that of one to be made are both kept`() throws {
    var server = Server { $0.gathering = .seconds(2) }
    for (number, player) in [ada, bob].enumerated() {
      _ = server.hello(player, on: number)
      _ = server.say(.matchWanted(try #require(PlayerRange(2, 2))), on: number)
    }
    #expect(server.machine.nextDeadline == .seconds(600))
    server.now = .seconds(5)
    for (number, id) in [(2, "c1"), (3, "d1")] {
      _ = server.hello(try RacePlayer(id: id, alias: "Cleo"), on: number)
      _ = server.say(.matchWanted(.any), on: number)
    }
    #expect(server.machine.nextDeadline == .seconds(7))
  }

  @Test func `players who wait for a server that closes wait for nothing`() {
    var server = Server { $0.gathering = .seconds(2) }
    for (number, player) in [ada, bob].enumerated() {
      _ = server.hello(player, on: number)
      _ = server.say(.matchWanted(.any), on: number)
    }
    #expect(server.machine.nextDeadline == .seconds(2))
    #expect(server.handle(.close).count == 3 && server.machine.nextDeadline == nil)
    server.now = .seconds(2)
    #expect(server.handle(.timePassed) == [] && server.handle(.close) == [])
  }

  @Test func `a server that closes tells all players`() throws {
    var server = Server()
    try server.start([ada, bob])
    server.connect(5)
    let closing = Refusal(.closing, "the server is closing; try again later")
    #expect(server.handle(.close) == [sent(.refused(closing), to: 0, 1, 5)] + [0, 1, 5].map { .disconnect(id($0)) })
    #expect(server.handle(.connected(id(6))) == [sent(.refused(closing), to: 6), .disconnect(id(6))])
    #expect(server.say(.position(1), on: 0) == [] && server.machine.nextDeadline == nil)
    #expect(server.say(.playerConnected(cleo, continuesMatch: false), on: 5) == [] && server.handle(.disconnected(id(5))) == [])
  }
}
