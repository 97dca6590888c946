import Bonjourish
import Names
import Rooms

/// The names of the rooms in a lobby, as they are shown: whoever opens a room chooses its name.
///
/// A name that is easily mistaken for that of another room is marked, and one of which nothing is seen has a text in its place.
struct RoomNames {
  let all: [String]

  init(_ rooms: [DiscoveredRoom]) {
    self.init(rooms.map(\.name))
  }

  init(_ names: [String]) {
    all = zip(names, Likeness.lookalikes(in: names)).map { name, isLookalike in
      let shown = Likeness(of: name).isBlank ? Phrases.unnamedRoom : name.escapedForDisplay
      return isLookalike ? Phrases.lookalikeRoom(shown) : shown
    }
  }

  subscript(index: Int) -> String { all[index] }
}
