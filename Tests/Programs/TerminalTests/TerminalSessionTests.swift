import CBonjourishLinux
import TestSupport
import Testing

@testable import _BonjourishTerminal

/// Each test is a process of its own, whose standard input and output are a terminal.
@Suite(.timeLimit(.minutes(1)))
struct TerminalSessionTests {
  @Test func `keys come one by one, pictures are shown, and the terminal is restored`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      let terminal = PseudoTerminal.standard()
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
      let shown = terminal.shown(with: "\u{1B}[?1049l")
      guard shown.hasPrefix(TerminalGuard.entering), shown.contains("Hello"), shown.hasSuffix("\u{1B}[?1049l") else { exit(4) }
      exit(7)
    }
  }

  @Test func `a terminal that tells no size has that of all terminals`() async {
    await #expect(processExitsWith: .success) {
      let terminal = PseudoTerminal.standard()
      let size = await TerminalSession.run(Appearance()) { $0.size }
      #expect(size == TerminalSize(columns: 80, rows: 24))
      withExtendedLifetime(terminal) {}
    }
  }

  @Test func `keys come as they are typed, and those that are signals stay signals`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      let terminal = PseudoTerminal.standard()
      let before = terminal.inputFlags
      // Otherwise Enter would be Ctrl-J, and Ctrl-S would stop the output.
      let translating = tcflag_t(ICRNL | INLCR | IGNCR | ISTRIP | IXON | BRKINT)
      guard before & tcflag_t(ICRNL | IXON) == tcflag_t(ICRNL | IXON) else { exit(1) }
      await TerminalSession.run(Appearance()) { _ in
        guard terminal.inputFlags & translating == 0 else { exit(2) }
        guard terminal.flags & tcflag_t(ECHO | ECHONL | ICANON | IEXTEN) == 0 else { exit(3) }
        guard terminal.flags & tcflag_t(ISIG) != 0 else { exit(4) }
      }
      exit(terminal.inputFlags == before ? 7 : 5)
    }
  }

  @Test func `the terminal is the shell's while the process is stopped, and is painted anew afterwards`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      let terminal = PseudoTerminal.standard()
      let (before, leaving) = (terminal.flags, "\u{1B}[?1049l")
      await TerminalSession.run(Appearance()) { session in
        var canvas = Canvas(session.size)
        canvas.write("Hello", row: 0, column: 0)
        session.show(canvas)
        guard terminal.shown(with: "Hello").contains("Hello") else { exit(1) }
        // The same picture needs nothing.
        session.show(canvas)
        session.stop {
          guard terminal.flags == before else { exit(2) }
          let last = terminal.shown(with: leaving)
          guard last.hasSuffix(leaving), !last.contains("Hello") else { exit(3) }
          session.show(canvas)
        }
        guard terminal.flags != before else { exit(4) }
        guard terminal.shown(with: TerminalGuard.entering).hasPrefix(TerminalGuard.entering) else { exit(5) }
        session.show(canvas)
        guard terminal.shown(with: "Hello").contains("Hello") else { exit(6) }
        // Another program may have used the terminal.
        session.heardContinuation()
        guard terminal.flags != before else { exit(8) }
        guard terminal.shown(with: TerminalGuard.entering).contains(TerminalGuard.entering) else { exit(9) }
        session.show(canvas)
        guard terminal.shown(with: "Hello").contains("Hello") else { exit(10) }
        session.forget()
        session.show(canvas)
        guard terminal.shown(with: "Hello").contains("Hello") else { exit(12) }
      }
      exit(terminal.flags == before ? 7 : 11)
    }
  }

  @Test func `the mouse is reported while that is wanted, also after a stop, and never after the session`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      let terminal = PseudoTerminal.standard()
      let (on, off) = (TerminalGuard.reportingMouse, TerminalGuard.ignoringMouse)
      await TerminalSession.run(Appearance()) { session in
        session.reportMouse(true)
        guard terminal.shown(with: on).hasSuffix(on) else { exit(1) }
        terminal.type("\u{1B}[<0;3;2M")
        for await input in session.inputs {
          if case .key(let key) = input {
            guard key == .mouse(Mouse(.press, at: .init(row: 1, column: 2))) else { exit(2) }
            break
          }
        }
        session.stop {
          guard terminal.shown(with: "\u{1B}[?1049l").contains(off) else { exit(3) }
        }
        guard terminal.shown(with: on).hasSuffix(on) else { exit(4) }
        session.reportMouse(false)
        guard terminal.shown(with: off).hasSuffix(off) else { exit(5) }
        session.reportMouse(true)
        guard terminal.shown(with: on).hasSuffix(on) else { exit(6) }
      }
      exit(terminal.shown(with: "\u{1B}[?1049l").contains(off) ? 7 : 8)
    }
  }

  @Test func `the terminal is lent as it was, its keys are not read meanwhile, and a text is copied`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      let terminal = PseudoTerminal.standard()
      let before = terminal.flags
      await TerminalSession.run(Appearance()) { session in
        let answer = await session.lend {
          guard terminal.flags == before, terminal.shown(with: "\u{1B}[?1049l").hasSuffix("\u{1B}[?1049l") else { exit(1) }
          guard !session.copy("no") else { exit(2) }
          terminal.type("for another\n")
          var text = [UInt8](repeating: 0, count: 64)
          return read(STDIN_FILENO, &text, text.count)
        }
        guard answer == 12, terminal.flags != before else { exit(3) }
        guard terminal.shown(with: TerminalGuard.entering).hasSuffix(TerminalGuard.entering) else { exit(4) }
        terminal.type("k")
        for await input in session.inputs where input != .resized {
          guard input == .key(.text("k")) else { exit(5) }
          break
        }
        guard session.copy("Ada's €"), !session.copy(String(repeating: "x", count: 65_537)) else { exit(6) }
        let command = "\u{1B}]52;c;QWRhJ3Mg4oKs\u{1B}\\"
        guard terminal.shown(with: command).hasSuffix(command) else { exit(8) }
      }
      exit(terminal.flags == before ? 7 : 9)
    }
  }

  @Test func `the terminal is restored after an error, and after cancellation`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      struct Oops: Error {}
      let terminal = PseudoTerminal.standard()
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
      let terminal = PseudoTerminal.standard()
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
      let terminal = PseudoTerminal.standard()
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
      _ = PseudoTerminal.standard()
      await TerminalSession.run(Appearance()) { _ in
        kill(getpid(), SIGABRT)
        while true { pause() }
      }
    }
  }

  @Test func `a terminal that goes away ends the keys`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      let terminal = PseudoTerminal.standard()
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

extension PseudoTerminal {
  /// The settings of the terminal of standard output: of the input, and others.
  private var modes: termios {
    var now = termios()
    tcgetattr(STDOUT_FILENO, &now)
    return now
  }

  fileprivate var flags: tcflag_t { modes.c_lflag }

  fileprivate var inputFlags: tcflag_t { modes.c_iflag }
}
