import EventLoop
import Glibc

/// The terminal while a program draws on it: keys come one by one, and what was there before is shown again afterwards.
///
/// The terminal is given back when the session ends, by return, throw or cancellation, and when the process ends or stops in any
/// other way (see ``TerminalGuard``). Ctrl-C, Ctrl-\ and Ctrl-Z remain signals.
package final class TerminalSession: Sendable {
  package let appearance: Appearance
  /// The keys that are pressed, and changes of size.
  package let inputs = TerminalInputs()

  private struct Screen {
    var painter: Painter
    /// Whether the terminal is ours: not while the process is stopped.
    var isActive = false
  }

  private let screen: Locked<Screen>
  private let original: termios

  private static let input = STDIN_FILENO
  private static let output = STDOUT_FILENO

  /// Whether standard input and output are a terminal that can be drawn on, and that has us in the foreground.
  package static var isPossible: Bool {
    isatty(input) == 1 && isatty(output) == 1 && tcgetpgrp(input) == getpgrp()
      && Appearance.canBeDrawnOn(type: getenv("TERM").map { String(cString: $0) })
  }

  private init(_ appearance: Appearance, original: termios) {
    self.appearance = appearance
    self.original = original
    screen = Locked(Screen(painter: Painter(appearance)))
  }

  /// Takes the terminal over for as long as a closure runs. There is one session at a time.
  package static func run<Result: Sendable, Failure: Error>(
    _ appearance: Appearance = .current, _ body: (TerminalSession) async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    var original = termios()
    tcgetattr(output, &original)
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

  /// How large the terminal is now; 80 columns and 24 rows if it does not say.
  package var size: TerminalSize {
    var window = winsize()
    guard ioctl(Self.output, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 else { return .standard }
    return TerminalSize(columns: Int(window.ws_col), rows: Int(window.ws_row)).bounded
  }

  /// Shows a picture.
  package func show(_ canvas: Canvas) {
    screen.withLock { screen in
      // While the process dies of a signal other threads go on for a moment.
      guard screen.isActive, TerminalGuard.isArmed else { return }
      let output = screen.painter.paint(canvas)
      if !output.isEmpty { _ = writeAll(Array(output.utf8), to: Self.output) }
    }
  }

  /// Lets the next picture be painted as a whole, because something else wrote to the terminal.
  package func forget() {
    screen.withLock { $0.painter.forget() }
  }

  // MARK: - Coming and going

  private func enter() {
    screen.withLock { screen in
      guard !screen.isActive else { return }
      TerminalGuard.arm(original, descriptor: Self.output)
      var raw = original
      raw.c_iflag &= ~tcflag_t(BRKINT | ICRNL | INLCR | IGNCR | ISTRIP | IXON)
      raw.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON | IEXTEN)
      tcsetattr(Self.output, TCSADRAIN, &raw)
      _ = writeAll(Array(TerminalGuard.entering.utf8), to: Self.output)
      screen.painter.forget()
      screen.isActive = true
    }
    inputs.append(.resized)
  }

  private func leave(_ listener: TerminalListener) async {
    await listener.stop()
    giveBack()
  }

  private func giveBack() {
    screen.withLock { screen in
      screen.isActive = false
      TerminalGuard.restore()
    }
  }

  // MARK: - What the listener hears

  func heard(_ keys: [Key]) {
    for key in keys { inputs.append(.key(key)) }
  }

  func heardResize() {
    inputs.append(.resized)
  }

  func heardEnd() {
    inputs.append(.ended)
  }

  /// Ctrl-Z: stops the process as it would stop without us, with the terminal given back meanwhile. Returns when it goes on.
  func stop(_ stopping: () -> Void) {
    giveBack()
    stopping()
    enter()
  }

  /// The process goes on after it was stopped from outside, and the terminal may have been used meanwhile.
  func heardContinuation() {
    giveBack()
    enter()
  }
}
