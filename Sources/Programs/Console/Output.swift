import CBonjourishLinux
import _BonjourishEventLoop
import _BonjourishTerminal

/// Writes lines to a descriptor, each immediately and in one piece.
///
/// Lines from several tasks do not mix. A slow reader blocks the writer, until the program is asked to end: then a reader that does not
/// read for half a second is not waited for. After a failed write, further lines are dropped.
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
  private let end: StopMark
  /// Whether it is a terminal whose encoding is not UTF-8.
  private let showsOnlyASCII: Bool

  /// Set when the program is asked to end.
  static let endOfProgram = StopMark()

  /// How long a reader is waited for from then on, in milliseconds.
  private static let lastWait: CInt = 500

  /// Writes to a descriptor, which must stay open. `whenBroken` is called once, when a write fails.
  init(
    _ descriptor: Int32, until end: StopMark = Output.endOfProgram, appearance: Appearance = .current,
    whenBroken: @escaping @Sendable (SystemError) -> Void
  ) {
    self.descriptor = descriptor
    self.end = end
    self.whenBroken = whenBroken
    showsOnlyASCII = isatty(descriptor) == 1 && !appearance.isUnicode
  }

  /// Whether the output is a terminal, not a file or a pipe.
  public var isTerminal: Bool { isatty(descriptor) == 1 }

  /// Writes a line. The text is not escaped: use `escapedForDisplay` for text from the network. A terminal whose encoding is not UTF-8
  /// gets ASCII only.
  public func line(_ text: String) {
    // The lock is held while writing, so that lines do not mix.
    let failure: SystemError? = isOpen.withLock { isOpen in
      guard isOpen else { return nil }
      do throws(SystemError) {
        isOpen = try write(Array(((showsOnlyASCII ? text.escapedForASCII : text) + "\n").utf8))
        return nil
      } catch {
        isOpen = false
        return error
      }
    }
    if let failure { whenBroken(failure) }
  }

  /// Writes bytes, and returns whether all of them were taken.
  private func write(_ bytes: [UInt8]) throws(SystemError) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      guard try isTaken() else { return false }
      // A pipe to which anything can be written takes this much without blocking (pipe(7)).
      try writeAll(Array(rest.prefix(Int(PIPE_BUF))), to: descriptor)
      rest = rest.dropFirst(Int(PIPE_BUF))
    }
    return true
  }

  /// Waits until the reader takes more; returns false if it does not, and the program is to end.
  private func isTaken() throws(SystemError) -> Bool {
    var requests = [
      pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0), pollfd(fd: end.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    try systemCall("poll") { poll(&requests, 2, -1) }
    if requests[0].revents != 0 { return true }
    return try systemCall("poll") { poll(&requests, 1, Self.lastWait) } > 0
  }
}
