import Testing
import _BonjourishDiscovery
import _BonjourishMulticastDNS

@testable import _BonjourishMulticastBackend

/// Who tells addresses of other networks.
@Suite struct HeardAddressesTests {
  private func carriers(_ told: [(source: String, host: String, address: String)], besides own: [String] = []) throws
    -> [String: [String]]
  {
    var addresses = HeardAddresses(in: [InterfaceAddress(try #require(IPAddress("10.77.0.1")), prefixLength: 24)])
    for one in told {
      addresses.note(
        try #require(IPAddress(one.address)), of: try DNSName(one.host), from: try #require(IPAddress(one.source)))
    }
    let own = Set(try own.map { try #require(IPAddress($0)) })
    return Dictionary(
      uniqueKeysWithValues: addresses.carriers(besides: own).map { ($0.key.description, $0.value.map(\.description).sorted()) })
  }

  @Test func `who tells addresses of hosts in other networks is a reflector`() throws {
    #expect(
      try carriers([
        ("10.77.0.3", "printer.local", "10.78.0.2"), ("10.77.0.3", "tv.local", "10.79.0.2"),
        ("10.77.0.3", "near.local", "10.77.0.9"),
      ]) == ["10.77.0.3": ["printer.local", "tv.local"]])
  }

  @Test func `a host with several networks, one in another network, and this machine are none`() throws {
    #expect(try carriers([("10.77.0.4", "laptop.local", "172.17.0.1"), ("10.77.0.4", "laptop.local", "10.77.0.4")]) == [:])
    #expect(try carriers([("10.88.0.2", "far.local", "10.88.0.2")]) == [:])
    #expect(try carriers([("10.77.0.1", "own.local", "10.78.0.1")], besides: ["10.77.0.1"]) == [:])
    #expect(try carriers([("10.77.0.3", "own.local", "10.78.0.1")], besides: ["10.78.0.1"]) == [:])
    #expect(try carriers([("10.77.0.3", "zero.local", "169.254.0.1"), ("fe80::3", "six.local", "10.78.0.2")]) == [:])
  }

  @Test func `so many hosts are kept, whoever tells more`() throws {
    let told = (0..<1000).map { ("10.77.0.\($0 % 200 + 2)", "host-\($0).local", "10.78.0.2") }
    #expect(try carriers(told).values.joined().count == NetworkSurvey.mostHosts)
  }
}
