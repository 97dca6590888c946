import Bonjourish
import BonjourishTransport
import FramedTransport
import TestSupport
import Testing

private let type: ServiceType = "_echo._tcp"
private let ada = ServiceInstance("Ada", type: type)
private let host: DomainName = "ada.local"
private let link = Link(NetworkInterface(index: 2, name: "eth0"), .ipv4)
private let srv = RecordQuestion(.instance(ada), .srv, on: nil)
private let txt = RecordQuestion(.instance(ada), .txt, on: nil)
private let a = RecordQuestion(.host(host), .a, on: nil)
private let aaaa = RecordQuestion(.host(host), .aaaa, on: nil)
private let loopback = IPAddress.v4([127, 0, 0, 1])

@Suite(.timeLimit(.minutes(1))) struct ServiceConnectionTests {
  let backend: FakeBackend
  let time = ManualTime()
  let bonjour: Bonjour

  init() throws {
    backend = try FakeBackend()
    bonjour = Bonjour(backend: backend, time: time.timekeeper)
  }

  /// Answers for the service: it is on this machine, at a port.
  private func answer(port: UInt16) async {
    await backend.commands { $0.contains(.lookUp(srv)) && $0.contains(.lookUp(txt)) }
    await backend.say(.added(ResourceRecord(.server(host: host, port: port, priority: 0, weight: 0), on: link)), to: srv)
    await backend.say(.added(ResourceRecord(.text([:]), on: link)), to: txt)
    await backend.commands { $0.contains(.lookUp(a)) && $0.contains(.lookUp(aaaa)) }
    await backend.say(.settled, to: aaaa)
    await backend.say(.added(ResourceRecord(.address(loopback), on: link)), .settled, to: a)
  }

  private func withListener(_ body: (Listener) async throws -> Void) async throws {
    let listener = try await Listener.bind(interface: "lo")
    do {
      try await body(listener)
      await listener.close()
    } catch {
      await listener.close()
      throw error
    }
  }

  @Test func `a name is enough to connect`() async throws {
    try await withListener { listener in
      async let connecting = Connection.connect(to: ada, using: bonjour)
      await answer(port: listener.port)
      let connection = try await connecting
      #expect(connection.peer == SocketAddress(numericHost: "127.0.0.1", port: listener.port))
      #expect(!backend.commands.contains(.reconfirm(ada)))
      await connection.close()
    }
  }

  @Test func `a service that is not where it is said to be is doubted`() async throws {
    // A port where nobody listens any more.
    let listener = try await Listener.bind(interface: "lo")
    await listener.close()
    let connecting = Task { try await Connection.connect(to: ada, using: bonjour) }
    await answer(port: listener.port)
    let error = await #expect(throws: ServiceConnectionError.self) { try await connecting.value }
    #expect(error?.code == .unreachable && error?.instance == ada)
    guard case .transport(let cause)? = error?.cause else {
      Issue.record("it was found: \(String(describing: error))")
      return
    }
    #expect(cause.code == .refused)
    #expect(error?.description.hasPrefix("Connecting to \"Ada\" failed: Connecting to 127.0.0.1:") == true)
    #expect(backend.commands.last == .reconfirm(ada))
  }

  @Test func `a service that nobody answers for is not resolved`() async throws {
    let connecting = Task { try await Connection.connect(to: ada, using: bonjour, within: .seconds(2)) }
    await time.advance(to: .seconds(2))
    let error = await #expect(throws: ServiceConnectionError.self) { try await connecting.value }
    #expect(error?.code == .unresolved)
    guard case .discovery(let cause)? = error?.cause else {
      Issue.record("it was looked up: \(String(describing: error))")
      return
    }
    #expect(cause.code == .timedOut)
    #expect(!backend.commands.contains(.reconfirm(ada)))
  }

  @Test func `connecting can be cancelled`() async throws {
    let connecting = Task { try await Connection.connect(to: ada, using: bonjour) }
    await backend.commands { $0.contains(.lookUp(srv)) }
    connecting.cancel()
    let error = await #expect(throws: ServiceConnectionError.self) { try await connecting.value }
    #expect(error?.code == .cancelled)
    #expect(!backend.commands.contains(.reconfirm(ada)))
  }

  @Test func `an endpoint is connected to at any of its addresses`() async throws {
    try await withListener { listener in
      let gone = NetworkInterface(index: 4_000_000, name: "gone0")
      var linkLocal = SIMD16<UInt8>()
      (linkLocal[0], linkLocal[1], linkLocal[15]) = (0xFE, 0x80, 1)
      let lo = try NetworkInterface(named: "lo")
      let endpoint = Endpoint(
        host: host, port: listener.port, txt: [:],
        addresses: [.v6(linkLocal, scope: gone), .v6(linkLocal, scope: lo), loopback])
      // What is on an interface that is not there (any more) cannot be connected to.
      #expect(endpoint.socketAddresses.map(\.host) == ["fe80::1%lo", "127.0.0.1"])
      let connection = try await Connection.connect(to: endpoint)
      #expect(connection.peer.host == "127.0.0.1")
      await connection.close()
    }
  }

  @Test func `a listener is published with its port`() async throws {
    try await withListener { listener in
      async let name = bonjour.withPublishedService(named: "Ada", type: type, listener: listener, txt: ["v": "1"]) {
        await $0.name
      }
      await backend.commands { $0.count == 1 }
      await backend.sayToPublishers(.established("Ada"))
      let established = try await name
      #expect(established == "Ada")
      let registration = Registration("Ada", type: type, domain: .local, port: listener.port, txt: ["v": "1"], on: nil)
      #expect(backend.commands == [.publish(registration), .endPublish(registration)])
    }
  }

  @Test func `a listener without a port cannot be published`() async throws {
    let name = "bonjourish test \(UInt64.random(in: 0 ... .max))"
    let listener = try await Listener.bind(to: SocketAddress(unixAbstractName: name))
    let error = await #expect(throws: DiscoveryError.self) {
      try await bonjour.withPublishedService(named: "Ada", type: type, listener: listener) { _ in }
    }
    #expect(error?.code == .invalidPort)
    await listener.close()
  }
}
