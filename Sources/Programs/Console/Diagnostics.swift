import _BonjourishBase

/// Messages for the person who started a program, one line each, on standard error.
public struct Diagnostics: Sendable {
  /// How important a message is.
  public enum Level: Int, Sendable, Comparable, CaseIterable {
    /// The program cannot do what it was asked.
    case error
    /// Something is wrong, and the program goes on.
    case warning
    /// Something happened that the administrator of a service wants to know.
    case notice
    /// Something happened that helps to understand what the program does (`--verbose`).
    case detail

    /// Whether the left level is more important.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }

  private let level: Level
  private let write: @Sendable (Level, String) -> Void

  /// Writes messages to standard error, with the program's name in front; for the system's journal, also with the level.
  ///
  /// - Parameters:
  ///   - program: The program's name.
  ///   - level: The least important level that is written.
  public init(program: String, level: Level = .warning) {
    self.init(program: program, level: level, output: .error, isForJournal: Journal.isConnected)
  }

  init(program: String, level: Level, output: Output, isForJournal: Bool = false) {
    self.init(level: level) { level, message in
      let line = "\(program): \(message)"
      output.line(isForJournal ? Journal.line(line, level) : line)
    }
  }

  /// Passes messages to a closure, for a program that shows them elsewhere.
  ///
  /// - Parameters:
  ///   - level: The least important level that is passed.
  ///   - write: Called with each message, escaped for display, from any thread.
  public init(level: Level, write: @escaping @Sendable (Level, String) -> Void) {
    self.level = level
    self.write = write
  }

  /// Writes a message, escaped for display, if its level is important enough; otherwise `message` is not evaluated.
  public func log(_ level: Level, _ message: @autoclosure () -> String) {
    guard level <= self.level else { return }
    write(level, message().escapedForDisplay)
  }

  /// Writes a message of level ``Level/error``.
  public func error(_ message: @autoclosure () -> String) { log(.error, message()) }
  /// Writes a message of level ``Level/warning``.
  public func warning(_ message: @autoclosure () -> String) { log(.warning, message()) }
  /// Writes a message of level ``Level/notice``.
  public func notice(_ message: @autoclosure () -> String) { log(.notice, message()) }
  /// Writes a message of level ``Level/detail``.
  public func detail(_ message: @autoclosure () -> String) { log(.detail, message()) }
}
