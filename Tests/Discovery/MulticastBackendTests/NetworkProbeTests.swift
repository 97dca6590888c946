import Testing
import _BonjourishDiscovery
import _BonjourishMulticastDNS

@testable import _BonjourishInterfaces
@testable import _BonjourishMulticastBackend

/// When the daemon is asked for what it does not announce again.
struct NetworkProbeTests {
  private func interface(_ name: String, _ kind: InterfaceState.Kind = .network, hasAddress: Bool = true) -> LocalInterface {
    let address = InterfaceAddress(.ipv4(0x0A4D_0001), prefixLength: 24)
    return LocalInterface(index: 2, name: name, kind: kind, mtu: 1500, addresses: hasAddress ? [address] : [])
  }

  @Test func `only a machine with several interfaces can have two in one network`() {
    #expect(!NetworkProbe.areSeveral([interface("eth0"), interface("lo", .loopback)]))
    // Before a change and after it.
    #expect(!NetworkProbe.areSeveral([interface("eth0"), interface("eth0"), interface("eth1", hasAddress: false)]))
    #expect(NetworkProbe.areSeveral([interface("eth0"), interface("eth1"), interface("eth0")]))
  }

  @Test func `the question is one about a service of this host`() throws {
    let registration = Registration("Ada's.pages", type: "_http._tcp", domain: .local, port: 80, txt: [:])
    let question = try DNSMessage(parsing: try #require(NetworkProbe.reminder(of: registration)))
    #expect(!question.isResponse && question.authorities.isEmpty)
    #expect(
      question.questions == [
        DNSQuestion(try DNSName(labels: ["Ada's.pages", "_http", "_tcp", "local"].map { Array($0.utf8) }), .srv)
      ])
    let elsewhere = Registration("Ada", type: "_http._tcp", domain: .local, port: 80, txt: [:], host: "other.local")
    #expect(NetworkProbe.reminder(of: elsewhere) == nil)
    let host = Registration(host: "x.local", addresses: [.ipv4(0x0A4D_0001)], onConflict: .fail)
    #expect(NetworkProbe.reminder(of: try #require(host)) == nil)
  }
}
