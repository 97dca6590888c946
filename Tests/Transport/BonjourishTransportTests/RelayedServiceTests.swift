import Bonjourish
import CBonjourishLinux
import FramedTransport
import TestSupport
import Testing
import TransportTestSupport
import _BonjourishEventLoop

@testable import BonjourishTransport
@testable import FramedTransport
@testable import FramedTransportTesting

/// Services that are published, and connected to, by a backend that relays.
@Suite(.timeLimit(.minutes(1))) struct RelayedServiceTests {
  private static let type: ServiceType = "_echo._tcp"
  private let ada = ServiceInstance("Ada", type: type)
  private let backend: RelayingFake
  private let time = ManualTime()
  private let bonjour: Bonjour

  init() throws {
    backend = try RelayingFake()
    bonjour = Bonjour(backend: backend, time: time.clock)
  }

  private func address(_ number: Int) throws -> SocketAddress {
    try #require(SocketAddress(numericHost: "fd00::\(number)", port: 80))
  }

  /// A stream of the relay that leads to nobody.
  private func stream(_ number: Int = 1) throws -> RelayedStream {
    RelayedStream(peer: try address(number), local: try address(9)) { transportLoop in
      MemoryStream(MemoryWire(.init(), on: transportLoop.loop), sending: .toServer)
    }
  }

  // MARK: - Publishing

  private func establish() async {
    await backend.base.commands { commands in
      commands.contains { if case .publish = $0 { true } else { false } }
    }
    await backend.base.sayToPublishers(.established("Ada"))
  }

  @Test func `a listener takes relayed connections while its service is published`() async throws {
    try await withListener { listener in
      let bonjour = bonjour
      async let published: Void = bonjour.withPublishedService(named: "Ada", type: Self.type, listener: listener) { _ in
        #expect(backend.ports == [listener.port])
        backend.bring(try stream())
        let connection = try await listener.accept()
        #expect(try connection.isRelayed && connection.peer == address(1) && connection.local == address(9))
        connection.abort()
      }
      await establish()
      try await published
      #expect(backend.ports.isEmpty)
    }
  }

  @Test func `a listener that is closed has a relayed connection refused`() async throws {
    try await withListener { listener in
      let bonjour = bonjour
      let refusals = Observed(0)
      async let published: Void = bonjour.withPublishedServices(
        [Bonjour.Service("Ada", type: Self.type, port: listener.port)], listener: listener
      ) { _ in
        #expect(backend.ports == [listener.port])
        await listener.close()
        backend.bring(try stream()) { refusals.change { $0 += 1 } }
        _ = await refusals.take { $0 == 1 ? true : nil }
      }
      await establish()
      try await published
      #expect(backend.ports.isEmpty && refusals.change { $0 } == 1)
    }
  }

  @Test func `relayed connections are taken until the handle of a service is closed`() async throws {
    try await withListener { listener in
      let bonjour = bonjour
      async let opened = bonjour.openPublishedService(named: "Ada", type: Self.type, listener: listener)
      await establish()
      let handle = try await opened
      #expect(backend.ports == [listener.port])
      #expect(await handle.value.name == "Ada")
      await handle.close()
      #expect(backend.ports.isEmpty)
      #expect(backend.base.commands.contains { if case .endPublish = $0 { true } else { false } })
    }
  }

  @Test func `what cannot be published is not relayed either`() async throws {
    try await withListener { listener in
      await bonjour.close()
      let service = Bonjour.Service("Ada", type: Self.type, port: listener.port)
      let errors = [
        await #expect(throws: DiscoveryError.self) {
          _ = try await bonjour.openPublishedService(named: "Ada", type: Self.type, listener: listener)
        },
        await #expect(throws: DiscoveryError.self) {
          _ = try await bonjour.openPublishedServices([service], listener: listener)
        },
      ]
      #expect(errors.map { $0?.code } == [.unavailable, .unavailable])
      #expect(backend.ports.isEmpty)
    }
  }

  @Test func `a listener without a port is not reached by a relay`() async throws {
    let listener = try await Listener.bind(to: SocketAddress(unixAbstractName: "bonjourish \(UInt64.random(in: 0 ... .max))"))
    let error = await #expect(throws: DiscoveryError.self) {
      _ = try await bonjour.openPublishedService(named: "Ada", type: Self.type, listener: listener)
    }
    #expect(error?.code == .invalidPort && backend.acceptances == 0)
    await listener.close()
  }

  // MARK: - Connecting

  @Test func `a service that is not found is reached by the relay, with all that was asked for`() async throws {
    let (format, limits) = (FrameFormat(maximumBodySize: 77), TransportLimits.untimed(sendHighWater: 5_000))
    let transportLoop = TransportLoop(try EventLoop(name: "test"))
    let (place, bonjour, ada) = (ServiceHost(), bonjour, ada)
    backend.answer(RelayedService(host: "ada.directory.alt", stream: try stream()))
    let connecting = Task {
      try await Connection.connect(
        to: ada, using: bonjour, interfaces: .only("eth0"), stayingOn: place, format: format, limits: limits,
        within: .seconds(2), on: TransportLoops([transportLoop]))
    }
    await time.advance(to: .seconds(2))
    let connection = try await connecting.value
    #expect(try connection.isRelayed && connection.peer == address(1) && place.name == "ada.directory.alt")
    #expect(connection.format == format && connection.channel.limits == limits)
    #expect(connection.channel.loop === transportLoop.loop)
    let dial = try #require(backend.dials.first)
    #expect(dial.instance == ada && dial.interfaces == .only("eth0") && dial.transportLoop === transportLoop)
    #expect(backend.dials.count == 1 && dial.limit >= .seconds(1) && dial.limit <= .seconds(2))
    connection.abort()
  }

  @Test func `nothing is sent by a relay that leads to another host than the first`() async throws {
    let resets = Observed(0)
    let relayed = RelayedStream(peer: try address(2), local: try address(9)) { _ in UnusedStream { resets.change { $0 += 1 } } }
    backend.answer(RelayedService(host: "eve.directory.alt", stream: relayed))
    let (place, bonjour, ada) = (ServiceHost(), bonjour, ada)
    place.note("ada.directory.alt", try address(1))
    let connecting = Task {
      try await Connection.connect(to: ada, using: bonjour, stayingOn: place, within: .seconds(2))
    }
    await time.advance(to: .seconds(2))
    let error = await #expect(throws: ServiceConnectionError.self) { try await connecting.value }
    #expect(error?.message.contains("It is now offered by another host, eve.directory.alt; nothing was sent there") == true)
    #expect(error?.code == .unreachable && error?.transportError.code == .unreachable)
    _ = await resets.take { $0 == 1 ? true : nil }
    #expect(place.name == "ada.directory.alt")
  }
}

/// A stream that nobody starts.
private final class UnusedStream: ByteStream {
  private let wasReset: () -> Void

  init(_ wasReset: @escaping () -> Void) { self.wasReset = wasReset }

  func start(_ interest: DescriptorEvents, _ handler: @escaping (DescriptorEvents) -> Void) throws(SystemError) {}
  func update(_ interest: DescriptorEvents) throws(SystemError) {}
  func receive(into output: inout OutputSpan<UInt8>) throws(SystemError) -> Int { 0 }
  func send(_ pieces: UnsafeMutableBufferPointer<iovec>) throws(SystemError) -> Int { 0 }
  func finishSending() throws(SystemError) {}
  func countUnacknowledgedBytes() -> Int { 0 }
  func close() {}
  func reset() { wasReset() }
}
