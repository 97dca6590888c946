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
  private let settings: any TLSSettings
  /// Those of this connection, once it has begun.
  private(set) var layer: TLSLayer
  private let log: TransportLog?
  let peer: SocketAddress
  let loop: EventLoop
  let core: StreamCore
  let workspace: TLSWorkspace
  let tlsFacts = TLSFacts()

  // On the loop only:
  @exclusivity(unchecked) var session: TLSSession?
  @exclusivity(unchecked) var phase = Phase.handshaking
  /// Whether files are being read on which the settings depend.
  private var isPreparing = false
  /// Whether the handshake waits for its turn.
  private var isWaiting = false
  /// Encrypted bytes that were received and not read.
  @exclusivity(unchecked) var held: [UInt8] = []
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
  var exchange: TLSExchange?
  /// The secret of the channel, once the handshake is done.
  var binding: ChannelBinding?

  var facts: any Sendable { tlsFacts }
  var failure: TransportError? { core.failure }

  init(
    over lower: any ByteStream, _ settings: any TLSSettings, peer: SocketAddress, log: TransportLog?,
    on transportLoop: TransportLoop
  ) {
    self.lower = lower
    self.settings = settings
    layer = settings.present
    self.log = log
    self.peer = peer
    loop = transportLoop.loop
    core = StreamCore(on: loop)
    workspace = TLSWorkspace.all.value(of: transportLoop)
  }

  func begin() {
    core.setTimer(after: Self.establishingTime) {
      self.fail(self.error(.handshakeFailed, "it was not complete within \(Self.establishingTime); connect again"))
      self.settleOrFail()
    }
    guard let update = settings.update else { return waitForTurn() }
    isPreparing = true
    let stream = StreamOnLoop(stream: self)
    update.thread.run { [loop, log] in
      let error = update.run(log)
      loop.execute { stream.stream.endPreparing(error) }
    }
  }

  private func endPreparing(_ error: TransportError?) {
    loop.assertIsCurrent()
    isPreparing = false
    guard failure == nil, core.isStarted else { return }
    layer = settings.present
    if let error { fail(error) } else { waitForTurn() }
    settleOrFail()
  }

  // MARK: - Between below and above

  var isFlushed: Bool { session?.output.isEmpty ?? true }

  private var isOpen: Bool { if case .open = phase { true } else { false } }

  /// Whether the end of the peer's side may be reported: the channel may close the stream then.
  private var mayTellEnd: Bool { hasPeerEnded && (hasFinished || !isFinishing) }

  var ready: DescriptorEvents {
    if failure != nil { return [.readable, .writable] }
    guard isOpen, let session else { return [] }
    var events: DescriptorEvents = []
    let mayRead = !hasPeerEnded && (!held.isEmpty || core.budget.isCutShort || hasInputEnded || session.hasPlainBytes)
    if mayRead || mayTellEnd { events.insert(.readable) }
    if isFlushed, !isFinishing { events.insert(.writable) }
    return events
  }

  func handleLower(_ events: DescriptorEvents) {
    loop.assertIsCurrent()
    if events.contains(.writable) { flush() }
    if failure == nil, isOpen {
      var above: DescriptorEvents = events.intersection(.readable)
      if isFlushed, !isFinishing { above.insert(.writable) }
      core.call(above)
    } else if failure == nil, events.contains(.readable) {
      core.note(.heard)
      waitForTurn()
    }
    settleOrFail()
  }

  var needed: DescriptorEvents {
    guard failure == nil else { return [] }
    var needed: DescriptorEvents = isFlushed ? [] : .writable
    if !isOpen || core.interest.contains(.readable), !hasInputEnded, !hasPeerEnded, held.isEmpty { needed.insert(.readable) }
    return needed
  }

  // MARK: - Establishing

  /// Has the handshake go on when it is its turn.
  private func waitForTurn() {
    guard !isWaiting, !isPreparing else { return }
    isWaiting = true
    workspace.handshakes.add(self, isUnderWay: session != nil)
  }

  func takeStep() {
    isWaiting = false
    guard failure == nil, core.isStarted else { return }
    if session == nil { beginSession() } else { establish() }
    if failure == nil, !isOpen, core.budget.isCutShort { waitForTurn() }
    settleOrFail()
  }

  /// Opens the channel for frames.
  func open(_ details: SecurityDetails) {
    phase = .open
    message = []
    tlsFacts.set(details)
    core.establish()
  }

  /// Ends the channel with an error. What the library had to say to the peer leaves, if there is room.
  func fail(_ error: TransportError) {
    guard core.fail(error) else { return }
    phase = .over
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

  func release() {
    phase = .over
    session = nil
    held = []
    core.end(TransportError(.closed, "The connection with \(peer) was closed before it was encrypted"))
  }
}

/// A stream that files are read for. Sendable: the stream is used on its loop only.
private struct StreamOnLoop: @unchecked Sendable {
  let stream: TLSStream
}
