import _BonjourishBase
import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// What a seed makes of a ``Simulation``: the network, its hosts, and what happens to them.
struct SimulationMix {
  /// The families that hosts of a segment may have, and its interfaces' MTU in bytes.
  struct Segment {
    let families: [IPAddress.Family]
    /// Whether IPv6 hosts have global addresses, which are published in place of the link-local ones.
    let isGlobal: Bool
    let mtu: Int
  }

  /// Conditions in a storm.
  let conditions: VirtualNetwork.Conditions
  let segments: [Segment]
  /// Of a host's being on two segments, or on one with two interfaces.
  let secondInterface: Double
  /// How many hosts are copies of one: they want the same host name.
  let clones: Int
  /// How many services of clones want the same names too.
  let clonedServices: Int
  /// The time in which all hosts start.
  let start: Duration
  let isCut: Bool
  /// Of a host's going for good, with or without a word.
  let departure: Double
  /// How many times hosts are disturbed in the storm.
  let disturbances: Int

  /// How many clones there are at most.
  static let mostClones = 20

  init(hosts: Int, _ random: inout SeededGenerator) {
    conditions = VirtualNetwork.Conditions(
      loss: random.chance(0.1) ? 0 : Double.random(in: 0...0.3, using: &random),
      duplication: Double.random(in: 0...0.1, using: &random),
      delay: .microseconds(Int.random(in: 100...20_000, using: &random)),
      holdUp: Double.random(in: 0...0.05, using: &random))
    let count = [1, 1, 2, 3].randomElement(using: &random)!
    segments = (0..<count).map { _ in
      Segment(
        families: [[.ipv4], [.ipv4], [.ipv6], [.ipv4, .ipv6]].randomElement(using: &random)!,
        isGlobal: Bool.random(using: &random), mtu: random.chance(0.2) ? 1280 : 1500)
    }
    secondInterface = count == 1 ? 0 : Double.random(in: 0...0.4, using: &random)
    clones = min(Int.random(in: 2...Self.mostClones, using: &random), hosts / 2)
    clonedServices = Int.random(in: 1...5, using: &random)
    start = [.zero, .milliseconds(200), .seconds(2)].randomElement(using: &random)!
    isCut = random.chance(0.7)
    departure = Double.random(in: 0...0.3, using: &random)
    disturbances = random.chance(0.2) ? 0 : Int.random(in: 1...max(3, hosts / 4), using: &random)
  }

  /// The interfaces of a host, each with an address of a family that the segment has.
  func interfaces(of host: Int, _ random: inout SeededGenerator) -> [VirtualInterface] {
    let first = Int.random(in: segments.indices, using: &random)
    var chosen = [first]
    if random.chance(secondInterface) { chosen.append((first + 1) % segments.count) }
    return chosen.enumerated().map { place, index in
      let segment = segments[index]
      // Most hosts have all families of their segment.
      let families = random.chance(0.7) ? segment.families : [segment.families.randomElement(using: &random)!]
      var addresses: [InterfaceAddress] = []
      if families.contains(.ipv4) { addresses.append(.ipv4(host + 1, on: index)) }
      if families.contains(.ipv6) {
        addresses.append(.linkLocal(host + 1, isPublished: !segment.isGlobal))
        if segment.isGlobal { addresses.append(.global(host + 1, on: index, network: 0)) }
      }
      return VirtualInterface(UInt32(place + 1), on: index, mtu: segment.mtu, addresses: addresses)
    }
  }
}

extension SimulationMix: CustomStringConvertible {
  var description: String {
    let networks = segments.map { segment in
      segment.families.map { "\($0)" }.joined(separator: "+") + (segment.isGlobal ? " global" : "") + " \(segment.mtu)"
    }
    return "segments [\(networks.joined(separator: ", "))], loss \(conditions.loss), \(clones) clones with \(clonedServices) "
      + "services in common, start in \(start), \(isCut ? "cut, " : "")departure \(departure), \(disturbances) disturbances"
  }
}
