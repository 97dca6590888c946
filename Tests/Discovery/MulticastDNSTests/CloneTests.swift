import Testing
import _BonjourishBase
import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// Hosts of one name with a service of one name, such as machines made from one image (RFC 6762 §8.1, §8.2, §9).
@Suite struct CloneTests {
  private func makeClone(on network: VirtualNetwork) -> Resident {
    let clone = Resident(network.addHost(), on: network, isWatched: false)
    clone.claim("clone.local")
    clone.publish("Clone")
    return clone
  }

  private func run(_ network: VirtualNetwork, until limit: Duration, orUntilPublished clones: [Resident]) {
    while network.now < limit, !clones.allSatisfy(isPublished) { network.run(for: .milliseconds(50)) }
  }

  private func isPublished(_ clone: Resident) -> Bool { clone.hostName != nil && clone.services[0].established != nil }

  private func check(_ clones: [Resident]) {
    #expect(clones.compactMap { $0.services[0].failure }.isEmpty)
    #expect(clones.count { !isPublished($0) } == 0)
    #expect(Set(clones.map(\.hostName)).count == clones.count)
    #expect(Set(clones.map { $0.services[0].established }).count == clones.count)
  }

  @Test func `sixty clones that start together publish within twenty seconds and another one within ten`() {
    let seed: UInt64 = 1
    let network = VirtualNetwork(seed: seed)
    network.keepsWire = false
    network.carriesBytes = false
    var random = SeededGenerator(seed: ~seed)
    var clones = (0..<60).map { _ in
      network.run(for: .microseconds(Int.random(in: 0...(2_000_000 / 60), using: &random)))
      return makeClone(on: network)
    }
    run(network, until: .seconds(20), orUntilPublished: clones)
    check(clones)
    clones.append(makeClone(on: network))
    run(network, until: network.now + .seconds(10), orUntilPublished: clones)
    check(clones)
  }

  // The echo of a datagram with the former name of the host is no other host's, however late it comes.
  @Test func `clones on busy machines keep the names of their services`() {
    let network = VirtualNetwork(seed: 2)
    network.keepsWire = false
    network.carriesBytes = false
    network.conditions.echo = .milliseconds(2500) ... .seconds(6)
    let clones = (0..<60).map { number in
      let clone = Resident(network.addHost(), on: network, isWatched: false)
      clone.claim("clone.local")
      clone.publish("Service \(number)")
      network.run(for: .milliseconds(30))
      return clone
    }
    run(network, until: .seconds(60), orUntilPublished: clones)
    network.run(for: .seconds(10))
    check(clones)
    for (number, clone) in clones.enumerated() { #expect(clone.services[0].claimed == ["Service \(number)"]) }
  }
}
