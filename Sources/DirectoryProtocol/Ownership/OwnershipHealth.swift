/// Whether owning values works, as the program is told.
///
/// A short time without an answer is not worth a word: a cluster elects another leader in it. What is refused is told at once.
struct OwnershipHealth {
  /// The time after which a directory that has never confirmed anything counts as unusable.
  static let firstPatience: Duration = .seconds(5)

  /// Why something was refused last.
  var complaint: JetStreamFailure?
  /// When it is told that it does not work; nil if it works, is told already, or there is no connection.
  private(set) var deadline: ContinuousClock.Instant?
  private var hasWorked = false
  private var told: Told?

  enum Told: Hashable {
    case usable
    case unusable(JetStreamFailure)
  }

  /// Stops counting, because the connection is lost: that is told by others.
  mutating func pause() { (deadline, complaint) = (nil, nil) }

  /// Judges what is known now.
  ///
  /// - Parameters:
  ///   - works: Whether the lease is confirmed, everything is watched, and there is room.
  ///   - patience: The time without an answer that is not worth a word.
  /// - Returns: What the program is to be told; nil for nothing.
  mutating func judge(works: Bool, patience: Duration, at now: ContinuousClock.Instant) -> Told? {
    if works {
      (complaint, deadline, hasWorked) = (nil, nil, true)
      return tell(.usable)
    }
    if case .unusable(let known)? = told {
      // Another reason is worth another word only if it says what is to be done.
      guard let complaint, complaint.saysWhatToDo, (complaint.code, complaint.kind) != (known.code, known.kind) else {
        return nil
      }
      return tell(.unusable(complaint))
    }
    if deadline == nil { deadline = now + (hasWorked ? patience : Self.firstPatience) }
    guard complaint?.saysWhatToDo == true || deadline.map({ $0 <= now }) == true else { return nil }
    deadline = nil
    return tell(.unusable(complaint ?? Claim.noAnswer))
  }

  private mutating func tell(_ new: Told) -> Told? {
    guard new != told else { return nil }
    told = new
    return new
  }
}

extension JetStreamFailure {
  /// It stays as it is until somebody does something.
  fileprivate var saysWhatToDo: Bool { isFinal || isFull }
}

extension Ownership {
  /// Tells when values can be kept, and when they cannot.
  mutating func judge(at now: ContinuousClock.Instant) -> [Effect] {
    guard isOnline, !hasEnded else { return [] }
    let works = holdsLease(at: now) && settledAt != nil && !own.values.contains(where: \.lacksRoom)
    switch health.judge(works: works, patience: timing.lease - timing.margin, at: now) {
    case .usable: return [.usable]
    case .unusable(let failure): return [.unusable(failure)]
    case nil: return []
    }
  }
}
