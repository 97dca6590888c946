import FramedSecurity
import _BonjourishEventLoop

/// TLS clients that have said hello and heard nothing.
final class BegunClients: Sendable {
  /// Sendable: it belongs to one run, or to the pool.
  struct Client: @unchecked Sendable {
    let session: TLSSession
    fileprivate let hello: [UInt8]
  }

  private let context: TLSContext?
  private let idle = Locked<[Client]>([])

  init(_ context: TLSContext?) {
    self.context = context
  }

  /// A client whose output is its hello; `nil` if there is no memory.
  func take() -> Client? {
    if let client = idle.withLock({ $0.popLast() }) {
      client.session.output = client.hello
      return client
    }
    guard let context, let session = TLSSession(context) else { return nil }
    session.decideOnKey = { _ in true }
    guard session.handshake() == .wantsInput else { return nil }
    return Client(session: session, hello: session.output)
  }

  /// Takes a client back that has heard nothing.
  func giveBack(_ client: Client) {
    idle.withLock { $0.append(client) }
  }
}
