import EventLoop
import Framing

/// A connection as the loop sees it: the stream of bytes, what came in and was not taken, what goes out and has not left.
///
/// The stream and everything about it is touched on the loop only. What the two ends of the API share with the loop is behind
/// one lock for each direction, so that sending and taking frames need no hop to the loop, wherever the caller runs.
/// The loop holds a channel until it is closed; its `Connection` is the user's hold on it.
///
/// Sendable: `inbound`, `outbound` are locked, other `var`s are touched on the loop only.
@usableFromInline
final class Channel: @unchecked Sendable {
  /// Why nothing more goes in one direction.
  enum End {
    /// Who sends in this direction has said that there is no more.
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
    ///
    /// Not a checked one: that has no size that the compiler knows, so that every look at any of these would begin with finding
    /// out where it is.
    var reader: UnsafeContinuation<Wake, Never>?
    /// Whether the loop has stopped reading until somebody takes frames, of which there is at least one, or gives back the
    /// decoder.
    var isPaused = false
    /// Whether somebody looks at frames in place, in a decoder taken from here.
    var isLent = false
    /// The largest body that the peer may send now.
    var largestFrame: Int

    func preconditionIsFree() {
      precondition(reader == nil && !isLent, "The frames of a connection can have only one reader at a time")
    }
  }

  struct Outbound {
    var queue = OutboundQueue()
    /// All that has not left: `queue`, and what the loop has taken from it.
    var byteCount = 0
    /// Why nothing more is accepted.
    var end: End?
    /// Whether the stream is closed, so that nothing is left to be done.
    var isOver = false
    /// Whether the loop is going to look at `queue` without being told.
    var isFlushScheduled = false
    /// Who waits for room, in order; not checked for the same reason as above.
    var senders: [(ticket: UInt64, continuation: UnsafeContinuation<Void, Never>)] = []
    var ticketsGiven: UInt64 = 0
    /// The connection's places in groups. What they have for it that is not in `queue` comes after what is.
    var memberships: [Member] = []
  }

  /// What there is to be done after the last frame, while the connection stays open.
  enum Finish {
    case notYet
    /// To be told as soon as everything has left.
    case due
    case told
  }

  /// What the loop is doing with the stream.
  enum Phase {
    /// Receives and sends. Next: any other.
    case open
    /// Sends what was accepted before `close`, and drops what comes. Next: `lingering`, `closed`.
    case draining
    /// Has sent everything and said so; waits until it has arrived, and drops what comes. Next: `closed`.
    case lingering
    /// The stream is closed.
    case closed
  }

  // First what a broadcast needs of each member, so that it lies together, which makes a difference with thousands of them: the
  // stream and everything else that changes is touched on the loop only. That does one thing after the other, so what is used with
  // every read and write is not guarded against more.
  let stream: any ByteStream
  /// Where the listener counts its bytes, if one accepted it.
  let tally: Tally?
  /// Whether the stream did not take all of `writing`.
  @exclusivity(unchecked) var isBlocked = false
  @exclusivity(unchecked) var phase = Phase.open
  let outbound: Locked<Outbound>
  /// What is being sent, taken from `outbound.queue`.
  @exclusivity(unchecked) var writing = OutboundQueue()

  let home: TransportLoop
  let loop: EventLoop
  let terms: ChannelTerms
  var format: FrameFormat { terms.format }
  var encoder: FrameEncoder { terms.encoder }
  var limits: TransportLimits { terms.limits }
  var pool: BufferPool { home.pool }
  let peer: SocketAddress
  /// What the listener keeps of it, if one accepted it.
  let guest: Guest?
  let inbound: Locked<Inbound>

  // On the loop only:
  private(set) var isStarted = false
  /// Whether there was something to send before the start, for those who are on this loop do not wait in its queue.
  var hasMissedFlush = false
  /// Whether the loop waits for something to read.
  private var isReading = true
  /// Whether the peer has said that it sends no more.
  var hasPeerEnded = false
  /// What flushes at the end of a turn, made when it is needed first; it holds the channel until that is closed.
  @exclusivity(unchecked) var flusher: Flusher?
  /// Ends draining and lingering.
  var closeTimer: LoopTimer?
  /// Asks whether the last bytes have arrived.
  var arrivalTimer: LoopTimer?
  var closers: [CheckedContinuation<Void, Never>] = []
  @exclusivity(unchecked) var patience: Patience
  /// Asks whether the peer has been too slow, at `patienceDeadline`, which is never when it is not set.
  var patienceTimer: LoopTimer?
  var patienceDeadline = LoopTime.never
  /// Whether the first frame admits the peer, and has not come.
  var isNewcomer: Bool
  /// How far this side is with telling the peer that it sends no more.
  var finish = Finish.notYet

  /// A channel over a stream that has not been started, which ``start()`` does. On any thread.
  init(
    _ stream: any ByteStream, peer: SocketAddress, terms: ChannelTerms, on home: TransportLoop, guest: Guest? = nil
  ) {
    self.home = home
    loop = home.loop
    self.terms = terms
    self.peer = peer
    self.guest = guest
    tally = guest?.tally
    let largestFrame = guest?.largestFrame(terms.format) ?? terms.format.maximumBodySize
    var decoder = FrameDecoder(format: terms.format)
    decoder.permit(maximumBodySize: largestFrame)
    inbound = Locked(Inbound(decoder: decoder, largestFrame: largestFrame))
    outbound = Locked(Outbound())
    self.stream = stream
    isNewcomer = guest?.isAdmittedByFirstFrame ?? false
    patience = Patience(terms, at: .now)
    home.count(1)
  }

  /// A channel over a connected socket.
  convenience init(
    _ socket: consuming Socket, peer: SocketAddress, terms: ChannelTerms, on home: TransportLoop, guest: Guest? = nil
  ) {
    self.init(SocketStream(socket, on: home.loop), peer: peer, terms: terms, on: home, guest: guest)
  }

  /// Begins to receive and send; to be called once, from any thread.
  ///
  /// When the stream cannot be started the connection is broken.
  func start() {
    loop.perform {
      guard self.phase != .closed else { return }
      self.isStarted = true
      do throws(SystemError) {
        try self.stream.start(self.interest) { self.handle($0) }
      } catch {
        return self.fail(TransportError(error, "Watching the connection with \(self.peer)"))
      }
      self.watchPatience()
      if self.hasMissedFlush { self.flush() }
    }
  }

  /// Something can be done with the stream.
  private func handle(_ events: DescriptorEvents) {
    if events.contains(.readable) { receive() }
    // Receiving may have changed it.
    if isBlocked, events.contains(.writable) { flush() }
  }

  /// What there is to say to those who use a connection that this side has closed.
  var closedError: TransportError { .closed("The connection with \(peer)") }

  private var interest: DescriptorEvents {
    var interest: DescriptorEvents = []
    if isReading { interest.insert(.readable) }
    if isBlocked { interest.insert(.writable) }
    return interest
  }

  /// Waits for what is needed now, and for something to read if told so.
  func update(reading: Bool? = nil) {
    guard phase != .closed else { return }
    if let reading { isReading = reading }
    guard isStarted else { return }
    do throws(SystemError) {
      try stream.update(interest)
    } catch {
      fail(TransportError(error, "Watching the connection with \(peer)"))
    }
  }
}
