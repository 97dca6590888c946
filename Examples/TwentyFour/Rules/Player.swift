/// Identifies a player of a match, independent of the name.
public struct PlayerID: RawRepresentable, Hashable, Comparable, Codable, Sendable {
  public let rawValue: Int

  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  public static func < (left: PlayerID, right: PlayerID) -> Bool { left.rawValue < right.rawValue }
}

/// A participant of a match.
public struct Player: Hashable, Codable, Sendable, Identifiable {
  public let id: PlayerID
  /// The name, unique in this match.
  public let name: PlayerName

  public init(id: PlayerID, name: PlayerName) {
    self.id = id
    self.name = name
  }
}

extension PlayerID: CustomStringConvertible {
  public var description: String { String(rawValue) }
}
