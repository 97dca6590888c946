import EventLoop
package import Framing

extension Connection {
  /// Makes a connection over a stream that is open, and establishes its protection.
  ///
  /// - Parameters:
  ///   - relayed: The stream, which is closed when this throws.
  ///   - transportLoop: The loop of the stream.
  ///   - limit: The longest time to establish the protection.
  /// - Throws: The error of the protection; `timedOut` at the limit; `cancelled`.
  package static func connect(
    over relayed: RelayedStream, format: FrameFormat, limits: TransportLimits, security: ConnectionSecurity,
    within limit: Duration, on transportLoop: TransportLoop
  ) async throws(TransportError) -> Connection {
    let terms = ChannelTerms(format, limits)
    let establishing = Establishing(to: relayed.peer, on: transportLoop)
    let connection = try await establishing.run(within: limit) { decide in
      establish(
        relayed.make(transportLoop), peer: relayed.peer, local: relayed.local, nil, terms, security, isRelayed: true,
        on: transportLoop, decide)
    }
    try connection.confirm(security)
    return connection
  }
}

/// One attempt to establish the protection of a relayed connection. Sendable: used on the loop only; `result` is locked.
private final class Establishing: @unchecked Sendable {
  typealias Answer = Result<Connection, TransportError>

  private let peer: SocketAddress
  private let transportLoop: TransportLoop
  private let result = Locked<Answer?>(nil)
  private var timer: LoopTimer?
  private var abandon: (() -> Void)?
  private var caller: CheckedContinuation<Void, Never>?

  init(to peer: SocketAddress, on transportLoop: TransportLoop) {
    self.peer = peer
    self.transportLoop = transportLoop
  }

  /// - Parameter begin: Begins on the loop, and returns what ends it early.
  func run(
    within limit: Duration, _ begin: @escaping @Sendable (@escaping (Answer) -> Void) -> (() -> Void)?
  ) async throws(TransportError) -> Connection {
    let loop = transportLoop.loop
    let attempt = "Connecting to \(peer)"
    await withTaskCancellationHandler {
      await withCheckedContinuation { caller in
        loop.perform {
          self.caller = caller
          self.timer = loop.schedule(after: limit) {
            self.decide(
              .failure(TransportError(.timedOut, "\(attempt) by a relay failed: the protection was not established in time")))
          }
          let abandon = begin { self.decide($0) }
          if self.result.withLock({ $0 == nil }) { self.abandon = abandon } else { abandon?() }
        }
      }
    } onCancel: {
      loop.perform { self.decide(.failure(.cancelled(attempt))) }
    }
    return try result.withLock { $0! }.get()
  }

  private func decide(_ answer: Answer) {
    transportLoop.loop.assertIsCurrent()
    let isFirst = result.withLock { result in
      if result != nil { return false }
      result = answer
      return true
    }
    guard isFirst else { return }
    timer?.cancel()
    if case .failure = answer { abandon?() }
    abandon = nil
    caller?.resume()
    caller = nil
  }
}
