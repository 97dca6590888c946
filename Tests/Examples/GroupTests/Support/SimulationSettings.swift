import Foundation
import Synchronization

/// Which simulations are run: `GROUP_SEEDS` is how many, `GROUP_REPLAY` the one seed to run and to tell of, step by step.
enum SimulationSettings {
  private static func setting(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }

  static let replayed = setting("GROUP_REPLAY")
  static let seeds = (replayed ?? 1)..<((replayed ?? 1) + (replayed == nil ? setting("GROUP_SEEDS") ?? 4 : 1))
  private static let totals = Mutex((seeds: 0, events: 0))
  private static let figures = Mutex((seeds: 0, events: 0, GroupSimulation.Figures()))

  static func report(_ seed: Int, _ count: Int, _ course: [String]) {
    if replayed != nil { for line in course { print(line) } }
    totals.withLock { $0 = ($0.seeds + 1, $0.events + count) }
    if let total = totals.withLock({ $0.seeds % 500 == 0 ? $0 : nil }) {
      print("\(total.seeds) simulations, \(total.events) events")
    }
  }

  static func report(_ seed: Int, _ simulation: GroupSimulation) {
    if replayed != nil { for line in simulation.course { print(line) } }
    let text = figures.withLock { total -> String? in
      let one = simulation.figures
      total.0 += 1
      total.1 += simulation.timeline.count
      total.2.returns += one.returns
      total.2.missingRounds += one.missingRounds
      total.2.rounds += one.rounds
      total.2.tellings += one.tellings
      total.2.undone = max(total.2.undone, one.undone)
      total.2.longestStranding = max(total.2.longestStranding, one.longestStranding)
      guard total.0 == seeds.count else { return nil }
      return "\(total.0) groups, \(total.1) events: \(total.2)"
    }
    if let text { print(text) }
  }
}
