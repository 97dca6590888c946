import CBonjourishLinux
import TestSupport
import Testing
import _BonjourishConsole

/// Messages beside a screen. Each test is a process of its own, whose standard error is a terminal or a pipe.
@Suite(.timeLimit(.minutes(1))) struct NoticesTests {
  @Test func `messages wait while there is a screen, and are written after it`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      let terminal = PseudoTerminal()
      guard dup2(terminal.terminal, STDERR_FILENO) >= 0 else { exit(1) }
      let notices = Notices(program: "try")
      notices.tell(.detail, "before")
      guard terminal.shown(with: "before\r\n") == "try: before\r\n" else { exit(2) }
      notices.beginScreen()
      notices.tell(.warning, "first")
      notices.tell(.detail, "second")
      notices.tell(.error, "third")
      // What is less than a warning is not for the screen.
      guard await notices.next() == "first", await notices.next() == "third" else { exit(3) }
      notices.endScreen()
      guard terminal.shown(with: "third\r\n") == "try: first\r\ntry: second\r\ntry: third\r\n" else { exit(4) }
      notices.tell(.warning, "after")
      guard terminal.shown(with: "after\r\n") == "try: after\r\n" else { exit(5) }
      exit(7)
    }
  }

  @Test func `a screen that waits gets the next message, or none when its task is cancelled`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      let terminal = PseudoTerminal()
      guard dup2(terminal.terminal, STDERR_FILENO) >= 0 else { exit(1) }
      let notices = Notices(program: "try")
      notices.beginScreen()
      let waiting = Task { await notices.next() }
      notices.tell(.warning, "late")
      guard await waiting.value == "late" else { exit(2) }
      let cancelled = Task { await notices.next() }
      cancelled.cancel()
      guard await cancelled.value == nil else { exit(3) }
      exit(7)
    }
  }

  @Test func `the oldest of very many messages are dropped`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      let terminal = PseudoTerminal()
      guard dup2(terminal.terminal, STDERR_FILENO) >= 0 else { exit(1) }
      let notices = Notices(program: "try")
      notices.beginScreen()
      for number in 1...201 { notices.tell(.warning, "\(number)") }
      guard await notices.next() == "2" else { exit(2) }
      notices.endScreen()
      guard terminal.shown(with: "201\r\n").hasPrefix("try: 2\r\ntry: 3\r\n") else { exit(3) }
      exit(7)
    }
  }

  @Test func `messages that go to a file are written at once, and the last lines after the screen`() async {
    let result = await #expect(
      processExitsWith: .exitCode(7), observing: [\.standardErrorContent, \.standardOutputContent]
    ) {
      let notices = Notices(program: "try")
      notices.beginScreen()
      notices.tell(.warning, "at once")
      notices.goodbye("the result")
      Output.standard.line("the screen")
      notices.endScreen()
      exit(7)
    }
    let errors = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(errors.contains("try: at once\n"))
    let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
    #expect(output.contains("the screen\nthe result\n"))
  }
}
