/// The secret that identifies a returning player: the room's ID and 16 random bytes in hexadecimal digits.
///
/// With the ID, a host of many rooms finds the room.
public struct SeatToken: Hashable, Codable, Sendable {
  let text: String

  init(room: RoomID, secret: String) {
    text = "\(room)/\(secret)"
  }

  public init(from decoder: any Decoder) throws {
    text = try String(from: decoder)
  }

  public func encode(to encoder: any Encoder) throws {
    try text.encode(to: encoder)
  }

  /// The room of a token from the network, not yet verified.
  public static func room(of text: String) -> RoomID? {
    text.firstIndex(of: "/").flatMap { RoomID(String(text[..<$0])) }
  }

  /// 16 bytes that cannot be guessed.
  public static func randomSecret() -> String {
    // The system's generator is suitable for secrets.
    var generator = SystemRandomNumberGenerator()
    let digits = (0..<4).map { _ in String(UInt32.random(in: 0...UInt32.max, using: &generator), radix: 16) }
    return digits.map { String(repeating: "0", count: 8 - $0.utf8.count) + $0 }.joined()
  }

  /// Whether a text from the network is this token.
  ///
  /// The time is the same for all texts, so that it does not reveal how much of the text was right.
  func matches(_ other: String) -> Bool {
    guard text.utf8.count == other.utf8.count else { return false }
    return zip(text.utf8, other.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
