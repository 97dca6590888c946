import Synchronization
import _BonjourishEventLoop

/// The way out: messages on their way from the loops of connections to the thread that publishes them, in order.
///
/// Publishing may block when the server takes nothing, so no loop of connections does it. What cannot be published is lost, as on the
/// way; the streams send it again.
final class RelayPort: Sendable {
  private struct Outgoing {
    let bytes: [UInt8]
    let subject: String
    let reply: String?
    let allowance: RelayAllowance?
  }

  private struct State {
    var messages: [Outgoing] = []
    var connection: NATSConnection?
    var subscription: NATSSubscription?
    var isScheduled = false
    /// Messages that nobody's allowance counts.
    var uncounted = 0
  }

  /// The most messages without an allowance that wait: refusals of strangers.
  private static let mostUncounted = 256

  private let loop: EventLoop
  private let state = Locked(State())

  init(on loop: EventLoop) {
    self.loop = loop
  }

  /// Publishes by this connection from now on; nil for none.
  func use(_ connection: NATSConnection?, _ subscription: NATSSubscription?) {
    let former = state.withLock { state in
      defer { (state.connection, state.subscription) = (connection, subscription) }
      return (state.connection, state.subscription)
    }
    // Released outside of the lock, and on the thread that may be blocked by it.
    loop.execute { _ = former }
  }

  deinit { use(nil, nil) }

  /// Sends a message, in the order of the calls. Can be called on any thread.
  ///
  /// - Parameters:
  ///   - reply: Where the server tells that nobody listens.
  ///   - allowance: What bounds the bytes that wait here; what exceeds it is dropped.
  func send(_ bytes: [UInt8], to subject: String, replyTo reply: String? = nil, _ allowance: RelayAllowance? = nil) {
    guard allowance?.take(bytes.count) ?? true else { return }
    let isFirst = state.withLock { state in
      if allowance == nil {
        guard state.uncounted < Self.mostUncounted else { return false }
        state.uncounted += 1
      }
      state.messages.append(Outgoing(bytes: bytes, subject: subject, reply: reply, allowance: allowance))
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if isFirst { loop.execute { self.publish() } }
  }

  private func publish() {
    while true {
      let (messages, connection) = state.withLock { state -> ([Outgoing], NATSConnection?) in
        defer {
          state.messages = []
          state.uncounted = 0
        }
        if state.messages.isEmpty { state.isScheduled = false }
        return (state.messages, state.connection)
      }
      guard !messages.isEmpty else { return }
      for message in messages {
        connection?.publishRelayed(message.bytes, to: message.subject, replyTo: message.reply)
        message.allowance?.give(message.bytes.count)
      }
    }
  }
}

/// The bytes of one connection that wait to be published.
final class RelayAllowance: Sendable {
  /// Twice the window: what was sent, and the same once more.
  static let most = 640 * 1024

  private let waiting = Atomic(0)

  fileprivate func take(_ count: Int) -> Bool {
    // One thread takes, another gives, so it never becomes more than permitted.
    guard waiting.load(ordering: .relaxed) + count <= Self.most else { return false }
    waiting.add(count, ordering: .relaxed)
    return true
  }

  fileprivate func give(_ count: Int) { waiting.subtract(count, ordering: .relaxed) }
}
