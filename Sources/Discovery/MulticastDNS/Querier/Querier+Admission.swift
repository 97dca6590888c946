import _BonjourishDiscovery

extension Querier {
  /// Whether new records of a sender are stored, although others must then make room: not those of the sender with the most
  /// records, if it goes on displacing its own.
  ///
  /// Each record that comes and goes is told to whoever asks for it. A million names would keep them busy long after the last one
  /// has come. Records of a true service are sent more than once, and are stored as soon as there is room.
  func admits(_ source: IPAddress, at now: Instant) -> Bool {
    displacements.next(from: now) <= now || !cache.isLargest(source)
  }

  /// Removes a record to make room.
  ///
  /// - Returns: Whether there was one.
  mutating func evict(_ step: inout Step) -> Bool {
    guard let victim = cache.victim else { return false }
    drop(victim, &step)
    counters.recordsEvicted += 1
    displacements.note(at: step.now)
    return true
  }
}
