import CBonjourishLinux
import FramedTransport
import _BonjourishEventLoop

/// The link between two connections in memory, which can simulate faults.
///
/// `Connection.pair(format:limits:conditions:clientAddress:serverAddress:)` creates it. Each call takes effect before it returns:
/// after everything that the same task has sent before and the link had room for, and before everything that the task sends
/// afterwards. A link does not keep its connections open.
public final class MemoryLink: Sendable {
  /// A direction of a link.
  public enum Direction: Hashable, Sendable, CaseIterable {
    /// From the client to the server.
    case toServer
    /// From the server to the client.
    case toClient

    /// The other direction.
    public var opposite: Direction {
      switch self {
      case .toServer: .toClient
      case .toClient: .toServer
      }
    }
  }

  /// The error with which a link is lost.
  public enum Loss: Hashable, Sendable, CaseIterable {
    /// A device between breaks the connection.
    case reset
    /// The peer's system has not answered for too long.
    case timedOut
    /// There is no route to the peer any more.
    case unreachable

    var errno: CInt {
      switch self {
      case .reset: ECONNRESET
      case .timedOut: ETIMEDOUT
      case .unreachable: EHOSTUNREACH
      }
    }
  }

  /// The number of bytes in one direction, frame headers included.
  public struct Traffic: Hashable, Sendable {
    /// The bytes that the sender has given to the link.
    public internal(set) var sent = 0
    /// The bytes that have arrived at the receiver's side, whether they have been read or not.
    public internal(set) var arrived = 0
  }

  private let wire: MemoryWire

  init(_ wire: MemoryWire) {
    self.wire = wire
  }

  /// Runs a closure on the loop in a later tick, so that it runs after a `send` that leaves at the end of this tick.
  ///
  /// The caller must wait for it: bytes that are sent meanwhile could leave with those that were sent before.
  private func onLoop<Result: Sendable>(_ body: @escaping @Sendable (MemoryWire) -> Result) async -> Result {
    await withCheckedContinuation { continuation in
      wire.loop.execute { [wire] in
        let result = body(wire)
        wire.settle()
        continuation.resume(returning: result)
      }
    }
  }

  // MARK: - Silence

  /// Holds back all bytes from now on, as if a cable had been pulled.
  ///
  /// Neither side is told: a sender waits when the window is full, and a reader waits.
  ///
  /// - Parameter direction: The direction to hold; `nil` for both.
  public func hold(_ direction: Direction? = nil) async {
    await onLoop { wire in
      for each in Direction.allCases where direction == nil || direction == each { wire[each].isHeld = true }
    }
  }

  /// Ends ``hold(_:)``: delivers the bytes that were held back, and those that are sent from now on.
  ///
  /// - Parameter direction: The direction to release; `nil` for both.
  public func release(_ direction: Direction? = nil) async {
    await onLoop { wire in
      for each in Direction.allCases where direction == nil || direction == each { wire[each].isHeld = false }
    }
  }

  /// Delivers some of the bytes that were held back, and goes on holding the rest.
  ///
  /// - Parameters:
  ///   - byteCount: The most bytes to deliver, frame headers included; 0 or more. Bytes that are sent later are not delivered.
  ///   - direction: The direction.
  public func release(bytes byteCount: Int, _ direction: Direction) async {
    precondition(byteCount >= 0, "byteCount must not be negative")
    await onLoop { $0.letThrough(byteCount, direction) }
  }

  // MARK: - Ends

  /// Breaks the connection for both sides. Bytes that have not arrived are lost.
  public func cut(_ loss: Loss = .reset) async {
    await onLoop { $0.lose(errno: loss.errno) }
  }

  /// Breaks the connection for both sides as soon as a number of bytes has arrived.
  ///
  /// - Parameters:
  ///   - loss: The error for both sides.
  ///   - byteCount: The number of bytes since the start, frame headers included; 0 or more. If more have already arrived, the
  ///     connection breaks at once.
  ///   - direction: The direction in which the bytes are counted.
  public func cut(_ loss: Loss = .reset, afterBytes byteCount: Int, _ direction: Direction) async {
    precondition(byteCount >= 0, "byteCount must not be negative")
    await onLoop { $0[direction].plan(.broken(errno: loss.errno), after: byteCount) }
  }

  /// Ends one direction in order, as soon as a number of bytes has arrived: the receiver sees the end of the stream.
  ///
  /// Bytes that are sent in this direction afterwards are lost; the other direction goes on. An end inside a frame is an error
  /// for the receiver.
  ///
  /// - Parameters:
  ///   - direction: The direction to end.
  ///   - byteCount: The number of bytes since the start, frame headers included; 0 or more. If more have already arrived, the
  ///     direction ends at once.
  public func end(_ direction: Direction, afterBytes byteCount: Int = 0) async {
    precondition(byteCount >= 0, "byteCount must not be negative")
    await onLoop { $0[direction].plan(.orderly, after: byteCount) }
  }

  // MARK: - Inspection

  /// Returns the number of bytes in one direction.
  public func traffic(_ direction: Direction) async -> Traffic {
    await onLoop { $0[direction].traffic }
  }
}
