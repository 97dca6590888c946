/// Why a program gives up: one line for the person who started it, and the exit code.
package struct Failure: Error, Equatable, CustomStringConvertible {
  package let code: ExitCode
  /// What was tried, why it failed and what to do, without the program's name.
  package let message: String

  package init(_ code: ExitCode, _ message: String) {
    self.code = code
    self.message = message
  }

  package var description: String { message }
}
