/// Why someone is not let into a house of many matches, or has to go.
extension RoomReason.Code {
  /// The house takes nobody in any more, for it is about to be closed or started anew.
  public static let closing = Self(rawValue: "closing")
  /// There is no match to look on at.
  public static let noMatch = Self(rawValue: "noMatch")
  /// No match of the house has as many players as were asked for.
  public static let size = Self(rawValue: "size")
}

extension RoomReason {
  static let closing = RoomReason(.closing, "The house is about to be closed or started anew; come back in a while.")
  static let noMatch = RoomReason(.noMatch, "There is no match to look on at; come back later, or play.")
  static let everyoneLeft = RoomReason(.finished, "Everyone has left.")

  static func houseFull(_ matches: Int) -> RoomReason {
    RoomReason(.full, "All places in all \(matches) matches are taken; try again later.")
  }

  static func size(_ size: ClosedRange<Int>) -> RoomReason {
    RoomReason(.size, "A match here has \(size.lowerBound) to \(size.upperBound) players; ask for a number among these.")
  }
}
