import Foundation
import Testing
import TwentyFour

@testable import Rooms

/// An evening of sixteen people and fifty rounds, with all that happens in one.
struct WholeEveningTests {
  @Test func `everyone has the points that they earned, whatever happened to their connection`() throws {
    var evening = try WholeEvening()
    for round in 1...WholeEvening.rounds { try evening.play(round) }
    try evening.checkEnd()
  }
}

private struct WholeEvening {
  static let rounds = 50
  private static let host = "Ada"

  private var room: MemoryRoom
  /// The connections of the guests, by name; the host has none.
  private var guests: [String: ConnectionID] = [:]
  private var lastConnection = 0
  /// What everyone has earned by our own account.
  private var points: [String: Int] = [host: 0]
  private var ties = 0
  private var returns = 0
  private var resumptions = 0

  private enum Action {
    case solve(String)
    case giveUp(String)
    case hint(String)
    case drop(String)
    case cut(String)
    case mend(String)
    case leave(String)
    case join(String)
    case restartHost
  }

  init() throws {
    let rules = Match.Rules(gathering: .seconds(10), rounds: Self.rounds)
    room = try MemoryRoom(rules, player: Self.host)
    for number in 1...15 { try join("P\(number)") }
    room.pass(.seconds(10))
  }

  mutating func play(_ round: Int) throws {
    let start = room.now
    let hand = try #require(room.hand(nil))
    let solution = try #require(Solver.solutions(of: hand).last).description
    var solvers: [String: Int] = [:]
    var hints: [String: Int] = [:]
    // The host's clock stands still while it is down.
    var standstill = 0
    for (second, action) in plan(round) {
      room.pass(.seconds(second + standstill) - (room.now - start))
      switch action {
      case .solve(let name):
        guard solvers[name] == nil else { continue }
        act(name, .answer("1+1"))
        act(name, .answer(solution))
        solvers[name] = second
        points[name, default: 0] += 10 + (100 - second) / 10 - 2 * hints[name, default: 0]
      case .giveUp(let name): act(name, .giveUp)
      case .hint(let name):
        act(name, .hint)
        hints[name, default: 0] += 1
      case .drop(let name):
        room.drop(guests[name]!)
        returns += 1
      case .cut(let name): room.cut(guests[name]!)
      case .mend(let name):
        room.mend(guests[name]!)
        returns += 1
      case .leave(let name):
        room.leave(guests[name]!)
        guests[name] = nil
        points[name] = nil
      case .join(let name): try join(name)
      case .restartHost:
        let state = try room.killHost()
        room.pass(.seconds(7))
        try room.resumeHost(state, player: Self.host)
        standstill = 7
        resumptions += 1
      }
    }
    ties += solvers.count - Set(solvers.values).count
    // To the end of the round, and of the pause.
    room.pass(.seconds(102 + standstill) - (room.now - start))
    let result = try #require(room.results(nil).last)
    #expect(result.number == round)
    let solved = result.standings.compactMap { standing in standing.time.map { (standing.player.name.text, $0) } }
    #expect(Dictionary(uniqueKeysWithValues: solved) == solvers.mapValues { .seconds($0) }, "round \(round)")
    #expect(
      Dictionary(uniqueKeysWithValues: result.standings.map { ($0.player.name.text, $0.points) }) == points, "round \(round)")
    let others = points.keys.filter { solvers[$0] == nil }.sorted { $0.lowercased() < $1.lowercased() }
    let fastestFirst = solvers.sorted { ($0.value, $0.key.lowercased()) < ($1.value, $1.key.lowercased()) }.map(\.key)
    #expect(result.standings.map(\.player.name.text) == fastestFirst + others, "round \(round)")
    for id in guests.values where room.isConnected(id) { #expect(room.results(id).last == result, "round \(round)") }
    room.pass(.seconds(112 + standstill) - (room.now - start))
  }

  func checkEnd() throws {
    #expect(room.results(nil).map(\.number) == Array(1...Self.rounds))
    for id in [nil] + guests.values.map(Optional.some) { #expect(room.closing(id) == .finished) }
    // P4 was there all the time, and only ever away between rounds or for a moment.
    #expect(room.results(guests["P4"]!) == room.results(nil))
    #expect(guests.count == 15)
    #expect(ties > 50)
    #expect(returns > 10)
    #expect(resumptions == 3)
  }

  /// What happens in a round, by the second; someone guesses until its end.
  private func plan(_ round: Int) -> [(second: Int, action: Action)] {
    let names = [Self.host] + guests.keys.sorted()
    var plan: [(second: Int, action: Action)] = []
    // One leaves for good, and another one takes the place, in time for this round or only for the next.
    let candidate = names[1 + round % 15]
    let goer = round % 9 == 4 && candidate != "P4" ? candidate : nil
    if let goer {
      plan.append((3, .leave(goer)))
      plan.append((round % 2 == 0 ? 40 : 85, .join("N\(round)")))
      if round % 2 == 0 { plan.append((45, .solve("N\(round)"))) }
    }
    // Who idles keeps the round going to its end.
    let idler = round % 2 == 0 ? Self.host : "P4"
    for (index, name) in names.enumerated() where name != goer && name != idler {
      switch (round + index) % 6 {
      case 0: plan.append((5 + index, .giveUp(name)))
      case 1:
        plan.append((1, .hint(name)))
        plan.append((2, .hint(name)))
        plan.append((10 + index % 4, .solve(name)))
      default: plan.append((5 + (round * 7 + index * 5) % 30, .solve(name)))
      }
    }
    let guest = names[1 + (round * 4) % 15]
    if round % 3 == 0, guest != goer { plan.append((4, .drop(guest))) }
    // For ten seconds nobody notices; for forty both sides do.
    if round % 5 == 2, guest != goer {
      plan.append((50, .cut(guest)))
      plan.append((90, .mend(guest)))
    }
    if round % 17 == 8 { plan.append((47, .restartHost)) }
    return plan.enumerated().sorted { ($0.element.second, $0.offset) < ($1.element.second, $1.offset) }.map(\.element)
  }

  private mutating func act(_ name: String, _ action: Match.Action) {
    if name == Self.host { room.actAtHost(action) } else { room.act(guests[name]!, action) }
  }

  private mutating func join(_ name: String) throws {
    lastConnection += 1
    let id = ConnectionID(rawValue: lastConnection)
    guests[name] = id
    points[name] = 0
    try room.connect(id, name)
  }
}
