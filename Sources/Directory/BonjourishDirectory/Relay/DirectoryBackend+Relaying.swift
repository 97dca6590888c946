import BonjourishTransport
import CBonjourishNATS
import FramedTransport
import _BonjourishDirectoryProtocol
import _BonjourishDiscovery
import _BonjourishEventLoop

/// What accepts the relayed connections to the services of one port.
struct RelayAcceptor: Sendable {
  let port: UInt16
  let accept: RelayHub.Accept
}

/// Relayed connections: whom they are for, and how records are asked for them.
extension DirectoryBackend: RelayingBackend {
  nonisolated func acceptRelayed(
    atPort port: UInt16, as id: OperationID,
    _ accept: @escaping @Sendable (RelayedStream, _ refused: @escaping @Sendable () -> Void) -> Void
  ) {
    perform { backend in
      backend.acceptors[id] = RelayAcceptor(port: port, accept: accept)
      backend.updateAcceptors()
    }
  }

  nonisolated func dial(
    _ instance: ServiceInstance, interfaces: InterfaceSelection, within limit: Duration, on transportLoop: TransportLoop
  ) async throws(TransportError) -> RelayedService {
    let key = DirectoryKey(region: settings.region, type: instance.type, name: instance.name)
    guard let hub, instance.domain == .local, interfaces.usesDirectory, let host = DirectoryRecord.hostName(of: key) else {
      throw .notRelayed(instance, "the directory is not used for it")
    }
    let start = ContinuousClock.now
    let record = try await RecordRequest(instance, key, on: loop).run(on: self, within: limit)
    guard let address = record.relay else { throw .notRelayed(instance, "its program accepts no relayed connections") }
    let left = max(.milliseconds(500), limit - (ContinuousClock.now - start))
    let stream = try await RelayDial(record, at: address, by: hub, on: transportLoop.loop).connect(within: left)
    return RelayedService(host: host, stream: stream)
  }

  // MARK: - Acceptors

  /// What accepts connections to a service of this machine.
  private func acceptor(of registration: Registration) -> RelayAcceptor? {
    guard let service = registration.service, service.host == nil else { return nil }
    return acceptors.values.first { $0.port == service.port }
  }

  /// Where connections to a service are accepted; nil for nowhere.
  func relay(of registration: Registration) -> RelayNumber? { acceptor(of: registration) == nil ? nil : hub?.address }

  /// Has the hub know who accepts what, and the records say so.
  func updateAcceptors() {
    for publication in publications.values {
      updateAcceptor(of: publication)
      publication.refresh()
    }
  }

  func updateAcceptor(of publication: DirectoryPublication) {
    guard let hub else { return }
    if let acceptor = acceptor(of: publication.registration) {
      hub.open(publication.owner, acceptor.accept)
    } else {
      hub.shut(publication.owner)
    }
  }

  // MARK: - Records

  func begin(_ request: RecordRequest) {
    switch condition {
    case .online: send(request)
    case .connecting, .preparing: requests.append(request)
    case .offline where isLate: requests.append(request)
    case .offline(let error): request.fail(error.message, because: error)
    }
  }

  func sendRequests() {
    let waiting = requests
    requests = []
    for request in waiting { send(request) }
  }

  func answerRequests(_ error: DiscoveryError) {
    let waiting = requests
    requests = []
    for request in waiting { request.fail(error.message, because: error) }
  }

  private func send(_ request: RecordRequest) {
    do throws(NATSFailure) {
      guard let line else { throw NATSFailure(NATS_CONNECTION_DISCONNECTED) }
      try line.request([], to: settings.bucket.readRequest(request.key.text)) { [settings] message in
        request.read(message, in: settings.region, allowsLoopback: settings.allowsLoopback)
      }
    } catch {
      request.fail(error.reason, because: error)
    }
  }
}

extension TransportError {
  fileprivate static func notRelayed(_ instance: ServiceInstance, _ reason: String) -> TransportError {
    TransportError(
      .unreachable, "Connecting to \"\(instance.name.text)\" by the relay failed: \(reason)", details: Self.notRelayed)
  }
}

/// Both worlds: only the directory relays.
extension CombinedBackend: RelayingBackend {
  nonisolated func acceptRelayed(
    atPort port: UInt16, as id: OperationID,
    _ accept: @escaping @Sendable (RelayedStream, _ refused: @escaping @Sendable () -> Void) -> Void
  ) {
    perform { $0.directory.acceptRelayed(atPort: port, as: id, accept) }
  }

  nonisolated func dial(
    _ instance: ServiceInstance, interfaces: InterfaceSelection, within limit: Duration, on transportLoop: TransportLoop
  ) async throws(TransportError) -> RelayedService {
    try await directory.dial(instance, interfaces: interfaces, within: limit, on: transportLoop)
  }
}
