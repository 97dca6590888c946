import Bonjourish
import FramedTransport
import Testing

@testable import BonjourishTransport

/// Listening where a service is published.
@Suite(.timeLimit(.minutes(1))) struct BindingTests {
  @Test func `without names a listener is bound to the wildcard addresses of the families`() {
    func hosts(_ interfaces: InterfaceSelection) -> [String] {
      interfaces.listeningAddresses(port: 7) { _ in [] }.map(\.host)
    }
    #expect(hosts(.all) == ["::", "0.0.0.0"])
    #expect(hosts(.all.over(.ipv4)) == ["0.0.0.0"])
    #expect(hosts(.all.over(.ipv6)) == ["::"])
  }

  @Test func `with names it is bound to the addresses of these interfaces`() {
    let addresses = InterfaceSelection.only("eth0").listeningAddresses(port: 7) { interfaces in
      #expect(interfaces == .only("eth0"))
      return [.ipv4(0x0A00_0007)]
    }
    #expect(addresses.map(\.description) == ["10.0.0.7:7"])
  }

  @Test func `the loopback interface can be chosen, and what does not exist is an error`() async throws {
    let listener = try await Listener.bind(interfaces: "lo")
    #expect(!listener.addresses.isEmpty)
    #expect(listener.addresses.allSatisfy { $0.host == "127.0.0.1" || $0.host == "::1" })
    #expect(Set(listener.addresses.map(\.port)) == [listener.port])
    await listener.close()
    let error = await #expect(throws: TransportError.self) { _ = try await Listener.bind(interfaces: "nowhere0") }
    #expect(error?.code == .unavailable)
  }
}
