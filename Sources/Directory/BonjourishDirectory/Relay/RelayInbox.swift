import _BonjourishDirectoryProtocol
import _BonjourishEventLoop

/// The way in: messages on their way from the library's thread to the loop of a stream, in order. The loop is woken once for many.
final class RelayInbox: Sendable {
  /// What has come.
  enum Arrival: Sendable {
    case message(RelayMessage, NATSMessage)
    /// Nobody listens where the record says.
    case nobodyListens
    /// The relay is reached again.
    case reconnected

    var byteCount: Int { if case .message(_, let body) = self { body.count } else { 0 } }
  }

  private struct State {
    var arrivals: [Arrival] = []
    var byteCount = 0
    var stream: RelayStream?
    var isScheduled = false
  }

  /// The most bytes that wait, a stranger's included. A peer that keeps to its limit sends less.
  private static let mostBytes = 3 * RelayLink.window
  private static let most = 2 * RelayLink.maximumSegments

  private let state = Locked(State())

  /// Wakes a stream from now on.
  func attach(_ stream: RelayStream) {
    let isDue = state.withLock { state in
      state.stream = stream
      return state.isScheduled
    }
    if isDue { stream.loop.execute { stream.receiveArrivals() } }
  }

  /// Lets the stream go, which needs nothing more.
  func detach() {
    let former = state.withLock { $0.stream.take() }
    _ = former
  }

  func put(_ message: RelayMessage, _ body: NATSMessage) { put(.message(message, body)) }

  func putNobodyListens() { put(.nobodyListens) }

  func putReconnected() { put(.reconnected) }

  private func put(_ arrival: Arrival) {
    let count = arrival.byteCount
    let stream: RelayStream? = state.withLock { state in
      guard state.arrivals.count < Self.most, state.byteCount + count <= Self.mostBytes else { return nil }
      state.arrivals.append(arrival)
      state.byteCount += count
      defer { state.isScheduled = true }
      return state.isScheduled ? nil : state.stream
    }
    if let stream { stream.loop.execute { stream.receiveArrivals() } }
  }

  /// The next of what has come.
  ///
  /// - Returns: And whether there is more, which the caller takes in the next tick.
  func take(atMost count: Int) -> (arrivals: [Arrival], isMore: Bool) {
    state.withLock { state in
      let arrivals = Array(state.arrivals.prefix(count))
      state.arrivals.removeFirst(arrivals.count)
      if state.arrivals.isEmpty { state.arrivals = [] }
      state.byteCount -= arrivals.reduce(0) { $0 + $1.byteCount }
      state.isScheduled = !state.arrivals.isEmpty
      return (arrivals, state.isScheduled)
    }
  }
}
