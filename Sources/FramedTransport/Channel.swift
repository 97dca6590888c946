import EventLoop
import Framing

/// A connection as the loop sees it: the socket, what came in and was not taken, what goes out and has not left.
///
/// The socket and everything about it is touched on the loop only. What the two ends of the API share with the loop is behind
/// one lock for each direction, so that sending and taking frames need no hop to the loop, wherever the caller runs.
/// The loop holds a channel until it is closed; its `Connection` is the user's hold on it.
///
/// Sendable: `inbound`, `outbound` are locked, other `var`s are touched on the loop only.
final class Channel: @unchecked Sendable {
  /// Why nothing more goes in one direction.
  enum End {
    /// The peer has said that it sends no more.
    case orderly
    case failed(TransportError)
    /// This side has closed the connection.
    case closed
  }

  struct Inbound {
    var decoder: FrameDecoder
    var end: End?
    /// What an end without an error of its own means, when sending has found out first that the peer broke the connection.
    var failureAtEnd: TransportError?
    /// Who waits for a frame.
    var reader: CheckedContinuation<Void, Never>? { didSet { isAwaited = reader != nil } }
    /// Whether somebody waits; asked so often that it is worth a variable.
    private(set) var isAwaited = false
    /// Whether the loop has stopped reading until somebody takes frames, of which there is at least one, or gives back the
    /// decoder.
    var isPaused = false
    /// Whether somebody looks at frames in place, in a decoder taken from here.
    var isLent = false

    func preconditionIsFree() {
      precondition(!isAwaited && !isLent, "The frames of a connection can have only one reader at a time")
    }
  }

  struct Outbound {
    var queue = OutboundQueue()
    /// All that has not left: `queue`, and what the loop has taken from it.
    var byteCount = 0
    /// Why nothing more is accepted.
    var end: End?
    /// Whether the socket is closed, so that nothing is left to be done.
    var isOver = false
    /// Whether the loop is going to look at `queue` without being told.
    var isFlushScheduled = false
    /// Who waits for room, in order.
    var senders: [(ticket: UInt64, continuation: CheckedContinuation<Void, Never>)] = []
    var ticketsGiven: UInt64 = 0
  }

  /// What the loop is doing with the socket.
  enum Phase {
    /// Receives and sends. Next: any other.
    case open
    /// Sends what was accepted before `close`, and drops what comes. Next: `lingering`, `closed`.
    case draining
    /// Has sent everything and said so; waits until it has arrived, and drops what comes. Next: `closed`.
    case lingering
    /// The socket is gone.
    case closed
  }

  let home: TransportLoop
  let loop: EventLoop
  let format: FrameFormat
  let encoder: FrameEncoder
  let limits: TransportLimits
  var pool: BufferPool { home.pool }
  let peer: SocketAddress
  let inbound: Locked<Inbound>
  let outbound: Locked<Outbound>

  // On the loop only:
  var socket: Socket?
  var watch: DescriptorWatch?
  var phase = Phase.open
  /// What is being sent, taken from `outbound.queue`.
  var writing = OutboundQueue()
  /// Whether the system did not take all of `writing`.
  var isBlocked = false
  /// Ends draining and lingering.
  var closeTimer: LoopTimer?
  /// Asks whether the last bytes have arrived.
  var arrivalTimer: LoopTimer?
  var closers: [CheckedContinuation<Void, Never>] = []

  /// A channel over a connected socket, which waits for ``start()``.
  init(
    _ socket: consuming Socket, peer: SocketAddress, format: FrameFormat, limits: TransportLimits, on home: TransportLoop
  ) {
    self.home = home
    loop = home.loop
    self.format = format
    encoder = FrameEncoder(format: format)
    self.limits = limits
    self.peer = peer
    inbound = Locked(Inbound(decoder: FrameDecoder(format: format)))
    outbound = Locked(Outbound())
    self.socket = consume socket
    home.count(1)
  }

  /// Begins to receive; once, from any thread. If the loop cannot watch the socket, the connection breaks.
  func start() {
    resumeReading()
  }

  /// Something happened on the socket.
  private func handle(_ events: DescriptorEvents) {
    if wantsToRead, !events.isDisjoint(with: [.readable, .readHangUp, .hangUp, .error]) { receive() }
    if isBlocked, !events.isDisjoint(with: [.writable, .hangUp, .error]) { flush() }
    if let watch, watch.interest.isEmpty, !events.isDisjoint(with: [.hangUp, .error]) {
      // These are reported again and again whether one asks or not. What they mean is found out by the next call that reads
      // or writes; until then the socket is left alone.
      watch.cancel()
      self.watch = nil
    }
  }

  private var wantsToRead: Bool { watch?.interest.contains(.readable) ?? false }

  /// What there is to say to those who use a connection that this side has closed.
  var closedError: TransportError { .closed("The connection with \(peer)") }

  /// Waits for what is needed now, and for something to read if told so.
  func update(reading: Bool? = nil) {
    guard socket != nil else { return }
    var interest: DescriptorEvents = []
    if reading ?? wantsToRead { interest.insert(.readable) }
    if isBlocked { interest.insert(.writable) }
    if let watch {
      watch.update(interest)
    } else if !interest.isEmpty, let descriptor = socket?.descriptor {
      do throws(SystemError) {
        watch = try loop.watch(descriptor, for: interest) { self.handle($0) }
      } catch {
        fail(TransportError(error, "Watching the connection with \(peer)"))
      }
    }
  }
}
