package import Framing

/// Why the server ends a connection: a reason for programs, and words for people.
package struct Refusal: Error, Hashable, Sendable {
  package enum Reason: UInt8, Hashable, Sendable, CaseIterable {
    /// What came is no frame, or no message.
    case malformed = 0
    /// A message came that may not be said at that time.
    case outOfOrder = 1
    /// A racer's position is not one that it can have got to.
    case impossible = 2
    /// No match can have so few or so many players here.
    case players = 3
    /// The server has as many players as it can.
    case full = 4
    /// The player has connected from somewhere else.
    case replaced = 5
    /// The server ends.
    case closing = 6
  }

  package let reason: Reason
  package let text: String

  package init(_ reason: Reason, _ text: String) {
    self.reason = reason
    self.text = text
  }
}

extension Refusal: CustomStringConvertible {
  package var description: String { text }
}

extension Refusal: Marshallable {
  package init(from reader: inout MessageReader) throws(MessageError) {
    let (offset, byte) = (reader.offset, try reader.readUInt8())
    guard let reason = Reason(rawValue: byte) else {
      throw MessageError(.invalidValue, at: offset, expected: "a reason to refuse somebody, 0 to 6, not \(byte)")
    }
    self.reason = reason
    text = try reader.readString()
  }

  package func write(to writer: inout MessageWriter) throws(MessageError) {
    writer.writeUInt8(reason.rawValue)
    try writer.writeString(text)
  }
}

extension Refusal.Reason {
  /// The reason in a word, for programs.
  package var word: String {
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
