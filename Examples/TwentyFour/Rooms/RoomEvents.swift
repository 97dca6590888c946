import Synchronization
import TwentyFour

/// The events of a room, for one participant. The sequence ends after `closed`, and when the task is cancelled.
///
/// Of several standings in a row, a slow reader gets the latest. When ``capacity`` events wait, superfluous ones are dropped:
/// older standings and numbers of missing players and spectators, players who came and left meanwhile, players who were away for
/// a while. If ``capacity`` events still wait, the sequence ends after them with `closed`, whose reason has the code `behind`.
public struct RoomEvents: AsyncSequence, Sendable {
  public typealias Element = RoomEvent
  public typealias Failure = Never

  /// The number of events that can wait.
  public static let capacity = 1_024

  let mailbox: RoomMailbox

  public func makeAsyncIterator() -> Iterator { Iterator(mailbox: mailbox) }

  public struct Iterator: AsyncIteratorProtocol {
    let mailbox: RoomMailbox

    public mutating func next() async -> RoomEvent? {
      await mailbox.next()
    }

    public nonisolated(nonsending) mutating func next(isolation actor: (any Actor)?) async -> RoomEvent? {
      await mailbox.next()
    }
  }
}

/// The events that the app has not read yet.
final class RoomMailbox: Sendable {
  private struct State {
    var events: [RoomEvent] = []
    var isClosed = false
    var reader: CheckedContinuation<RoomEvent?, Never>?

    /// Adds an event to the waiting ones.
    mutating func enter(_ event: RoomEvent) {
      if case .standings = event, case .standings? = events.last { events.removeLast() }
      if case .spectators = event, case .spectators? = events.last { events.removeLast() }
      if events.count == RoomEvents.capacity { events = RoomMailbox.compacted(events) }
      isClosed = events.count == RoomEvents.capacity
      events.append(isClosed ? .closed(.behind) : event)
    }
  }

  private let state = Mutex(State())

  func append(_ event: RoomEvent) {
    state.withLock { state in
      guard !state.isClosed else { return }
      if let reader = state.reader.take() { reader.resume(returning: event) } else { state.enter(event) }
      if case .closed = event { state.isClosed = true }
    }
  }

  /// The events without superfluous ones.
  static func compacted(_ events: [RoomEvent]) -> [RoomEvent] {
    var kept: [RoomEvent] = []
    /// Removes an event of a player, unless a later event about the same player waits.
    func withdraw(_ event: RoomEvent, of player: Player) -> Bool {
      guard let index = kept.lastIndex(where: { $0.player == player }), kept[index] == event else { return false }
      kept.remove(at: index)
      return true
    }
    for event in events {
      switch event {
      case .standings: kept.removeAll { if case .standings = $0 { true } else { false } }
      case .spectators: kept.removeAll { if case .spectators = $0 { true } else { false } }
      case .missing: kept.removeAll { if case .missing = $0 { true } else { false } }
      case .back(let player):
        if withdraw(.away(player), of: player) { continue }
      case .left(let player):
        _ = withdraw(.away(player), of: player)
        if withdraw(.joined(player), of: player) { continue }
      default: break
      }
      kept.append(event)
    }
    return kept
  }

  func next() async -> RoomEvent? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { reader in
        state.withLock { state in
          precondition(state.reader == nil, "only one task at a time may wait for the next element of an iterator")
          if !state.events.isEmpty, !Task.isCancelled {
            reader.resume(returning: state.events.removeFirst())
          } else if state.isClosed || Task.isCancelled {
            reader.resume(returning: nil)
          } else {
            state.reader = reader
          }
        }
      }
    } onCancel: {
      state.withLock { $0.reader.take() }?.resume(returning: nil)
    }
  }
}

extension RoomEvent {
  /// The single player that an event is about.
  fileprivate var player: Player? {
    switch self {
    case .joined(let player), .left(let player), .away(let player), .back(let player), .answer(let player, _): player
    default: nil
    }
  }
}
