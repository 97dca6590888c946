package import FramedCoding
import _BonjourishEventLoop

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
    let attempt = "Connecting to \(relayed.peer)"
    let timedOut = TransportError(.timedOut, "\(attempt) by a relay failed: the protection was not established in time")
    // What is not begun is made only to be closed.
    let answer = LoopAnswer<Connection>(on: transportLoop.loop) { relayed.make(transportLoop).reset() }
    let connection = try await answer.wait(within: limit, orThrow: timedOut, attempt) {
      answer.onFailure(nil)
      let abandon = establish(
        relayed.make(transportLoop), peer: relayed.peer, local: relayed.local, nil, terms, security, isRelayed: true,
        on: transportLoop
      ) { answer.give($0) }
      answer.onFailure(abandon)
    }
    try await connection.confirm(security)
    return connection
  }
}
