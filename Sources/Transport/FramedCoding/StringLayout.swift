/// The layout of the strings in a message.
public enum StringLayout: Hashable, Sendable, CaseIterable {
  /// The number of UTF-8 bytes as `Int32`, then these bytes.
  case lengthPrefixed
  /// The number of UTF-8 bytes plus one as `Int32`, then these bytes, then a zero byte.
  case zeroTerminated

  /// The number of bytes after those of the string itself.
  var terminatorSize: Int {
    switch self {
    case .lengthPrefixed: 0
    case .zeroTerminated: 1
    }
  }
}
