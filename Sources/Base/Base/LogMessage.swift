/// A message about an internal event, for finding the cause of a problem.
public struct LogMessage: Hashable, Sendable, CustomStringConvertible {
  /// The importance of a message. The names are those of swift-log.
  public enum Level: String, Hashable, Sendable, Comparable, CaseIterable {
    /// A detail.
    case debug
    /// A normal event, such as the start of the daemon.
    case info
    /// A problem.
    case warning

    /// Compares by importance.
    public static func < (one: Self, other: Self) -> Bool { one.rank < other.rank }

    private var rank: Int {
      switch self {
      case .debug: 0
      case .info: 1
      case .warning: 2
      }
    }
  }

  /// The importance.
  public let level: Level
  /// The message in one line, unescaped. It may quote text from the network, so display ``description`` instead.
  public let text: String
  /// What the message is about, unescaped, for filters and searches: `interface`, `family`, `host`, `formerHost`, `backend` and
  /// `error` of discovery, `address`, `peer`, `path` and `error` of the transport, as far as they apply. ``text`` tells all of it, too.
  public let metadata: [String: String]
  private let file: String

  /// - Parameter file: The file of the caller, which begins with its module.
  package init(_ level: Level, _ text: String, _ metadata: [String: String] = [:], in file: String = #fileID) {
    self.level = level
    self.text = text
    self.metadata = metadata
    self.file = file
  }

  /// The part of the library that the message comes from: `Bonjourish`, `AvahiBackend` or `MulticastBackend`, the built-in engine;
  /// `FramedTransport` or `FramedWebSockets`.
  public var source: String {
    let module = file.prefix { $0 != "/" }
    return String(module.hasPrefix("_Bonjourish") ? module.dropFirst(11) : module)
  }

  /// The message for display: characters that control a terminal, reorder text or are invisible are escaped.
  public var description: String { text.escapedForDisplay }
}
