package import Framing

/// How many players a match may have.
package struct PlayerRange: Hashable, Sendable {
  package let minimum: Int
  package let maximum: Int

  /// The most players that any match has.
  package static let limit = 16

  /// All that there may be: 2 to 16.
  package static let any = PlayerRange(unchecked: 2, limit)

  /// - Returns: `nil` unless 1 ≤ `minimum` ≤ `maximum` ≤ 16.
  package init?(_ minimum: Int, _ maximum: Int) {
    guard 1 <= minimum, minimum <= maximum, maximum <= Self.limit else { return nil }
    self.init(unchecked: minimum, maximum)
  }

  /// Reads `MIN:MAX`, as people write it on a command line.
  package init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let minimum = Int(parts[0]), let maximum = Int(parts[1]) else { return nil }
    self.init(minimum, maximum)
  }

  private init(unchecked minimum: Int, _ maximum: Int) {
    self.minimum = minimum
    self.maximum = maximum
  }

  func contains(_ count: Int) -> Bool { (minimum...maximum).contains(count) }

  /// What both allow; `nil` when there is nothing.
  func narrowed(to other: PlayerRange) -> PlayerRange? {
    PlayerRange(max(minimum, other.minimum), min(maximum, other.maximum))
  }
}

extension PlayerRange: CustomStringConvertible {
  package var description: String { "\(minimum):\(maximum)" }
}

extension PlayerRange: Marshallable {
  package init(from reader: inout MessageReader) throws(MessageError) {
    let offset = reader.offset
    let (minimum, maximum) = (Int(try reader.readInt32()), Int(try reader.readInt32()))
    guard let range = PlayerRange(minimum, maximum) else {
      throw MessageError(
        .invalidValue, at: offset,
        expected: "a minimum and a maximum from 1 to \(PlayerRange.limit), not \(minimum) and \(maximum)")
    }
    self = range
  }

  package func write(to writer: inout MessageWriter) throws(MessageError) {
    writer.writeInt32(Int32(minimum))
    writer.writeInt32(Int32(maximum))
  }
}
