import Bonjourish
import Foundation

/// The terminal: lines that arrive stand above the line that is being typed, and do not tear it.
///
/// If input or output is no terminal, lines are read and written as they are. Unchecked: the lock guards everything.
final class Prompt: @unchecked Sendable {
  static let shared = Prompt()

  private static let sign = "> "
  private let lock = NSLock()
  /// The terminal's settings before, while it is in use.
  private var former: UnsafeMutablePointer<termios>?
  /// The bytes typed so far, which may end within a character.
  private var typed: [UInt8] = []
  /// Whether an escape sequence, such as that of an arrow key, is being read.
  private var isEscape = false

  /// The lines that are typed. Those of a terminal are read on a thread of their own, because reading blocks.
  func lines() -> AsyncStream<String> {
    AsyncStream { lines in
      guard self.begin() else {
        Task {
          for await case .text(let line) in LineReader.standardInput { lines.yield(line) }
          lines.finish()
        }
        return
      }
      Thread.detachNewThread {
        self.read(lines)
        lines.finish()
      }
    }
  }

  /// Writes a line. Text from the network must already be escaped.
  func show(_ line: String) {
    lock.withLock {
      guard former != nil else { return write("\(line)\n") }
      write("\r\u{1B}[K\(line)\r\n")
      draw()
    }
  }

  /// Gives the terminal back.
  func end() {
    lock.withLock {
      guard let former else { return }
      write("\r\u{1B}[K")
      tcsetattr(STDIN_FILENO, TCSADRAIN, former)
      former.deallocate()
      self.former = nil
    }
  }

  // MARK: - The terminal

  /// Takes the terminal over, character by character; returns false if there is none.
  private func begin() -> Bool {
    lock.withLock {
      let type = ProcessInfo.processInfo.environment["TERM"] ?? "dumb"
      let settings = UnsafeMutablePointer<termios>.allocate(capacity: 1)
      guard type != "dumb", isatty(STDOUT_FILENO) == 1, tcgetattr(STDIN_FILENO, settings) == 0 else {
        settings.deallocate()
        return false
      }
      former = settings
      takeOver(settings)
      return true
    }
  }

  private func takeOver(_ former: UnsafeMutablePointer<termios>) {
    var raw = former.pointee
    cfmakeraw(&raw)
    tcsetattr(STDIN_FILENO, TCSADRAIN, &raw)
    draw()
  }

  /// Stops the process, as Ctrl-Z does elsewhere, until the shell lets it go on.
  private func stop() {
    guard let former else { return }
    write("\r\u{1B}[K")
    tcsetattr(STDIN_FILENO, TCSADRAIN, former)
    // To this thread, and so the whole process stops before the next line; SIGTSTP could be blocked here.
    raise(SIGSTOP)
    takeOver(former)
  }

  private func read(_ lines: AsyncStream<String>.Continuation) {
    var byte: UInt8 = 0
    while Glibc.read(STDIN_FILENO, &byte, 1) == 1 {
      let (line, isOver) = lock.withLock { take(byte) }
      if let line { lines.yield(line) }
      if isOver { return }
    }
  }

  /// Handles a typed byte; returns a complete line, and whether the input is over.
  private func take(_ byte: UInt8) -> (line: String?, isOver: Bool) {
    guard !isEscape else {
      isEscape = !(0x40...0x7E ~= byte) || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "O")
      return (nil, false)
    }
    let text = String(decoding: typed, as: UTF8.self)
    switch byte {
    // The terminal sends no signal any more. This one is for the process: `raise` signals this thread only, which may block it.
    case 0x03: kill(getpid(), SIGINT)
    case 0x1A: stop()
    case 0x04 where typed.isEmpty: return (nil, true)
    case 0x0A, 0x0D:
      typed = []
      write("\r\u{1B}[K\(Self.sign)\(text)\r\n")
      draw()
      return (text, false)
    case 0x08, 0x7F: typed = Array(text.dropLast().utf8)
    case 0x15: typed = []
    case 0x17:
      let blanks = text.reversed().prefix { $0 == " " }.count
      typed = Array(text.dropLast(blanks + text.dropLast(blanks).reversed().prefix { $0 != " " }.count).utf8)
    case 0x1B: isEscape = true
    case 0x00..<0x20: break
    default: typed.append(byte)
    }
    draw()
    return (nil, false)
  }

  /// Draws the end of the typed line, as much as one row has space for: only one row can be erased.
  private func draw() {
    guard let text = String(validating: typed, as: UTF8.self) else { return }
    // Rows and columns, and the same in pixels.
    var size: [UInt16] = [0, 0, 0, 0]
    let columns = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size[1] > 0 ? Int(size[1]) : 80
    var left = columns - Self.sign.count - 1
    // East Asian characters and emoji have two columns.
    let end = text.reversed().prefix { character in
      left -= character.unicodeScalars.contains { $0.value >= 0x1100 } ? 2 : 1
      return left >= 0
    }
    write("\r\u{1B}[K\(Self.sign)\(String(end.reversed()))")
  }

  private func write(_ text: String) { FileHandle.standardOutput.write(Data(text.utf8)) }
}
