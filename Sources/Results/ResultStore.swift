import EventLoop

/// The results of a host's matches, in a file that lasts.
///
/// Whoever plays is never held up: ``record(_:)`` only notes what is to be kept, and a thread of the stores' own waits for the
/// disk. What waits for it is bounded: of each match only its latest state, and of at most ``capacity`` matches.
package actor ResultStore {
  /// How many matches can wait to be written.
  package static let capacity = 1_024

  private struct Pending {
    var matches: [String: MatchRecord] = [:]
    /// The matches by the time at which they began to wait.
    var order: [String] = []
    var isScheduled = false
    var lost = 0
  }

  private static let thread = SharedEventLoop(name: "results")

  private nonisolated let loop: EventLoop
  private nonisolated let pending = Locked(Pending())
  private nonisolated let tell: @Sendable (ResultError?) -> Void
  private var archive: Archive?
  private var hasFailed = false

  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  private init(_ loop: EventLoop, _ tell: @escaping @Sendable (ResultError?) -> Void) {
    self.loop = loop
    self.tell = tell
  }

  /// Opens a file of results, and makes one if there is none.
  ///
  /// - Parameters:
  ///   - path: The file. Beside it there are, while it is open, two more, whose names end in `-wal` and `-shm`.
  ///   - patience: How long to wait for another program that writes to it, before each attempt fails.
  ///   - tell: Called when results can no longer be written, with the reason, and with nil when they can again. It must not block.
  /// - Throws: ``ResultError``; a file that is damaged, or not ours, has not been changed then.
  package static func open(
    at path: String, patience: Duration = .seconds(5), _ tell: @escaping @Sendable (ResultError?) -> Void = { _ in }
  ) async throws(ResultError) -> ResultStore {
    try await open(tell) { () throws(ResultError) in try Archive(at: path, patience: patience) }
  }

  /// Opens a file of results to read them only, also while a host writes to it.
  ///
  /// - Throws: ``ResultError`` with `cannotOpen` when there is no such file.
  package static func open(reading path: String) async throws(ResultError) -> ResultStore {
    try await open({ _ in }) { () throws(ResultError) in try Archive(reading: path, patience: .seconds(5)) }
  }

  private static func open(
    _ tell: @escaping @Sendable (ResultError?) -> Void, _ archive: @escaping @Sendable () throws(ResultError) -> Archive
  ) async throws(ResultError) -> ResultStore {
    let loop: EventLoop
    do throws(SystemError) {
      loop = try thread.get()
    } catch {
      throw ResultError(.failed, "Opening the results failed: no thread can be started for them (\(error))")
    }
    let store = ResultStore(loop, tell)
    try await store.take(archive)
    return store
  }

  private func take(_ archive: @Sendable () throws(ResultError) -> Archive) throws(ResultError) {
    self.archive = try archive()
  }

  // MARK: - Writing

  /// Notes what is to be kept of a match, instead of what was noted before; it is written soon, with others that wait.
  ///
  /// It takes a lock for a moment, and may be called from anywhere. When too many matches wait, because nothing can be written,
  /// the one that has waited longest is given up.
  package nonisolated func record(_ match: MatchRecord) {
    let mustSchedule = pending.withLock { pending in
      if pending.matches.updateValue(match, forKey: match.id) == nil {
        pending.order.append(match.id)
        if pending.order.count > Self.capacity {
          pending.matches[pending.order.removeFirst()] = nil
          pending.lost += 1
        }
      }
      defer { pending.isScheduled = true }
      return !pending.isScheduled
    }
    if mustSchedule { Task { await writePending() } }
  }

  /// How many matches were given up because they could not be written.
  package nonisolated var lostCount: Int { pending.withLock { $0.lost } }

  private func writePending() {
    do throws(ResultError) {
      try flush()
    } catch {
      // Told, and tried again with the next match.
    }
  }

  /// Writes what waits; when this returns it is on the disk.
  ///
  /// - Throws: ``ResultError``. What could not be written goes on waiting.
  package func flush() throws(ResultError) {
    let waiting = pending.withLock { pending in
      defer {
        pending.matches = [:]
        pending.order = []
        pending.isScheduled = false
      }
      return pending.order.compactMap { pending.matches[$0] }
    }
    guard !waiting.isEmpty else { return }
    do throws(ResultError) {
      try opened().write(waiting)
    } catch {
      putBack(waiting)
      if !hasFailed { tell(error) }
      hasFailed = true
      throw error
    }
    if hasFailed { tell(nil) }
    hasFailed = false
  }

  /// Lets matches wait again, except those of which there is news meanwhile.
  private func putBack(_ matches: [MatchRecord]) {
    pending.withLock { pending in
      let missing = matches.filter { pending.matches[$0.id] == nil }
      let kept = missing.suffix(max(0, Self.capacity - pending.order.count))
      pending.lost += missing.count - kept.count
      pending.order = kept.map(\.id) + pending.order
      for match in kept { pending.matches[match.id] = match }
    }
  }

  /// Writes what waits, and closes the file.
  ///
  /// - Throws: ``ResultError`` when something could not be written; the file is closed nevertheless.
  package func close() throws(ResultError) {
    defer { archive = nil }
    try flush()
  }

  // MARK: - Reading

  /// The best players over all matches.
  ///
  /// - Parameters:
  ///   - order: What decides who is above whom.
  ///   - limit: How many to return.
  package func leaderboard(by order: Leaderboard.Order, limit: Int) throws(ResultError) -> Leaderboard {
    try flush()
    return try opened().leaderboard(by: order, limit: limit)
  }

  /// The latest matches, the latest first.
  package func history(limit: Int) throws(ResultError) -> [MatchRecord] {
    try flush()
    return try opened().history(limit: limit)
  }

  private func opened() throws(ResultError) -> Archive {
    guard let archive else { throw ResultError(.closed, "Using the results failed: they are closed already") }
    return archive
  }
}
