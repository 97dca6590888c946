package import Framing

/// Whether a racer's player is there.
package enum Presence: UInt8, Hashable, Sendable, CaseIterable {
  case here = 0
  /// His connection broke, and he may come back for a while.
  case away = 1
  /// He will not come back into this match.
  case left = 2
}

extension Presence: Marshallable {
  package init(from reader: inout MessageReader) throws(MessageError) {
    let (offset, byte) = (reader.offset, try reader.readUInt8())
    guard let presence = Presence(rawValue: byte) else {
      throw MessageError(.invalidValue, at: offset, expected: "a presence, 0 to 2, not \(byte)")
    }
    self = presence
  }

  package func write(to writer: inout MessageWriter) throws(MessageError) { writer.writeUInt8(rawValue) }
}

extension Presence {
  /// The presence in a word, for people and programs.
  package var word: String {
    switch self {
    case .here: "here"
    case .away: "away"
    case .left: "left"
    }
  }
}
