import CLinux
import EventLoop
import Terminal

/// Writes lines to a descriptor, each immediately and in one piece.
///
/// Lines from several tasks do not mix. A slow reader blocks the writer. After a failed write, further lines are dropped.
public final class Output: Sendable {
  /// Standard output. When its reader is gone (EPIPE), the program is asked to end. After any other write error, the process
  /// exits with ``ExitCode/inputOutput``.
  public static let standard = Output(STDOUT_FILENO) { error in
    guard error.errno != EPIPE else { return ProgramSignals.post(.brokenPipe) }
    let program = CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? ""
    Diagnostics(program: program).error("cannot write standard output: \(error.reason)")
    exit(ExitCode.inputOutput.rawValue)
  }

  /// Standard error. Lines that cannot be written are dropped.
  public static let error = Output(STDERR_FILENO) { _ in }

  private let descriptor: Int32
  private let whenBroken: @Sendable (SystemError) -> Void
  private let isOpen = Locked(true)

  /// Writes to a descriptor, which must stay open. `whenBroken` is called once, when a write fails.
  init(_ descriptor: Int32, whenBroken: @escaping @Sendable (SystemError) -> Void) {
    self.descriptor = descriptor
    self.whenBroken = whenBroken
  }

  /// Whether the output is a terminal, not a file or a pipe.
  public var isTerminal: Bool { isatty(descriptor) == 1 }

  /// Writes a line. The text is not escaped: use `escapedForDisplay` for text from the network.
  public func line(_ text: String) {
    // The lock is held while writing, so that lines do not mix.
    let failure: SystemError? = isOpen.withLock { isOpen in
      guard isOpen else { return nil }
      do throws(SystemError) {
        try writeAll(Array((text + "\n").utf8), to: descriptor)
        return nil
      } catch {
        isOpen = false
        return error
      }
    }
    if let failure { whenBroken(failure) }
  }

  /// Writes a value as one line of JSON (see ``JSONLine``).
  public func json(_ value: some Encodable) {
    line(JSONLine.text(of: value))
  }
}
