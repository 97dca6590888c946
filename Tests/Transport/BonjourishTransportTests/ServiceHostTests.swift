import Bonjourish
import FramedSecurity
import FramedTransport
import Testing

@testable import BonjourishTransport

struct ServiceHostTests {
  private let host = ServiceHost()

  private func endpoint(_ name: DomainName, _ addresses: String...) throws -> Endpoint {
    Endpoint(host: name, port: 80, txt: [:], addresses: try addresses.map { try #require(IPAddress($0)) })
  }

  private func addresses(_ endpoint: Endpoint, _ security: ConnectionSecurity = .plaintext) -> [String]? {
    host.addresses(of: endpoint, security)?.map(\.description)
  }

  @Test func `before the first connection every host is right`() throws {
    #expect(try addresses(endpoint("eve.local", "192.0.2.66")) == ["192.0.2.66:80"])
    #expect(host.name == nil)
  }

  /// After CVE-2025-66270 (KDE Connect): who was found and who is talked to must be the same.
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

  /// Its host's name is that of the service, wherever the service is.
  private let inDirectory: DomainName = "Match 12._twentyfour._tcp.world.directory.alt"

  @Test func `a service of a directory stays at its first address`() throws {
    #expect(try endpoint(inDirectory, "192.0.2.1").isOfDirectory)
    host.note(inDirectory, try #require(SocketAddress(numericHost: "192.0.2.1", port: 80)))
    let security: [ConnectionSecurity] = [.plaintext, .anyKey(), .firstUse(PinStore(), name: "a"), .passcode("471123")]
    for security in security {
      #expect(try addresses(endpoint(inDirectory, "192.0.2.66"), security) == nil)
      #expect(try addresses(endpoint(inDirectory, "192.0.2.66", "192.0.2.1"), security) == ["192.0.2.1:80"])
    }
  }

  @Test func `a service of a directory is followed to a host with the one key that is accepted`() throws {
    let key = try Identity.ephemeral().fingerprint
    host.note("ada.local", try #require(SocketAddress(numericHost: "192.0.2.1", port: 80)))
    for security in [ConnectionSecurity.pinned(key), .passcode("471123", pinned: key)] {
      #expect(try addresses(endpoint(inDirectory, "192.0.2.2"), security) == ["192.0.2.2:80"])
      #expect(try addresses(endpoint(inDirectory, "192.0.2.2", "192.0.2.1"), security) == ["192.0.2.1:80", "192.0.2.2:80"])
      // Not on the local network, and not to what only looks like a directory.
      #expect(try addresses(endpoint("eve.local", "192.0.2.66"), security) == nil)
      #expect(try addresses(endpoint("eve.directory.alt.local", "192.0.2.66"), security) == nil)
    }
  }

  @Test func `a relay leads to the program of the first connection, or to one with the one key`() throws {
    let (first, other) = (
      try #require(SocketAddress(numericHost: "fd00::1", port: 80)),
      try #require(SocketAddress(numericHost: "fd00::2", port: 80))
    )
    #expect(host.admits(inDirectory, other, .plaintext))
    host.note(inDirectory, first)
    #expect(host.admits(inDirectory, try #require(SocketAddress(numericHost: "fd00::1", port: 81)), .plaintext))
    #expect(!host.admits(inDirectory, other, .plaintext))
    #expect(!host.admits("other.directory.alt", first, .plaintext))
    #expect(host.admits(inDirectory, other, .pinned(try Identity.ephemeral().fingerprint)))
  }

  @Test func `the first host stays the first`() throws {
    host.note(try endpoint("ada.local", "192.0.2.1").host, try #require(SocketAddress(numericHost: "192.0.2.1", port: 80)))
    host.note(try endpoint("eve.local", "192.0.2.66").host, try #require(SocketAddress(numericHost: "192.0.2.66", port: 80)))
    #expect(host.name == "ada.local")
  }
}
