/// A value of this owner, or one that it is about to take.
struct OwnValue {
  enum Phase: Hashable {
    /// Nothing is under way.
    case idle
    case writing(number: UInt64, version: UInt64, until: ContinuousClock.Instant)
    case reading(number: UInt64, until: ContinuousClock.Instant)
    /// Whether the last write was carried out is not known. Goes to `reading`.
    case unknown
    /// The directory has refused for now. Goes to `unknown`.
    case waiting(until: ContinuousClock.Instant)
  }

  enum End: Hashable {
    case remove, release
  }

  var bytes: [UInt8]
  /// The program's own count of changes; 0 for what was taken as it is.
  var version: UInt64
  /// The version that the directory has; nil for none.
  var stored: UInt64?
  /// The revision that the key has if nobody else wrote it.
  var revision: UInt64
  var phase = Phase.idle
  /// Whether the directory has confirmed that it is ours.
  var isHeld = false
  /// Whether it was created although no answer says so.
  var mayExist = false
  /// Whether it exists already, so that it is not created anew.
  let isTaken: Bool
  /// Whether another may have it meanwhile.
  var isDoubtful = false
  /// The version that the directory refuses for ever.
  var refused: UInt64?
  var end: End?
  var writtenAt: ContinuousClock.Instant?
  /// Whether the bucket has no room for the last version.
  var lacksRoom = false

  var isDirty: Bool { stored != version && refused != version }

  /// Whether others may find it and take it.
  var mayBeKnown: Bool {
    if case .writing = phase { return isHeld || !isTaken }
    return isHeld || mayExist
  }

  var isBusy: Bool {
    switch phase {
    case .writing, .reading: true
    case .idle, .unknown, .waiting: false
    }
  }
}

/// The own values.
extension Ownership {
  // MARK: - Commands

  /// Creates a value that does not exist, or replaces an own one. It is written within a second.
  ///
  /// - Parameter version: The program's count of changes, which ``State/owned(stored:)`` names when the directory has it. What is not
  ///   newer than the last one is ignored.
  package mutating func put(
    _ name: String, _ bytes: [UInt8], version: UInt64, at now: ContinuousClock.Instant
  ) -> [Effect] {
    precondition(Self.isName(name), "name must be 1–64 lower-case letters, digits and hyphens")
    precondition(bytes.count <= limits.valueSize, "a value must have at most \(limits.valueSize) bytes")
    let late = doubt(at: now)
    if let known = own[name] {
      guard version > known.version else { return late }
      own[name]!.bytes = bytes
      own[name]!.version = version
    } else {
      guard own.count < limits.values else {
        let failure = JetStreamFailure(code: 0, kind: 0, text: "this program owns \(own.count) values, the most there may be")
        return late + [.changed(name, .failed(failure))]
      }
      own[name] = OwnValue(bytes: bytes, version: version, revision: 0, isTaken: false)
    }
    return late + tend(name, at: now)
  }

  /// Removes an own value, because it is of no use any more.
  package mutating func remove(_ name: String, at now: ContinuousClock.Instant) -> [Effect] { end(name, .remove, at: now) }

  /// Gives an own value up, so that others may take it.
  package mutating func release(_ name: String, at now: ContinuousClock.Instant) -> [Effect] { end(name, .release, at: now) }

  private mutating func end(_ name: String, _ end: OwnValue.End, at now: ContinuousClock.Instant) -> [Effect] {
    guard own[name] != nil else { return [] }
    own[name]!.end = end
    return doubt(at: now) + tend(name, at: now)
  }

  // MARK: - Values

  /// Does what is due for each value.
  mutating func tend(at now: ContinuousClock.Instant) -> [Effect] {
    // Sorted, so that tests know the order.
    own.keys.sorted().flatMap { tend($0, at: now) }
  }

  private mutating func tend(_ name: String, at now: ContinuousClock.Instant) -> [Effect] {
    guard isOnline, holdsLease(at: now), let value = own[name] else { return [] }
    switch value.phase {
    case .idle: break
    case .writing(let number, _, let until), .reading(let number, let until):
      guard until <= now else { return [] }
      requests[number] = nil
      noteUnanswered(name)
      return read(name, at: now)
    case .unknown: return read(name, at: now)
    case .waiting(let until): return until <= now ? read(name, at: now) : []
    }
    if let end = value.end { return finish(name, end) }
    let age = value.writtenAt.map { now - $0 }
    let isDue =
      value.isDoubtful || value.isDirty && (age.map { $0 >= timing.interval } ?? true)
      || value.isHeld && age.map { $0 >= timing.refresh } ?? true
    return isDue ? write(name, expected: value.revision, at: now) : []
  }

  private mutating func finish(_ name: String, _ end: OwnValue.End) -> [Effect] {
    guard let value = own.removeValue(forKey: name), value.revision > 0, value.isHeld else { return [] }
    switch end {
    case .remove: return [.delete(key: keys.value(name), expected: value.revision)]
    case .release:
      number += 1
      return [.put(number: number, key: keys.value(name), value.bytes, owner: Self.nobody, expected: value.revision)]
    }
  }

  private mutating func write(_ name: String, expected: UInt64, at now: ContinuousClock.Instant) -> [Effect] {
    number += 1
    requests[number] = name
    own[name]!.phase = .writing(number: number, version: own[name]!.version, until: now + Self.timeout)
    own[name]!.writtenAt = now
    return [.put(number: number, key: keys.value(name), own[name]!.bytes, owner: owner, expected: expected)]
  }

  private mutating func read(_ name: String, at now: ContinuousClock.Instant) -> [Effect] {
    number += 1
    requests[number] = name
    own[name]!.phase = .reading(number: number, until: now + Self.timeout)
    return [.read(number: number, key: keys.value(name))]
  }

  /// Notes that no answer will come to what is under way.
  mutating func noteUnanswered(_ name: String) {
    if case .writing? = own[name]?.phase, own[name]?.isTaken == false { own[name]!.mayExist = true }
  }

  /// Handles the answer to a write of a value.
  mutating func written(
    _ name: String, _ number: UInt64, _ answer: JetStreamAnswer, at now: ContinuousClock.Instant
  ) -> [Effect] {
    guard case .writing(number, let version, _)? = own[name]?.phase else { return [] }
    switch answer {
    case .stored(let revision):
      own[name]!.revision = revision
      own[name]!.phase = .idle
      own[name]!.lacksRoom = false
      own[name]!.mayExist = !own[name]!.isTaken
      // Without a lease another may have it by now; the next write tells.
      guard holdsLease(at: now) else { return [] }
      own[name]!.stored = version
      (own[name]!.isHeld, own[name]!.isDoubtful) = (true, false)
      return [.changed(name, .owned(stored: version))] + tend(name, at: now)
    case .refused(let failure) where failure.isWrongSequence: return read(name, at: now)
    case .refused(let failure) where failure.isFinal:
      own[name]!.refused = version
      own[name]!.phase = .idle
      return [.changed(name, .failed(failure))]
    case .refused(let failure):
      own[name]!.phase = .waiting(until: now + timing.interval)
      own[name]!.lacksRoom = failure.isFull
      if failure.isFull { health.complaint = failure }
      return failure.isMissing ? [.missing] : []
    case .done:
      own[name]!.phase = .waiting(until: now + timing.interval)
      return []
    }
  }

  /// Handles what was found where an own value should be.
  mutating func verified(
    _ name: String, _ number: UInt64, _ reading: Reading, at now: ContinuousClock.Instant
  ) -> [Effect] {
    guard let value = own[name], case .reading(number, _) = value.phase else { return [] }
    switch reading {
    case .value(self.owner?, let revision, _):
      // A write of ours whose answer was lost.
      (own[name]!.revision, own[name]!.mayExist) = (revision, !value.isTaken)
      if value.end != nil { own[name]!.isHeld = true }
      return rewrite(name, expected: revision, at: now)
    case .value: return lose(name)
    case .none where value.isHeld || value.isTaken:
      // Nobody can have taken and removed it while the lease lasts: the directory has lost it. Otherwise it may have been finished
      // elsewhere.
      return value.isHeld && !value.isDoubtful && holdsLease(at: now) ? rewrite(name, expected: 0, at: now) : lose(name)
    case .deleted where value.isHeld || value.isTaken: return lose(name)
    case .none:
      own[name]!.mayExist = false
      return rewrite(name, expected: 0, at: now)
    case .deleted: return lose(name)
    case .refused(let failure):
      own[name]!.phase = .waiting(until: now + timing.interval)
      return failure.isMissing ? [.missing] : []
    }
  }

  private mutating func rewrite(_ name: String, expected: UInt64, at now: ContinuousClock.Instant) -> [Effect] {
    own[name]!.phase = .idle
    guard own[name]!.end == nil, holdsLease(at: now) else {
      own[name]!.revision = expected
      return tend(name, at: now)
    }
    return write(name, expected: expected, at: now)
  }

  mutating func lose(_ name: String) -> [Effect] {
    own[name] = nil
    return [.changed(name, .lost)]
  }
}
