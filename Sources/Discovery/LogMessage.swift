/// Something that happened inside, of interest to whoever looks for the cause of a problem.
public struct LogMessage: Hashable, Sendable, CustomStringConvertible {
  public enum Level: Int, Hashable, Sendable, Comparable {
    case debug, info, warning

    public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
  }

  public let level: Level
  /// One line. It may quote the network: to people show the message's ``description``.
  public let text: String

  package init(_ level: Level, _ text: String) {
    self.level = level
    self.text = text
  }

  /// The text with everything escaped that would control a terminal, reorder a line or not show.
  public var description: String { text.visible }
}
