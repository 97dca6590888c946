import CBonjourishLinux
import _BonjourishBase
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
    /// Whether the mouse is reported.
    var reportsMouse = false
  }

  private let screen: Locked<Screen>
  private let original: termios
  /// Reads the keys; nil while the terminal is lent, and at the end.
  private let listener = Locked<TerminalListener?>(nil)

  private static let input = STDIN_FILENO
  private static let output = STDOUT_FILENO

  /// Whether standard input and output are a terminal that can be drawn on, and this process is in its foreground.
  public static var isPossible: Bool { isInForeground && Appearance.canBeDrawnOn(type: type) }

  /// Whether ``isPossible`` is false only because the terminal cannot move its cursor, as far as `TERM` tells.
  public static var hasLinesOnly: Bool { isInForeground && !Appearance.canBeDrawnOn(type: type) }

  private static var isInForeground: Bool { isatty(input) == 1 && isatty(output) == 1 && tcgetpgrp(input) == getpgrp() }

  private static var type: String? { getenv("TERM").map { String(cString: $0) } }

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
    session.listener.withLock { $0 = TerminalListener(session) }
    do throws(Failure) {
      let result = try await body(session)
      await session.leave()
      return result
    } catch {
      await session.leave()
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

  /// Has the mouse reported, as ``Key/mouse(_:)``, or not. While it is, terminals select text with the mouse if Shift is held.
  public func reportMouse(_ isWanted: Bool) {
    screen.withLock { screen in
      guard screen.reportsMouse != isWanted else { return }
      screen.reportsMouse = isWanted
      guard screen.isActive, TerminalGuard.isArmed else { return }
      let modes = isWanted ? TerminalGuard.reportingMouse : TerminalGuard.ignoringMouse
      try? writeAll(Array(modes.utf8), to: Self.output)
    }
  }

  /// Puts a text into the clipboard of the terminal (OSC 52), also where this process runs on another machine.
  ///
  /// - Parameter text: The text, at most 65,536 bytes.
  /// - Returns: Whether the terminal was asked to; whether it obeys, it does not tell.
  public func copy(_ text: String) -> Bool {
    guard appearance.knowsCommands, text.utf8.count <= Self.longestCopy else { return false }
    return screen.withLock { screen in
      guard screen.isActive, TerminalGuard.isArmed else { return false }
      let command = "\u{1B}]52;c;\(Base64.text(of: Array(text.utf8)))\u{1B}\\"
      return (try? writeAll(Array(command.utf8), to: Self.output)) != nil
    }
  }

  private static let longestCopy = 65_536

  /// Gives the terminal, as it was before the session, to something else while a closure runs: nothing is drawn and no key is read.
  ///
  /// - Parameter body: What uses the terminal meanwhile, such as another program.
  /// - Returns: What `body` returns.
  public func lend<Result: Sendable>(_ body: () async -> Result) async -> Result {
    await takeListener()?.stop()
    restore()
    let result = await body()
    enter()
    listener.withLock { $0 = TerminalListener(self) }
    return result
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
      let modes = TerminalGuard.entering + (screen.reportsMouse ? TerminalGuard.reportingMouse : "")
      try? writeAll(Array(modes.utf8), to: Self.output)
      screen.painter.forget()
      screen.isActive = true
    }
    inputs.append(.resized)
  }

  private func takeListener() -> TerminalListener? {
    listener.withLock { listener in
      defer { listener = nil }
      return listener
    }
  }

  private func leave() async {
    await takeListener()?.stop()
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
