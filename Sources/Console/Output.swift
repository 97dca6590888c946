import Glibc
import Terminal

/// Writes lines to a descriptor, each at once and whole.
///
/// Lines from several tasks do not mix. A slow reader holds the writer up. When nobody reads any more, the rest is dropped.
package final class Output: Sendable {
  /// Standard output. When nobody reads it any more, the program is asked to end.
  package static let standard = Output(STDOUT_FILENO) { error in
    guard error != EPIPE else { return Signals.post(.brokenPipe) }
    let program = CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? ""
    Diagnostics(program: program).error("cannot write standard output: \(String(cString: strerror(error)))")
    exit(ExitCode.inputOutput.rawValue)
  }
  /// Standard error. What cannot be written is dropped.
  package static let error = Output(STDERR_FILENO) { _ in }

  private let descriptor: Int32
  private let whenBroken: @Sendable (Int32) -> Void
  private let isOpen = Monitor(true)

  /// Writes to a descriptor, which must stay open; `whenBroken` is called once, with errno, if that is no longer possible.
  package init(_ descriptor: Int32, whenBroken: @escaping @Sendable (Int32) -> Void) {
    self.descriptor = descriptor
    self.whenBroken = whenBroken
  }

  /// Whether a person sees what is written, rather than a file or another program.
  package var isTerminal: Bool { isatty(descriptor) == 1 }

  /// Writes a line. The text is written as it is: what comes from the network is made `visible` before.
  package func line(_ text: String) {
    let failure: Int32? = isOpen.withLock { isOpen in
      guard isOpen, let failure = writeAll(Array((text + "\n").utf8), to: descriptor) else { return nil }
      isOpen = false
      return failure
    }
    if let failure { whenBroken(failure) }
  }

  /// Writes a value as one line of JSON.
  package func json(_ value: some Encodable) {
    line(JSONLine.text(of: value))
  }
}
