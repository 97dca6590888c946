import EventLoop
public import Framing
import Synchronization

/// A connection over TCP or a Unix-domain socket, over which frames come and go.
///
/// Frames are taken from `frames`, in order; there is one reader at a time. Frames are given to `send`, from any task; those of
/// one turn of the connection's thread leave together. Both suspend instead of filling the memory: `send` when the peer does
/// not take what is sent, and the peer when nobody takes what it sends.
///
/// A connection ends in one of these ways: `close()` here; the peer closes its side, and `frames` ends; an error, which both
/// directions throw. A connection that is dropped without `close()` is aborted.
///
/// Tasks that run on `executor`, the connection's own thread, take and send frames without changing threads.
public final class Connection: Sendable, Identifiable {
  /// Distinguishes the connections of this process.
  public struct ID: Hashable, Sendable, CustomStringConvertible {
    private static let lastNumber = Atomic<UInt64>(0)

    private let number: UInt64

    init() {
      number = Self.lastNumber.add(1, ordering: .relaxed).newValue
    }

    public var description: String { "connection \(number)" }
  }

  public let id = ID()

  /// The address of the other side.
  public let peer: SocketAddress

  /// The address of this side.
  public let local: SocketAddress

  /// Which process is at the other end of a Unix-domain socket; `nil` for other connections.
  public let peerCredentials: PeerCredentials?

  /// The shape of the frames, the same in both directions.
  public var format: FrameFormat { channel.format }

  /// The loop that the connection lives on, so that others can be made beside it.
  public var loop: TransportLoops { TransportLoops([channel.home]) }

  /// The thread that serves the connection, for actors and tasks that have much to do with it and never block.
  public var executor: any SerialExecutor & TaskExecutor { channel.loop }

  @usableFromInline let channel: Channel

  init(_ channel: Channel, local: SocketAddress, _ credentials: PeerCredentials? = nil) {
    self.channel = channel
    self.local = local
    peerCredentials = credentials
    peer = channel.peer
  }

  deinit {
    channel.abort()
  }

  // MARK: - Receiving

  /// The frames that come, as arrays.
  public var frames: Frames { Frames(of: self) }

  /// Waits until there are frames, and shows all that have come, in order and in place.
  ///
  /// This saves the copy that an element of `frames` is; both can be used in turn.
  ///
  /// - Parameter body: Called with the body of each frame, which is valid until it returns.
  /// - Returns: How many frames were shown, at least one; `nil` when the connection has ended between two frames, by the peer
  ///   or by `close()`.
  /// - Throws: What the iteration over `frames` throws.
  public func receiveFrames(_ body: (Span<UInt8>) -> Void) async throws(TransportError) -> Int? {
    try await channel.showFrames(body)
  }

  // MARK: - Sending

  /// Sends a frame with the given body; suspends first while too much waits to be sent, of its own or of its groups' frames.
  ///
  /// When it returns the frame is accepted: it leaves at the end of the turn, or as soon as the peer takes it.
  ///
  /// - Throws: `frameTooLarge`; `closed` after `close()`; `reset` and others when the connection is broken; `cancelled` when
  ///   the task is cancelled while it is suspended. The frame is not sent then.
  @inlinable
  public func send(_ body: [UInt8]) async throws(TransportError) {
    // Only what has to wait pays for waiting, and for being an asynchronous function of another module.
    if try channel.accept(body) { return }
    try await channel.acceptLater(body)
  }

  /// Sends frames with the given bodies, as `send(_:)` does one after another.
  ///
  /// - Throws: What `send(_:)` throws; the bodies before that one have been accepted.
  @inlinable
  public func send(contentsOf bodies: some Sequence<[UInt8]>) async throws(TransportError) {
    for body in bodies where try !channel.accept(body) { try await channel.acceptLater(body) }
  }

  /// Sends a frame with the given body unless too much waits to be sent already.
  ///
  /// For those who must not wait, such as one who tells many peers the same and will not let the slowest hold up the others.
  ///
  /// - Returns: Whether the frame was accepted.
  /// - Throws: `frameTooLarge`; `closed` after `close()`; `reset` and others when the connection is broken.
  public func trySend(_ body: [UInt8]) throws(TransportError) -> Bool {
    try channel.accept(body)
  }

  /// Sends a frame with the given body, shown in place, unless too much waits to be sent already.
  ///
  /// - Returns: Whether the frame was accepted.
  /// - Throws: `frameTooLarge`; `closed` after `close()`; `reset` and others when the connection is broken.
  public func trySend(_ body: Span<UInt8>) throws(TransportError) -> Bool {
    try channel.accept(body)
  }

  // MARK: - Manners

  /// Lets the peer of a connection that a listener accepted stay: it is no newcomer any more.
  ///
  /// To be called when its hello has been found good, where `NewcomerLimits.admission` is `app`; without any effect on other
  /// connections. From then on the peer may send frames as large as the format permits, and nobody else has to wait for it.
  public func admit() {
    channel.admit()
  }

  // MARK: - Closing

  /// Says that this side sends no more, and goes on receiving.
  ///
  /// Frames that were accepted leave, and then the peer's `frames` ends. From now on `send` throws `closed`. The connection
  /// stays until it is closed.
  public func finishSending() {
    channel.finishSending()
  }

  /// Closes the connection in order: frames that were accepted leave, then the peer is told that there are no more.
  ///
  /// From now on `frames` ends, also for a reader that waits, frames not yet taken are dropped, and `send` throws `closed`.
  /// Returns when the descriptor is closed. Cancelling the task does not shorten this.
  ///
  /// - Parameter limit: How long it may take. What has not left then is given up, and the peer sees an error.
  public func close(within limit: Duration = .seconds(2)) async {
    await channel.close(within: limit)
  }

  /// Ends the connection at once: what has not left is dropped, and the peer sees an error.
  ///
  /// Unix-domain sockets know no such error: there the peer sees the end, which is `truncated` if it comes inside a frame.
  public func abort() {
    channel.abort()
  }
}

extension Connection: Hashable {
  public static func == (left: Connection, right: Connection) -> Bool { left === right }

  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension Connection: CustomStringConvertible {
  /// Which connection it is, and with whom.
  public var description: String { "\(id) with \(peer)" }
}
