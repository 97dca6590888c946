import CBonjourishLinux
import FramedTransport
import _BonjourishDirectoryProtocol
import _BonjourishEventLoop

/// The bytes of a relayed connection: carries out what its ``RelayLink`` asks for.
///
/// After it is closed it goes on for a while by itself, until what was sent has arrived and late messages are answered.
///
/// Sendable: made on any thread, and confined to the loop from then on.
final class RelayStream: ByteStream, TickObserver, @unchecked Sendable {
  let loop: EventLoop
  private let core: StreamCore
  let hub: RelayHub
  private let inbox: RelayInbox
  private let place: RelayHub.Place
  private let allowance = RelayAllowance()
  private(set) var link: RelayLink
  /// Where the other side is dialled; nil for the side that accepts.
  private let dialled: RelayNumber?
  private var subject = ""

  private var received = RelayBuffer()
  private var isClosed = false
  private lazy var deadline = LoopDeadline(on: loop) { [weak self] in self?.advance() }
  private var isAdvanceScheduled = false
  /// Called once: when the other side has accepted, or with the reason why not.
  private var opened: ((TransportError?) -> Void)?
  private(set) var failure: TransportError?

  /// - Parameters:
  ///   - dialled: The address to dial; nil for a link that accepts.
  init(_ link: RelayLink, _ inbox: RelayInbox, _ hub: RelayHub, dialling dialled: RelayNumber? = nil, on loop: EventLoop) {
    self.link = link
    self.inbox = inbox
    self.hub = hub
    self.dialled = dialled
    self.loop = loop
    core = StreamCore(on: loop)
    place = RelayHub.Place(connection: link.connection, side: link.side)
    if let peer = link.peer { subject = hub.subject(of: peer) }
  }

  /// Dials, or accepts. Called once.
  func begin(_ opened: ((TransportError?) -> Void)? = nil) {
    loop.assertIsCurrent()
    self.opened = opened
    inbox.attach(self)
    run(link.start(at: .now))
  }

  // MARK: - ByteStream

  func start(_ interest: DescriptorEvents, _ handler: @escaping (DescriptorEvents) -> Void) {
    core.start(interest, handler)
    signal()
  }

  func update(_ interest: DescriptorEvents) {
    core.update(interest)
    signal()
  }

  /// The events that hold.
  private var ready: DescriptorEvents {
    var events: DescriptorEvents = []
    let isBroken = link.end != nil
    if !received.isEmpty || link.hasPeerFinished || isBroken { events.insert(.readable) }
    if link.room > 0 || isBroken { events.insert(.writable) }
    return events
  }

  private func signal() { core.signal(ready, self) }

  func tickEnded() {
    if core.report(ready) { signal() }
  }

  func receive(into output: inout OutputSpan<UInt8>) throws(SystemError) -> Int {
    loop.assertIsCurrent()
    let count = received.read(into: &output)
    if count > 0 {
      link.consumed(count, at: .now)
      scheduleAdvance()
      return count
    }
    if let error = brokenError(during: "receive") { throw error }
    if link.hasPeerFinished { return 0 }
    throw SystemError("receive", errno: EAGAIN)
  }

  func send(_ pieces: UnsafeMutableBufferPointer<iovec>) throws(SystemError) -> Int {
    loop.assertIsCurrent()
    if let error = brokenError(during: "send") { throw error }
    var left = pieces.reduce(0) { $0 + $1.iov_len }
    var reader = PieceReader(pieces)
    let now = ContinuousClock.now
    var sent = 0
    while left > 0, case let count = min(left, link.room, RelayMessage.maximumPayload), count > 0 {
      var bytes = link.header(forSending: count)
      bytes.append(addingCapacity: count) { reader.read(count, into: &$0) }
      run(link.send(bytes, at: now))
      (sent, left) = (sent + count, left - count)
    }
    guard sent > 0 || pieces.isEmpty else { throw SystemError("send", errno: EAGAIN) }
    return sent
  }

  func finishSending() throws(SystemError) {
    loop.assertIsCurrent()
    if let error = brokenError(during: "shutdown") { throw error }
    run(link.finish(at: .now))
  }

  func countUnacknowledgedBytes() -> Int {
    loop.assertIsCurrent()
    return link.end == nil ? link.outstanding : 0
  }

  var isInterrupted: Bool { link.isInterrupted(at: .now) }

  func close() {
    loop.assertIsCurrent()
    leave()
    run(link.release(at: .now))
  }

  func reset() {
    loop.assertIsCurrent()
    leave()
    run(link.abandon(at: .now))
  }

  private func leave() {
    isClosed = true
    core.end()
    received.removeAll()
  }

  /// The error of a broken connection, for the system's part of it.
  private func brokenError(during call: String) -> SystemError? {
    switch link.end {
    case nil: nil
    case .silent: SystemError(call, errno: ETIMEDOUT)
    case .refused: SystemError(call, errno: ECONNREFUSED)
    case .reset, .broken: SystemError(call, errno: ECONNRESET)
    }
  }

  // MARK: - Messages and time

  /// Handles what the inbox has, as much as a layer may in one tick: a message costs time, also without payload.
  func receiveArrivals() {
    loop.assertIsCurrent()
    let now = ContinuousClock.now
    let (arrivals, isMore) = inbox.take(atMost: LayerBudget.mostSteps)
    if isMore { loop.execute { self.receiveArrivals() } }
    for arrival in arrivals {
      switch arrival {
      case .message(let message, let body):
        run(link.receive(message, payload: body.count - message.size, at: now), (message, body))
      case .nobodyListens: run(link.nobodyListens(at: now))
      case .reconnected: run(link.reconnected(at: now))
      }
    }
    signal()
  }

  private func run(_ effects: [RelayLink.Effect], _ arrival: (header: RelayMessage, body: NATSMessage)? = nil) {
    for effect in effects {
      switch effect {
      case .dial(let bytes):
        guard let dialled else { continue }
        let reply = hub.replySubject(of: link.connection)
        hub.port.send(bytes, to: hub.dialSubject(of: dialled), replyTo: reply, allowance)
      case .send(let bytes): hub.port.send(bytes, to: subject.isEmpty ? dialledSubject : subject, allowance)
      case .take(let skipped):
        guard let arrival, !isClosed else { continue }
        received.append(arrival.body, (arrival.header.size + skipped)..<arrival.body.count)
      case .opened:
        if let peer = link.peer { subject = hub.subject(of: peer) }
        opened.take()?(nil)
      case .ended(let end):
        failure = TransportError(end, dialling: opened != nil)
        opened.take()?(failure)
        signal()
      case .ignored: break
      case .gone:
        hub.remove(place)
        inbox.detach()
      }
    }
    scheduleAdvance()
  }

  /// Where to send before anybody has accepted.
  private var dialledSubject: String { dialled.map { hub.subject(of: $0) } ?? "" }

  /// Lets time pass at the next deadline; what is due already at the end of the tick, so that acknowledgements are not sent for each
  /// message.
  private func scheduleAdvance() {
    if let due = link.nextDeadline, due <= .now {
      guard !isAdvanceScheduled else { return }
      isAdvanceScheduled = true
      return loop.atEndOfTick { self.advance() }
    }
    deadline.set(link.nextDeadline)
  }

  private func advance() {
    isAdvanceScheduled = false
    run(link.advance(to: .now))
  }
}
