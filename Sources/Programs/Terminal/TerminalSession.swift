import CBonjourishLinux
import _BonjourishEventLoop

/// A terminal session: the program draws on the terminal and reads its keys one by one.
///
/// The terminal's former contents and settings are restored when the session ends by return, throw or cancellation, and when
/// the process ends or stops in any other way except SIGKILL. Ctrl-C, Ctrl-\ and Ctrl-Z remain signals.
public final class TerminalSession: Sendable {
  /// What the terminal can show.
  public let appearance: Appearance
  /// The pressed keys and the changes of size.
  public let inputs = TerminalInputs()

  private struct Screen {
    var painter: Painter
    /// Whether the program draws on the terminal: not while the process is stopped.
    var isActive = false
    /// Whether the session has ended; a signal may still come in.
    var hasEnded = false
  }

  private let screen: Locked<Screen>
  private let original: termios

  private static let input = STDIN_FILENO
  private static let output = STDOUT_FILENO

  /// Whether standard input and output are a terminal that can be drawn on, and this process is in its foreground.
  public static var isPossible: Bool {
    isatty(input) == 1 && isatty(output) == 1 && tcgetpgrp(input) == getpgrp()
      && Appearance.canBeDrawnOn(type: getenv("TERM").map { String(cString: $0) })
  }

  private init(_ appearance: Appearance, original: termios) {
    self.appearance = appearance
    self.original = original
    screen = Locked(Screen(painter: Painter(appearance)))
  }

  /// Takes over the terminal of standard input and output while a closure runs. Only one session may exist at a time.
  ///
  /// - Parameters:
  ///   - appearance: What the terminal can show; by default, according to the environment.
  ///   - body: Draws on the session and reads its keys.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws.
  public static func run<Result: Sendable, Failure: Error>(
    _ appearance: Appearance = .current, _ body: (TerminalSession) async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    var original = termios()
    // If this fails, there is no terminal and nothing to restore.
    _ = try? systemCall("tcgetattr") { tcgetattr(output, &original) }
    let session = TerminalSession(appearance, original: original)
    session.enter()
    let listener = TerminalListener(session)
    do throws(Failure) {
      let result = try await body(session)
      await session.leave(listener)
      return result
    } catch {
      await session.leave(listener)
      throw error
    }
  }

  /// The terminal's present size; 80 columns and 24 rows if the terminal does not report one.
  public var size: TerminalSize {
    var window = winsize()
    _ = try? systemCall("ioctl") { linux_ioctl(Self.output, UInt(TIOCGWINSZ), &window) }
    guard window.ws_col > 0, window.ws_row > 0 else { return .standard }
    return TerminalSize(columns: Int(window.ws_col), rows: Int(window.ws_row)).bounded
  }

  /// Shows a canvas; returns when the output has been written.
  public func show(_ canvas: Canvas) {
    screen.withLock { screen in
      // While a signal ends the process, other threads still run for a moment.
      guard screen.isActive, TerminalGuard.isArmed else { return }
      let output = screen.painter.paint(canvas)
      // If the terminal is gone, the program learns it from `TerminalInput.ended`.
      if !output.isEmpty { try? writeAll(Array(output.utf8), to: Self.output) }
    }
  }

  /// Makes the next canvas be painted as a whole, because something else wrote to the terminal.
  public func forget() {
    screen.withLock { $0.painter.forget() }
  }

  // MARK: - Entering and leaving

  private func enter() {
    screen.withLock { screen in
      guard !screen.isActive, !screen.hasEnded else { return }
      TerminalGuard.arm(original, descriptor: Self.output)
      var raw = original
      raw.c_iflag &= ~tcflag_t(BRKINT | ICRNL | INLCR | IGNCR | ISTRIP | IXON)
      raw.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON | IEXTEN)
      _ = try? systemCall("tcsetattr") { tcsetattr(Self.output, TCSADRAIN, &raw) }
      try? writeAll(Array(TerminalGuard.entering.utf8), to: Self.output)
      screen.painter.forget()
      screen.isActive = true
    }
    inputs.append(.resized)
  }

  private func leave(_ listener: TerminalListener) async {
    await listener.stop()
    screen.withLock { $0.hasEnded = true }
    restore()
  }

  private func restore() {
    screen.withLock { screen in
      screen.isActive = false
      TerminalGuard.restore()
    }
  }

  // MARK: - Events of the listener

  func heard(_ keys: [Key]) {
    for key in keys { inputs.append(.key(key)) }
  }

  func heardResize() {
    inputs.append(.resized)
  }

  func heardEnd() {
    inputs.append(.ended)
  }

  /// Ctrl-Z: restores the terminal, stops the process by calling `stopping`, and returns when the process continues.
  func stop(_ stopping: () -> Void) {
    restore()
    stopping()
    enter()
  }

  /// The process continues after a stop from outside: another program may have used the terminal meanwhile.
  func heardContinuation() {
    restore()
    enter()
  }
}
