import Discovery

/// What a program tells the person who started it, line by line on standard error.
package struct Diagnostics: Sendable {
  package enum Level: Int, Sendable, Comparable, CaseIterable {
    /// The program cannot do what it was asked.
    case error
    /// Something is wrong, and the program goes on.
    case warning
    /// Something happened that whoever runs a service wants to know.
    case notice
    /// Something happened that helps to understand what the program does (`--verbose`).
    case detail

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }

  private let level: Level
  private let tell: @Sendable (Level, String) -> Void

  /// Tells everything up to `level`, in lines that say who tells it; to the journal, with what each line's level is there.
  package init(program: String, level: Level = .warning, output: Output = .error, isForJournal: Bool = Journal.isConnected) {
    self.init(level: level) { level, message in
      let line = "\(program): \(message)"
      output.line(isForJournal ? Journal.line(line, level) : line)
    }
  }

  /// Hands everything up to `level` to a closure, made visible, for a program that has another place for it.
  package init(level: Level, tell: @escaping @Sendable (Level, String) -> Void) {
    self.level = level
    self.tell = tell
  }

  /// Tells a message, on one line whatever is in it.
  package func log(_ level: Level, _ message: @autoclosure () -> String) {
    guard level <= self.level else { return }
    tell(level, message().visible)
  }

  package func error(_ message: @autoclosure () -> String) { log(.error, message()) }
  package func warning(_ message: @autoclosure () -> String) { log(.warning, message()) }
  package func notice(_ message: @autoclosure () -> String) { log(.notice, message()) }
  package func detail(_ message: @autoclosure () -> String) { log(.detail, message()) }
}
