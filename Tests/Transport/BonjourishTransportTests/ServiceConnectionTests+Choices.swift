import Bonjourish
import FramedSecurity
import TestSupport
import Testing
import TransportTestSupport
import _BonjourishEventLoop

@testable import BonjourishTransport
@testable import FramedTransport

private let ada = ServiceInstance("Ada", type: "_echo._tcp")

/// What the caller chooses reaches the connection, whichever way it is made.
extension ServiceConnectionTests {
  private static let format = FrameFormat(maximumBodySize: 77)
  private static let limits = TransportLimits.untimed(sendHighWater: 5_000)

  private func check(_ connection: Connection, _ identity: Identity, _ loop: EventLoop? = nil) {
    #expect(connection.format == Self.format && connection.channel.limits == Self.limits)
    #expect(connection.securityDetails?.peerKey == identity.fingerprint && !connection.isRelayed)
    if let loop { #expect(connection.channel.loop === loop) }
    connection.abort()
  }

  @Test func `a connection with an endpoint or a service is as it was asked for`() async throws {
    let identity = try Identity.ephemeral()
    let security = ConnectionSecurity.pinned(identity.fingerprint)
    let transportLoop = TransportLoop(try EventLoop(name: "test"))
    let loops = TransportLoops([transportLoop])
    try await TransportTestSupport.withListener(.encrypted(identity), format: Self.format) { listener in
      let endpoint = Endpoint(host: "ada.local", port: listener.port, txt: [:], addresses: [.ipv4(0x7F00_0001)])
      let first = try await Connection.connect(
        to: endpoint, format: Self.format, limits: Self.limits, security: security, on: loops)
      check(first, identity, transportLoop.loop)

      let bonjour = bonjour
      let connecting = Task {
        try await Connection.connect(
          to: ada, using: bonjour, format: Self.format, limits: Self.limits, security: security, on: loops)
      }
      await answer(port: listener.port)
      check(try await connecting.value, identity, transportLoop.loop)

      let connections = Reconnections(
        to: ada, using: bonjour, format: Self.format, limits: Self.limits, security: security)
      let coming = Task { try await connections.first { _ in true } }
      await answer(port: listener.port, time: 2)
      check(try #require(try await coming.value), identity)
    }
  }

  @Test func `the log of discovery gets the attempts to connect`() async throws {
    let messages = Locked<[String]>([])
    let bonjour = Bonjour(backend: backend, time: time.clock) { message in messages.withLock { $0.append(message.text) } }
    try await TransportTestSupport.withListener { listener in
      let connecting = Task { try await Connection.connect(to: ada, using: bonjour) }
      await answer(port: listener.port)
      let connection = try await connecting.value
      #expect(messages.withLock { $0.contains("connected to \(connection.peer)") })
      connection.abort()
    }
  }

  @Test func `a listener at interfaces is as it was asked for`() async throws {
    let pending = PendingConnectionLimits(admission: .app, count: 7)
    let identity = try Identity.ephemeral()
    let transportLoop = TransportLoop(try EventLoop(name: "test"))
    let messages = Locked<[LogMessage]>([])
    let listener = try await Listener.bind(
      interfaces: "lo", format: Self.format, limits: Self.limits, pending: pending, security: .encrypted(identity),
      on: TransportLoops([transportLoop])
    ) { message in
      messages.withLock { $0.append(message) }
    }
    #expect(listener.acceptor.loop === transportLoop.loop && listener.acceptor.registry.limits == pending)
    #expect(messages.withLock { $0.first?.level } == .info)
    let client = try await Connection.connect(
      to: listener.addresses, format: Self.format, security: .pinned(identity.fingerprint))
    let server = try await listener.accept()
    #expect(server.format == Self.format && server.channel.limits == Self.limits)
    for connection in [client, server] { connection.abort() }
    let error = await #expect(throws: TransportError.self) {
      _ = try await Listener.bind(port: listener.port, interfaces: "lo")
    }
    #expect(error?.code == .addressInUse)
    await listener.close()
  }

  @Test func `a service of a directory is followed to a host with the one key that is accepted, and to no other`() async throws
  {
    let identity = try Identity.ephemeral()
    try await TransportTestSupport.withListener(.encrypted(identity)) { listener in
      let place = ServiceHost()
      place.note("first.directory.alt", try #require(SocketAddress(numericHost: "192.0.2.1", port: 80)))
      let (bonjour, port) = (bonjour, listener.port)
      func connect(_ security: ConnectionSecurity, time: Int) async throws -> Connection {
        let connecting = Task { try await Connection.connect(to: ada, using: bonjour, stayingOn: place, security: security) }
        await answer(port: port, time: time, host: "second.directory.alt")
        return try await connecting.value
      }
      let connection = try await connect(.pinned(identity.fingerprint), time: 1)
      connection.abort()
      let error = await #expect(throws: ServiceConnectionError.self) { try await connect(.anyKey(), time: 2) }
      #expect(error?.code == .moved)
      #expect(error?.transportError.message.contains("second.directory.alt, instead of first.directory.alt") == true)
    }
  }
}
