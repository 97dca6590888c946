import Bonjourish
import CBonjourishLinux
import FramedTransport
import TestSupport
import Testing
import _BonjourishEventLoop

@testable import BonjourishTransport

private let type: ServiceType = "_echo._tcp"
private let ada = ServiceInstance("Ada", type: type)
private let host: DomainName = "ada.local"
private let link = Link(NetworkInterface(index: 2, name: "eth0"), .ipv4)
private let srv = RecordQuestion(.instance(ada), .srv)
private let txt = RecordQuestion(.instance(ada), .txt)
private let loopback = IPAddress.ipv4(0x7F00_0001)

@Suite(.timeLimit(.minutes(1))) struct ServiceConnectionTests {
  let backend: FakeBackend
  let time = ManualTime()
  let bonjour: Bonjour

  init() throws {
    backend = try FakeBackend()
    bonjour = Bonjour(backend: backend, time: time.clock)
  }

  /// Answers for the service: it is on this machine, at a port.
  ///
  /// - Parameters:
  ///   - time: When it is looked up for the first time, the second, and so on.
  ///   - host: The name of this machine.
  func answer(port: UInt16, time count: Int = 1, host: DomainName = "ada.local") async {
    let (a, aaaa) = (RecordQuestion(.domain(host), .a), RecordQuestion(.domain(host), .aaaa))
    @Sendable func isAsked(_ commands: [FakeBackend.Command], _ questions: [RecordQuestion]) -> Bool {
      questions.allSatisfy { question in commands.count { $0 == .lookUp(question) } == count }
    }
    await backend.commands { isAsked($0, [srv, txt]) }
    await backend.say(.added(ResourceRecord(.server(host: host, port: port, priority: 0, weight: 0), on: link)), to: srv)
    await backend.say(.added(ResourceRecord(.text([:]), on: link)), to: txt)
    await backend.commands { isAsked($0, [a, aaaa]) }
    await backend.say(.settled, to: aaaa)
    await backend.say(.added(ResourceRecord(.address(loopback), on: link)), .settled, to: a)
  }

  private func accepted(by listener: Listener) async -> Connection? {
    var connections = listener.connections.makeAsyncIterator()
    return await connections.next()
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

  @Test func `who has used the time up for resolving still has a second to connect`() async throws {
    try await withListener { listener in
      // The clock of discovery stands still, so it is resolved nevertheless.
      async let connecting = Connection.connect(to: ada, using: bonjour, within: .microseconds(1))
      await answer(port: listener.port)
      let connection = try await connecting
      #expect(connection.peer.port == listener.port)
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
    #expect(error?.description.hasPrefix("\"Ada\" was not reached: Connecting to 127.0.0.1:") == true)
    #expect(error?.transportError.code == .refused && error?.transportError.errno == cause.errno)
    #expect(backend.commands.last == .reconfirm(ada))
  }

  @Test func `a service without an answer is not resolved`() async throws {
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

  @Test func `attempts at one target are bounded`() async throws {
    // A port where nobody listens any more.
    let listener = try await Listener.bind(interface: "lo")
    await listener.close()
    let endpoint = Endpoint(host: host, port: listener.port, txt: [:], addresses: [loopback])
    var codes: [TransportError.Code] = []
    let start = ContinuousClock.now
    // On a busy machine an attempt may take as long as it may, and another one is due by then.
    while !codes.contains(.throttled) {
      do throws(TransportError) {
        let connection = try await Connection.connect(to: endpoint, within: .milliseconds(200))
        await connection.close()
      } catch {
        codes.append(error.code)
      }
    }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    #expect(codes.count > 8, "\(codes)")
    #expect(codes.allSatisfy { [.refused, .timedOut, .throttled].contains($0) }, "\(codes)")
    #expect(Double(codes.count) <= 10 + 4 * seconds, "\(codes)")
  }

  @Test func `a service is not followed to another host`() async throws {
    try await withListener { listener in
      let place = ServiceHost()
      async let connecting = Connection.connect(to: ada, using: bonjour, stayingOn: place)
      await answer(port: listener.port)
      let connection = try await connecting
      await connection.close()
      #expect(place.name == host)
      let again = Task { try await Connection.connect(to: ada, using: bonjour, stayingOn: place) }
      await backend.commands { commands in commands.count { $0 == .lookUp(srv) } == 2 }
      let (evil, questions): (DomainName, [RecordQuestion]) = (
        "eve.local", [RecordType.a, .aaaa].map { RecordQuestion(.domain("eve.local"), $0) }
      )
      await backend.say(.added(ResourceRecord(.server(host: evil, port: 1, priority: 0, weight: 0), on: link)), to: srv)
      await backend.say(.added(ResourceRecord(.text([:]), on: link)), to: txt)
      await backend.commands { commands in questions.allSatisfy { commands.contains(.lookUp($0)) } }
      await backend.say(.settled, to: questions[1])
      await backend.say(.added(ResourceRecord(.address(.ipv4(0x7F00_0002)), on: link)), .settled, to: questions[0])
      let error = await #expect(throws: ServiceConnectionError.self) { try await again.value }
      #expect(error?.code == .moved)
      #expect(error?.message.contains("another host, eve.local, instead of ada.local") == true)
      #expect(!backend.commands.contains(.reconfirm(ada)))
    }
  }

  @Test func `connecting can be cancelled`() async throws {
    let connecting = Task { try await Connection.connect(to: ada, using: bonjour) }
    await backend.commands { $0.contains(.lookUp(srv)) }
    connecting.cancel()
    let error = await #expect(throws: ServiceConnectionError.self) { try await connecting.value }
    #expect(error?.code == .cancelled)
    #expect(!backend.commands.contains(.reconfirm(ada)))
  }

  @Test func `errors show the name of a service with everything escaped`() throws {
    let rude = ServiceInstance(try #require(InstanceName(received: "a\u{1B}[2J")), type: type)
    let error = ServiceConnectionError(rude, .discovery(DiscoveryError(.timedOut, "nobody")))
    #expect("\(error)" == "\"a\\u{1B}[2J\" was not found: nobody")
    #expect(error.message.contains("\u{1B}"))
  }

  @Test func `a connected socket is handed over with its descriptor`() async throws {
    try await withListener { listener in
      async let answering: Void = answer(port: listener.port)
      let socket = try await ConnectedSocket.connect(to: ada, using: bonjour)
      await answering
      #expect(socket.peer == SocketAddress(numericHost: "127.0.0.1", port: listener.port))
      let accepted = try #require(await accepted(by: listener))
      #expect(accepted.peer == socket.local)
      let descriptor = socket.take()
      #expect(linux_fcntl(descriptor, F_GETFD, 0) == FD_CLOEXEC)
      #expect(linux_fcntl(descriptor, F_GETFL, 0) & O_NONBLOCK != 0)
      // It is ours: what we close, the peer sees.
      close(descriptor)
      var frames = accepted.frames.makeAsyncIterator()
      let end = try await frames.next()
      #expect(end == nil)
      await accepted.close()
    }
  }

  @Test func `a connected socket that is not taken is closed`() async throws {
    try await withListener { listener in
      let address = try #require(SocketAddress(numericHost: "127.0.0.1", port: listener.port))
      do { _ = try await ConnectedSocket.connect(to: [address]) }
      let accepted = try #require(await accepted(by: listener))
      var frames = accepted.frames.makeAsyncIterator()
      let end = try await frames.next()
      #expect(end == nil)
      await accepted.close()
    }
  }

  @Test func `a service without an answer is reported as such to reconnections`() async throws {
    let (events, continuation) = AsyncStream.makeStream(of: ReconnectionEvent.self)
    let connections = Reconnections(
      to: ada, using: bonjour, within: .seconds(2), policy: ReconnectionPolicy(failureLimit: 1)
    ) { continuation.yield($0) }
    let iterating = Task {
      for try await _ in connections {}
    }
    await time.advance(to: .seconds(2))
    let error = await #expect(throws: TransportError.self) { try await iterating.value }
    #expect(error?.code == .unresolved)
    continuation.finish()
    var failures: [TransportError] = []
    for await case .failed(let failure) in events { failures.append(failure) }
    #expect(failures.map(\.code) == [.unresolved])
    #expect(failures[0].message.hasPrefix("\"Ada\" was not found: resolving \"Ada._echo._tcp.local\": no host answered"))
  }

  @Test func `a service is looked up anew for each attempt`() async throws {
    try await withListener { listener in
      // Where it was before, nobody listens any more.
      let former = try await Listener.bind(interface: "lo")
      await former.close()
      let failures = Observed<[TransportError.Code]>([])
      let connections = Reconnections(
        to: ada, using: bonjour, policy: ReconnectionPolicy(base: .milliseconds(1), cap: .milliseconds(1))
      ) { event in
        if case .failed(let error) = event { failures.change { $0.append(error.code) } }
      }
      async let connecting = connections.first { _ in true }
      await answer(port: former.port)
      await answer(port: listener.port, time: 2)
      let connection = try #require(try await connecting)
      #expect(connection.peer.port == listener.port)
      #expect(failures.change { $0 } == [.refused])
      await connection.close()
    }
  }

  @Test func `an endpoint is connected to at any of its addresses`() async throws {
    try await withListener { listener in
      let addresses = try ["fe80::1%gone0", "fe80::1%lo"].map { try #require(IPAddress($0)) }
      let endpoint = Endpoint(
        host: host, port: listener.port, txt: [:],
        addresses: addresses + [loopback])
      // What is on an interface that is not there (any more) cannot be connected to.
      #expect(endpoint.socketAddresses.map(\.host) == ["fe80::1%lo", "127.0.0.1"])
      let connection = try await Connection.connect(to: endpoint)
      #expect(connection.peer.host == "127.0.0.1")
      await connection.close()
    }
  }

  @Test func `a listener is published with its port`() async throws {
    try await withListener { listener in
      async let name = bonjour.withPublishedService(
        named: "Ada", type: type, subtypes: ["_test"], listener: listener, txt: ["v": "1"]
      ) {
        await $0.name
      }
      await backend.commands { $0.count == 1 }
      await backend.sayToPublishers(.established("Ada"))
      let established = try await name
      #expect(established == "Ada")
      let registration = Registration(
        "Ada", type: type, subtypes: ["_test"], domain: .local, port: listener.port, txt: ["v": "1"])
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
