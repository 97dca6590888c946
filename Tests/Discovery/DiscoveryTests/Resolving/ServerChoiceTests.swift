import TestSupport
import Testing

@testable import _BonjourishDiscovery

/// Which of several SRV records of an instance is used (RFC 2782).
@Suite("Choice of a server") struct ServerChoiceTests {
  private let srv = RecordQuestion(.instance(ada), .srv)

  /// The port of the chosen server, for servers with a priority, a weight and a port.
  private func choice(of servers: [(UInt16, UInt16, UInt16)], draw: UInt32, on links: [Link] = [eth0v4]) -> UInt16? {
    let now = ContinuousClock.now
    var resolver = ResolverState(draw: draw)
    _ = resolver.want(ada, at: now)
    for (priority, weight, port) in servers {
      for link in links {
        let data = RecordData.server(host: "a.local", port: port, priority: priority, weight: weight)
        _ = resolver.handle(.added(ResourceRecord(data, on: link)), to: srv, at: now)
      }
    }
    return resolver.server(of: ada)?.port
  }

  /// How often each port is chosen in 2,000 draws.
  private func frequencies(_ servers: [(UInt16, UInt16, UInt16)], on links: [Link] = [eth0v4]) -> [UInt16: Int] {
    var counts: [UInt16: Int] = [:]
    for step in 0..<2000 as Range<UInt32> {
      counts[choice(of: servers, draw: step * (UInt32.max / 2000), on: links) ?? 0, default: 0] += 1
    }
    return counts
  }

  @Test func `the weight is the share of those who choose a server`() {
    let servers: [(UInt16, UInt16, UInt16)] = [(1, 60, 1), (1, 20, 2), (1, 20, 3), (2, 900, 4)]
    for links in [[eth0v4], [eth0v4, wlan0v4]] {
      let counts = frequencies(servers, on: links)
      #expect(counts[4] == nil, "a higher priority is a lesser choice")
      #expect((1150...1250).contains(counts[1] ?? 0) && (350...450).contains(counts[2] ?? 0))
    }
    #expect(frequencies(servers.reversed()) == frequencies(servers), "whatever the order of arrival")
  }

  @Test func `a server without a weight is hardly ever chosen beside one with a weight`() {
    let counts = frequencies([(0, 0, 1), (0, 9, 2)])
    #expect((1...250).contains(counts[1] ?? 0) && (counts[2] ?? 0) > 1700)
  }

  @Test func `of servers without weights the newest is chosen`() {
    for draw in [0, .max] as [UInt32] { #expect(choice(of: [(5, 0, 1), (5, 0, 3), (5, 0, 2)], draw: draw) == 2) }
  }

  @Test func `the largest weights are added without overflow`() {
    let servers: [(UInt16, UInt16, UInt16)] = (1...60).map { (.max, .max, $0) }
    #expect(choice(of: servers, draw: 0) == 1 && choice(of: servers, draw: .max) == 60)
  }

  @Test func `an alias is no address, and does not stand for one`() {
    let now = ContinuousClock.now
    var resolver = ResolverState()
    _ = resolver.want(ada, at: now)
    let data = RecordData.server(host: "x.local", port: 1, priority: 0, weight: 0)
    _ = resolver.handle(.added(ResourceRecord(data, on: eth0v4)), to: srv, at: now)
    _ = resolver.handle(.settled, to: RecordQuestion(.instance(ada), .txt), at: now)
    let alias = ResourceRecord(name: "x.local", type: .cname, bytes: [1, 0x79, 0], on: Link(eth0, .ipv4))
    for type in [RecordType.a, .aaaa] {
      let question = RecordQuestion(.domain("x.local"), type)
      _ = resolver.handle(.added(alias), to: question, at: now)
      #expect(resolver.answers[question]?.records == [])
      #expect(resolver.handle(.cacheExhausted, to: question, at: now) == [], "the addresses are still to come")
    }
  }
}
