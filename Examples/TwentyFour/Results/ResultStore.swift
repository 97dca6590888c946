import Foundation

/// The results of a host's matches, in a file.
///
/// No player waits for the disk: ``record(_:)`` only queues, and the store's thread writes. The queue is bounded: it has at most
/// ``capacity`` rounds.
public actor ResultStore {
  /// The number of rounds that can wait to be written.
  public static let capacity = 4_096

  private struct Pending {
    var rounds: [Key: RoundRecord] = [:]
    /// The rounds, in the order in which they were queued.
    var order: [Key] = []
    var isScheduled = false
    var lost = 0
  }

  /// Identifies a round.
  private struct Key: Hashable {
    let match: String
    let number: Int

    init(_ round: RoundRecord) {
      match = round.match
      number = round.number
    }
  }

  private nonisolated let disk = DiskExecutor()
  private nonisolated let lock = NSLock()
  /// Only used with the lock held.
  private nonisolated(unsafe) var pending = Pending()
  private nonisolated let failed: @Sendable (ResultError?) -> Void
  private var archive: Archive?
  private var hasFailed = false

  /// The actor's own thread, which may wait for the disk.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { disk.asUnownedSerialExecutor() }

  private init(_ failed: @escaping @Sendable (ResultError?) -> Void) {
    self.failed = failed
  }

  /// Opens a results file; creates it if it does not exist.
  ///
  /// - Parameters:
  ///   - path: The file. While it is open, there are two more files beside it, whose names end in `-wal` and `-shm`.
  ///   - timeout: The time that each attempt waits while another program writes to the file.
  ///   - failed: Called with the reason when results can no longer be written, and with nil when they can again. It must not
  ///     block.
  /// - Throws: ``ResultError``; a damaged file or another program's file is left unchanged.
  public static func open(
    at path: String, timeout: Duration = .seconds(5), _ failed: @escaping @Sendable (ResultError?) -> Void = { _ in }
  ) async throws(ResultError) -> ResultStore {
    let store = ResultStore(failed)
    try await store.open { () throws(ResultError) in try Archive(at: path, timeout: timeout) }
    return store
  }

  /// Opens a results file for reading only; this works while a host writes to it.
  ///
  /// - Throws: ``ResultError`` with `cannotOpen` if the file does not exist.
  public static func open(reading path: String) async throws(ResultError) -> ResultStore {
    let store = ResultStore { _ in }
    try await store.open { () throws(ResultError) in try Archive(reading: path, timeout: .seconds(5)) }
    return store
  }

  /// Opens several results files for reading only, as the results of one host: each round counts once, also if it is in two files.
  ///
  /// The files are copied to a temporary one; what is recorded later is not in it.
  ///
  /// - Throws: As ``open(reading:)``.
  public static func open(joining paths: [String]) async throws(ResultError) -> ResultStore {
    let store = ResultStore { _ in }
    try await store.open { () throws(ResultError) in try Archive(joining: paths, timeout: .seconds(5)) }
    return store
  }

  private func open(_ archive: @Sendable () throws(ResultError) -> Archive) throws(ResultError) {
    self.archive = try archive()
  }

  private nonisolated func withPending<Result>(_ body: (inout Pending) -> Result) -> Result {
    lock.withLock { body(&pending) }
  }

  // MARK: - Writing

  /// Queues a round, in place of an earlier record of it. It is written soon, together with others.
  ///
  /// May be called from any thread; does not wait for the disk. When the queue is full because nothing can be written, the round
  /// that has waited longest is dropped.
  public nonisolated func record(_ round: RoundRecord) {
    let mustSchedule = withPending { pending in
      if pending.rounds.updateValue(round, forKey: Key(round)) == nil {
        pending.order.append(Key(round))
        if pending.order.count > Self.capacity {
          pending.rounds[pending.order.removeFirst()] = nil
          pending.lost += 1
        }
      }
      defer { pending.isScheduled = true }
      return !pending.isScheduled
    }
    if mustSchedule { Task { await writePending() } }
  }

  /// The number of rounds dropped because they could not be written.
  public nonisolated var lostCount: Int { withPending { $0.lost } }

  private func writePending() {
    do throws(ResultError) {
      try flush()
    } catch {
      // `failed` was called; the next round tries again.
    }
  }

  /// Writes the queue; on return, everything is on the disk.
  ///
  /// - Throws: ``ResultError``; rounds that could not be written stay in the queue.
  public func flush() throws(ResultError) {
    let waiting = withPending { pending in
      defer {
        pending.rounds = [:]
        pending.order = []
        pending.isScheduled = false
      }
      return pending.order.compactMap { pending.rounds[$0] }
    }
    guard !waiting.isEmpty else { return }
    do throws(ResultError) {
      try opened().write(waiting)
    } catch {
      putBack(waiting)
      if !hasFailed { failed(error) }
      hasFailed = true
      throw error
    }
    if hasFailed { failed(nil) }
    hasFailed = false
  }

  /// Queues rounds again, except those with a newer record in the queue.
  private func putBack(_ rounds: [RoundRecord]) {
    withPending { pending in
      let missing = rounds.filter { pending.rounds[Key($0)] == nil }
      let kept = missing.suffix(max(0, Self.capacity - pending.order.count))
      pending.lost += missing.count - kept.count
      pending.order = kept.map(Key.init) + pending.order
      for round in kept { pending.rounds[Key(round)] = round }
    }
  }

  /// Writes the queue and closes the file.
  ///
  /// - Throws: ``ResultError`` if something could not be written; the file is closed even then.
  public func close() throws(ResultError) {
    defer { archive = nil }
    try flush()
  }

  // MARK: - Reading

  /// The best players over all matches.
  ///
  /// - Parameters:
  ///   - order: The order of the ranking.
  ///   - limit: The largest number of players to return.
  public func leaderboard(by order: Leaderboard.Order, limit: Int) throws(ResultError) -> Leaderboard {
    try flush()
    return try opened().leaderboard(by: order, limit: limit)
  }

  /// The latest matches, latest first, at most `limit`.
  public func history(limit: Int) throws(ResultError) -> [MatchRecord] {
    try flush()
    return try opened().history(limit: limit)
  }

  private func opened() throws(ResultError) -> Archive {
    guard let archive else { throw ResultError(.closed, "Using the results failed: the store is closed") }
    return archive
  }
}

/// Runs an actor's jobs one by one on a queue whose thread may block.
private final class DiskExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "results")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
