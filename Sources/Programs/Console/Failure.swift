/// Why a program cannot go on: one line for the person who started it, and the exit code.
public struct Failure: Error, Equatable, CustomStringConvertible {
  /// The exit code of the process.
  public let code: ExitCode
  /// What was tried, why it failed and what to do, without the program's name; empty if that has been told already.
  public let message: String

  /// Makes a failure; `message` says what was tried, why it failed and what to do, or is empty if that has been told already.
  public init(_ code: ExitCode, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The message.
  public var description: String { message }
}
