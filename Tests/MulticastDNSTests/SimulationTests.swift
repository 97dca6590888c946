import CLinux
import MulticastDNS
import Testing

/// Whole links of hosts that come, go, are cut off from each other and want the same names.
///
/// `SIMULATE_SEEDS` is how many seeds are run, `SIMULATE_FIRST` the first of them, `SIMULATE_HOSTS` how many hosts there are.
@Suite struct SimulationTests {
  private static func setting(_ name: String, or fallback: Int) -> Int {
    getenv(name).flatMap { Int(String(cString: $0)) } ?? fallback
  }

  private static let seeds =
    setting("SIMULATE_FIRST", or: 1)..<(setting("SIMULATE_FIRST", or: 1) + setting("SIMULATE_SEEDS", or: 10))
  private static let hosts = setting("SIMULATE_HOSTS", or: 10)

  @Test(arguments: seeds) func `everyone ends with the true picture`(seed: Int) {
    // Reading takes most of the time when there are many hosts: then they do it for themselves in one of eight seeds only.
    let simulation = Simulation(seed: UInt64(seed), hosts: Self.hosts, carriesBytes: Self.hosts < 50 || seed % 8 == 0)
    simulation.run()
    #expect(simulation.faults.prefix(10) == [], "seed \(seed), \(Self.hosts) hosts")
  }

  @Test func `a seed reproduces exactly`() {
    func course() -> [[UInt8]] {
      let simulation = Simulation(seed: 5, hosts: 5, carriesBytes: true)
      simulation.network.keepsWire = true
      simulation.start()
      simulation.network.run(for: .seconds(30))
      return simulation.network.wire.map(\.bytes)
    }
    #expect(course() == course())
  }
}
