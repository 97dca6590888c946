import FoundationEssentials

/// Identifies a room, independent of its name: a UUID (RFC 9562) in lower case.
public struct RoomID: Hashable, Sendable {
  /// The UUID as text: 36 characters.
  public let text: String

  /// Makes a unique ID.
  public init() {
    text = UUID().uuidString.lowercased()
  }

  /// Parses an ID; returns `nil` if the text is not a UUID.
  public init?(_ text: String) {
    guard text.utf8.count == 36, let uuid = UUID(uuidString: text) else { return nil }
    self.text = uuid.uuidString.lowercased()
  }
}

extension RoomID: Codable {
  public init(from decoder: any Decoder) throws {
    guard let room = RoomID(try String(from: decoder)) else {
      throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "a UUID"))
    }
    self = room
  }

  public func encode(to encoder: any Encoder) throws { try text.encode(to: encoder) }
}

extension RoomID: CustomStringConvertible {
  public var description: String { text }
}
