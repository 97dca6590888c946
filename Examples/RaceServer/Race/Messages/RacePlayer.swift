package import Framing

/// Who somebody is: an ID that stays the same, by which he is known when he comes back, and a name for people.
///
/// Whoever knows a player's ID can play for him; it is told to the server, and to nobody else.
package struct RacePlayer: Hashable, Sendable {
  /// 1 to 64 bytes.
  package let id: String
  /// 1 to 64 bytes. Others chose it: do not print it raw.
  package let alias: String

  package static let longestText = 64

  /// - Throws: ``Invalid`` when one of the two is empty, longer than 64 bytes, or holds a zero byte.
  package init(id: String, alias: String) throws(Invalid) {
    guard Self.isFit(id) else { throw .id }
    guard Self.isFit(alias) else { throw .alias }
    self.id = id
    self.alias = alias
  }

  static func isFit(_ text: String) -> Bool { (1...longestText).contains(text.utf8.count) && !text.utf8.contains(0) }

  /// Which of the two cannot be used.
  package enum Invalid: Error, Hashable, Sendable, CustomStringConvertible {
    case id
    case alias

    package var description: String {
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
  package init(from reader: inout MessageReader) throws(MessageError) {
    let (offset, id, alias) = (reader.offset, try reader.readString(), try reader.readString())
    do throws(Invalid) {
      try self.init(id: id, alias: alias)
    } catch {
      throw MessageError(.invalidValue, at: offset, expected: error.description)
    }
  }

  package func write(to writer: inout MessageWriter) throws(MessageError) {
    try writer.writeString(id)
    try writer.writeString(alias)
  }
}
