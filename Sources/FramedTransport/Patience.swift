import EventLoop

/// How long a peer may take over what it owes: to be admitted, to finish a frame that it has begun, to take what waits for it.
///
/// A value without a clock. Most of what happens on a connection only moves a deadline further away, so whoever waits for
/// `nextDeadline` need not be told of that: what was to be done is found out by `check` when the time has come.
struct Patience: Sendable {
  enum Event {
    /// Bytes came that are the beginning of something: nothing was there before, or what was there is whole now.
    case begun
    /// Bytes came for a frame of which a part was there before, and which is still not whole; so many are there now.
    case continued(Int)
    /// Nothing was read for a while, which was not the peer's fault, and now it is.
    case readingAgain
    /// The system takes nothing more.
    case blocked
    /// The system has taken some of what waits.
    case progressed
    /// Nothing waits any more.
    case unblocked
    /// The peer is one who may stay.
    case admitted
  }

  /// What is there of frames that nobody has taken.
  enum Tail {
    case nothing
    /// The beginning of a frame.
    case part
    /// At least one whole frame, or an error: it is not the peer that is late.
    case whole
  }

  /// What has taken too long.
  enum Lapse: Equatable {
    case admission
    case frame
    case sending
  }

  /// How much of a large frame is worth another time limit, which thus is one on how slowly it may come.
  static let stride = 64 * 1024

  /// A check that comes so many nanoseconds late was held up by this side: it had no processor, or the machine was asleep.
  static let grace: Int64 = 1_000_000_000

  /// Whether it can ever end.
  var hasLimits: Bool { terms.hasTimeLimits }

  private let terms: ChannelTerms
  /// By when it has to be admitted.
  private var admissionDeadline: LoopTime
  /// By when the frame of which there is a part has to be whole; kept also when it is, as that is not told.
  private var frameDeadline = LoopTime.never
  /// How many of the frame's bytes the time before that was for.
  private var frameCount = 0
  /// By when some of what waits has to be taken.
  private var stallDeadline = LoopTime.never

  init(_ terms: ChannelTerms, at now: LoopTime) {
    self.terms = terms
    admissionDeadline = Self.deadline(terms.admissionNanoseconds, after: now)
  }

  private static func deadline(_ nanoseconds: Int64?, after now: LoopTime) -> LoopTime {
    nanoseconds.map { now.advanced(byNanoseconds: $0) } ?? .never
  }

  mutating func handle(_ event: Event, at now: LoopTime) {
    switch event {
    case .begun:
      frameDeadline = Self.deadline(terms.frameNanoseconds, after: now)
      frameCount = 0
    case .continued(let count):
      guard frameDeadline == .never || count - frameCount >= Self.stride else { return }
      frameDeadline = Self.deadline(terms.frameNanoseconds, after: now)
      frameCount = count
    case .readingAgain:
      restartFrame(at: now)
    case .blocked:
      if stallDeadline == .never { stallDeadline = Self.deadline(terms.stallNanoseconds, after: now) }
    case .progressed:
      stallDeadline = Self.deadline(terms.stallNanoseconds, after: now)
    case .unblocked:
      stallDeadline = .never
    case .admitted:
      admissionDeadline = .never
    }
  }

  /// When to check next; never when nothing is owed.
  var nextDeadline: LoopTime { min(admissionDeadline, frameDeadline, stallDeadline) }

  /// What has taken too long, if anything has. A check that comes much too late only gives the peer as much time again.
  mutating func check(_ tail: Tail, at now: LoopTime) -> Lapse? {
    if nextDeadline.advanced(byNanoseconds: Self.grace) < now { restart(at: now) }
    if now >= admissionDeadline { return .admission }
    if now >= stallDeadline { return .sending }
    switch tail {
    case .nothing:
      frameDeadline = .never
    case .part:
      if now >= frameDeadline { return .frame }
    case .whole:
      // Asked again after as long, for nobody tells when it has been taken.
      if now >= frameDeadline { restartFrame(at: now) }
    }
    return nil
  }

  private mutating func restart(at now: LoopTime) {
    if admissionDeadline != .never { admissionDeadline = Self.deadline(terms.admissionNanoseconds, after: now) }
    if stallDeadline != .never { stallDeadline = Self.deadline(terms.stallNanoseconds, after: now) }
    restartFrame(at: now)
  }

  private mutating func restartFrame(at now: LoopTime) {
    if frameDeadline != .never { frameDeadline = Self.deadline(terms.frameNanoseconds, after: now) }
  }
}
