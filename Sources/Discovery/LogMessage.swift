/// Something that happened inside, of interest to whoever looks for the cause of a problem.
public struct LogMessage: Hashable, Sendable, CustomStringConvertible {
  public enum Level: Int, Hashable, Sendable, Comparable {
    case debug, info, warning

    public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
  }

  public let level: Level
  /// One line. It may hold names from the network: do not print it raw.
  public let text: String

  package init(_ level: Level, _ text: String) {
    self.level = level
    self.text = text
  }

  public var description: String { text }
}
