import CLinux
import EventLoop
import Glibc

/// A descriptor kept for the moment in which there are none left.
///
/// A connection that waits to be accepted when the process is out of descriptors would be reported for ever. So the spare one is
/// given up for a moment, the connection accepted in its place and closed, and the peer knows at once that it has to try again
/// later. There is one for the whole process.
final class SpareDescriptor: Sendable {
  /// What has become of a connection for which there was no descriptor.
  enum Outcome {
    case shed
    /// Nobody waits any more.
    case nobodyWaits
    /// There is no spare descriptor, or others were faster to take it.
    case impossible
  }

  static let shared = SpareDescriptor()

  /// Negative when it could not be got back.
  let descriptor: Locked<CInt>

  private init() {
    descriptor = Locked(Self.take())
  }

  private static func take() -> CInt {
    open("/dev/null", O_RDONLY | O_CLOEXEC)
  }

  /// Has one ready, if there is one to be had.
  func prepare() {
    descriptor.withLock { descriptor in
      if descriptor < 0 { descriptor = Self.take() }
    }
  }

  /// Accepts a connection and breaks it at once.
  func shed(from socket: ListeningSocket) -> Outcome {
    descriptor.withLock { descriptor in
      guard descriptor >= 0 else {
        descriptor = Self.take()
        return .impossible
      }
      close(descriptor)
      defer { descriptor = Self.take() }
      do throws(SystemError) {
        let accepted = try socket.accept()
        let connection = accepted.socket
        connection.reset()
        return .shed
      } catch {
        return error.errno == EAGAIN ? .nobodyWaits : .impossible
      }
    }
  }
}
