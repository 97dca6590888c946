public import FramedCoding

/// A player: a permanent ID, by which the server recognises the player, and a name for people.
///
/// Anyone who knows a player's ID can play in their place: send it only to the server.
public struct RacePlayer: Hashable, Sendable {
  /// The ID, 1–64 bytes.
  public let id: String
  /// The name for people, 1–64 bytes. It comes from the network: escape it for display.
  public let alias: String

  public static let longestText = 64

  /// - Throws: ``Invalid`` if the ID or the name is empty, longer than 64 bytes, or contains a zero byte.
  public init(id: String, alias: String) throws(Invalid) {
    guard Self.isFit(id) else { throw .id }
    guard Self.isFit(alias) else { throw .alias }
    self.id = id
    self.alias = alias
  }

  static func isFit(_ text: String) -> Bool { (1...longestText).contains(text.utf8.count) && !text.utf8.contains(0) }

  /// The field that cannot be used.
  public enum Invalid: Error, Hashable, Sendable, CustomStringConvertible {
    case id
    case alias

    public var description: String {
      let what =
        switch self {
        case .id: "a player's ID"
        case .alias: "an alias"
        }
      return "\(what) has 1 to \(RacePlayer.longestText) bytes, and no zero byte"
    }
  }
}

extension RacePlayer: Marshallable {
  public init(from reader: inout MessageReader) throws(MessageError) {
    let (offset, id, alias) = (reader.offset, try reader.readString(), try reader.readString())
    do throws(Invalid) {
      try self.init(id: id, alias: alias)
    } catch {
      throw MessageError(.invalidValue, at: offset, expected: error.description)
    }
  }

  public func write(to writer: inout MessageWriter) throws(MessageError) {
    try writer.writeString(id)
    try writer.writeString(alias)
  }
}
