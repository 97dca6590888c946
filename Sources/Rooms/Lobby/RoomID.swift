import FoundationEssentials

/// Tells rooms apart, whatever they are called: a UUID (RFC 9562), written in lower case.
public struct RoomID: Hashable, Sendable {
  /// The UUID as text: 36 characters.
  public let text: String

  /// Makes an ID that no other room has.
  public init() {
    text = UUID().uuidString.lowercased()
  }

  /// Reads an ID; `nil` when the text is not a UUID.
  public init?(_ text: String) {
    guard text.utf8.count == 36, let uuid = UUID(uuidString: text) else { return nil }
    self.text = uuid.uuidString.lowercased()
  }
}

extension RoomID: CustomStringConvertible {
  public var description: String { text }
}
