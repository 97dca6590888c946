import Bonjourish
import FramedTransport

/// A race of the addresses of a service and of the relay: what is established first is used.
struct ServiceRace {
  private enum Outcome: Sendable {
    case direct(Result<Connection, ServiceConnectionError>)
    case relayed(Result<Connection, TransportError>)
    /// The time for which the addresses are preferred is over.
    case headStartOver
  }

  private let instance: ServiceInstance
  private let limit: Duration
  private let headStart: Duration
  private let start = ContinuousClock.now

  /// - Parameter headStart: The time for which the addresses are preferred.
  init(_ instance: ServiceInstance, within limit: Duration, headStart: Duration = .seconds(1)) {
    self.instance = instance
    self.limit = limit
    self.headStart = headStart
  }

  /// - Parameters:
  ///   - direct: Connects to the addresses.
  ///   - relayed: Connects by the relay, within a time.
  func run(
    directly direct: @escaping @Sendable () async throws(ServiceConnectionError) -> Connection,
    orByRelay relayed: @escaping @Sendable (Duration) async throws(TransportError) -> Connection
  ) async throws(ServiceConnectionError) -> Connection {
    let result = await withTaskGroup(of: Outcome.self) { group in
      group.addTask {
        do throws(ServiceConnectionError) {
          return .direct(.success(try await direct()))
        } catch {
          return .direct(.failure(error))
        }
      }
      group.addTask { [headStart] in
        try? await Task.sleep(for: headStart)
        return .headStartOver
      }
      var directError: ServiceConnectionError?
      var relayError: TransportError?
      var isRelaying = false
      var winner: Connection?
      while let outcome = await group.next() {
        switch outcome {
        case .direct(.success(let connection)), .relayed(.success(let connection)):
          // Both can be established before the other is cancelled.
          if winner == nil { winner = connection } else { connection.abort() }
          group.cancelAll()
        case .direct(.failure(let error)):
          directError = error
          // The relay would lead to another host, too; nobody waits any more; or the host has answered, and each further wrong
          // passcode would count.
          if error.code == .moved || error.code == .cancelled || error.isRefusal { group.cancelAll() }
        case .relayed(.failure(let error)):
          relayError = error
          if error.code.permanence == .refusal { group.cancelAll() }
        case .headStartOver: break
        }
        // Nothing is left to wait for but the head start.
        if directError != nil, relayError != nil { group.cancelAll() }
        guard winner == nil, !group.isCancelled, !isRelaying else { continue }
        isRelaying = true
        group.addTask { [limit, start] in
          do throws(TransportError) {
            return .relayed(.success(try await relayed(max(.seconds(1), limit - (ContinuousClock.now - start)))))
          } catch {
            return .relayed(.failure(error))
          }
        }
      }
      if let winner { return Result<Connection, ServiceConnectionError>.success(winner) }
      return .failure(Self.failure(instance, directError, relayError))
    }
    return try result.get()
  }

  /// The error of both attempts: that of the addresses alone, if the service is not one that is relayed.
  private static func failure(
    _ instance: ServiceInstance, _ direct: ServiceConnectionError?, _ relayed: TransportError?
  ) -> ServiceConnectionError {
    guard let direct else {
      return ServiceConnectionError(instance, .transport(relayed ?? TransportError(.cancelled, "Connecting was cancelled")))
    }
    guard let relayed, relayed.code != .cancelled, relayed.details != TransportError.notRelayed, !direct.isRefusal else {
      return direct
    }
    // The host's answer by the relay ended the other attempt.
    if direct.code == .cancelled { return ServiceConnectionError(instance, .transport(relayed)) }
    // Who answers by the relay is the service's host, whatever stopped the way to its addresses.
    let (chosen, first) =
      switch direct.cause {
      case .transport(let error): (relayed.isPermanent ? relayed : error, error.message)
      case .discovery(let error): (relayed, "it was not found: \(error.message)")
      }
    return ServiceConnectionError(
      instance,
      .transport(
        TransportError(
          chosen.code, isPermanent: relayed.isPermanent, "\(first). By the relay: \(relayed.message)", details: chosen.details,
          because: chosen)))
  }
}

extension ServiceConnectionError {
  /// Whether the service's own host has decided.
  fileprivate var isRefusal: Bool {
    if case .transport(let error) = cause { error.code.permanence == .refusal } else { false }
  }
}

extension TransportError {
  /// The details of an error that says that a service is not relayed at all.
  package static let notRelayed = ["not relayed"]
}
