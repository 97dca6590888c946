/// How the strings of a message are laid out.
public enum StringLayout: Hashable, Sendable, CaseIterable {
  /// The number of UTF-8 bytes as `Int32`, then these bytes.
  case lengthPrefixed
  /// The number of UTF-8 bytes and one more as `Int32`, then these bytes, then a zero byte.
  case zeroTerminated

  /// How many bytes there are after those of the string itself.
  var terminatorSize: Int {
    switch self {
    case .lengthPrefixed: 0
    case .zeroTerminated: 1
    }
  }
}
