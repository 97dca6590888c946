import CBonjourishLinux
import _BonjourishEventLoop

/// A descriptor in reserve for the time when the process has no other left.
///
/// Without a free descriptor a waiting connection cannot be accepted, and epoll would report it again and again. So the spare
/// descriptor is closed, the connection is accepted in its place and reset, and the peer learns at once that it must try again
/// later. The process has one spare descriptor.
final class SpareDescriptor: Sendable {
  /// The outcome for a connection without a free descriptor.
  enum Outcome {
    case shed
    /// No connection waits any more.
    case noneWaits
    /// There is no spare descriptor, or another thread took it first.
    case impossible
  }

  static let shared = SpareDescriptor()

  /// Negative if there is none.
  let descriptor: Locked<CInt>

  private init() {
    descriptor = Locked(Self.take())
  }

  private static func take() -> CInt {
    (try? systemCall("open") { linux_open("/dev/null", O_RDONLY | O_CLOEXEC, 0) }) ?? -1
  }

  /// Opens the spare descriptor, if it is not open.
  func prepare() {
    descriptor.withLock { descriptor in
      if descriptor < 0 { descriptor = Self.take() }
    }
  }

  /// Accepts a connection and resets it at once.
  func shed(from socket: ListeningSocket) -> Outcome {
    descriptor.withLock { descriptor in
      guard descriptor >= 0 else {
        descriptor = Self.take()
        return .impossible
      }
      // The descriptor is free afterwards, whatever `close` returns (close(2)).
      close(descriptor)
      defer { descriptor = Self.take() }
      do throws(SystemError) {
        let accepted = try socket.accept()
        let connection = accepted.socket
        connection.reset()
        return .shed
      } catch {
        return error.errno == EAGAIN ? .noneWaits : .impossible
      }
    }
  }
}
