/// Tells players of one match apart, whatever they are called.
public struct PlayerID: RawRepresentable, Hashable, Comparable, Sendable {
  public let rawValue: Int

  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  public static func < (left: PlayerID, right: PlayerID) -> Bool { left.rawValue < right.rawValue }
}

/// Someone who takes part in a match.
public struct Player: Hashable, Sendable, Identifiable {
  public let id: PlayerID
  /// The name in this match: no two players have the same.
  public let name: PlayerName

  public init(id: PlayerID, name: PlayerName) {
    self.id = id
    self.name = name
  }
}

extension PlayerID: CustomStringConvertible {
  public var description: String { String(rawValue) }
}
