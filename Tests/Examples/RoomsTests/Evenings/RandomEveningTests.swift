import Foundation
import Testing
import TwentyFour

@testable import Rooms

/// Rooms in which anything may happen at any time.
///
/// `EVENINGS` in the environment says how many; each is told by its number, which is its seed.
struct RandomEveningTests {
  private static let count = ProcessInfo.processInfo.environment["EVENINGS"].flatMap(UInt64.init) ?? 64
  private static let batches: UInt64 = 8

  @Test(arguments: 0..<batches)
  func `whatever happens, a room stays sound`(batch: UInt64) throws {
    for seed in stride(from: 1 + batch, through: Self.count, by: Int(Self.batches)) {
      var evening = try RandomEvening(seed: seed)
      for _ in 0..<60 { try evening.step() }
      try evening.finish()
    }
  }
}

private struct RandomEvening {
  private let seed: UInt64
  private let rules: Match.Rules
  /// The longest round.
  private var limit: Duration { rules.time == .unlimited ? Match.Rules.longestRound : rules.roundDuration }
  private var random: SeededGenerator
  private var room: MemoryRoom
  private var lastConnection = 0
  private var guests: [ConnectionID] = []
  private var cut: Set<ConnectionID> = []

  // What the host's app was told, by our own account.
  private var read = 0
  private var points: [PlayerID: Int] = [:]
  private var solvers: Set<PlayerID> = []
  private var hints: [PlayerID: Int] = [:]
  /// How the last hand is solved.
  private var solution: String?
  private var running: (deal: Match.Deal, start: Duration)?
  private var rounds = 0

  init(seed: UInt64) throws {
    self.seed = seed
    random = SeededGenerator(seed: seed)
    rules = Match.Rules(
      roundDuration: .seconds(Int.random(in: 5...100, using: &random)), time: .allCases.randomElement(using: &random)!,
      pause: .seconds(Int.random(in: 0...10, using: &random)),
      gathering: .seconds([0, 10].randomElement(using: &random)!), rounds: [nil, 2, 6].randomElement(using: &random)!,
      minimumPlayers: Int.random(in: 1...2, using: &random), maximumPlayers: Int.random(in: 2...6, using: &random),
      returnLimit: .seconds([0, 20, 60].randomElement(using: &random)!), hintCost: Int.random(in: 0...9, using: &random))
    room = try MemoryRoom(rules, player: Bool.random(using: &random) ? "Ada" : nil, seed: seed, inBytes: false)
    try check()
  }

  mutating func step() throws {
    try act()
    try check()
    // Mostly seconds; sometimes as long as a round, or as a seat is kept.
    let limit = Int.random(in: 0..<12, using: &random) == 0 ? 90_000 : 6_000
    room.pass(.milliseconds(Int.random(in: 0...limit, using: &random)))
    try check()
  }

  mutating func finish() throws {
    // Whatever runs ends by time alone.
    room.pass(limit + rules.grace)
    try check()
    room.tellHost(.close(because: .hostLeft))
    try check()
    #expect(!room.host.isOpen, "seed \(seed)")
    let told = room.events
    for id in guests { room.mend(id) }
    for _ in 0..<10 { try act(mayRestart: false) }
    room.pass(.seconds(200))
    #expect(room.events[nil] == told[nil], "seed \(seed): told after the end")
    for id in guests {
      #expect(room.closing(id) != nil, "seed \(seed): \(id) still waits")
      #expect(room.events[id]?.count { if case .closed = $0 { true } else { false } } == 1, "seed \(seed)")
    }
  }

  private mutating func act(mayRestart: Bool = true) throws {
    guard let guest = guests.randomElement(using: &random), Int.random(in: 0..<6, using: &random) > 0 else {
      guard guests.count < 12 else { return }
      lastConnection += 1
      let id = ConnectionID(rawValue: lastConnection)
      guests.append(id)
      try room.connect(
        id, ["Ada", "ada", "Bob", "Cy"].randomElement(using: &random)!, spectates: Int.random(in: 0..<6, using: &random) == 0)
      return
    }
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<5: room.act(guest, .answer(solution ?? "1"))
    case 5: room.act(guest, .answer("1+("))
    case 6: room.act(guest, .giveUp)
    case 7, 8: room.act(guest, .hint)
    case 9: room.leave(guest)
    case 10, 11: room.drop(guest)
    case 12: room.cut(guest)
    case 13, 14: room.mend(guest)
    case 15: room.actAtHost(.answer(solution ?? "1"))
    case 16: room.actAtHost([.giveUp, .hint].randomElement(using: &random)!)
    case 17:
      let others = room.host.match.standings.filter { $0.player != host }
      if let player = others.randomElement(using: &random)?.player.id { room.tellHost(.command(.rule(.kick(player)))) }
    case 19 where Int.random(in: 0..<3, using: &random) == 0: room.tellHost(.command(.rule(.next)))
    case 18 where mayRestart && room.host.isOpen: try restart()
    default: break
    }
  }

  /// The host's own player.
  private var host: Player? {
    for case .open(_, let player, _) in room.events[nil, default: []].reversed() { return player }
    return nil
  }

  /// Everything is after it as it was before, except that everyone but the host is away.
  private mutating func restart() throws {
    let before = room.host.match.standings
    let deal = room.host.match.deal(at: room.now)
    let state = try room.killHost()
    room.pass(.milliseconds(Int.random(in: 0...3_000, using: &random)))
    try room.resumeHost(state, player: host.map(\.name.text))
    if rules.returnLimit > .zero {
      #expect(room.host.match.deal(at: room.now) == deal, "seed \(seed)")
      let after = room.host.match.standings
      #expect(after.map(\.player) == before.map(\.player), "seed \(seed)")
      #expect(after.map(\.points) == before.map(\.points), "seed \(seed)")
      #expect(after.map(\.status) == before.map(\.status), "seed \(seed)")
      #expect(after.map(\.hints) == before.map(\.hints), "seed \(seed)")
      #expect(after.map(\.best) == before.map(\.best), "seed \(seed)")
    }
    // The time of the round stood still.
    guard let deal else { return }
    let start = room.now - (limit - deal.remaining)
    running?.start = start
  }

  /// Looks at what the host's app has been told since the last time, and at what everybody sees.
  private mutating func check() throws {
    let events = room.events[nil, default: []]
    for (event, time) in zip(events[read...], room.times[read...]) { check(event, at: time) }
    read = events.count
    let standings = room.host.match.standings
    #expect(standings.allSatisfy { $0.points == points[$0.player.id, default: 0] }, "seed \(seed): \(standings)")
    #expect(standings.count <= rules.maximumPlayers, "seed \(seed)")
    #expect(Set(standings.map { $0.player.name.text.lowercased() }).count == standings.count, "seed \(seed)")
    if let running {
      #expect(
        room.now - running.start <= limit + rules.grace, "seed \(seed): round \(running.deal.number) goes on")
    }
    if room.host.isOpen, let deadline = room.host.match.nextDeadline { #expect(deadline >= room.now, "seed \(seed)") }
  }

  private mutating func check(_ event: RoomEvent, at now: Duration) {
    switch event {
    case .round(let deal):
      guard deal.number != running?.deal.number else { return }
      #expect(running == nil, "seed \(seed): a round started in a round")
      #expect(deal.number == rounds + 1, "seed \(seed)")
      running = (deal, now)
      solution = Solver.firstSolution(of: deal.hand)?.description
      solvers = []
    case .answer(let player, let time):
      #expect(solvers.insert(player.id).inserted, "seed \(seed): \(player) answered twice")
      let tenths = Int((rules.roundDuration - time).attoseconds * 10 / rules.roundDuration.attoseconds)
      points[player.id, default: 0] += max(1, 10 + max(0, tenths) - rules.hintCost * hints[player.id, default: 0])
    case .standings(let standings):
      checkOrder(standings)
      hints = Dictionary(uniqueKeysWithValues: standings.map { ($0.player.id, $0.hints) })
    case .roundEnded(let result):
      #expect(result.number == running?.deal.number, "seed \(seed)")
      #expect(result.hand == running?.deal.hand, "seed \(seed)")
      #expect(!result.standings.contains { $0.status.isGuessing }, "seed \(seed)")
      checkOrder(result.standings)
      rounds = result.number
      running = nil
    case .closed: running = nil
    default: break
    }
  }

  /// Solvers first, the fastest first; then the others by name, upper and lower case alike.
  private func checkOrder(_ standings: [Standing]) {
    let solvers = standings.prefix { $0.time != nil }
    let others = standings.dropFirst(solvers.count)
    #expect(others.allSatisfy { $0.time == nil }, "seed \(seed)")
    let times = solvers.compactMap(\.time)
    #expect(times == times.sorted(), "seed \(seed)")
    let names = others.map { $0.player.name.text.lowercased() }
    #expect(names == names.sorted(), "seed \(seed)")
  }
}
