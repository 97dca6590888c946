import CBonjourishLinux

/// A pseudo-terminal whose keyboard and screen are the test's.
package struct PseudoTerminal: Sendable {
  private let keyboard: CInt
  /// The terminal as programs have it.
  package let terminal: CInt

  package init() {
    linux_ignore_signal(SIGHUP)
    keyboard = linux_open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC, 0)
    // TIOCSPTLCK unlocks the other side, TIOCGPTPEER opens it: ioctl_tty(2).
    var isLocked: CInt = 0
    precondition(keyboard >= 0 && linux_ioctl(keyboard, 0x4004_5431, &isLocked) == 0, "no pseudo-terminal can be made")
    terminal = linux_ioctl(keyboard, 0x5441, UnsafeMutableRawPointer(bitPattern: Int(O_RDWR | O_NOCTTY | O_CLOEXEC)))
    precondition(terminal >= 0, "no pseudo-terminal can be opened")
  }

  /// A pseudo-terminal that is standard input and output of this process.
  package static func standard() -> PseudoTerminal {
    let made = PseudoTerminal()
    precondition(dup2(made.terminal, STDIN_FILENO) >= 0 && dup2(made.terminal, STDOUT_FILENO) >= 0)
    close(made.terminal)
    return made
  }

  package func type(_ text: String) {
    _ = write(keyboard, text, text.utf8.count)
  }

  /// What has been written to it since the last time, once a text is part of it, which is waited for. The kernel passes on what is
  /// written a moment later.
  package func shown(with text: String) -> String {
    var bytes: [UInt8] = []
    var request = pollfd(fd: keyboard, events: Int16(POLLIN), revents: 0)
    while bytes.firstRange(of: Array(text.utf8)) == nil, poll(&request, 1, 10_000) > 0 {
      var buffer = [UInt8](repeating: 0, count: 4_096)
      let count = read(keyboard, &buffer, buffer.count)
      guard count > 0 else { break }
      bytes += buffer.prefix(count)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  package func hangUp() {
    close(keyboard)
  }
}
