import CLinux
import Glibc
import Terminal

/// The lines of a terminal or a pipe, as they come; the end of the input ends the sequence.
///
/// One task at a time iterates. Waiting for a line blocks no thread of the concurrency pool, and cancelling the waiting task ends
/// its iteration. A thread of the reader's own reads ahead by a bounded number of lines; it ends with the reader.
package final class LineReader: AsyncSequence, Sendable {
  package typealias Element = InputLine
  package typealias Failure = Never

  /// The lines of standard input.
  package static let standardInput = LineReader(STDIN_FILENO)

  /// Whether a person can be typing the lines.
  package let isTerminal: Bool

  private let lines = LineQueue(capacity: 64)
  private let end = EndMark()

  /// Reads from a descriptor, which must stay open as long as the reader; lines have up to `limit` bytes.
  package init(_ descriptor: Int32, limit: Int = 4096) {
    isTerminal = isatty(descriptor) == 1
    let (lines, end) = (lines, end)
    startThread {
      var splitter = LineSplitter(limit: limit)
      while let bytes = Self.bytes(from: descriptor, until: end) {
        for line in splitter.take(bytes) { lines.append(line) }
      }
      if let rest = splitter.finish() { lines.append(rest) }
      lines.close()
    }
  }

  deinit {
    lines.close()
    end.set()
  }

  /// Waits for bytes; nil at the end of the input, after an error, and when the reader goes.
  private static func bytes(from descriptor: Int32, until end: EndMark) -> [UInt8]? {
    while true {
      var requests = [
        pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: end.descriptor, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&requests, 2, -1) > 0 else { continue }
      guard requests[1].revents == 0 else { return nil }
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = read(descriptor, &buffer, buffer.count)
      if count > 0 { return Array(buffer.prefix(count)) }
      guard count < 0, errno == EAGAIN || errno == EINTR else { return nil }
    }
  }

  package struct Iterator: AsyncIteratorProtocol {
    fileprivate let reader: LineReader

    package mutating func next() async -> InputLine? {
      await reader.lines.next()
    }
  }

  package func makeAsyncIterator() -> Iterator { Iterator(reader: self) }
}

/// A descriptor that becomes readable when the reader goes; open as long as the reader or its thread has it.
private final class EndMark: Sendable {
  let descriptor: Int32

  init() {
    descriptor = eventfd(0, Int32(EFD_CLOEXEC))
    precondition(descriptor >= 0, "no eventfd: \(String(cString: strerror(errno)))")
  }

  deinit { close(descriptor) }

  func set() { eventfd_write(descriptor, 1) }
}
