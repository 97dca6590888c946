import CBonjourishLinux
import Testing

@testable import _BonjourishTerminal

/// Each test is a process of its own, whose standard input and output are a terminal.
@Suite(.timeLimit(.minutes(1)))
struct TerminalSessionTests {
  @Test func `keys come one by one, pictures are shown, and the terminal is restored`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      let terminal = PseudoTerminal()
      let before = terminal.flags
      let keys = await TerminalSession.run(Appearance()) { session in
        guard terminal.flags != before else { exit(1) }
        var canvas = Canvas(session.size)
        canvas.write("Hello", row: 0, column: 0)
        session.show(canvas)
        terminal.type("a\u{1B}[Aé\u{1B}")
        var keys: [Key] = []
        for await case .key(let key) in session.inputs.compactKeys {
          keys.append(key)
          if key == .escape { break }
        }
        return keys
      }
      guard keys == [.text("a"), .up, .text("é"), .escape] else { exit(2) }
      guard terminal.flags == before else { exit(3) }
      let shown = terminal.shown
      guard shown.hasPrefix(TerminalGuard.entering), shown.contains("Hello"), shown.hasSuffix("\u{1B}[?1049l") else { exit(4) }
      exit(7)
    }
  }

  @Test func `the terminal is restored after an error, and after cancellation`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      struct Oops: Error {}
      let terminal = PseudoTerminal()
      let before = terminal.flags
      do {
        try await TerminalSession.run(Appearance()) { _ in if terminal.flags != before { throw Oops() } }
        exit(1)
      } catch {
        guard error is Oops, terminal.flags == before else { exit(2) }
      }
      let task = Task { await TerminalSession.run(Appearance()) { session in for await _ in session.inputs {} } }
      while terminal.flags == before { await Task.yield() }
      task.cancel()
      await task.value
      exit(terminal.flags == before ? 7 : 3)
    }
  }

  @Test func `the terminal is restored when the process exits`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      // Runs after the guard's own handler.
      atexit {
        var now = termios()
        tcgetattr(STDOUT_FILENO, &now)
        _exit(now.c_lflag & tcflag_t(ECHO) != 0 ? 7 : 1)
      }
      let terminal = PseudoTerminal()
      let before = terminal.flags
      await TerminalSession.run(Appearance()) { _ in if terminal.flags != before { exit(0) } }
      exit(2)
    }
  }

  @Test func `the terminal is restored before a fault is handled as usual`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      signal(SIGSEGV) { _ in
        var now = termios()
        tcgetattr(STDOUT_FILENO, &now)
        _exit(now.c_lflag & tcflag_t(ECHO) != 0 ? 7 : 1)
      }
      let terminal = PseudoTerminal()
      let before = terminal.flags
      await TerminalSession.run(Appearance()) { _ in
        guard terminal.flags != before, let nowhere = UnsafeMutablePointer<Int>(bitPattern: 8) else { exit(2) }
        nowhere.pointee = 24
      }
      exit(3)
    }
  }

  @Test func `a signal that ends the process still ends it`() async {
    await #expect(processExitsWith: .signal(SIGABRT)) {
      _ = PseudoTerminal()
      await TerminalSession.run(Appearance()) { _ in
        kill(getpid(), SIGABRT)
        while true { pause() }
      }
    }
  }

  @Test func `a terminal that goes away ends the keys`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      let terminal = PseudoTerminal()
      await TerminalSession.run(Appearance()) { session in
        terminal.hangUp()
        for await input in session.inputs where input == .ended { exit(7) }
      }
      exit(1)
    }
  }
}

extension TerminalInputs {
  /// Only the keys.
  fileprivate var compactKeys: some AsyncSequence<TerminalInput, Never> {
    filter { if case .key = $0 { true } else { false } }
  }
}

/// A pseudo-terminal whose keyboard is the test.
private struct PseudoTerminal {
  private let keyboard: Int32

  init() {
    linux_ignore_signal(SIGHUP)
    keyboard = linux_open("/dev/ptmx", O_RDWR | O_NOCTTY, 0)
    // TIOCSPTLCK unlocks the other side, TIOCGPTPEER opens it: ioctl_tty(2).
    var isLocked: Int32 = 0
    guard keyboard >= 0, linux_ioctl(keyboard, 0x4004_5431, &isLocked) == 0 else { exit(90) }
    let terminal = linux_ioctl(keyboard, 0x5441, UnsafeMutableRawPointer(bitPattern: Int(O_RDWR | O_NOCTTY)))
    guard terminal >= 0, dup2(terminal, STDIN_FILENO) >= 0, dup2(terminal, STDOUT_FILENO) >= 0 else { exit(91) }
    close(terminal)
  }

  var flags: tcflag_t {
    var now = termios()
    tcgetattr(STDOUT_FILENO, &now)
    return now.c_lflag
  }

  func type(_ text: String) {
    try? writeAll(Array(text.utf8), to: keyboard)
  }

  /// What was written to it so far.
  var shown: String {
    var bytes: [UInt8] = []
    var request = pollfd(fd: keyboard, events: Int16(POLLIN), revents: 0)
    while poll(&request, 1, 0) > 0 {
      var buffer = [UInt8](repeating: 0, count: 4_096)
      let count = read(keyboard, &buffer, buffer.count)
      bytes += buffer.prefix(max(0, count))
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  func hangUp() {
    close(keyboard)
  }
}
