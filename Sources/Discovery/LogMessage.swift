import Escaping

/// A message about an internal event, for finding the cause of a problem.
public struct LogMessage: Hashable, Sendable, CustomStringConvertible {
  /// The importance of a message.
  public enum Level: Int, Hashable, Sendable, Comparable {
    /// A detail.
    case debug
    /// A normal event, such as the start of the daemon.
    case info
    /// A problem.
    case warning

    /// Compares by importance.
    public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
  }

  /// The importance.
  public let level: Level
  /// The message in one line, unescaped. It may quote text from the network, so display ``description`` instead.
  public let text: String

  package init(_ level: Level, _ text: String) {
    self.level = level
    self.text = text
  }

  /// The message for display: characters that control a terminal, reorder text or are invisible are escaped.
  public var description: String { text.escapedForDisplay }
}
