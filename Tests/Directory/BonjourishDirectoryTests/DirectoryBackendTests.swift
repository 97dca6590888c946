import Bonjourish
import FramedTransport
import Testing
import _BonjourishDirectoryProtocol
import _BonjourishDiscovery
import _BonjourishEventLoop

@testable import BonjourishDirectory

/// What a directory takes and refuses, and what it says about itself.
@Suite(.timeLimit(.minutes(1))) struct DirectoryBackendTests {
  /// A backend of a directory that nobody has.
  private func backend(
    own: [IPAddress] = [], _ change: (inout DirectoryConfiguration) -> Void = { _ in }
  ) throws -> DirectoryBackend {
    var configuration = DirectoryConfiguration(servers: ["nats://127.0.0.1:1"])
    change(&configuration)
    return DirectoryBackend(
      try DirectorySettings(configuration), on: try EventLoop(name: "directory"), connectingOn: try EventLoop(name: "dial"),
      handlersOn: try EventLoop(name: "home"), isAlone: false, ownAddresses: { own }, stateChanged: { _ in }, log: { _ in })
  }

  private func firstAnswer(_ question: RecordQuestion, _ backend: DirectoryBackend) async -> LookupEvent? {
    let (events, event) = AsyncStream<LookupEvent>.makeStream()
    backend.lookUp(question, as: OperationID()) { event.yield($0) }
    return await events.first { _ in true }
  }

  private func firstAnswer(_ registration: Registration, _ backend: DirectoryBackend) async -> RegistrationEvent? {
    let (events, event) = AsyncStream<RegistrationEvent>.makeStream()
    backend.publish(registration, as: OperationID()) { event.yield($0) }
    return await events.first { _ in true }
  }

  @Test func `what is not in a directory is refused at once`() async throws {
    let backend = try backend()
    let text = "a directory knows services and their hosts only"
    let host = RecordQuestion(.domain("ada.local"), .a)
    #expect(await firstAnswer(host, backend) == .failed(DiscoveryError(.refused, "\(host.action): \(text)")))
    let elsewhere = try BrowseQuery("_game._tcp", domain: "example.com").question()
    #expect(
      await firstAnswer(elsewhere, backend)
        == .failed(
          DiscoveryError(
            .invalidDomain, "browsing _game._tcp in example.com: a directory shows its services in the domain local")))
    let interfaces = InterfaceSelection.only("eth0").withoutDirectory
    let local = try BrowseQuery("_game._tcp", domain: .local, interfaces: interfaces).question()
    #expect(
      await firstAnswer(local, backend)
        == .failed(
          DiscoveryError(
            .noSuchInterface, "browsing _game._tcp: the directory is not among what is used (\(interfaces))")))
    let records = try #require(Registration(records: [CustomRecord("x.local", type: .txt, data: [1, 65], isUnique: false)]))
    #expect(
      await firstAnswer(records, backend)
        == .failed(DiscoveryError(.refused, "\(records.action): a directory holds services only")))
    await backend.close()
  }

  @Test func `a service is reached at the addresses that are configured, and this machine's own`() async throws {
    let own: [IPAddress] = [.ipv4(0xC000_0201), .ipv4(0x7F00_0001), .ipv4(0xC000_0209), .ipv4(0xA9FE_0101)]
    let service = Registration("Game", type: "_game._tcp", domain: .local, port: 1, txt: [:])
    for allowsLoopback in [false, true] {
      let backend = try backend(own: own) { configuration in
        (configuration.addresses, configuration.allowsLoopback) = ([.ipv4(0xC000_0209)], allowsLoopback)
      }
      let addresses = await backend.addresses(of: service).map(\.description)
      #expect(addresses == ["192.0.2.9", "192.0.2.1"] + (allowsLoopback ? ["127.0.0.1"] : []))
      await backend.close()
    }
  }

  @Test func `a service of another host is reached at that host's addresses, while these are published`() async throws {
    let backend = try backend(own: [.ipv4(0xC000_0201)])
    let host = try #require(
      Registration(host: "printer.local", addresses: [.ipv4(0xC000_0207), .ipv4(0x7F00_0001)], onConflict: .fail))
    let service = Registration("Game", type: "_game._tcp", domain: .local, port: 1, txt: [:], host: "printer.local")
    #expect(await backend.addresses(of: service) == [])
    let id = OperationID()
    let (events, event) = AsyncStream<RegistrationEvent>.makeStream()
    backend.publish(host, as: id) { event.yield($0) }
    #expect(await events.first { _ in true } == .established("printer"))
    #expect(await backend.addresses(of: service) == [.ipv4(0xC000_0207)])
    let other = Registration("Game", type: "_game._tcp", domain: .local, port: 1, txt: [:], host: "other.local")
    #expect(await backend.addresses(of: other) == [])
    backend.end(id)
    await backend.drain()
    #expect(await backend.addresses(of: service) == [])
    await backend.close()
  }

  @Test(arguments: [60, 120, 121]) func `a bucket that keeps names for long is told, and used`(seconds: Int) async throws {
    let server = try await NATSServer()
    let bucket = try #require(Bucket("bonjourish", lease: RecordLease(duration: .seconds(seconds))))
    try await StreamOperator(server).makeBucket(watches: -1, bucket)
    let (messages, message) = AsyncStream<String>.makeStream()
    let bonjour = try await Bonjour(server) { $0.log = { message.yield($0.text) } }
    #expect(try await bonjour.services(of: "_game._tcp").isEmpty)
    message.finish()
    let told = await messages.reduce(into: []) { $0.append($1) }
    let warning = "the directory keeps names of services that are gone: set max_age of its bucket to 60 s"
    #expect(told.contains(warning) == (seconds > 120) && told.contains("the directory answers"))
  }

  @Test func `a record that is not there, or breaks the rules, is no place to connect to`() async throws {
    let server = try await NATSServer()
    let bonjour = try await Bonjour(server)
    #expect(try await bonjour.services(of: "_game._tcp").isEmpty)
    let backend = try #require(bonjour.backend as? DirectoryBackend)
    let instance = ServiceInstance("Ada", type: "_game._tcp")
    let key = DirectoryKey(region: Region("world")!, type: "_game._tcp", name: "Ada")
    func reason() async -> String? {
      let request = RecordRequest(instance, key, on: await backend.loop)
      let error = await #expect(throws: TransportError.self) { try await request.run(on: backend, within: .seconds(10)) }
      #expect(error?.code == .unreachable)
      return error?.message
    }
    let attempt = "Connecting to \"Ada\" by the relay failed:"
    #expect(await reason() == "\(attempt) the directory does not know it")
    let connection = try NATSConnection(DirectorySettings(DirectoryConfiguration(servers: [server.url]))) { _ in }
    for (value, expected) in [("{}", "otherVersion"), ("x", "notJSON")] {
      try connection.publish(Array(value.utf8), to: Bucket("bonjourish")!.subject(key.text))
      connection.flush(milliseconds: 10_000)
      #expect(await reason() == "\(attempt) its record in the directory breaks the rules (\(expected))")
    }
    try connection.publish([], to: Bucket("bonjourish")!.subject(key.text), headers: [("KV-Operation", "DEL")])
    connection.flush(milliseconds: 10_000)
    #expect(await reason() == "\(attempt) the directory does not know it")
  }

  @Test func `the name of a second run is left to the first one that answers, and taken from one that is gone`() async throws {
    let server = try await NATSServer()
    let (one, other) = (try await Bonjour(server), try await Bonjour(server))
    let (first, second) = (try #require(one.backend as? DirectoryBackend), try #require(other.backend as? DirectoryBackend))
    // A run that is gone has left its record.
    #expect(try await one.services(of: "_game._tcp").isEmpty)
    let record = DirectoryRecord(
      name: "Game", type: "_game._tcp", port: 4242, host: "h", addresses: [], txt: [:],
      owner: Succession(identity: 0xABC).publisher, relay: .random())
    let connection = try NATSConnection(DirectorySettings(DirectoryConfiguration(servers: [server.url]))) { _ in }
    try connection.publish(record.bytes, to: Bucket("bonjourish")!.subject(record.key(in: Region("world")!).text))
    connection.flush(milliseconds: 10_000)
    var registration = Registration("Game", type: "_game._tcp", domain: .local, port: 4242, txt: [:])
    registration.succession = Succession(identity: 0xABC)
    first.acceptRelayed(atPort: 4242, as: OperationID()) { _, refused in refused() }
    #expect(await firstAnswer(registration, first) == .established("Game"))
    registration.succession = Succession(identity: 0xABC)
    #expect(await firstAnswer(registration, second) == .renamed(from: "Game", to: "Game #2"))
    await first.close()
    await second.close()
  }
}
