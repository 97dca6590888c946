/// A value of another owner.
struct ForeignValue {
  var owner: Ownership.Owner
  var revision: UInt64
  /// When this owner was first seen with it.
  var since: ContinuousClock.Instant
  /// The listing in which it was seen last.
  var listing: UInt64
  /// The revision that this program does not want.
  var ignored: UInt64?
}

/// What was heard of another owner.
struct HeardOwner {
  /// When its last lease was first told; nil if it has said that it ends.
  var time: ContinuousClock.Instant?
  /// For how long that lease counts.
  var lease: Duration
  /// When the directory got that lease, by the directory's clock: a listing that tells it again makes it no younger.
  var writtenAt: Int64
}

/// The values of others, as the watch tells them.
extension Ownership {
  // MARK: - Watching

  mutating func watched(_ effects: [Listing.Effect], at now: ContinuousClock.Instant) -> [Effect] {
    effects.flatMap { effect -> [Effect] in
      switch effect {
      case .list(let number):
        progress.restart()
        return [.list(number: number)]
      case .goOn(let subject): return [.goOn(subject)]
      case .began: return []
      case .value(let message, let delivery): return noted(message, delivery, at: now)
      case .settled:
        settledAt = now
        for (name, value) in foreign where value.listing < listing.number { foreign[name] = nil }
        return []
      case .interrupted(let failure):
        settledAt = nil
        health.complaint = failure
        return failure.isMissing ? [.missing] : []
      case .restored: return []
      }
    }
  }

  private mutating func noted(
    _ message: DirectoryMessage, _ delivery: Delivery, at now: ContinuousClock.Instant
  ) -> [Effect] {
    switch keys.kind(of: message.subject) {
    case .lease(let owner):
      if owner == self.owner { progress.noteDelivered(delivery.streamSequence) }
      // An owner whose lease does not say for how long it counts is given the time that counts here.
      let lease = message.headers[DirectoryMessage.lease].flatMap { Self.lease($0) } ?? timing.lease
      hear(owner, HeardOwner(time: message.isDeletion ? nil : now, lease: lease, writtenAt: delivery.time))
      return []
    case .value(let name): return noted(name, message, revision: delivery.streamSequence, at: now)
    case nil:
      flaws += 1
      return []
    }
  }

  /// The text of a lease, in milliseconds.
  package static func text(_ lease: Duration) -> String { "\(lease.nanoseconds / 1_000_000)" }

  /// - Returns: Nil for any other text, and for what no owner may have.
  private static func lease(_ text: String) -> Duration? {
    Int64(text).map { .milliseconds($0) }.flatMap { leases.contains($0) ? $0 : nil }
  }

  private mutating func hear(_ owner: Owner, _ news: HeardOwner) {
    guard owner != self.owner, owner != Self.nobody, heard[owner]?.writtenAt != news.writtenAt else { return }
    if heard[owner] == nil, heard.count >= limits.owners {
      // Those who live are heard every second.
      let oldest = heard.min { left, right in
        left.value.time.map { first in right.value.time.map { first < $0 } ?? false } ?? true
      }
      if let oldest { heard[oldest.key] = nil }
      flaws += 1
    }
    heard[owner] = news
  }

  private mutating func noted(
    _ name: String, _ message: DirectoryMessage, revision: UInt64, at now: ContinuousClock.Instant
  ) -> [Effect] {
    let owner = message.isDeletion ? nil : message.headers[DirectoryMessage.owner].flatMap { Owner(digits: $0) }
    if owner == nil, !message.isDeletion { flaws += 1 }
    var effects: [Effect] = []
    if let value = own[name], value.isHeld, value.phase == .idle, owner != self.owner, revision > value.revision {
      effects = lose(name)
    }
    guard let owner, owner != self.owner else {
      foreign[name] = nil
      undecided[name] = nil
      return effects
    }
    if let known = foreign[name] {
      if known.owner != owner { foreign[name]!.since = now }
      foreign[name]!.owner = owner
      foreign[name]!.revision = revision
      foreign[name]!.listing = listing.number
    } else if foreign.count < limits.values {
      foreign[name] = ForeignValue(owner: owner, revision: revision, since: now, listing: listing.number)
    } else {
      flaws += 1
    }
    if case .offered(let offered, _)? = undecided[name], offered != revision { undecided[name] = nil }
    return effects
  }
}
