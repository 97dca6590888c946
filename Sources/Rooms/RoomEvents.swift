import EventLoop

/// The events of a room, for one who is in it. The sequence ends after `closed`, and when the task is cancelled.
///
/// Whoever is slow gets the latest of several standings in a row, and keeps at most 1,024 events waiting: of more, the oldest
/// are lost.
public struct RoomEvents: AsyncSequence, Sendable {
  public typealias Element = RoomEvent
  public typealias Failure = Never

  let mailbox: RoomMailbox

  public func makeAsyncIterator() -> Iterator { Iterator(mailbox: mailbox) }

  public struct Iterator: AsyncIteratorProtocol {
    let mailbox: RoomMailbox

    public mutating func next() async -> RoomEvent? {
      await mailbox.next()
    }

    public mutating func next(isolation actor: isolated (any Actor)?) async -> RoomEvent? {
      await mailbox.next()
    }
  }
}

/// The events that the app has not taken yet.
final class RoomMailbox: Sendable {
  static let capacity = 1_024

  private struct State {
    var events: [RoomEvent] = []
    var isClosed = false
    var waiter = Waiter()
  }

  private let state = Locked(State())

  func append(_ event: RoomEvent) {
    state.withLock { state in
      if case .standings = event, case .standings? = state.events.last { state.events.removeLast() }
      if state.events.count == Self.capacity { state.events.removeFirst() }
      state.events.append(event)
      if case .closed = event { state.isClosed = true }
      state.waiter.wake()
    }
  }

  func next() async -> RoomEvent? {
    while !Task.isCancelled {
      let (event, isOver): (RoomEvent?, Bool) = state.withLock { state in
        state.events.isEmpty ? (nil, state.isClosed) : (state.events.removeFirst(), false)
      }
      if let event { return event }
      if isOver { return nil }
      await wait()
    }
    return nil
  }

  private func wait() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let mustWait = state.withLock { state in
          guard state.events.isEmpty, !state.isClosed, !Task.isCancelled else { return false }
          state.waiter.set(continuation)
          return true
        }
        if !mustWait { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiter.wake() }
    }
  }
}
