import FramedCoding
import _BonjourishEventLoop

/// The present connection of a client, and the tasks that wait for the next one.
actor RequestClientCore<RequestCodec: MessageCodec, ReplyCodec: MessageCodec> {
  typealias Peer = RequestConnection<RequestCodec, ReplyCodec>
  typealias Instant = ContinuousClock.Instant

  private enum State {
    case connecting
    case connected(Peer)
    /// There are no more connections; with the error that ended them.
    case over(TransportError?)
  }

  private struct Waiting {
    let waiter = Waiter()
    let deadline: Instant
  }

  nonisolated let time: MonotonicClock
  private let timer: DeadlineTimer
  private var state = State.connecting
  private var waiting: [UInt64: Waiting] = [:]
  private var lastNumber: UInt64 = 0

  init(time: MonotonicClock) {
    self.time = time
    timer = DeadlineTimer(time)
  }

  func use(_ peer: Peer) { change(to: .connected(peer)) }

  /// The connection has ended.
  func dropPeer() { change(to: .connecting) }

  func end(_ error: TransportError?) { change(to: .over(error)) }

  /// A request has found that a connection has ended, maybe before ``dropPeer()``.
  func drop(_ peer: Peer) {
    guard case .connected(let present) = state, present.core === peer.core else { return }
    change(to: .connecting)
  }

  /// The present connection, or the next one.
  ///
  /// - Throws: `disconnected`, `timedOut`, `cancelled`.
  func peer(until deadline: Instant, waiting mayWait: Bool) async throws(MessagingError) -> Peer {
    if mayWait { await wait(until: deadline) }
    switch state {
    case .connected(let peer):
      return peer
    case .over(let error):
      throw Self.disconnected("there are no more connections", error)
    case .connecting where Task.isCancelled:
      throw MessagingError(.cancelled, isUnsent: true, "A request was cancelled with its task; there was no connection")
    case .connecting where mayWait:
      throw MessagingError(
        .timedOut, isUnsent: true, "A request was not sent in time, because there was no connection; check that the peer runs")
    case .connecting:
      throw Self.disconnected("there is no connection at present; wait for one, or try again later", nil)
    }
  }

  private static func disconnected(_ reason: String, _ error: TransportError?) -> MessagingError {
    MessagingError(
      .disconnected, transport: error, isUnsent: true, "A request failed: \(reason)\(error.map { ": \($0.message)" } ?? "")")
  }

  private var isConnecting: Bool { if case .connecting = state { true } else { false } }

  private func wait(until deadline: Instant) async {
    guard isConnecting else { return }
    lastNumber += 1
    let (number, entry) = (lastNumber, Waiting(deadline: deadline))
    waiting[number] = entry
    setTimer()
    await entry.waiter.wait { isConnecting && time.now() < deadline }
    waiting[number] = nil
    setTimer()
  }

  private func change(to state: State) {
    if case .over = self.state { return }
    self.state = state
    wakeAll()
  }

  private func setTimer() {
    timer.set(waiting.values.map(\.deadline).min(), on: self) { $0.wakeAll() }
  }

  private func wakeAll() {
    for entry in waiting.values { entry.waiter.wake() }
  }
}
