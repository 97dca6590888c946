import Bonjourish
import FramedTransport
import TestSupport
import Testing

@testable import BonjourishTransport

/// Listeners that are published: what the backend is told.
@Suite(.timeLimit(.minutes(1))) struct PublishingTests {
  private static let type: ServiceType = "_echo._tcp"
  private static let office: DomainName = "office.example"
  private let backend: FakeBackend
  private let bonjour: Bonjour

  init() throws {
    backend = try FakeBackend()
    bonjour = Bonjour(backend: backend, time: ManualTime().clock)
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

  private func registration(of listener: Listener) -> Registration {
    Registration(
      "Ada", type: Self.type, subtypes: ["_test"], domain: Self.office, port: listener.port, txt: ["v": "1"],
      interfaces: .only("eth0"), onConflict: .fail)
  }

  /// Waits until a service is published, and establishes it.
  private func establish() async {
    await backend.commands { $0.count == 1 }
    await backend.sayToPublishers(.established("Ada"))
  }

  @Test func `a service is published with all that was given, for the time of a closure`() async throws {
    try await withListener { listener in
      let bonjour = bonjour
      async let name = bonjour.withPublishedService(
        named: "Ada", type: Self.type, subtypes: ["_test"], domain: Self.office, listener: listener, txt: ["v": "1"],
        onConflict: .fail, interfaces: .only("eth0")
      ) { await $0.name }
      await establish()
      let established = try await name
      #expect(established == "Ada")
      let registration = registration(of: listener)
      #expect(backend.commands == [.publish(registration), .endPublish(registration)])
    }
  }

  @Test func `a service is published with all that was given, until its handle is closed`() async throws {
    try await withListener { listener in
      let bonjour = bonjour
      async let opened = bonjour.openPublishedService(
        named: "Ada", type: Self.type, subtypes: ["_test"], domain: Self.office, listener: listener, txt: ["v": "1"],
        onConflict: .fail, interfaces: .only("eth0"))
      await establish()
      let handle = try await opened
      let registration = registration(of: listener)
      #expect(backend.commands == [.publish(registration)])
      await handle.close()
      #expect(backend.commands == [.publish(registration), .endPublish(registration)])
    }
  }

  @Test func `several services are published at their interfaces, in both ways`() async throws {
    try await withListener { listener in
      let bonjour = bonjour
      let service = Bonjour.Service(
        "Ada", type: Self.type, subtypes: ["_test"], domain: Self.office, port: listener.port, txt: ["v": "1"],
        onConflict: .fail)
      let registration = registration(of: listener)
      async let count = bonjour.withPublishedServices([service], listener: listener, interfaces: .only("eth0")) { $0.count }
      await establish()
      let established = try await count
      #expect(established == 1)
      #expect(backend.commands == [.publish(registration), .endPublish(registration)])

      async let opened = bonjour.openPublishedServices([service], listener: listener, interfaces: .only("eth0"))
      await backend.commands { $0.count == 3 }
      await backend.sayToPublishers(.established("Ada"))
      await (try await opened).close()
      #expect(backend.commands.suffix(2) == [.publish(registration), .endPublish(registration)])
    }
  }

  @Test func `by default a service is on all interfaces, and is renamed`() async throws {
    try await withListener { listener in
      let bonjour = bonjour
      async let opened = bonjour.openPublishedService(named: "Ada", type: Self.type, listener: listener)
      await establish()
      await (try await opened).close()
      #expect(
        backend.commands.first
          == .publish(Registration("Ada", type: Self.type, domain: .local, port: listener.port, txt: TXTRecord())))
    }
  }

  @Test func `an error of publishing is passed on by all ways`() async throws {
    let listener = try await Listener.bind(to: SocketAddress(unixAbstractName: "bonjourish \(UInt64.random(in: 0 ... .max))"))
    let codes = [
      await #expect(throws: DiscoveryError.self) {
        try await bonjour.withPublishedService(named: "Ada", type: Self.type, listener: listener) { _ in }
      },
      await #expect(throws: DiscoveryError.self) {
        try await bonjour.openPublishedService(named: "Ada", type: Self.type, listener: listener)
      },
    ]
    #expect(codes.map { $0?.code } == [.invalidPort, .invalidPort])
    await listener.close()
  }
}

/// What went wrong on the way to a service.
struct ServiceConnectionErrorTests {
  private let ada = ServiceInstance("Ada", type: "_echo._tcp")

  @Test func `the cause decides the code, and is kept`() {
    let discovery = [
      ServiceConnectionError(ada, .discovery(DiscoveryError(.cancelled, "why"))),
      ServiceConnectionError(ada, .discovery(DiscoveryError(.timedOut, "why"))),
    ]
    #expect(discovery.map(\.code) == [.cancelled, .unresolved])
    #expect(discovery.map(\.transportError.code) == [.cancelled, .unresolved])
    #expect(discovery.map(\.message) == Array(repeating: "\"Ada\" was not found: why", count: 2))
    #expect(discovery.map { ($0.underlyingError as? DiscoveryError)?.code } == [.cancelled, .timedOut])

    let cause = TransportError(.system, errno: 5, isPermanent: true, "why", details: ["a", "b"])
    let error = ServiceConnectionError(ada, .transport(cause))
    #expect(error.code == .unreachable && error.underlyingError as? TransportError == cause)
    let converted = error.transportError
    #expect(converted.code == .system && converted.errno == 5 && converted.isPermanent && converted.details == ["a", "b"])
    #expect(converted.message == "\"Ada\" was not reached: why")
    #expect(converted.underlyingError as? ServiceConnectionError == error)
    #expect(ServiceConnectionError(ada, .transport(TransportError(.cancelled, "why"))).code == .cancelled)
  }
}
