import CBonjourishLinux
import FramedTransport
import _BonjourishEventLoop

/// TLS over another stream.
///
/// It begins with the handshake and an introduction (a passcode, or a code to compare), and takes and delivers no bytes before both are
/// done. A stream that ends without the peer's `close_notify` is an error.
///
/// Confined to the loop, which every method asserts. Dynamic exclusivity checks are off for variables that every read and write uses.
final class TLSStream: LayeredStream, HandshakeWorker {
  /// The state of the channel.
  enum Phase {
    /// Next: `introducing`, `open`, `over`.
    case handshaking
    /// Exchanges messages before the first frame. Next: `open`, `over`.
    case introducing(any Introduction)
    /// Carries frames. Next: `over`.
    case open
    /// Has failed or is closed.
    case over
  }

  /// The longest time from the start until the channel is open.
  private static let establishingTime = Duration.seconds(10)

  let lower: any ByteStream
  let layer: TLSLayer
  let peer: SocketAddress
  let loop: EventLoop
  let workspace: TLSWorkspace
  let tlsFacts = TLSFacts()

  // On the loop only:
  @exclusivity(unchecked) var session: TLSSession?
  @exclusivity(unchecked) var phase = Phase.handshaking
  @exclusivity(unchecked) private var handler: ((DescriptorEvents) -> Void)?
  @exclusivity(unchecked) private var interest: DescriptorEvents = []
  @exclusivity(unchecked) private var isTellingScheduled = false
  /// Whether the handshake waits for its turn.
  private var isWaiting = false
  /// Encrypted bytes that were received and not read.
  @exclusivity(unchecked) var held: [UInt8] = []
  @exclusivity(unchecked) var budget = LayerBudget()
  /// Whether the budget has ended the last step, so that there may be more to do without another event.
  @exclusivity(unchecked) var isCutShort = false
  /// How much of the session's output has left.
  @exclusivity(unchecked) var outputStart = 0
  /// Whether the stream below has ended.
  @exclusivity(unchecked) var hasInputEnded = false
  /// Whether the peer has ended its side with `close_notify`.
  @exclusivity(unchecked) private var hasPeerEnded = false
  @exclusivity(unchecked) var isFinishing = false
  /// Whether the end of this side has been given to the stream below.
  @exclusivity(unchecked) var hasFinished = false
  /// The part of an introduction's message that has arrived.
  var message: [UInt8] = []
  /// Why the peer's key was refused during the handshake.
  var objection: TransportError?
  /// What follows the handshake, once that is done.
  var proof: TLSLayer.Proof?
  /// The secret of the channel, once the handshake is done.
  var binding: ChannelBinding?
  private(set) var failure: TransportError?
  private var whenEstablished: ((TransportError?) -> Void)?
  private var whenProgressing: ((ConnectionProgress) -> Void)?
  private var progress = ConnectionProgress.silent
  private var timer: LoopTimer?

  var facts: any Sendable { tlsFacts }

  init(over lower: any ByteStream, _ layer: TLSLayer, peer: SocketAddress, on transportLoop: TransportLoop) {
    self.lower = lower
    self.layer = layer
    self.peer = peer
    loop = transportLoop.loop
    workspace = TLSWorkspace.all.value(of: transportLoop)
  }

  func whenEstablished(_ handler: @escaping (TransportError?) -> Void) {
    whenEstablished = handler
  }

  func whenProgressing(_ handler: @escaping (ConnectionProgress) -> Void) {
    whenProgressing = handler
  }

  func start(_ interest: DescriptorEvents, _ handler: @escaping (DescriptorEvents) -> Void) throws(SystemError) {
    loop.assertIsCurrent()
    self.interest = interest
    self.handler = handler
    do throws(SystemError) {
      try lower.start(.readable) { self.handleLower($0) }
    } catch {
      close()
      throw error
    }
    timer = loop.schedule(after: Self.establishingTime) {
      self.fail(self.error(.handshakeFailed, "it was not complete within \(Self.establishingTime); connect again"))
      self.settleOrFail()
    }
    waitForTurn()
  }

  func update(_ interest: DescriptorEvents) throws(SystemError) {
    loop.assertIsCurrent()
    self.interest = interest
    try settle()
  }

  // MARK: - Between below and above

  /// Whether everything that was encrypted has left.
  var isFlushed: Bool { session?.output.isEmpty ?? true }

  private var isOpen: Bool { if case .open = phase { true } else { false } }

  /// Whether the end of the peer's side may be reported: the channel may close the stream then.
  private var mayTellEnd: Bool { hasPeerEnded && (hasFinished || !isFinishing) }

  /// The events that hold above.
  private var ready: DescriptorEvents {
    if failure != nil { return [.readable, .writable] }
    guard isOpen, let session else { return [] }
    var events: DescriptorEvents = []
    let mayRead = !hasPeerEnded && (!held.isEmpty || isCutShort || hasInputEnded || session.hasPlainBytes)
    if mayRead || mayTellEnd { events.insert(.readable) }
    if isFlushed, !isFinishing { events.insert(.writable) }
    return events
  }

  private func handleLower(_ events: DescriptorEvents) {
    loop.assertIsCurrent()
    if events.contains(.writable) { flush() }
    if failure == nil, isOpen {
      var above: DescriptorEvents = events.intersection(.readable)
      if isFlushed, !isFinishing { above.insert(.writable) }
      above.formIntersection(interest)
      if !above.isEmpty { handler?(above) }
    } else if failure == nil, events.contains(.readable) {
      note(.heard)
      waitForTurn()
    }
    settleOrFail()
  }

  /// Waits below for what is needed there or here, and tells what holds already.
  func settle() throws(SystemError) {
    guard handler != nil else { return }
    var needed: DescriptorEvents = []
    if failure == nil {
      if !isOpen || interest.contains(.readable), !hasInputEnded, !hasPeerEnded, held.isEmpty { needed.insert(.readable) }
      if !isFlushed { needed.insert(.writable) }
    }
    try lower.update(needed)
    guard !isTellingScheduled, !ready.isDisjoint(with: interest) else { return }
    isTellingScheduled = true
    loop.atEndOfTick { self.tell() }
  }

  func settleOrFail() {
    do throws(SystemError) {
      try settle()
    } catch {
      fail(TransportError(error, "Watching the encrypted connection with \(peer)"))
      tellSoon()
    }
  }

  private func tellSoon() {
    guard handler != nil, !isTellingScheduled else { return }
    isTellingScheduled = true
    loop.atEndOfTick { self.tell() }
  }

  private func tell() {
    loop.assertIsCurrent()
    isTellingScheduled = false
    let events = ready.intersection(interest)
    guard !events.isEmpty else { return }
    handler?(events)
    settleOrFail()
  }

  // MARK: - Establishing

  /// Has the handshake go on when it is its turn.
  private func waitForTurn() {
    guard !isWaiting else { return }
    isWaiting = true
    workspace.handshakes.add(self, isUnderWay: session != nil)
  }

  func takeStep() {
    isWaiting = false
    guard failure == nil, handler != nil else { return }
    if session == nil { begin() } else { establish() }
    if failure == nil, !isOpen, isCutShort { waitForTurn() }
    settleOrFail()
  }

  /// Tells how far the peer has come.
  func note(_ progress: ConnectionProgress) {
    guard self.progress < progress else { return }
    self.progress = progress
    whenProgressing?(progress)
  }

  /// Opens the channel for frames.
  func open(_ details: SecurityDetails) {
    phase = .open
    message = []
    timer?.cancel()
    timer = nil
    tlsFacts.set(details)
    whenEstablished.take()?(nil)
  }

  /// Ends the channel with an error. What the library had to say to the peer leaves, if there is room.
  ///
  /// The channel finds the error at its next read, and closes the stream; only then the connection is given up.
  func fail(_ error: TransportError) {
    loop.assertIsCurrent()
    guard failure == nil, handler != nil else { return }
    failure = error
    phase = .over
    timer?.cancel()
    timer = nil
    flush()
  }

  // MARK: - For the channel

  func receive(into output: inout OutputSpan<UInt8>) throws(SystemError) -> Int {
    loop.assertIsCurrent()
    guard failure == nil else { throw Self.broken }
    guard isOpen else { throw SystemError("receive", errno: EAGAIN) }
    var count = 0
    if !hasPeerEnded {
      output.withUnsafeMutableBufferPointer { buffer, initialized in
        let room = UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: buffer[initialized...]))
        let outcome = run(expecting: room.count) { session in session.read(into: room, &count) }
        initialized += count
        switch outcome {
        case .ended?: hasPeerEnded = true
        case .failed(let reason)?: fail(error(reason))
        case .done?, .wantsInput?, .wantsRoom?, nil: break
        }
      }
      flush()
    }
    try settle()
    if count > 0 { return count }
    if failure != nil { throw Self.broken }
    if mayTellEnd { return 0 }
    throw SystemError("receive", errno: EAGAIN)
  }

  /// Thrown beside `failure`, which says what is wrong.
  private static let broken = SystemError("receive", errno: EPROTO)

  func send(_ pieces: UnsafeMutableBufferPointer<iovec>) throws(SystemError) -> Int {
    loop.assertIsCurrent()
    guard failure == nil else { throw Self.broken }
    guard isOpen, isFlushed, !isFinishing, let session else { throw SystemError("send", errno: EAGAIN) }
    let count = encrypt(pieces, session)
    flush()
    try settle()
    guard count > 0 else {
      if failure != nil { throw Self.broken }
      throw SystemError("send", errno: EAGAIN)
    }
    return count
  }

  func finishSending() throws(SystemError) {
    loop.assertIsCurrent()
    guard !isFinishing else { return }
    isFinishing = true
    if failure == nil, isOpen { session?.finishWriting() }
    if session == nil { hasFinished = true }
    flush()
    if failure != nil, !hasFinished {
      hasFinished = true
      try lower.finishSending()
    }
    try settle()
  }

  func countUnacknowledgedBytes() -> Int {
    loop.assertIsCurrent()
    let own = failure == nil ? (session?.output.count ?? 0) - outputStart + (hasFinished ? 0 : 1) : 0
    return own + lower.countUnacknowledgedBytes()
  }

  func close() {
    loop.assertIsCurrent()
    let isComplete = isFlushed
    release()
    if isComplete { lower.close() } else { lower.reset() }
  }

  func reset() {
    loop.assertIsCurrent()
    release()
    lower.reset()
  }

  private func release() {
    handler = nil
    timer?.cancel()
    timer = nil
    phase = .over
    session = nil
    held = []
    let reason = failure ?? TransportError(.closed, "The connection with \(peer) was closed before it was encrypted")
    whenEstablished.take()?(reason)
  }
}
