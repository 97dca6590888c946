import TestSupport
import Testing

@testable import _BonjourishDiscovery

/// A machine with 10.0.0.9/24 on eth0, which has the default route, 172.17.0.1/16 on docker0 and a tunnel to 10.8.0.0/16; and a
/// wireless interface in the same network as eth0.
struct AddressFilterTests {
  private static let lo = NetworkInterface(index: 1, name: "lo")
  private static let docker = NetworkInterface(index: 4, name: "docker0")
  private static let elsewhere = NetworkInterface(index: 9, name: "if9")

  private let filter = AddressFilter(
    route: { address in
      if address.isLoopback || [v4(10, 0, 0, 9), v4(172, 17, 0, 1), v4(10, 0, 0, 10)].contains(address) { return .here }
      if address == v4(10, 0, 0, 255) || address == v4(10, 66, 0, 1) { return .nowhere }
      if address.shares(16, bitsWith: v4(172, 17, 0, 0)) { return .out(4) }
      if address.shares(16, bitsWith: v4(10, 8, 0, 0)) { return .out(5) }
      return .out(2)
    },
    side: { interface in
      switch interface {
      case lo: .loopback
      case eth0: .network([.init(v4(10, 0, 0, 9), prefixLength: 24), .init(v6(9), prefixLength: 64)])
      case wlan0: .network([.init(v4(10, 0, 0, 10), prefixLength: 24)])
      case docker: .network([.init(v4(172, 17, 0, 1), prefixLength: 16)])
      default: .unknown
      }
    })

  private func permits(_ text: String, on interface: NetworkInterface) throws -> Bool {
    filter.permits(try #require(IPAddress(text)), heardOn: DiscoverySource(interface))
  }

  @Test(arguments: ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", "::127.0.0.1", "::ffff:10.0.0.7"])
  func `nobody on a network leads into this machine's loopback interface`(address: String) throws {
    for interface in [eth0, wlan0, Self.docker, Self.elsewhere] { #expect(try !permits(address, on: interface)) }
  }

  @Test(arguments: ["0.0.0.0", "::", "224.0.0.251", "ff02::fb", "255.255.255.255", "10.0.0.255", "10.66.0.1"])
  func `an address of no single host counts nowhere`(address: String) throws {
    for interface in [Self.lo, eth0, wlan0, Self.docker] { #expect(try !permits(address, on: interface)) }
  }

  @Test func `what this machine says on its loopback interface may name any address with a route`() throws {
    for address in ["127.0.0.1", "::1", "10.0.0.9", "10.0.0.7", "172.17.0.2", "192.0.2.7"] {
      #expect(try permits(address, on: Self.lo), "\(address)")
    }
  }

  @Test func `an address counts in a subnet of the interface, or where the route leaves by it`() throws {
    for address in ["10.0.0.7", "10.0.0.9", "2001:db8::7", "192.0.2.7", "fe80::7%eth0"] {
      #expect(try permits(address, on: eth0), "\(address)")
    }
    // The route leaves by the other interface into the same network.
    #expect(try permits("10.0.0.7", on: wlan0))
    #expect(try !permits("192.0.2.7", on: wlan0))
    #expect(try permits("172.17.0.2", on: Self.docker))
  }

  @Test func `what a directory tells needs a route only`() throws {
    for (address, counts) in [("127.0.0.1", true), ("172.17.0.9", true), ("10.66.0.1", false), ("224.0.0.251", false)] {
      #expect(filter.permits(try #require(IPAddress(address)), heardOn: .directory("world")) == counts)
    }
  }

  @Test func `nobody leads into containers or tunnels from another interface`() throws {
    for address in ["172.17.0.1", "172.17.0.2", "10.8.0.1"] {
      #expect(try !permits(address, on: eth0), "\(address)")
      #expect(try !permits(address, on: wlan0), "\(address)")
    }
    #expect(try !permits("10.0.0.7", on: Self.docker))
  }

  @Test func `in another network namespace than the daemon's, all but this machine counts`() throws {
    #expect(try permits("10.0.0.7", on: Self.elsewhere))
    #expect(try permits("172.17.0.2", on: Self.elsewhere))
    // A container without a network of its own.
    #expect(try permits("10.66.0.1", on: Self.elsewhere))
    #expect(try !permits("10.0.0.9", on: Self.elsewhere))
  }

  @Test func `where the kernel cannot be asked, all but the loopback address counts`() throws {
    let blind = AddressFilter(route: { _ in nil }, side: { $0 == Self.lo ? .loopback : .network([]) })
    #expect(blind.permits(v4(10, 9, 9, 9), heardOn: DiscoverySource(eth0)))
    #expect(!blind.permits(v4(127, 0, 0, 1), heardOn: DiscoverySource(eth0)))
    #expect(blind.permits(v4(127, 0, 0, 1), heardOn: DiscoverySource(Self.lo)))
  }

  // MARK: - In the machines

  private func record(_ address: IPAddress, on link: Link = eth0v4) -> ResourceRecord {
    ResourceRecord(.address(address), on: link)
  }

  @Test func `a resolver waits for an address that counts, and names those that do not`() throws {
    let now = ContinuousClock.now
    var resolver = ResolverState(filter: filter)
    func question(_ type: RecordType) -> RecordQuestion { RecordQuestion(.domain("ada.local"), type) }
    _ = resolver.want(ada, at: now)
    _ = resolver.handle(
      .added(ResourceRecord(.server(host: "ada.local", port: 80, priority: 0, weight: 0), on: eth0v4)),
      to: RecordQuestion(.instance(ada), .srv), at: now)
    _ = resolver.handle(.added(ResourceRecord(.text([:]), on: eth0v4)), to: RecordQuestion(.instance(ada), .txt), at: now)
    for event in [.added(record(v4(127, 0, 0, 1))), .added(record(v4(172, 17, 0, 2))), .settled] as [LookupEvent] {
      #expect(resolver.handle(event, to: question(.a), at: now) == [])
    }
    #expect(resolver.handle(.settled, to: question(.aaaa), at: now) == [])
    #expect(resolver.refusedAddresses(of: ada) == [v4(127, 0, 0, 1), v4(172, 17, 0, 2)])
    // The honest answer comes, and the other stays without effect.
    let found = Endpoint(host: "ada.local", port: 80, txt: [:], addresses: [v4(10, 0, 0, 7)])
    #expect(resolver.handle(.added(record(v4(10, 0, 0, 7))), to: question(.a), at: now) == [.resolved(ada, found)])
    #expect(resolver.handle(.removed(record(v4(127, 0, 0, 1))), to: question(.a), at: now) == [])
    #expect(resolver.refusedAddresses(of: ada) == [v4(172, 17, 0, 2)])
    // On the loopback interface the same record counts.
    let own = record(v4(127, 0, 0, 1), on: Link(Self.lo, .ipv4))
    let both = Endpoint(host: "ada.local", port: 80, txt: [:], addresses: [v4(10, 0, 0, 7), v4(127, 0, 0, 1)])
    #expect(resolver.handle(.added(own), to: question(.a), at: now) == [.resolved(ada, both)])
  }

  @Test func `a lookup of a host's addresses leaves out those that do not count`() {
    let now = ContinuousClock.now
    let question = RecordQuestion(.domain("ada.local"), .a)
    var lookup = LookupState<HostAddress>([question], .addresses(filter))
    #expect(lookup.handle(.added(record(v4(127, 0, 0, 1))), to: question, at: now) == [])
    #expect(lookup.handle(.removed(record(v4(127, 0, 0, 1))), to: question, at: now) == [])
    let found = HostAddress(address: v4(10, 0, 0, 7))
    #expect(lookup.handle(.added(record(v4(10, 0, 0, 7))), to: question, at: now) == [.found(found)])
    #expect(lookup.handle(.removed(record(v4(10, 0, 0, 7))), to: question, at: now) == [.lost(found)])
  }
}
