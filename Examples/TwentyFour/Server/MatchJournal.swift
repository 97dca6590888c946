import Rooms
import Synchronization

/// The events of matches that wait until the state after them is stored, so that no two servers tell of the same ones.
final class MatchJournal: Sendable {
  private struct Events {
    /// The number of events that were passed on or dropped.
    var first = 0
    var waiting: [RoomEvent] = []
    var isPaused = false
  }

  /// The most events of a match that wait. A match has a few in a second.
  static let limit = 4_096

  private let rooms = Mutex<[RoomID: Events]>([:])
  private let pass: @Sendable (RoomID, RoomEvent) -> Void

  /// - Parameter pass: Called with each event whose state is stored, in order.
  init(_ pass: @escaping @Sendable (RoomID, RoomEvent) -> Void) {
    self.pass = pass
  }

  func append(_ room: RoomID, _ event: RoomEvent) {
    rooms.withLock { rooms in
      guard rooms[room]?.isPaused != true else { return }
      rooms[room, default: Events()].waiting.append(event)
      guard rooms[room]!.waiting.count > Self.limit else { return }
      rooms[room]!.waiting.removeFirst(Self.limit / 2)
      rooms[room]!.first += Self.limit / 2
    }
  }

  /// The matches with events that wait.
  var waiting: [RoomID] { rooms.withLock { $0.filter { !$0.value.waiting.isEmpty }.map(\.key) } }

  /// The number of events of a match so far.
  func count(of room: RoomID) -> Int { rooms.withLock { $0[room].map { $0.first + $0.waiting.count } ?? 0 } }

  /// Passes the first events of a match on.
  func flush(_ room: RoomID, to count: Int) {
    let events = rooms.withLock { rooms -> [RoomEvent] in
      guard let events = rooms[room], count > events.first else { return [] }
      let due = Array(events.waiting.prefix(min(count - events.first, Self.limit)))
      rooms[room]!.waiting.removeFirst(due.count)
      rooms[room]!.first += due.count
      return due
    }
    for event in events { pass(room, event) }
  }

  /// Drops the events of a match until it is resumed: what happens while it is suspended is no part of it.
  func pause(_ room: RoomID) { rooms.withLock { $0[room, default: Events()].isPaused = true } }

  func resume(_ room: RoomID) { rooms.withLock { $0[room]?.isPaused = false } }

  /// Forgets a match.
  ///
  /// - Parameter isClosed: Whether to tell that it is over here, so that nothing is kept of it.
  func forget(_ room: RoomID, isClosed: Bool = false) {
    let former = rooms.withLock { $0.removeValue(forKey: room) }
    if isClosed, former != nil { pass(room, .closed(RoomReason(.hostLeft, "The match goes on at another server."))) }
  }
}
