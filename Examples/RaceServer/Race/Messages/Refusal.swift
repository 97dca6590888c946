public import FramedCoding

/// The reason why the server ends a connection: a code for programs, and words for people.
public struct Refusal: Error, Hashable, Sendable {
  public enum Reason: UInt8, Hashable, Sendable, CaseIterable {
    /// The frame cannot be read, or contains no message.
    case malformed = 0
    /// The message is not allowed at this time.
    case outOfOrder = 1
    /// The racer cannot have reached the position.
    case impossible = 2
    /// No match of this server can have this number of players.
    case players = 3
    /// The server is full.
    case full = 4
    /// The player has connected from somewhere else.
    case replaced = 5
    /// The server is closing.
    case closing = 6
  }

  public let reason: Reason
  public let text: String

  public init(_ reason: Reason, _ text: String) {
    self.reason = reason
    self.text = text
  }
}

extension Refusal: CustomStringConvertible {
  public var description: String { text }
}

extension Refusal: Marshallable {
  public init(from reader: inout MessageReader) throws(MessageError) {
    let (offset, byte) = (reader.offset, try reader.readUInt8())
    guard let reason = Reason(rawValue: byte) else {
      throw MessageError(.invalidValue, at: offset, expected: "a reason for a refusal, 0 to 6, not \(byte)")
    }
    self.reason = reason
    text = try reader.readString()
  }

  public func write(to writer: inout MessageWriter) throws(MessageError) {
    writer.writeUInt8(reason.rawValue)
    try writer.writeString(text)
  }
}

extension Refusal.Reason {
  /// The reason as a word, for programs.
  public var word: String {
    switch self {
    case .malformed: "malformed"
    case .outOfOrder: "outOfOrder"
    case .impossible: "impossible"
    case .players: "players"
    case .full: "full"
    case .replaced: "replaced"
    case .closing: "closing"
    }
  }
}
