public import FramedCoding
import Synchronization
import _BonjourishEventLoop

/// A connection over TCP or a Unix-domain socket that sends and receives frames.
///
/// `frames` delivers the received frames in order, to one reader at a time. Any task may call `send`; frames that are sent within
/// one tick of the connection's thread leave together. Memory is bounded in both directions: `send` suspends while the peer does
/// not read, and the connection stops reading while the app takes no frames.
///
/// A connection ends in one of three ways: this side calls `close()`; the peer closes its side, and `frames` ends; or an error
/// occurs, which both directions throw. A connection that is released without `close()` is aborted.
///
/// Tasks that run on `executor`, the connection's own thread, receive and send frames without changing threads.
public final class Connection: Sendable, Identifiable {
  /// The identity of a connection within this process.
  public struct ID: Hashable, Sendable, CustomStringConvertible {
    private static let lastNumber = Atomic<UInt64>(0)

    private let number: UInt64

    init() {
      number = Self.lastNumber.add(1, ordering: .relaxed).newValue
    }

    /// The word `connection` and a number, such as "connection 7".
    public var description: String { "connection \(number)" }
  }

  /// The connection's identity within this process.
  public let id = ID()

  /// The peer's address.
  public let peer: SocketAddress

  /// The address of this side.
  public let local: SocketAddress

  /// The process at the other end of a Unix-domain socket; `nil` for other connections.
  public let peerCredentials: PeerCredentials?

  /// Whether the bytes go through a relay, because neither side reaches the other: see the module `BonjourishDirectory`. ``peer`` and ``local``
  /// then are no addresses of the network.
  public let isRelayed: Bool

  /// The format of the frames, the same in both directions.
  public var format: FrameFormat { channel.format }

  /// The loop that serves the connection. Pass it on to make further connections on the same thread.
  public var loop: TransportLoops { TransportLoops([channel.transportLoop]) }

  /// The thread that serves the connection, for actors and tasks that use the connection often and never block.
  public var executor: any SerialExecutor & TaskExecutor { channel.loop }

  /// What the layers over the stream know, for the layers' modules, the uppermost first; empty without a layer.
  package let layerFacts: [any Sendable]

  @usableFromInline let channel: Channel

  init(
    _ channel: Channel, local: SocketAddress, _ credentials: PeerCredentials? = nil, layerFacts: [any Sendable] = [],
    isRelayed: Bool = false
  ) {
    self.isRelayed = isRelayed
    self.channel = channel
    self.layerFacts = layerFacts
    self.local = local
    peerCredentials = credentials
    peer = channel.peer
  }

  /// What the layer with facts of this type knows; `nil` if the connection has no such layer.
  package func facts<Facts>(_ type: Facts.Type) -> Facts? { layerFacts.lazy.compactMap { $0 as? Facts }.first }

  /// Makes a connection over a stream of bytes, and starts it. On any thread.
  package convenience init(
    over stream: any ByteStream, peer: SocketAddress, local: SocketAddress, format: FrameFormat, limits: TransportLimits,
    on transportLoop: TransportLoop
  ) {
    let channel = Channel(stream, peer: peer, terms: ChannelTerms(format, limits), on: transportLoop)
    channel.start()
    self.init(channel, local: local, layerFacts: (stream as? any LayeredStream)?.allFacts ?? [])
  }

  deinit {
    channel.abort()
  }

  // MARK: - Receiving

  /// The received frames, as arrays.
  public var frames: Frames { Frames(of: self) }

  /// Waits for at least one frame, then calls a closure with each received frame, in order.
  ///
  /// The closure reads each frame in place, which saves the copy that `frames` makes. Calls may alternate with the iteration over
  /// `frames`.
  ///
  /// - Parameter body: Called with the body of each frame. The span is valid until the closure returns.
  /// - Returns: How many frames were shown, at least one; `nil` when the connection has ended between two frames, by the peer
  ///   or by `close()`.
  /// - Throws: What the iteration over `frames` throws.
  public func receiveFrames(_ body: (Span<UInt8>) -> Void) async throws(TransportError) -> Int? {
    try await channel.showFrames(body)
  }

  // MARK: - Sending

  /// Sends a frame with the given body.
  ///
  /// Suspends while `TransportLimits.sendHighWater` bytes or more wait to be sent on this connection, frames of its groups
  /// included. On return the frame is accepted: it leaves at the end of the tick, or as soon as the peer has room for it.
  ///
  /// - Throws: `frameTooLarge`; `closed` after `close()`; `reset` and others when the connection is broken; `cancelled` when
  ///   the task is cancelled while it is suspended. The frame is not sent then.
  @inlinable
  public func send(_ body: [UInt8]) async throws(TransportError) {
    // A frame that is accepted at once does not pay for a call of an asynchronous function in another module.
    if try channel.accept(body) { return }
    try await channel.acceptLater(body)
  }

  /// Sends frames with the given bodies, one after another, as `send(_:)` does.
  ///
  /// - Throws: What `send(_:)` throws. The bodies before the one that failed have been accepted.
  @inlinable
  public func send(contentsOf bodies: some Sequence<[UInt8]>) async throws(TransportError) {
    for body in bodies where try !channel.accept(body) { try await channel.acceptLater(body) }
  }

  /// Sends a frame with the given body, unless too much waits to be sent already.
  ///
  /// For callers that must not wait, such as one that sends to many peers and must not be held up by the slowest.
  ///
  /// - Returns: Whether the frame was accepted.
  /// - Throws: `frameTooLarge`; `closed` after `close()`; `reset` and others when the connection is broken.
  public func trySend(_ body: [UInt8]) throws(TransportError) -> Bool {
    try channel.accept(body)
  }

  /// Sends a frame with the given body, read from a span, unless too much waits to be sent already.
  ///
  /// - Returns: Whether the frame was accepted.
  /// - Throws: `frameTooLarge`; `closed` after `close()`; `reset` and others when the connection is broken.
  public func trySend(_ body: Span<UInt8>) throws(TransportError) -> Bool {
    try channel.accept(body)
  }

  // MARK: - Admission

  /// Admits a pending connection that a listener accepted.
  ///
  /// Call this after checking the peer's hello, when `PendingConnectionLimits.admission` is `app`. From then on the connection no
  /// longer counts as pending, and the peer may send frames as large as the format permits. Has no effect on other connections.
  public func admit() {
    channel.admit()
  }

  // MARK: - Closing

  /// Ends sending, and goes on receiving.
  ///
  /// Accepted frames are still sent; then the peer's `frames` ends. From now on `send` throws `closed`. The connection stays open
  /// until it is closed.
  public func finishSending() {
    channel.finishSending()
  }

  /// Closes the connection in order: sends the accepted frames, then the end of the stream.
  ///
  /// From now on `frames` ends, also for a waiting reader; received frames that were not taken are dropped; and `send` throws
  /// `closed`. Returns when the descriptor is closed. Cancelling the task does not shorten this.
  ///
  /// - Parameter limit: The longest time to take. Bytes that have not left by then are dropped, and the peer sees an error.
  public func close(within limit: Duration = .seconds(2)) async {
    await channel.close(within: limit)
  }

  /// Ends the connection at once: bytes that have not left are dropped, and the peer sees an error.
  ///
  /// Unix-domain sockets have no such error: the peer sees the end of the stream, or `truncated` if it comes inside a frame.
  public func abort() {
    channel.abort()
  }
}

extension Connection: Hashable {
  /// Whether both are the same connection.
  public static func == (left: Connection, right: Connection) -> Bool { left === right }

  /// Hashes the connection's identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension Connection: CustomStringConvertible {
  /// The connection's number and its peer.
  public var description: String { "\(id) with \(peer)" }
}
