import Synchronization
import Testing

/// Whole groups of servers, their directory and their players: whatever fails, matches go on.
@Suite struct GroupSimulationTests {
  @Test(arguments: SimulationSettings.seeds) func `whatever fails, matches go on with their seats, points and rounds`(seed: Int)
  {
    let simulation = GroupSimulation(seed: UInt64(seed))
    simulation.run()
    SimulationSettings.report(seed, simulation)
    #expect(simulation.faults.prefix(5) == [], "make simulate-group REPLAY=\(seed)")
  }

  @Test func `a seed reproduces exactly`() {
    func course() -> [Int] {
      let simulation = GroupSimulation(seed: 5)
      simulation.run()
      return [simulation.timeline.count, simulation.figures.tellings, simulation.figures.returns, simulation.players.count]
    }
    #expect(course() == course())
  }
}
