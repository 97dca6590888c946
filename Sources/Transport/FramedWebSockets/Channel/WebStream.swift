import CBonjourishLinux
import FramedCoding
import FramedTransport
import _BonjourishEventLoop
import _FramedWebProtocol

/// A stream that begins with what the peer speaks: WebSocket, HTTP, or frames as they are.
///
/// Towards the channel it delivers and takes frames of the channel's own format. It takes and delivers no bytes before it knows what the
/// peer speaks, and before a handshake is done.
///
/// Confined to the loop, which every method asserts. Dynamic exclusivity checks are off for variables that every read and write uses.
final class WebStream: LayeredStream {
  /// The state of the stream.
  enum Phase {
    /// A server that has not received enough bytes to tell what the peer speaks. Next: `native`, `head`, `over`.
    case sniffing
    /// Frames as they are. Next: `over`.
    case native
    /// Receives the head of a request or of an answer to one. Next: `open`, `handling`, `answering`, `over`.
    case head(HTTPLines)
    /// Waits for the answer of a handler. Next: `answering`, `over`.
    case handling(HandlerRun)
    /// Sends the answer to a request that opens no WebSocket. Next: `over`.
    case answering
    /// Messages. Next: `failing`, `over`.
    case open
    /// Tells the peer why the WebSocket ends. Next: `over`.
    case failing(TransportError)
    /// Has failed or is closed.
    case over
  }

  let lower: any ByteStream
  let layer: WebLayer
  var side: WebLayer.Side { layer.side }
  let role: WebSocketRole
  /// The kind of the messages to be sent.
  let opcode: WebSocketOpcode
  /// Whether texts may be received.
  let isText: Bool
  let terms: StreamTerms
  /// The lengths of the channel's frames.
  let prefix: FrameFormat.LengthPrefix
  let header: LengthHeader
  /// Whether they are the usual ones: four bytes, the most significant first.
  let hasUsualLengths: Bool
  /// Whether empty frames are heartbeats: they are pings and pongs here.
  let hasHeartbeat: Bool
  let peer: SocketAddress
  let loop: EventLoop
  /// Its timer ends the head of a request, a message that has begun, a failing WebSocket, or one that the peer has ended.
  let core: StreamCore
  let workspace: WebWorkspace
  let webFacts = WebFacts()

  // On the loop only:
  @exclusivity(unchecked) var phase = Phase.sniffing {
    didSet { if case .open = phase { isOpen = true } else { isOpen = false } }
  }
  /// Whether the phase is `open`.
  @exclusivity(unchecked) private(set) var isOpen = false
  /// Whether the phase is `native`.
  @exclusivity(unchecked) var isNative = false
  /// What a client has asked for.
  var offer: WebSocketOffer?
  /// When the answer of a server must leave.
  var deadline = WebDeadline(pendingFor: nil, since: .now)

  // Receiving:
  @exclusivity(unchecked) var reader: WebSocketReader
  /// Bytes that were received and not read.
  @exclusivity(unchecked) var held: [UInt8] = []
  /// A message that was put together, as a frame of the channel, and how much of it has been delivered.
  @exclusivity(unchecked) var whole: [UInt8] = []
  @exclusivity(unchecked) var wholeStart = 0
  /// The fragments of a message; `nil` while there are none.
  @exclusivity(unchecked) var fragments: [UInt8]?
  /// The size of what has arrived of a hidden message when its timer was set.
  var timedCount = 0
  /// Whether the stream below has ended.
  @exclusivity(unchecked) var hasInputEnded = false
  /// The peer's closing frame.
  @exclusivity(unchecked) var closeOfPeer: WebSocketClose?

  // Sending:
  /// Bytes that must leave before all others.
  @exclusivity(unchecked) var output: [UInt8] = []
  /// Where in a frame of the channel the next byte to send is.
  @exclusivity(unchecked) var outgoing = OutgoingFrame()
  /// The payload of the last ping that was not answered.
  @exclusivity(unchecked) var pong: [UInt8]?
  /// Why nothing can be sent any more. What has been received can still be read.
  @exclusivity(unchecked) var sendError: SystemError?
  @exclusivity(unchecked) var isFinishing = false
  /// Whether this side's closing frame is among the bytes to send, or has left.
  @exclusivity(unchecked) var hasSentClose = false
  /// Whether the end of this side has been given to the stream below.
  @exclusivity(unchecked) var hasFinished = false

  var facts: any Sendable { webFacts }
  var failure: TransportError? { core.failure ?? (isNative ? lower.failure : nil) }

  /// - Parameter terms: The format must be one with a length.
  init(
    over lower: any ByteStream, _ layer: WebLayer, _ terms: StreamTerms, peer: SocketAddress,
    on transportLoop: TransportLoop
  ) {
    guard let prefix = terms.format.lengthPrefix, let header = FrameEncoder(format: terms.format).header else {
      preconditionFailure("format must begin with a length")
    }
    self.lower = lower
    self.layer = layer
    self.terms = terms
    self.prefix = prefix
    self.header = header
    hasUsualLengths = prefix.width == .four && prefix.byteOrder == .bigEndian && !prefix.countsItself
    self.peer = peer
    role = layer.side.role
    opcode = layer.side.messages.sent
    isText = layer.side.messages != .binary
    hasHeartbeat = terms.limits.heartbeat != nil
    loop = transportLoop.loop
    core = StreamCore(on: loop)
    workspace = WebWorkspace.all.value(of: transportLoop)
    reader = WebSocketReader(role, layer.side.messages, limit: min(terms.largestFrame, terms.format.largestBodySize))
  }

  // MARK: - Between below and above

  var isFlushed: Bool { output.isEmpty }

  /// Whether messages are taken: not after this side's closing frame.
  var maySend: Bool { isOpen && isFlushed && !isFinishing && !hasSentClose }

  /// Whether the peer has ended its side in order.
  var hasPeerEnded: Bool { closeOfPeer != nil || hasInputEnded }

  /// Whether the end of the peer's side may be reported: the channel may close the stream then.
  var mayTellEnd: Bool { hasPeerEnded && whole.isEmpty && (hasFinished || !isFinishing) }

  var ready: DescriptorEvents {
    if failure != nil { return [.readable, .writable] }
    if isNative { return held.isEmpty ? [] : .readable }
    guard isOpen else { return [] }
    var events: DescriptorEvents = []
    if !held.isEmpty || core.budget.isCutShort || !whole.isEmpty || mayTellEnd { events.insert(.readable) }
    // A sender that is refused learns that the peer has ended.
    if maySend || sendError != nil || hasSentClose && !isFinishing { events.insert(.writable) }
    return events
  }

  func handleLower(_ events: DescriptorEvents) {
    loop.assertIsCurrent()
    if isNative {
      core.call(events)
      return settleOrFail()
    }
    if events.contains(.writable) { flush() }
    switch phase {
    case .sniffing, .head:
      if events.contains(.readable) {
        core.note(.heard)
        open()
      }
    case .handling, .answering, .failing:
      if events.contains(.readable) { dropInput() }
    case .open:
      var above = events.intersection(.readable)
      if maySend { above.insert(.writable) }
      core.call(above)
    case .native, .over: break
    }
    settleOrFail()
  }

  var needed: DescriptorEvents {
    guard failure == nil else { return [] }
    // An event that came while bytes are held would be lost: the stream below reports it once, unless it is asked for anew.
    if isNative { return held.isEmpty ? core.interest : core.interest.subtracting(.readable) }
    var needed: DescriptorEvents = isFlushed ? [] : .writable
    guard !hasInputEnded else { return needed }
    let mayRead = held.isEmpty && whole.isEmpty && closeOfPeer == nil
    if !isOpen || core.interest.contains(.readable) && mayRead { needed.insert(.readable) }
    return needed
  }

  func fail(_ error: TransportError) {
    guard core.fail(error) else { return }
    stopHandling()
    phase = .over
    isNative = false
    core.signal(ready, self)
  }

  // MARK: - Closing

  func countUnacknowledgedBytes() -> Int {
    loop.assertIsCurrent()
    if isNative { return lower.countUnacknowledgedBytes() }
    return (failure == nil ? output.count + (hasFinished ? 0 : 1) : 0) + lower.countUnacknowledgedBytes()
  }

  func permit(largestFrame: Int) {
    loop.assertIsCurrent()
    reader.limit = min(largestFrame, terms.format.largestBodySize)
  }

  func release() {
    stopHandling()
    phase = .over
    isNative = false
    held = []
    whole = []
    fragments = nil
    core.end(TransportError(.closed, "The connection with \(peer) was closed before it was open"))
  }
}
