import Rooms
import Synchronization

/// Chooses a room for a player who wants any: one of the local network, whose hosts have answered, or else one of a directory that
/// answers now. A directory lists what anybody writes down.
final class RoomTrial: Sendable {
  private struct State {
    var rooms: [DiscoveredRoom] = []
    var tried: Set<DiscoveredRoom.ID> = []
    /// When all may be tried again; nil while some have not been tried.
    var again: Duration?
  }

  /// The number of rooms that are tried at a time.
  static let batch = 16
  /// The time after which all rooms are tried again, when all have been tried.
  static let pause: Duration = .seconds(1)

  private let state = Mutex(State())

  /// Takes the present rooms that the player can enter, the best first.
  ///
  /// - Returns: The first of the local network.
  func see(_ rooms: [DiscoveredRoom]) -> DiscoveredRoom? {
    state.withLock { $0.rooms = rooms }
    return rooms.first(where: \.isHere)
  }

  /// The only room that there is. It needs no trial: whoever joins it is told what is wrong with it.
  var only: DiscoveredRoom? {
    state.withLock { $0.rooms.count == 1 ? $0.rooms.first : nil }
  }

  /// The next rooms to try, at random: their names are not to decide. When all have been tried, all are tried again after a pause,
  /// because one that did not answer may answer later.
  ///
  /// - Parameter now: The time since a fixed origin.
  func next(at now: Duration, using generator: inout some RandomNumberGenerator) -> [DiscoveredRoom] {
    state.withLock { state in
      // New rooms do not delay it.
      if let again = state.again, now >= again { (state.tried, state.again) = ([], nil) }
      let untried = state.rooms.filter { !state.tried.contains($0.id) }
      if untried.isEmpty, !state.rooms.isEmpty, state.again == nil { state.again = now + Self.pause }
      let rooms = untried.shuffled(using: &generator).prefix(Self.batch)
      state.tried.formUnion(rooms.map(\.id))
      return Array(rooms)
    }
  }

  /// Tries rooms at once; returns the first that answers.
  static func firstAnswering(
    of rooms: [DiscoveredRoom], _ answers: @escaping @Sendable (DiscoveredRoom) async -> Bool
  ) async -> DiscoveredRoom? {
    await withTaskGroup { group in
      for room in rooms { group.addTask { await answers(room) ? room : nil } }
      defer { group.cancelAll() }
      for await room in group {
        if let room { return room }
      }
      return nil
    }
  }
}
