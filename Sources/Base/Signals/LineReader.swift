import CBonjourishLinux
import _BonjourishEventLoop

/// The lines of a terminal or a pipe, as they arrive; the sequence ends with the input.
///
/// ```swift
/// for await case .text(let line) in LineReader.standardInput { print("read: \(line)") }
/// ```
///
/// One task may iterate at a time. Waiting for a line blocks no thread of the concurrency pool, and cancelling the task ends
/// its iteration. The reader has a thread of its own, which reads at most 64 lines ahead.
public final class LineReader: AsyncSequence, Sendable {
  public typealias Element = InputLine
  public typealias Failure = Never

  /// The lines of standard input.
  public static let standardInput = LineReader(STDIN_FILENO)

  /// Whether the lines come from a terminal.
  public let isTerminal: Bool

  private let lines = LineQueue(capacity: 64)
  private let stopMark = StopMark()

  /// Reads lines of up to `limit` bytes. The descriptor must stay open as long as the reader exists.
  init(_ descriptor: Int32, limit: Int = 4096) {
    isTerminal = isatty(descriptor) == 1
    let (lines, stopMark) = (lines, stopMark)
    startThread {
      var splitter = LineSplitter(limit: limit)
      while let bytes = Self.bytes(from: descriptor, until: stopMark) {
        for line in splitter.take(bytes) { lines.append(line) }
      }
      if let rest = splitter.finish() { lines.append(rest) }
      lines.close()
    }
  }

  deinit {
    lines.close()
    stopMark.set()
  }

  /// Waits for bytes; returns nil at the end of the input, after an error, and when the reader is gone.
  private static func bytes(from descriptor: Int32, until stopMark: StopMark) -> [UInt8]? {
    while true {
      var requests = [
        pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: stopMark.descriptor, events: Int16(POLLIN), revents: 0),
      ]
      do throws(SystemError) {
        try systemCall("poll") { poll(&requests, 2, -1) }
        guard requests[1].revents == 0 else { return nil }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = try systemCall("read") { read(descriptor, &buffer, buffer.count) }
        return count > 0 ? Array(buffer.prefix(count)) : nil
      } catch {
        // Another process that shares the terminal or pipe may have made it non-blocking, and read the bytes.
        guard error.errno == EAGAIN else { return nil }
      }
    }
  }

  /// Returns the lines one by one.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let reader: LineReader

    /// The next line; nil at the end of the input, and when the task is cancelled.
    public mutating func next() async -> InputLine? {
      await reader.lines.next()
    }

    /// The same as `next()`, for a caller of any isolation.
    public nonisolated(nonsending) mutating func next(isolation actor: (any Actor)?) async -> InputLine? {
      await next()
    }
  }

  /// Begins an iteration, which continues where the previous one ended.
  public func makeAsyncIterator() -> Iterator { Iterator(reader: self) }
}
