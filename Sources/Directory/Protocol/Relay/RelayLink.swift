import _BonjourishBase

/// The state machine of one end of a relayed connection: two streams of bytes over messages that may be lost.
///
/// A value without I/O: messages and time go in, messages and outcomes come out. Servers of NATS drop messages while they are away,
/// or when a reader is slow. So each side keeps what it has sent until the other side acknowledges it, and sends it again from the
/// first missing byte on (go-back-N). A side sends only as far as the other side permits, so memory is bounded on both.
///
/// The other side is checked, not trusted: what cannot be is ignored, and the reason is told.
package struct RelayLink {
  package enum Side: Hashable, Sendable {
    case dialer, acceptor
  }

  package enum Effect: Hashable, Sendable {
    /// Ask the program that the record names.
    case dial([UInt8])
    /// Send to the other side.
    case send([UInt8])
    /// The bytes of the message that has come belong to the stream, except for the first ones, which came before.
    case take(skipping: Int)
    /// The other side has accepted.
    case opened
    /// The connection is broken.
    case ended(End)
    /// The message that has come was ignored.
    case ignored(Flaw)
    /// Nobody needs this value any more.
    case gone
  }

  /// Why a connection is broken.
  package enum End: Hashable, Sendable {
    /// Nobody accepts.
    case refused
    /// The other side has broken it.
    case reset
    /// The other side was silent for ``silence``.
    case silent
    /// This side has broken it.
    case broken
  }

  /// Why a message is ignored.
  package enum Flaw: Hashable, Sendable {
    case wrongConnection, unexpected, acknowledgesTooMuch, beyondLimit, beyondEnd, gap, duplicate
  }

  enum Phase: Hashable {
    /// Next: `open`, `ended`.
    case dialing(attempts: Int)
    /// Next: `ended`, `gone`.
    case open
    /// Answers late messages for a time. Next: `gone`.
    case ended(End)
    case gone
  }

  /// Bytes that were sent and not acknowledged, with their header.
  struct Segment {
    let end: UInt64
    let bytes: [UInt8]
  }

  /// The most bytes that are on their way in one direction, or wait to be read.
  package static let window = 256 * 1024
  /// The most messages with bytes that are on their way, so that many small ones take little memory.
  package static let maximumSegments = 1_024
  /// The time without a message after which the other side is asked whether it is there, and the time between such questions.
  static let probeDelay: Duration = .seconds(8)
  static let probeInterval: Duration = .seconds(4)
  static let maximumProbes = 4
  /// The time without a message after which a connection is broken.
  package static var silence: Duration { probeDelay + probeInterval * maximumProbes }
  static let redialDelays = Backoff(from: .milliseconds(250), to: .seconds(1))
  static let questionDelays = Backoff(from: .milliseconds(500), to: .seconds(4))
  /// For how long late messages are answered after the end.
  package static let lingerTime: Duration = .seconds(24)
  /// The longest time to wait for bytes to send an acknowledgement with.
  static let acknowledgementDelay: Duration = .milliseconds(20)
  /// The number of messages without an answer after which it is not waited for more.
  static let unansweredMessages = 32
  /// How often it is told that nobody listens before that is believed: a program that connects again is missing for a moment.
  static let refusals = 3

  package let side: Side
  package let connection: RelayNumber
  /// The address of this program.
  let own: RelayNumber
  /// The address of the other side; nil while nobody has accepted.
  package internal(set) var peer: RelayNumber?
  /// The owner in the record that is dialled.
  let owner: UInt64
  var phase: Phase
  /// Whether the app has closed this side.
  var isReleased = false

  // Sending:
  var segments: [Segment] = []
  var sentEnd: UInt64 = 0
  var isFinished = false
  /// What the other side has received; one more than `sentEnd` when it has the end.
  var acknowledged: UInt64 = 0
  /// How far the other side lets us send.
  var limit: UInt64 = 0
  var times = RelayTimes()
  var retransmission: ContinuousClock.Instant?
  /// When the other side is asked how far we may send.
  var question: ContinuousClock.Instant?
  var questions = 0
  var lastReturn: ContinuousClock.Instant?
  var lastProgress: ContinuousClock.Instant

  // Receiving:
  var receivedEnd: UInt64 = 0
  package internal(set) var hasPeerFinished = false
  var consumedEnd: UInt64 = 0
  /// How far we let the other side send, as it was told last.
  var advertised = UInt64(Self.window)
  var hasGap = false
  var unacknowledgedMessages = 0
  var acknowledgement: ContinuousClock.Instant?

  // Who is there:
  var lastHeard: ContinuousClock.Instant
  var probes = 0
  var probe: ContinuousClock.Instant?
  var redial: ContinuousClock.Instant?
  var refusalCount = 0
  var removal: ContinuousClock.Instant?

  /// Makes the end that asks for a connection.
  ///
  /// - Parameters:
  ///   - owner: The owner in the record.
  ///   - own: The address of this program.
  package init(dialing owner: UInt64, as own: RelayNumber, connection: RelayNumber, at now: ContinuousClock.Instant) {
    (side, phase) = (.dialer, .dialing(attempts: 0))
    self.owner = owner
    self.own = own
    self.connection = connection
    (lastHeard, lastProgress) = (now, now)
  }

  /// Makes the end that accepts a connection.
  ///
  /// - Parameters:
  ///   - dial: The message that asks for it.
  ///   - own: The address of this program.
  package init(accepting dial: RelayMessage, as own: RelayNumber, at now: ContinuousClock.Instant) {
    (side, phase) = (.acceptor, .open)
    owner = dial.offset
    self.own = own
    connection = dial.connection
    peer = dial.address
    limit = dial.limit
    (lastHeard, lastProgress) = (now, now)
    probe = now + Self.probeDelay
  }

  // MARK: - What is so

  package var isOpen: Bool { phase == .open }

  /// Why the connection is broken; nil if it is not.
  package var end: End? { if case .ended(let end) = phase { end } else { nil } }

  /// The number of bytes that may be sent now.
  package var room: Int {
    guard phase == .open, !isFinished, !isReleased, segments.count < Self.maximumSegments else { return 0 }
    let end = min(limit, min(acknowledged, sentEnd) + UInt64(Self.window))
    return end > sentEnd ? Int(end - sentEnd) : 0
  }

  /// The number of bytes that have not arrived; the end counts as one.
  package var outstanding: Int { Int(sentEnd + (isFinished ? 1 : 0) - acknowledged) }

  /// Whether nothing arrives on the other side, or nothing comes back: the relay is away. Whoever only does not acknowledge is not
  /// covered by that for longer than ``silence``.
  package func isInterrupted(at now: ContinuousClock.Instant) -> Bool {
    phase == .open && now - lastHeard > .seconds(1) && now - lastProgress < Self.silence
  }

  /// The time at which ``advance(to:)`` is next needed; nil for none.
  package var nextDeadline: ContinuousClock.Instant? {
    var next: ContinuousClock.Instant?
    for deadline in [retransmission, question, acknowledgement, probe, redial, removal] {
      if let deadline, next.map({ deadline < $0 }) ?? true { next = deadline }
    }
    return next
  }

  // MARK: - Messages to the other side

  /// A message of this side that tells how much has been received, and how far the other side may send.
  mutating func message(
    _ kind: RelayMessage.Kind, flags: RelayMessage.Flags = [], reason: RelayMessage.Reason? = nil, offset: UInt64
  ) -> RelayMessage {
    advertised = max(advertised, consumedEnd + UInt64(Self.window))
    // Bytes may be sent again much later, so they do not tell what is missing now: an acknowledgement follows.
    if !hasGap { acknowledgement = nil }
    unacknowledgedMessages = 0
    return RelayMessage(
      kind, isFromDialer: side == .dialer, of: connection, flags: flags, reason: reason, offset: offset,
      acknowledged: receivedEnd + (hasPeerFinished ? 1 : 0), limit: advertised,
      address: kind == .dial || kind == .accept ? own : nil)
  }

  mutating func acknowledge(_ flags: RelayMessage.Flags = []) -> Effect {
    let bytes = message(.data, flags: hasGap ? flags.union(.hasGap) : flags, offset: sentEnd).bytes()
    acknowledgement = nil
    return .send(bytes)
  }

  mutating func finishing() -> Effect { .send(message(.finish, offset: sentEnd).bytes()) }

  mutating func end(_ end: End, telling reason: RelayMessage.Reason?, at now: ContinuousClock.Instant) -> [Effect] {
    let goodbye = reason.map { Effect.send(message(.reset, reason: $0, offset: sentEnd).bytes()) }
    phase = .ended(end)
    segments = []
    (retransmission, question, acknowledgement, probe, redial) = (nil, nil, nil, nil, nil)
    removal = now + Self.lingerTime
    return (goodbye.map { [$0] } ?? []) + [.ended(end)]
  }
}
