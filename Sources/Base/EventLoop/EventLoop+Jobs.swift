import CBonjourishLinux
import Synchronization

/// The jobs of tasks and actors.
extension EventLoop {
  @usableFromInline package func enqueue(_ job: consuming ExecutorJob) {
    enqueue(.task(UnownedJob(job)))
  }

  func enqueueIsolated(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if isCurrent, running == Self.identity(of: job) {
      hasComeBack = true
    } else {
      enqueue(.isolated(job))
    }
  }

  private static func identity(of job: UnownedJob) -> UInt {
    unsafeBitCast(job, to: UInt.self)
  }

  /// Runs a closure on the loop, in order with the jobs of tasks.
  package func execute(_ closure: @escaping @Sendable () -> Void) {
    enqueue(.closure(closure))
  }

  private func enqueue(_ job: Job) {
    let isOwn = isCurrent
    let (mustSignal, isFinished) = inbox.withLock { inbox in
      if case .finished = inbox.shutdown { return (false, true) }
      inbox.jobs.append(job)
      guard !inbox.isSignalled, !isOwn else { return (false, false) }
      inbox.isSignalled = true
      return (true, false)
    }
    if isOwn { hasOwnJobs = true }
    precondition(!isFinished, "a job was enqueued on the event loop '\(name)' after its shutdown")
    if mustSignal { signal() }
  }

  /// Actors have a separate executor, so that nonisolated calls need no hop.
  @usableFromInline package func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    isolation.asUnownedSerialExecutor()
  }

  @usableFromInline package func asUnownedTaskExecutor() -> UnownedTaskExecutor {
    UnownedTaskExecutor(ordinary: self)
  }

  @usableFromInline package func checkIsolated() {
    preconditionIsCurrent()
  }

  @usableFromInline package func isIsolatingCurrentContext() -> Bool? {
    isCurrent
  }

  func signal() {
    var one: UInt64 = 1
    // Each write is an edge, so the counter is never read. At 10⁹ writes a second it would be full after 580 years.
    _ = write(wakeUp.number, &one, MemoryLayout.size(ofValue: one))
  }

  // MARK: - The thread

  /// Runs the jobs that are queued now, but not those that they add.
  ///
  /// - Returns: The callers of `shutdown()`, when the loop has to end and no job is left.
  func runJobs() -> [CheckedContinuation<Void, Never>]? {
    guard hasOwnJobs || isToldOfJobs else { return nil }
    hasOwnJobs = false
    isToldOfJobs = false
    let waiting: [CheckedContinuation<Void, Never>]? = inbox.withLock { inbox in
      // Swapped, so that both arrays keep their memory.
      swap(&jobs, &inbox.jobs)
      inbox.isSignalled = false
      guard case .requested(let waiting) = inbox.shutdown else { return nil }
      guard jobs.isEmpty else {
        // Nothing else wakes the loop for its shutdown.
        hasOwnJobs = true
        return nil
      }
      inbox.shutdown = .finished
      return waiting
    }
    for place in jobs.indices {
      switch jobs[place] {
      case .task(let job):
        job.runSynchronously(on: asUnownedTaskExecutor())
      case .isolated(let job):
        runIsolated(job)
      case .closure(let closure):
        closure()
      }
    }
    jobs.removeAll(keepingCapacity: true)
    return waiting
  }

  /// Runs a job of an actor of this loop.
  ///
  /// Whether the job's task prefers the loop as its executor cannot be known, so the job runs as if it did. If it does not, the
  /// runtime takes an `await` within the same actor for a change of executors, and enqueues the job again. The actor does not
  /// suspend at such an `await`, so no other job may run in between: the job is resumed at once, without the preference.
  private func runIsolated(_ job: UnownedJob) {
    running = Self.identity(of: job)
    job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
    if hasComeBack {
      hasComeBack = false
      jobsResumedAtOnce &+= 1
      job.runSynchronously(on: asUnownedSerialExecutor())
    }
    running = 0
    guard hasComeBack else { return }
    // Enqueued once more: the task's executor preference has changed.
    hasComeBack = false
    enqueue(.isolated(job))
  }
}
