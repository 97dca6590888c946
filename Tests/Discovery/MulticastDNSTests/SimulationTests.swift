import Foundation
import Testing
import _BonjourishMulticastDNS

/// Whole networks of hosts that come, go, sleep, change their addresses, are cut off from each other and want the same names.
///
/// `SIMULATE_SEEDS` is how many seeds are run, `SIMULATE_FIRST` the first of them, `SIMULATE_HOSTS` how many hosts there are.
/// `SIMULATE_REPLAY` is the one seed to run and to tell of, step by step.
@Suite struct SimulationTests {
  private static func setting(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
  }

  private static let replayed = setting("SIMULATE_REPLAY")
  private static let first = replayed ?? setting("SIMULATE_FIRST") ?? 1
  private static let seeds = first..<(first + (replayed == nil ? setting("SIMULATE_SEEDS") ?? 2 : 1))
  private static let hosts = setting("SIMULATE_HOSTS") ?? 8

  @Test(arguments: seeds) func `everyone ends with the true picture`(seed: Int) {
    // Reading takes most of the time when there are many hosts: then they do it for themselves in one of eight seeds only.
    let simulation = Simulation(seed: UInt64(seed), hosts: Self.hosts, carriesBytes: Self.hosts < 50 || seed % 8 == 0)
    simulation.run()
    if Self.replayed != nil { for line in simulation.course { print(line) } }
    #expect(simulation.faults.prefix(10) == [], "make simulate REPLAY=\(seed) HOSTS=\(Self.hosts)")
  }

  @Test func `a seed reproduces exactly`() {
    func course() -> [[UInt8]] {
      let simulation = Simulation(seed: 5, hosts: 5, carriesBytes: true)
      simulation.network.keepsWire = true
      simulation.start()
      simulation.planStorm()
      simulation.pass(until: .seconds(30))
      return simulation.network.wire.map(\.bytes)
    }
    #expect(course() == course())
  }
}
