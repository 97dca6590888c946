import Testing
import _BonjourishMulticastDNS

@Suite struct SmallNetworkTests {
  @Test func `two hosts find each other`() {
    let network = VirtualNetwork()
    let (one, two) = (network.addHost("one.local"), network.addHost("two.local"))
    network.run(for: .seconds(2))
    let browse = two.ask("_x._tcp.local", .ptr)
    network.run(for: .milliseconds(1600))
    #expect(two.was(.settled(browse)))
    let id = one.publish("Ada")
    network.run(for: .milliseconds(1100))
    #expect(one.was(.registration(id, .established)))
    #expect(two.pointers(browse) == ["Ada"])
    // What the announcement brought answers at once, without a datagram.
    let sent = two.datagramsSent
    let service = two.ask("Ada._x._tcp.local", .srv)
    let address = two.ask("one.local", .a)
    #expect(two.answers[service]?.count == 1)
    #expect(two.answers[address] == [RecordIdentity(DNSRecord("one.local", .address(one.address), timeToLive: 0))])
    #expect(two.was(.settled(service)) && two.was(.settled(address)))
    network.run(for: .seconds(10))
    #expect(two.datagramsSent <= sent + 2)
    one.do(.withdraw(id))
    network.run(for: .milliseconds(1100))
    #expect(two.pointers(browse) == [])
    #expect(two.answers[service] == [])
  }

  @Test func `a later browser asks`() {
    let network = VirtualNetwork()
    let one = network.addHost("one.local")
    _ = one.publish("Ada")
    network.run(for: .seconds(10))
    let two = network.addHost()
    let browse = two.ask("_x._tcp.local", .ptr)
    network.run(for: .milliseconds(300))
    #expect(two.pointers(browse) == ["Ada"])
    // RFC 6763 §12: the answer brought all that resolving takes.
    let sent = two.datagramsSent
    let parts = [two.ask("Ada._x._tcp.local", .srv), two.ask("Ada._x._tcp.local", .txt), two.ask("one.local", .a)]
    for part in parts { #expect(two.answers[part]?.count == 1) }
    let none = two.ask("one.local", .aaaa)
    #expect(two.was(.settled(none)))
    #expect(two.datagramsSent == sent)
  }

  @Test func `five hosts agree`() {
    let network = VirtualNetwork(seed: 7)
    let hosts = (1...5).map { network.addHost("host\($0).local") }
    let browses = hosts.map { $0.ask("_x._tcp.local", .ptr) }
    for (index, host) in hosts.enumerated() { for service in 0..<3 { _ = host.publish("\(index)-\(service)") } }
    network.run(for: .seconds(5))
    let all = Set((0..<5).flatMap { host in (0..<3).map { "\(host)-\($0)" } })
    for (host, browse) in zip(hosts, browses) { #expect(host.pointers(browse) == all) }
    hosts[0].do(.shutDown)
    network.run(for: .seconds(2))
    for (host, browse) in zip(hosts, browses).dropFirst() { #expect(host.pointers(browse).count == 12) }
  }

  @Test func `hosts with one name all get another`() {
    let network = VirtualNetwork(seed: 3)
    let hosts = (1...5).map { _ in network.addHost("same.local") }
    network.run(for: .seconds(30))
    let names = hosts.map { host in
      host.effects.reversed().lazy.compactMap {
        if case .hostName(.established(let name)) = $0.effect { name.description } else { nil }
      }.first
    }
    #expect(Set(names) == ["same.local", "same-2.local", "same-3.local", "same-4.local", "same-5.local"])
  }

  // RFC 6762 §15, §6.6
  @Test func `two processes of one host get along`() {
    let network = VirtualNetwork(seed: 11)
    let one = network.addHost("me.local")
    let two = network.addHost("me.local", on: one)
    let other = network.addHost("other.local")
    let browse = other.ask("_x._tcp.local", .ptr)
    let address = other.ask("me.local", .a)
    _ = one.publish("first")
    _ = two.publish("second")
    network.run(for: .seconds(5))
    #expect(other.pointers(browse) == ["first", "second"])
    #expect(other.answers[address]?.count == 1)
    #expect(one.was(.hostName(.established("me.local"))) && two.was(.hostName(.established("me.local"))))
    // They see each other as they see anybody.
    let seen = two.ask("_x._tcp.local", .ptr)
    network.run(for: .seconds(1))
    #expect(two.pointers(seen) == ["first", "second"])
    // The name of the host outlives the process that leaves first.
    one.do(.shutDown)
    one.isUp = false
    network.run(for: .seconds(3))
    #expect(other.pointers(browse) == ["second"])
    #expect(other.answers[address]?.count == 1)
  }

  @Test func `one instance name in two processes is a conflict`() {
    let network = VirtualNetwork(seed: 12)
    let one = network.addHost("me.local")
    let first = one.publish("same", port: 1)
    network.run(for: .seconds(5))
    let two = network.addHost("me.local", on: one)
    let second = two.publish("same", port: 2)
    network.run(for: .seconds(5))
    #expect(two.was(.registration(second, .conflict("same._x._tcp.local"))))
    #expect(!one.was(.registration(first, .conflict("same._x._tcp.local"))))
  }
}
