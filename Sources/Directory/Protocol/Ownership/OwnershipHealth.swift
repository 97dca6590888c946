/// Whether owning values works, as the program is told.
///
/// A short time without an answer is not worth a word: a cluster elects another leader in it. What is refused is told at once.
struct OwnershipHealth {
  /// The time after which a directory that has never confirmed anything counts as unusable.
  static let firstTimeout: Duration = .seconds(5)

  /// Why something was refused last.
  var complaint: JetStreamFailure?
  /// Why the bucket cannot be used, until the machine starts again.
  var bucketFailure: JetStreamFailure?
  /// When it is told that it does not work; nil if it works, is told already, or there is no connection.
  private(set) var deadline: ContinuousClock.Instant?
  private var hasWorked = false
  private var reported: Report?

  enum Report: Hashable {
    case usable
    case unusable(JetStreamFailure)
  }

  /// Stops counting, because the connection is lost: that is told by others.
  mutating func pause() { (deadline, complaint, bucketFailure) = (nil, nil, nil) }

  /// Judges what is known now.
  ///
  /// - Parameters:
  ///   - works: Whether the lease is confirmed, everything is watched, and there is room.
  ///   - timeout: The time without an answer that is not worth a word.
  /// - Returns: What the program is to be told; nil for nothing.
  mutating func judge(works: Bool, timeout: Duration, at now: ContinuousClock.Instant) -> Report? {
    if works, bucketFailure == nil {
      (complaint, deadline, hasWorked) = (nil, nil, true)
      return report(.usable)
    }
    // What stays as it is until somebody does something.
    let lasting = bucketFailure ?? complaint.flatMap { $0.isFinal || $0.isFull ? $0 : nil }
    if case .unusable(let known)? = reported {
      // Another reason is worth another word only if it says what is to be done.
      guard let lasting, (lasting.code, lasting.kind) != (known.code, known.kind) else { return nil }
      return report(.unusable(lasting))
    }
    if deadline == nil { deadline = now + (hasWorked ? timeout : Self.firstTimeout) }
    guard lasting != nil || deadline.map({ $0 <= now }) == true else { return nil }
    deadline = nil
    return report(.unusable(lasting ?? complaint ?? Claim.noAnswer))
  }

  private mutating func report(_ new: Report) -> Report? {
    guard new != reported else { return nil }
    reported = new
    return new
  }
}

extension Ownership {
  /// Notes why the bucket cannot be used: it is missing, and cannot be made. It can be used again when the machine starts.
  ///
  /// While a cluster elects a leader it refuses, too: what was there before is given the time for that.
  package mutating func bucketFailed(_ failure: JetStreamFailure, at now: ContinuousClock.Instant) -> [Effect] {
    let isElecting = isOnline && failure.code == 503 && !failure.isFull
    if isElecting { health.complaint = failure } else { health.bucketFailure = failure }
    return doubt(at: now) + judge(at: now)
  }

  /// Tells when values can be kept, and when they cannot.
  mutating func judge(at now: ContinuousClock.Instant) -> [Effect] {
    guard isOnline || health.bucketFailure != nil, !hasEnded else { return [] }
    let works = holdsLease(at: now) && settledAt != nil && !own.values.contains(where: \.lacksRoom)
    switch health.judge(works: works, timeout: timing.lease - timing.margin, at: now) {
    case .usable: return [.usable]
    case .unusable(let failure): return [.unusable(failure)]
    case nil: return []
    }
  }
}
