/// How a room is protected, as it is advertised. A hint: only the connection shows the truth.
public enum RoomLock: String, Hashable, Codable, Sendable {
  /// Encrypted; everybody may come in.
  case open
  /// Encrypted; whoever comes in must prove a passcode.
  case passcode
  /// Not encrypted.
  case none
}
