import Glibc
import Synchronization

/// What tasks and actors have for the loop to run.
extension EventLoop {
  package func enqueue(_ job: consuming ExecutorJob) {
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

  /// Runs a closure on the loop, in order with the tasks' jobs.
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
    precondition(!isFinished, "a job was given to the event loop '\(name)' after its shutdown")
    if mustSignal { signal() }
  }

  /// Not the loop itself: were tasks run as if on an actor, then each of their functions that belongs to none would have to
  /// leave it, and that is a job of its own.
  package func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    isolation.asUnownedSerialExecutor()
  }

  package func asUnownedTaskExecutor() -> UnownedTaskExecutor {
    UnownedTaskExecutor(ordinary: self)
  }

  package func checkIsolated() {
    preconditionIsCurrent("This actor's state")
  }

  package func isIsolatingCurrentContext() -> Bool? {
    isCurrent
  }

  func signal() {
    var one: UInt64 = 1
    // Each write is an event. The counter, which nobody reads, would be full after 580 years of a thousand million a second.
    _ = write(wakeUp, &one, MemoryLayout.size(ofValue: one))
  }

  // MARK: - The thread

  /// Runs the jobs that are queued now, not those they add; when the loop is to end and there are none, returns those who
  /// wait for that.
  func runJobs() -> [CheckedContinuation<Void, Never>]? {
    guard hasOwnJobs || isToldOfJobs else { return nil }
    hasOwnJobs = false
    isToldOfJobs = false
    let waiting: [CheckedContinuation<Void, Never>]? = inbox.withLock { inbox in
      // Two arrays change places, so that neither is allocated anew.
      swap(&jobs, &inbox.jobs)
      inbox.isSignalled = false
      guard case .requested(let waiting) = inbox.shutdown else { return nil }
      guard jobs.isEmpty else {
        // Nobody tells again that the loop is to end.
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

  /// Runs a job of an actor that lives here.
  ///
  /// Whether its task prefers the loop cannot be known, and if it is run as the other kind, the runtime takes the step from the
  /// actor to the actor itself, which any `await` may be, for a change of executors: it gives the job back. Others must not run
  /// in between, for nobody expects them where nothing is waited for. So it goes on at once, as the other kind.
  private func runIsolated(_ job: UnownedJob) {
    running = Self.identity(of: job)
    job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
    if hasComeBack {
      hasComeBack = false
      job.runSynchronously(on: asUnownedSerialExecutor())
    }
    running = 0
    guard hasComeBack else { return }
    // Its task has begun or ceased to prefer the loop.
    hasComeBack = false
    enqueue(.isolated(job))
  }
}
