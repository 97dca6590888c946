/// How long a peer may take over what it owes: to be admitted, to finish a frame that it has begun, to take what waits for it.
///
/// A value without a clock. Most of what happens on a connection only moves a deadline further away, so whoever waits for
/// `nextDeadline` need not be told of that: what was to be done is found out by `check` when the time has come.
struct Patience: Sendable {
  /// The time since some moment, as the loop tells it. Not an instant of a clock: how large that is the compiler does not know,
  /// and looks it up with every use.
  typealias Instant = Duration

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

  /// A check that comes later than this was held up by this side: it had no processor, or the machine was asleep.
  static let grace = Duration.seconds(1)

  /// Whether it can ever end.
  var hasLimits: Bool { terms.hasTimeLimits }

  private let terms: ChannelTerms
  /// By when it has to be admitted.
  private var admissionDeadline: Instant?
  /// When the frame of which there is a part began, at the latest; kept also when it is whole, as that is not told.
  private var frameBegan: Instant?
  /// How many of the frame's bytes the time before `frameBegan` was for.
  private var frameCount = 0
  /// Since when nothing was taken of what waits.
  private var stalled: Instant?

  init(_ terms: ChannelTerms, at now: Instant) {
    self.terms = terms
    admissionDeadline = terms.admissionTime.map { now + $0 }
  }

  mutating func handle(_ event: Event, at now: Instant) {
    switch event {
    case .begun:
      frameBegan = now
      frameCount = 0
    case .continued(let count):
      guard frameBegan == nil || count - frameCount >= Self.stride else { return }
      frameBegan = now
      frameCount = count
    case .readingAgain:
      if frameBegan != nil { frameBegan = now }
    case .blocked:
      stalled = stalled ?? now
    case .progressed:
      stalled = now
    case .unblocked:
      stalled = nil
    case .admitted:
      admissionDeadline = nil
    }
  }

  /// When to check next; `nil` when nothing is owed.
  var nextDeadline: Instant? {
    earlier(earlier(admissionDeadline, frameDeadline), stallDeadline)
  }

  /// What has taken too long, if anything has. A check that comes much too late only gives the peer as much time again.
  mutating func check(_ tail: Tail, at now: Instant) -> Lapse? {
    if let nextDeadline, nextDeadline + Self.grace < now { restart(at: now) }
    if let admissionDeadline, now >= admissionDeadline { return .admission }
    if let stallDeadline, now >= stallDeadline { return .sending }
    guard let deadline = frameDeadline else { return nil }
    switch tail {
    case .nothing:
      frameBegan = nil
    case .part:
      if now >= deadline { return .frame }
    case .whole:
      // Asked again after as long, for nobody tells when it has been taken.
      if now >= deadline { frameBegan = now }
    }
    return nil
  }

  private mutating func restart(at now: Instant) {
    if admissionDeadline != nil { admissionDeadline = terms.admissionTime.map { now + $0 } }
    if frameBegan != nil { frameBegan = now }
    if stalled != nil { stalled = now }
  }

  private func earlier(_ first: Instant?, _ second: Instant?) -> Instant? {
    guard let first, let second else { return first ?? second }
    return min(first, second)
  }

  private var frameDeadline: Instant? {
    guard let limit = terms.limits.frameTime, let frameBegan else { return nil }
    return frameBegan + limit
  }

  private var stallDeadline: Instant? {
    guard let limit = terms.limits.stallTime, let stalled else { return nil }
    return stalled + limit
  }
}
