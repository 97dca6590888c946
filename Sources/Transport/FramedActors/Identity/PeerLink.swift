package import FramedTransport
import _BonjourishEventLoop

/// The connection with a peer: what carries calls, and which actors of this side the peer may call.
package final class PeerLink: Sendable {
  typealias Requests = RequestConnection<InvocationCodec, ResultCodec>

  private struct State {
    /// `nil` before the connection is used, and after its end.
    var requests: Requests?
    /// The numbers of own actors that the peer was given.
    var lent: Set<UInt64> = []
    /// The calls to the peer that are under way or wait.
    var calls = 0
  }

  let connection: Connection
  let limits: ActorLimits
  var id: Connection.ID { connection.id }
  private let state = Locked(State())

  package init(_ connection: Connection, limits: ActorLimits) {
    self.connection = connection
    self.limits = limits
  }

  /// The largest result in bytes: a reply has nine bytes before it.
  var largestResult: Int { connection.format.largestBodySize - 9 }

  func open(_ requests: Requests) {
    state.withLock { $0.requests = requests }
  }

  func close() {
    state.withLock { $0 = State() }
  }

  /// Permits the peer to call an own actor.
  ///
  /// - Returns: Whether it is one of the permitted number.
  func lend(_ number: UInt64) -> Bool {
    state.withLock { state in
      guard state.lent.count < limits.references || state.lent.contains(number) else { return false }
      state.lent.insert(number)
      return true
    }
  }

  func hasLent(_ number: UInt64) -> Bool {
    state.withLock { $0.lent.contains(number) }
  }

  func forget(_ number: UInt64) {
    state.withLock { _ = $0.lent.remove(number) }
  }

  /// Sends a call, and waits for its result.
  func call(_ invocation: Invocation) async throws -> [UInt8] {
    let requests = try state.withLock { (state) throws(ActorCallError) in
      guard let requests = state.requests else {
        throw ActorCallError(.peerLost, "A call failed: the connection with \(connection.peer) has ended; connect again")
      }
      guard state.calls < limits.calls else {
        throw ActorCallError(
          .busy, "A call failed: \(limits.calls) calls to \(connection.peer) are under way; wait for some of them first")
      }
      state.calls += 1
      return requests
    }
    defer { state.withLock { if $0.calls > 0 { $0.calls -= 1 } } }
    do throws(MessagingError) {
      return try await requests.request(invocation, within: limits.callTime)
    } catch {
      throw ActorCallError.converted(error)
    }
  }
}
