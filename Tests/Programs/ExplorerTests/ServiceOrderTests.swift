import Testing
import _BonjourishDiscovery

@testable import _BonjourishExplorer

/// The keys of `browse --sort`.
struct ServiceOrderTests {
  @Test(arguments: [(ServiceOrder.name, false), (.type, false), (.host, true), (.address, true)])
  func `services are resolved only where an endpoint is compared`(order: ServiceOrder, needsEndpoint: Bool) {
    #expect(order.needsEndpoint == needsEndpoint)
    #expect(ServiceOrder.allCases.count == 4)
  }

  @Test func `the case of letters decides only between names that are equal otherwise`() throws {
    let services = try ["ada", "Bob", "Ada", "bob"].map { try DiscoveredService.sample($0) }
    for order in ServiceOrder.allCases {
      #expect(order.sorted(services).map(\.instance.name) == ["Ada", "ada", "Bob", "bob"], "\(order)")
    }
  }

  @Test func `addresses are in the order of their numbers, IPv4 before IPv6, and those without one last`() throws {
    let addresses = ["fe80::1", "10.0.0.100", "9.255.255.255", "10.0.0.9", "2001:db8::1"]
    let services = try addresses.map { try DiscoveredService.sample($0, host: "x.local", addresses: [$0]) }
    let others = try [DiscoveredService.sample("none", host: "x.local"), DiscoveredService.sample("unresolved")]
    #expect(
      ServiceOrder.address.sorted(others + services).map(\.instance.name)
        == ["9.255.255.255", "10.0.0.9", "10.0.0.100", "2001:db8::1", "fe80::1", "none", "unresolved"])
    // Of several addresses the first counts.
    let several = try [
      DiscoveredService.sample("a", host: "x.local", addresses: ["10.0.0.2", "10.0.0.1"]),
      DiscoveredService.sample("b", host: "x.local", addresses: ["10.0.0.1"]),
    ]
    #expect(ServiceOrder.address.sorted(several).map(\.instance.name) == ["b", "a"])
  }
}
