import Foundation
import Testing

@testable import TwentyFour

/// Plays random evenings and checks after each event what must always hold.
///
/// `EVENINGS` in the environment says how many; each is told by its number, which is its seed.
struct MatchPropertyTests {
  private static let count = ProcessInfo.processInfo.environment["EVENINGS"].flatMap(UInt64.init) ?? 16
  private static let batches: UInt64 = 8

  @Test(arguments: 0..<batches)
  func `whatever happens, a match stays sound`(batch: UInt64) throws {
    for seed in stride(from: 1 + batch, through: Self.count, by: Int(Self.batches)) {
      var evening = Evening(seed: seed)
      for _ in 0..<400 { try evening.step() }
      try evening.finish()
    }
  }
}

private struct Evening {
  let seed: UInt64
  var random: SeededGenerator
  var match: Match
  /// A match that was written down and read back at some moment, and has to behave the same from then on.
  var twin: Match?
  var now = Duration.zero
  var nextID = 0
  var present: [PlayerID: Int] = [:]
  var away: Set<PlayerID> = []
  var best: [PlayerID: Duration] = [:]
  var hand: Hand?
  var roundStart = Duration.zero
  var solvers: Set<PlayerID> = []
  var hints: [PlayerID: Int] = [:]
  var roundsEnded = 0
  var hasEnded = false
  var isOver = false

  init(seed: UInt64) {
    self.seed = seed
    random = SeededGenerator(seed: seed)
    let rules = Match.Rules(
      roundDuration: .seconds(Int.random(in: 1...100, using: &random)), time: .allCases.randomElement(using: &random)!,
      grace: .seconds(Int.random(in: 0...2, using: &random)),
      pause: .seconds(Int.random(in: 0...10, using: &random)), rounds: [nil, 1, 5, 40].randomElement(using: &random)!,
      minimumPlayers: Int.random(in: 1...2, using: &random), maximumPlayers: Int.random(in: 2...5, using: &random),
      returnLimit: [.zero, .seconds(5), .seconds(60)].randomElement(using: &random)!,
      hintCost: Int.random(in: 0...8, using: &random))
    match = Match(rules: rules, generator: SeededGenerator(seed: seed &+ 1000))
    match.staysOpen = Bool.random(using: &random)
  }

  mutating func step() throws {
    now += .milliseconds(Int.random(in: 0...3000, using: &random))
    if let deadline = match.nextDeadline, Int.random(in: 0..<10, using: &random) == 0 { now = max(now, deadline) }
    try handle(try randomEvent())
    if Int.random(in: 0..<30, using: &random) == 0 { try writeDown() }
  }

  /// Times are moved on the way, as they are when a host starts anew.
  private mutating func writeDown() throws {
    let written = try JSONEncoder().encode(match.snapshot(at: now))
    let snapshot = try JSONDecoder().decode(Match.Snapshot.self, from: written)
    #expect(snapshot == match.snapshot(at: now), "seed \(seed)")
    twin = try Match(restoring: snapshot, generator: match.generator, at: now)
    twin?.staysOpen = match.staysOpen
  }

  mutating func finish() throws {
    // A running round ends by time alone; before it the seats may end of those who are away.
    for _ in 0...match.rules.maximumPlayers where match.isPlaying {
      now = max(now, try #require(match.nextDeadline))
      try handle(.timePassed)
    }
    #expect(!match.isPlaying, "seed \(seed)")
    try handle(.close)
    #expect(match.isOver, "seed \(seed)")
    for _ in 0..<20 { try handle(try randomEvent()) }
  }

  private mutating func randomEvent() throws -> Match.Event {
    // Sometimes someone who has left, or never came.
    let someone = PlayerID(rawValue: Int.random(in: 0...max(nextID, 1), using: &random))
    let player = present.keys.sorted().randomElement(using: &random) ?? someone
    let round = match.roundNumber
    switch Int.random(in: 0..<32, using: &random) {
    case 0..<4:
      nextID += 1
      return .join(PlayerID(rawValue: nextID), try PlayerName(["Ada", "ada", "Bob"].randomElement(using: &random)!))
    case 4..<6: return .leave(player)
    case 6..<10:
      let solution = hand.flatMap(Solver.firstSolution)?.description ?? "1"
      return .act(player, round: round, .answer(solution))
    case 10..<12: return .act(player, round: round, .answer("1+2*(3"))
    case 12: return .act(someone, round: round - 1, .answer("6*4"))
    case 13: return .leave(someone)
    case 14..<16: return .act(player, round: round, .giveUp)
    case 16: return .act(someone, round: round, .giveUp)
    case 17..<20: return .lost(player)
    case 20: return .lost(someone)
    case 21..<24: return .back(away.sorted().randomElement(using: &random) ?? player)
    case 24: return .back(someone)
    case 25: return .act(player, round: round, .hint)
    case 26: return .act(someone, round: round - 1, .hint)
    case 27: return .again
    case 31 where Int.random(in: 0..<3, using: &random) == 0: return .endRound
    // Rarely, or there would be no long matches.
    case 28 where Int.random(in: 0..<5, using: &random) == 0: return .end
    default: return .timePassed
    }
  }

  private mutating func handle(_ event: Match.Event) throws {
    let effects = match.handle(event, at: now)
    if twin != nil {
      #expect(twin?.handle(event, at: now) == effects, "seed \(seed): \(event)")
      #expect(twin?.nextDeadline == match.nextDeadline, "seed \(seed): \(event)")
    }
    if isOver {
      let isQuiet = effects.allSatisfy { if case .joinRefused = $0 { true } else { false } }
      #expect(isQuiet, "seed \(seed): \(effects) after the end")
    }
    for effect in effects { check(effect) }
    #expect(match.standings.map(\.player.id) == expectedOrder, "seed \(seed)")
    #expect(Set(match.players.map(\.id)) == Set(present.keys), "seed \(seed)")
    #expect(Set(match.players.map { $0.name.text.lowercased() }).count == present.count, "seed \(seed)")
    #expect(present.count <= match.rules.maximumPlayers, "seed \(seed)")
    #expect(match.standings.allSatisfy { $0.points == present[$0.player.id] }, "seed \(seed)")
    #expect(Set(match.standings.filter(\.isAway).map(\.player.id)) == away, "seed \(seed)")
    #expect(match.standings.allSatisfy { $0.best == best[$0.player.id] }, "seed \(seed)")
    #expect(match.standings.allSatisfy { $0.hints == hints[$0.player.id, default: 0] }, "seed \(seed)")
    if let deadline = match.nextDeadline { #expect(deadline > now || match.rules.pause == .zero, "seed \(seed)") }
    if match.isPlaying { #expect(match.standings.contains { $0.status.isGuessing }, "seed \(seed)") }
  }

  /// Solvers by their times, then by name; then the others by name. No two names differ in case alone.
  private var expectedOrder: [PlayerID] {
    func names(_ standings: some Sequence<Standing>) -> [PlayerID] {
      Dictionary(uniqueKeysWithValues: standings.map { ($0.player.name.text.lowercased(), $0.player.id) })
        .sorted { $0.key < $1.key }.map(\.value)
    }
    let solvers = Dictionary(grouping: match.standings.filter { $0.time != nil }) { $0.time! }
    return solvers.keys.sorted().flatMap { names(solvers[$0]!) } + names(match.standings.filter { $0.time == nil })
  }

  private mutating func check(_ effect: Match.Effect) {
    switch effect {
    case .joined(let player):
      #expect(present.updateValue(0, forKey: player.id) == nil, "seed \(seed)")
    case .left(let player):
      #expect(present.removeValue(forKey: player.id) != nil, "seed \(seed)")
      away.remove(player.id)
    case .away(let player):
      #expect(away.insert(player.id).inserted, "seed \(seed)")
    case .back(let player):
      #expect(away.remove(player.id) != nil, "seed \(seed)")
    case .roundStarted(let deal):
      #expect(hand == nil, "seed \(seed): a round started in a round")
      #expect(deal.number == roundsEnded + 1 && !hasEnded, "seed \(seed)")
      #expect(Solver.firstSolution(of: deal.hand) != nil, "seed \(seed)")
      (hand, roundStart, solvers, hints) = (deal.hand, now, [], [:])
    case .dealt(let deal, let player):
      #expect(deal.hand == hand, "seed \(seed)")
      #expect(deal.remaining == max(roundStart + match.rules.limit - now, .zero), "seed \(seed)")
      #expect(deal.isLimited == (match.rules.time != .unlimited), "seed \(seed)")
      #expect(!away.contains(player) && !solvers.contains(player), "seed \(seed)")
    case .solved(let player, let time):
      #expect(solvers.insert(player.id).inserted, "seed \(seed): \(player) answered twice")
      #expect(time == min(now - roundStart, match.rules.limit), "seed \(seed)")
      let tenths = (match.rules.roundDuration - time).attoseconds * 10 / match.rules.roundDuration.attoseconds
      present[player.id, default: 0] += max(1, 10 + max(0, Int(tenths)) - match.rules.hintCost * hints[player.id, default: 0])
      best[player.id] = min(best[player.id] ?? time, time)
    case .roundEnded(let result):
      #expect(hand == result.hand, "seed \(seed)")
      #expect((try? Answer(result.solution, to: result.hand)) != nil, "seed \(seed)")
      #expect(!result.standings.contains { $0.status.isGuessing }, "seed \(seed)")
      roundsEnded += 1
      hand = nil
    case .ended:
      #expect(match.staysOpen && hand == nil && roundsEnded > 0 && !hasEnded, "seed \(seed)")
      hasEnded = true
    case .began:
      #expect(hasEnded, "seed \(seed): a match began in a match")
      (hasEnded, roundsEnded, best, hints) = (false, 0, [:], [:])
      present = present.mapValues { _ in 0 }
    case .over:
      #expect(!isOver, "seed \(seed)")
      isOver = true
    case .hinted(let hint, let player):
      hints[player, default: 0] += 1
      #expect(hint.step == hints[player], "seed \(seed)")
    case .joinRefused, .refused, .standings:
      break
    }
  }
}
