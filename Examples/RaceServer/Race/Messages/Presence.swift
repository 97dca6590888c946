public import FramedCoding

/// Whether the player of a racer is connected.
public enum Presence: UInt8, Hashable, Sendable, CaseIterable {
  case here = 0
  /// The player's connection broke; they may come back for a while.
  case away = 1
  /// The player will not come back into this match.
  case left = 2
}

extension Presence: Marshallable {
  public init(from reader: inout MessageReader) throws(MessageError) {
    let (offset, byte) = (reader.offset, try reader.readUInt8())
    guard let presence = Presence(rawValue: byte) else {
      throw MessageError(.invalidValue, at: offset, expected: "a presence, 0 to 2, not \(byte)")
    }
    self = presence
  }

  public func write(to writer: inout MessageWriter) throws(MessageError) { writer.writeUInt8(rawValue) }
}

extension Presence {
  /// The presence as a word, for people and programs.
  public var word: String {
    switch self {
    case .here: "here"
    case .away: "away"
    case .left: "left"
    }
  }
}
