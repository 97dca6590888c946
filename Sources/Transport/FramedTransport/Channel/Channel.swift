import FramedCoding
import _BonjourishEventLoop

/// The loop's side of a connection: the byte stream, the received frames that were not taken, and the frames that have not left.
///
/// The stream is confined to the loop. State that the API shares with the loop is behind one lock for each direction, so that
/// any thread sends and takes frames without a hop to the loop. The loop retains a channel until it is closed; a `Connection` is
/// the user's handle to it.
///
/// Sendable: `inbound` and `outbound` are locked; the other variables are confined to the loop, which every method that uses them
/// asserts.
@usableFromInline
final class Channel: @unchecked Sendable {
  /// The reason why one direction has ended.
  enum End {
    /// The sender of this direction has finished.
    case orderly
    case failed(TransportError)
    /// This side has closed the connection.
    case closed
  }

  struct Inbound {
    var decoder: FrameDecoder
    var end: End?
    /// The error to report in place of an orderly end, set when sending failed because the peer broke the connection.
    var failureAtEnd: TransportError?
    /// The task that waits for a frame.
    ///
    /// Unsafe because `CheckedContinuation` has no static layout, which would slow down each access to these variables.
    var reader: UnsafeContinuation<Wake, Never>?
    /// Whether the loop has stopped reading until frames are taken or returned. There is at least one frame then.
    var isPaused = false
    /// The holder of the received frames while they are not in the decoder.
    var borrower: Borrower?
    /// The largest body, in bytes, that the peer may send now.
    var largestFrame: Int
    /// The frames that were taken, except those of batches.
    var frameCount: UInt64 = 0

    var isLent: Bool { borrower != nil }

    func preconditionIsFree() {
      precondition(
        reader == nil && borrower != .viewer, "only one task at a time may read the frames of a connection")
    }
  }

  /// A temporary holder of received frames, so that they are taken without the lock.
  enum Borrower {
    /// `receiveFrames`, which shows them in place.
    case viewer
    /// `batch`, for a reader on the loop.
    case loop
  }

  struct Outbound {
    var queue = OutboundQueue()
    /// The bytes that have not left: those in `queue`, and those that the loop has taken from it.
    var byteCount = 0
    /// The frames that were accepted.
    var frameCount: UInt64 = 0
    /// The reason why no more frames are accepted.
    var end: End?
    /// Whether the stream is closed, so that nothing is left to do.
    var isOver = false
    /// Whether a flush is scheduled, which sends the content of `queue`.
    var isFlushScheduled = false
    /// The tasks that wait for room, in order; unsafe for the same reason as `reader`.
    var senders: [(ticket: UInt64, continuation: UnsafeContinuation<Void, Never>)] = []
    var ticketsGiven: UInt64 = 0
    /// The connection's memberships in groups. Their logs are sent after `queue`.
    var memberships: [Member] = []
  }

  /// The progress of `finishSending` while the connection stays open.
  enum Finish {
    case notYet
    /// The peer is to be told as soon as everything has left.
    case due
    case told
  }

  /// The state of the stream.
  enum Phase {
    /// Receives and sends. Next: any other.
    case open
    /// Sends what was accepted before `close`, and drops received bytes. Next: `lingering`, `closed`.
    case draining
    /// Has sent everything and the end of the stream; waits until all has arrived, and drops received bytes. Next: `closed`.
    case lingering
    /// The stream is closed.
    case closed
  }

  // The variables that a broadcast uses come first, so that they share cache lines: it matters with thousands of members.
  // Dynamic exclusivity checks are off for variables that are confined to the loop and used in every read and write.
  let stream: any ByteStream
  /// The byte counter of the listener that accepted the connection, if any.
  let byteCounter: ByteCounter?
  /// Whether the stream had no room for all of `writing`.
  @exclusivity(unchecked) var isBlocked = false
  @exclusivity(unchecked) var phase = Phase.open
  let outbound: Locked<Outbound>
  /// The frames being sent, taken from `outbound.queue`.
  @exclusivity(unchecked) var writing = OutboundQueue()
  @exclusivity(unchecked) var bytesSent: UInt64 = 0
  /// When bytes were last received or sent.
  @exclusivity(unchecked) var lastActivity: LoopTime

  let transportLoop: TransportLoop
  let loop: EventLoop
  let terms: ChannelTerms
  var format: FrameFormat { terms.format }
  var encoder: FrameEncoder { terms.encoder }
  var header: LengthHeader? { terms.encoder.header }
  var limits: TransportLimits { terms.limits }
  var pool: BufferPool { transportLoop.pool }
  let peer: SocketAddress
  /// Data of the listener that accepted the connection, if any.
  let admission: AdmissionContext?
  let inbound: Locked<Inbound>

  // On the loop only:
  /// The received frames, for a reader on the loop: at least one whole frame, and the bytes after it.
  @exclusivity(unchecked) var batch: FrameDecoder
  /// The number of bytes in the batch at or below which it is returned; `nil` when there is no batch.
  @exclusivity(unchecked) var batchFloor: Int?
  /// The frames that were taken from batches.
  @exclusivity(unchecked) var batchFrameCount: UInt64 = 0
  @exclusivity(unchecked) var bytesReceived: UInt64 = 0
  let beginning = LoopTime.now
  private(set) var isStarted = false
  /// Whether a flush was requested before the start.
  var hasMissedFlush = false
  /// Whether the loop waits for bytes to read.
  private var isReading = true
  /// Whether the peer has ended its side.
  var hasPeerEnded = false
  /// Flushes at the end of a tick; created at its first use. It retains the channel until the channel is closed.
  @exclusivity(unchecked) var flusher: Flusher?
  /// Ends draining and lingering.
  var closeTimer: LoopTimer?
  /// Checks whether the last bytes have arrived.
  var arrivalTimer: LoopTimer?
  var closers: [CheckedContinuation<Void, Never>] = []
  @exclusivity(unchecked) var timeouts: PeerTimeouts
  /// Checks the peer's timeouts. The stream's handler retains the channel until closing it removes the deadline.
  lazy var timeoutDeadline = LoopDeadline(on: loop) { [unowned self] in checkTimeouts() }
  /// Whether the first frame admits the connection and has not come yet.
  var isPending: Bool
  /// The progress of `finishSending`.
  var finish = Finish.notYet

  /// Creates a channel over a stream that has not been started; ``start()`` starts it. Can be called on any thread.
  init(
    _ stream: any ByteStream, peer: SocketAddress, terms: ChannelTerms, on transportLoop: TransportLoop,
    admission: AdmissionContext? = nil
  ) {
    self.transportLoop = transportLoop
    loop = transportLoop.loop
    self.terms = terms
    self.peer = peer
    self.admission = admission
    byteCounter = admission?.byteCounter
    let largestFrame = admission?.largestFrame(terms.format) ?? terms.format.maximumBodySize
    var decoder = FrameDecoder(format: terms.format)
    decoder.permit(maximumBodySize: largestFrame)
    batch = FrameDecoder(format: terms.format)
    inbound = Locked(Inbound(decoder: decoder, largestFrame: largestFrame))
    outbound = Locked(Outbound())
    self.stream = stream
    isPending = admission?.isAdmittedByFirstFrame ?? false
    timeouts = PeerTimeouts(terms, at: beginning)
    lastActivity = beginning
    transportLoop.count(1)
  }

  /// Creates a channel over a connected socket.
  convenience init(
    _ socket: consuming Socket, peer: SocketAddress, terms: ChannelTerms, on transportLoop: TransportLoop,
    admission: AdmissionContext? = nil
  ) {
    self.init(SocketStream(socket, on: transportLoop.loop), peer: peer, terms: terms, on: transportLoop, admission: admission)
  }

  /// Begins to receive and send. Called once, on any thread. The connection breaks if the stream cannot be started.
  func start() {
    loop.perform {
      guard self.phase != .closed else { return }
      self.isStarted = true
      do throws(SystemError) {
        try self.stream.start(self.interest) { self.handle($0) }
      } catch {
        return self.fail(self.report(error, "Watching the connection with \(self.peer)"))
      }
      self.scheduleTimeout()
      if self.hasMissedFlush { self.flush() }
    }
  }

  /// Handles events of the stream.
  private func handle(_ events: DescriptorEvents) {
    loop.assertIsCurrent()
    if events.contains(.readable) { receive() }
    // Receiving may have changed `isBlocked`.
    if isBlocked, events.contains(.writable) { flush() }
  }

  /// The error for using a connection that this side has closed.
  var closedError: TransportError { .closed("The connection with \(peer)") }

  private var interest: DescriptorEvents {
    var interest: DescriptorEvents = []
    if isReading { interest.insert(.readable) }
    if isBlocked { interest.insert(.writable) }
    return interest
  }

  /// Tells the stream which events to wait for.
  ///
  /// - Parameter reading: Whether to read from now on; `nil` for no change.
  func update(reading: Bool? = nil) {
    loop.assertIsCurrent()
    guard phase != .closed else { return }
    if let reading { isReading = reading }
    guard isStarted else { return }
    do throws(SystemError) {
      try stream.update(interest)
    } catch {
      fail(report(error, "Watching the connection with \(peer)"))
    }
  }

  /// Converts an error that the stream has thrown; a layer may know more than the system.
  func report(_ error: SystemError, _ attempt: @autoclosure () -> String) -> TransportError {
    loop.assertIsCurrent()
    return stream.failure ?? TransportError(error, attempt())
  }
}
