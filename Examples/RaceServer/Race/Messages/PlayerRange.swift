public import FramedCoding

/// The number of players that a match may have.
public struct PlayerRange: Hashable, Sendable {
  public let minimum: Int
  public let maximum: Int

  /// The largest number of players in any match.
  public static let limit = 16

  /// The default: 2 to 16.
  public static let any = PlayerRange(unchecked: 2, limit)

  /// - Returns: `nil` unless 1 ≤ `minimum` ≤ `maximum` ≤ 16.
  public init?(_ minimum: Int, _ maximum: Int) {
    guard 1 <= minimum, minimum <= maximum, maximum <= Self.limit else { return nil }
    self.init(unchecked: minimum, maximum)
  }

  /// Parses `MIN:MAX`; returns `nil` for any other text.
  public init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let minimum = Int(parts[0]), let maximum = Int(parts[1]) else { return nil }
    self.init(minimum, maximum)
  }

  private init(unchecked minimum: Int, _ maximum: Int) {
    self.minimum = minimum
    self.maximum = maximum
  }

  func contains(_ count: Int) -> Bool { (minimum...maximum).contains(count) }

  /// The numbers that both ranges allow; `nil` if there are none.
  func narrowed(to other: PlayerRange) -> PlayerRange? {
    PlayerRange(max(minimum, other.minimum), min(maximum, other.maximum))
  }
}

extension PlayerRange: CustomStringConvertible {
  public var description: String { "\(minimum):\(maximum)" }
}

extension PlayerRange: Marshallable {
  public init(from reader: inout MessageReader) throws(MessageError) {
    let offset = reader.offset
    let (minimum, maximum) = (Int(try reader.readInt32()), Int(try reader.readInt32()))
    guard let range = PlayerRange(minimum, maximum) else {
      throw MessageError(
        .invalidValue, at: offset,
        expected: "a minimum and a maximum from 1 to \(PlayerRange.limit), not \(minimum) and \(maximum)")
    }
    self = range
  }

  public func write(to writer: inout MessageWriter) throws(MessageError) {
    writer.writeInt32(Int32(minimum))
    writer.writeInt32(Int32(maximum))
  }
}
