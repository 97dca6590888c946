import _BonjourishEventLoop

/// The deadlines of a connection: the peer must be admitted, finish a frame that it has begun, accept bytes that wait for it, and
/// send something; this side must send heartbeats, and ask a silent peer.
///
/// A value without a clock. Most events only move a deadline later, so the timer for `nextDeadline` is not set again for each of
/// them: when it fires, `check` finds out whether a deadline has passed.
struct PeerTimeouts: Sendable {
  enum Event {
    /// Received bytes that begin a frame or complete one.
    case begun
    /// Received bytes that continue a frame, which is still incomplete; the value is the number of its bytes so far.
    case continued(Int)
    /// This side reads again after a pause, which was not the peer's fault.
    case readingAgain
    /// The system has no room for more bytes.
    case blocked
    /// The system has taken some of the bytes to send.
    case progressed
    /// No bytes wait to be sent any more.
    case unblocked
    /// The connection is no longer pending.
    case admitted
  }

  /// The received bytes that were not taken.
  enum Tail {
    case nothing
    /// An incomplete frame only.
    case part
    /// At least one whole frame, or an error: the peer is not late.
    case whole
  }

  /// A deadline that has passed.
  enum Lapse: Equatable {
    case admission
    case frame
    case sending
    /// Nothing was received.
    case silence
  }

  /// The number of bytes of a large frame after which its deadline starts again, so that the limit is one on speed.
  static let stride = 64 * 1024

  /// A check that is later than this, in nanoseconds, was delayed by this side: it got no processor, or the machine was
  /// suspended.
  static let grace: Int64 = 1_000_000_000

  /// Whether there is any time limit.
  var hasLimits: Bool { terms.hasTimeLimits }

  private let terms: ChannelTerms
  /// The deadline for admission.
  private var admissionDeadline: LoopTime
  /// The deadline for the rest of an incomplete frame. It also stays set when the frame is complete, as no event tells that.
  private var frameDeadline = LoopTime.never
  /// The number of the frame's bytes when `frameDeadline` was last set.
  private var frameCount = 0
  /// The deadline for the peer to accept some of the waiting bytes.
  private var stallDeadline = LoopTime.never
  /// The deadline for receiving something.
  private(set) var silenceDeadline: LoopTime
  /// The deadline for this side to send something.
  private var heartbeatDeadline: LoopTime
  /// The deadline for asking a silent peer, halfway to silence: one that only answers, such as a browser, is heard only then if much is
  /// sent to it.
  private var questionDeadline: LoopTime

  init(_ terms: ChannelTerms, at now: LoopTime) {
    self.terms = terms
    admissionDeadline = Self.deadline(terms.admissionNanoseconds, after: now)
    silenceDeadline = Self.deadline(terms.silenceNanoseconds, after: now)
    heartbeatDeadline = Self.deadline(terms.heartbeatNanoseconds, after: now)
    questionDeadline = Self.deadline(terms.questionNanoseconds, after: now)
  }

  private static func deadline(_ nanoseconds: Int64?, after now: LoopTime) -> LoopTime {
    nanoseconds.map { now.advanced(byNanoseconds: $0) } ?? .never
  }

  mutating func handle(_ event: Event, at now: LoopTime) {
    switch event {
    case .begun:
      restartSilence(at: now)
      frameDeadline = Self.deadline(terms.frameNanoseconds, after: now)
      frameCount = 0
    case .continued(let count):
      restartSilence(at: now)
      guard frameDeadline == .never || count - frameCount >= Self.stride else { return }
      frameDeadline = Self.deadline(terms.frameNanoseconds, after: now)
      frameCount = count
    case .readingAgain:
      restartSilence(at: now)
      restartFrame(at: now)
    case .blocked:
      if stallDeadline == .never { stallDeadline = Self.deadline(terms.stallNanoseconds, after: now) }
    case .progressed:
      heartbeatDeadline = Self.deadline(terms.heartbeatNanoseconds, after: now)
      if stallDeadline != .never { stallDeadline = Self.deadline(terms.stallNanoseconds, after: now) }
    case .unblocked:
      stallDeadline = .never
    case .admitted:
      admissionDeadline = .never
    }
  }

  /// The time of the next check; never if no deadline is set.
  var nextDeadline: LoopTime {
    min(min(admissionDeadline, frameDeadline, stallDeadline), min(silenceDeadline, heartbeatDeadline, questionDeadline))
  }

  /// Returns the deadline that has passed, if any. A check that comes much too late starts all deadlines again instead.
  ///
  /// - Parameters:
  ///   - tail: The received bytes that were not taken.
  ///   - isListening: Whether this side reads, so that it would notice received bytes.
  mutating func check(_ tail: Tail, isListening: Bool = true, at now: LoopTime) -> Lapse? {
    if nextDeadline.advanced(byNanoseconds: Self.grace) < now { restart(at: now) }
    if now >= admissionDeadline { return .admission }
    if now >= stallDeadline { return .sending }
    if now >= silenceDeadline {
      if isListening { return .silence }
      restartSilence(at: now)
    }
    switch tail {
    case .nothing:
      frameDeadline = .never
    case .part:
      if now >= frameDeadline { return .frame }
    case .whole:
      // Checked again after the same time, because no event tells when the app takes the frame.
      if now >= frameDeadline { restartFrame(at: now) }
    }
    return nil
  }

  /// Whether this side must send a heartbeat now; starts the next interval if so. Called after each check.
  mutating func takeHeartbeat(at now: LoopTime) -> Bool {
    guard now >= min(heartbeatDeadline, questionDeadline) else { return false }
    heartbeatDeadline = Self.deadline(terms.heartbeatNanoseconds, after: now)
    questionDeadline = heartbeatDeadline
    return true
  }

  private mutating func restart(at now: LoopTime) {
    if admissionDeadline != .never { admissionDeadline = Self.deadline(terms.admissionNanoseconds, after: now) }
    if stallDeadline != .never { stallDeadline = Self.deadline(terms.stallNanoseconds, after: now) }
    restartSilence(at: now)
    restartFrame(at: now)
  }

  private mutating func restartSilence(at now: LoopTime) {
    silenceDeadline = Self.deadline(terms.silenceNanoseconds, after: now)
    questionDeadline = Self.deadline(terms.questionNanoseconds, after: now)
  }

  private mutating func restartFrame(at now: LoopTime) {
    if frameDeadline != .never { frameDeadline = Self.deadline(terms.frameNanoseconds, after: now) }
  }
}
