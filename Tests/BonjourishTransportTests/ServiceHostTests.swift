import Bonjourish
import FramedTransport
import Testing

@testable import BonjourishTransport

struct ServiceHostTests {
  private let host = ServiceHost()

  private func endpoint(_ name: DomainName, _ addresses: String...) throws -> Endpoint {
    Endpoint(host: name, port: 80, txt: [:], addresses: try addresses.map { try #require(IPAddress($0)) })
  }

  private func addresses(_ endpoint: Endpoint) -> [String]? { host.addresses(of: endpoint)?.map(\.description) }

  @Test func `before the first connection every host is right`() throws {
    #expect(try addresses(endpoint("eve.local", "192.0.2.66")) == ["192.0.2.66:80"])
    #expect(host.name == nil)
  }

  @Test func `the service stays on its host, whose known address is tried first`() throws {
    let first = try endpoint("ada.local", "192.0.2.1", "2001:db8::1")
    host.note(first.host, try #require(SocketAddress(numericHost: "2001:db8::1", port: 80)))
    #expect(host.name == "ada.local")
    // Another host under the same name cannot be told apart, but the known address comes first.
    #expect(try addresses(endpoint("ADA.local", "192.0.2.66", "2001:db8::1")) == ["[2001:db8::1]:80", "192.0.2.66:80"])
    // The host has got another address.
    #expect(try addresses(endpoint("ada.local", "192.0.2.9")) == ["192.0.2.9:80"])
    #expect(try addresses(endpoint("eve.local", "192.0.2.66")) == nil)
    #expect(try host.isOther(than: endpoint("eve.local", "192.0.2.66")))
    // The host has got another name.
    #expect(try addresses(endpoint("ada-2.local", "192.0.2.1", "2001:db8::1")) == ["[2001:db8::1]:80"])
  }

  @Test func `by a relay only a host of the same name is reached`() throws {
    #expect(host.admits("eve.local"))
    host.note("ada.local", try #require(SocketAddress(numericHost: "192.0.2.1", port: 80)))
    #expect(host.admits("ADA.local") && !host.admits("eve.local"))
  }

  @Test func `the first host stays the first`() throws {
    host.note(try endpoint("ada.local", "192.0.2.1").host, try #require(SocketAddress(numericHost: "192.0.2.1", port: 80)))
    host.note(try endpoint("eve.local", "192.0.2.66").host, try #require(SocketAddress(numericHost: "192.0.2.66", port: 80)))
    #expect(host.name == "ada.local")
  }
}
