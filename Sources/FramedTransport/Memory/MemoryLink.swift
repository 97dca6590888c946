import EventLoop
import Glibc

/// What is between the two connections of a pair in memory, and what can go wrong there.
///
/// Made by ``Connection/pair(format:limits:conditions:clientAddress:serverAddress:)``. What is asked of a link has happened when
/// the call returns: after everything that the same task has sent before and the link had room for, and before everything that
/// it sends afterwards. A link keeps neither connection open.
public final class MemoryLink: Sendable {
  /// One of the two ways over a link.
  public enum Direction: Hashable, Sendable, CaseIterable {
    /// What the client sends.
    case toServer
    /// What the server sends.
    case toClient

    /// The other way.
    public var opposite: Direction {
      switch self {
      case .toServer: .toClient
      case .toClient: .toServer
      }
    }
  }

  /// How a link is lost.
  public enum Loss: Hashable, Sendable, CaseIterable {
    /// Something on the way breaks the connection.
    case reset
    /// The peer's system has not answered for too long.
    case timedOut
    /// There is no way to the peer any more.
    case unreachable

    var errno: CInt {
      switch self {
      case .reset: ECONNRESET
      case .timedOut: ETIMEDOUT
      case .unreachable: EHOSTUNREACH
      }
    }
  }

  /// How much has gone one way, in bytes, frame headers included.
  public struct Traffic: Hashable, Sendable {
    /// What the sender has given to the link.
    public internal(set) var sent = 0
    /// What has come to the receiver's side, whether it has been read there or not.
    public internal(set) var arrived = 0
  }

  private let wire: MemoryWire

  init(_ wire: MemoryWire) {
    self.wire = wire
  }

  /// Runs a closure on the loop, never at once, so that its place is after a `send` that leaves at the end of the turn.
  ///
  /// It has to be waited for: what is sent meanwhile could leave with what was sent before.
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

  /// Keeps back what is sent from now on, as if a cable had been pulled.
  ///
  /// Neither side learns of it: who sends is held up when the window is full, and who reads waits.
  ///
  /// - Parameter direction: The way that is held, both when not given.
  public func hold(_ direction: Direction? = nil) async {
    await onLoop { wire in
      for each in Direction.allCases where direction == nil || direction == each { wire[each].isHeld = true }
    }
  }

  /// Lets go of what has been kept back, and of what is sent from now on.
  ///
  /// - Parameter direction: The way that is free again, both when not given.
  public func release(_ direction: Direction? = nil) async {
    await onLoop { wire in
      for each in Direction.allCases where direction == nil || direction == each { wire[each].isHeld = false }
    }
  }

  /// Lets some of what has been kept back arrive, and goes on keeping back the rest.
  ///
  /// - Parameters:
  ///   - byteCount: The most bytes, frame headers included; not negative. Bytes that are sent later do not count.
  ///   - direction: Which way.
  public func release(bytes byteCount: Int, _ direction: Direction) async {
    precondition(byteCount >= 0, "Less than nothing cannot arrive")
    await onLoop { $0.letThrough(byteCount, direction) }
  }

  // MARK: - Ends

  /// Breaks the connection for both sides; what has not arrived is lost.
  public func cut(_ loss: Loss = .reset) async {
    await onLoop { $0.lose(errno: loss.errno) }
  }

  /// Breaks the connection for both sides as soon as so many bytes have arrived.
  ///
  /// - Parameters:
  ///   - loss: What both sides are told.
  ///   - byteCount: The bytes, counted from the beginning and with frame headers; not negative. If there have been more, it
  ///     happens at once.
  ///   - direction: Which way they go.
  public func cut(_ loss: Loss = .reset, afterBytes byteCount: Int, _ direction: Direction) async {
    precondition(byteCount >= 0, "Less than nothing cannot arrive")
    await onLoop { $0[direction].plan(.broken(errno: loss.errno), after: byteCount) }
  }

  /// Tells the receiver of one direction that its peer sends no more, as soon as so many bytes have arrived.
  ///
  /// What is sent this way afterwards vanishes; the other way goes on. Inside a frame such an end is an error for the receiver.
  ///
  /// - Parameters:
  ///   - direction: Which way ends.
  ///   - byteCount: The bytes, counted from the beginning and with frame headers; not negative. If there have been more, it
  ///     happens at once.
  public func end(_ direction: Direction, afterBytes byteCount: Int = 0) async {
    precondition(byteCount >= 0, "Less than nothing cannot arrive")
    await onLoop { $0[direction].plan(.orderly, after: byteCount) }
  }

  // MARK: - To look at

  /// How much has gone one way.
  public func traffic(_ direction: Direction) async -> Traffic {
    await onLoop { $0[direction].traffic }
  }
}
