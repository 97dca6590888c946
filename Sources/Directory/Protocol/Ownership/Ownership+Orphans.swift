/// An orphan that is being read, or that the program was told of.
enum UndecidedValue: Hashable {
  case reading(number: UInt64, until: ContinuousClock.Instant)
  case offered(revision: UInt64, [UInt8])
}

/// The values of others that have no owner any more: when a lease has ended, and what becomes of them.
extension Ownership {
  /// Takes an orphan that was reported, if nobody was faster: ``State/owned(stored:)`` or ``State/lost`` follows.
  package mutating func take(_ name: String, at now: ContinuousClock.Instant) -> [Effect] {
    guard own[name] == nil else { return [] }
    guard case .offered(let revision, let bytes)? = undecided.removeValue(forKey: name) else { return [.changed(name, .lost)] }
    own[name] = OwnValue(bytes: bytes, version: 0, revision: revision, isTaken: true)
    return doubt(at: now) + tend(at: now)
  }

  /// Leaves an orphan that was reported to others. It is reported again when it has changed, or with ``reconsider(_:)``.
  package mutating func ignore(_ name: String) {
    guard case .offered(let revision, _)? = undecided.removeValue(forKey: name) else { return }
    foreign[name]?.ignored = revision
  }

  /// Reports an orphan again that was ignored, if it still is one.
  package mutating func reconsider(_ name: String) { foreign[name]?.ignored = nil }

  /// Whether an orphan that was reported can still be taken.
  package func offers(_ name: String) -> Bool { if case .offered? = undecided[name] { true } else { false } }

  /// Whether the owner of a value is gone: it has given the value up, has said that it ends, or is known to have been silent for as
  /// long as its lease counts.
  private func isOrphan(_ value: ForeignValue) -> Bool {
    guard let settledAt else { return false }
    if value.owner == Self.nobody { return true }
    guard let known = heard[value.owner] else { return progress.hasReached(max(value.since, settledAt) + timing.lease) }
    guard let last = known.time else { return true }
    return progress.hasReached(max(last + known.lease, settledAt + min(known.lease, Self.grace)))
  }

  /// Reads orphans, a few at a time, to report them.
  mutating func seekOrphans(at now: ContinuousClock.Instant) -> [Effect] {
    for (name, value) in undecided {
      if case .reading(let number, let until) = value, until <= now {
        requests[number] = nil
        undecided[name] = nil
      }
    }
    guard isOnline, holdsLease(at: now), undecided.count < limits.undecided else { return [] }
    var chosen: [String] = []
    for (name, value) in foreign
    where value.ignored != value.revision && own[name] == nil && undecided[name] == nil && isOrphan(value) {
      chosen.append(name)
      if undecided.count + chosen.count == limits.undecided { break }
    }
    return chosen.sorted().map { name in
      number += 1
      requests[number] = name
      undecided[name] = .reading(number: number, until: now + Self.timeout)
      return .read(number: number, key: keys.value(name))
    }
  }

  /// Handles what was found where an orphan should be.
  mutating func offered(
    _ name: String, _ number: UInt64, _ reading: Reading, at now: ContinuousClock.Instant
  ) -> [Effect] {
    guard case .reading(number, _)? = undecided.removeValue(forKey: name) else { return [] }
    guard case .value(let owner?, let revision, let bytes) = reading, let value = foreign[name], value.owner == owner,
      value.revision == revision, isOrphan(value), holdsLease(at: now)
    else { return [] }
    guard let bytes, bytes.count <= limits.valueSize else {
      flaws += 1
      foreign[name]!.ignored = revision
      return []
    }
    undecided[name] = .offered(revision: revision, bytes)
    return [.orphaned(name, bytes)]
  }
}
