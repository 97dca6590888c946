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
  }

  private let state = Watched(State())

  func append(_ event: RoomEvent) {
    state.change { state in
      if case .standings = event, case .standings? = state.events.last { state.events.removeLast() }
      if state.events.count == Self.capacity { state.events.removeFirst() }
      state.events.append(event)
      if case .closed = event { state.isClosed = true }
    }
  }

  func next() async -> RoomEvent? {
    let next: RoomEvent?? = await state.take { state in
      if !state.events.isEmpty { return state.events.removeFirst() }
      return state.isClosed ? .some(nil) : nil
    }
    return next ?? nil
  }
}
