public import Rooms

/// The reasons of a server of many matches to refuse or remove a player.
extension RoomReason.Code {
  /// The server accepts no new players, because it is about to close or restart.
  public static let closing = Self(rawValue: "closing")
  /// There is no match to watch.
  public static let noMatch = Self(rawValue: "noMatch")
  /// No match of the server has the wanted number of players.
  public static let size = Self(rawValue: "size")
}

extension RoomReason {
  static let closing = RoomReason(.closing, "The server is about to be closed or restarted; come back in a while.")
  static let held = RoomReason(
    .held, "The server is waiting for its directory; your answers are kept, and the match goes on in a moment.")
  /// The same for an administrator, whose command is not kept.
  static let heldMatch = RoomReason(.held, "The server is waiting for its directory, and holds the match; try again soon.")
  static let noMatch = RoomReason(.noMatch, "There is no match to watch; come back later, or play.")
  static func noSuchMatch(_ number: MatchNumber) -> RoomReason {
    RoomReason(.noMatch, "There is no match \(number).")
  }

  static let everyoneLeft = RoomReason(.finished, "Everyone has left.")

  static func serverFull(_ matches: Int) -> RoomReason {
    RoomReason(.full, "All places in all \(matches) matches are taken; try again later.")
  }

  static func size(_ size: ClosedRange<Int>) -> RoomReason {
    RoomReason(.size, "A match here has \(size.lowerBound) to \(size.upperBound) players; ask for a number among these.")
  }
}
