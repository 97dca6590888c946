import Discovery

/// What a program tells the person who started it, line by line on standard error.
package struct Diagnostics: Sendable {
  package enum Level: Int, Sendable, Comparable, CaseIterable {
    /// The program cannot do what it was asked.
    case error
    /// Something is wrong, and the program goes on.
    case warning
    /// Something happened that helps to understand what the program does (`--verbose`).
    case detail

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }

  private let program: String
  private let level: Level
  private let output: Output

  /// Tells everything up to `level`.
  package init(program: String, level: Level = .warning, output: Output = .error) {
    self.program = program
    self.level = level
    self.output = output
  }

  /// Tells a message, on one line whatever is in it.
  package func log(_ level: Level, _ message: @autoclosure () -> String) {
    guard level <= self.level else { return }
    output.line("\(program): \(message().visible)")
  }

  package func error(_ message: @autoclosure () -> String) { log(.error, message()) }
  package func warning(_ message: @autoclosure () -> String) { log(.warning, message()) }
  package func detail(_ message: @autoclosure () -> String) { log(.detail, message()) }
}
