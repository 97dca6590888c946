import CLinux
import Glibc
import Synchronization

/// One thread that waits with epoll for descriptors, timers and Swift jobs, and runs what they call for, one at a time.
///
/// It is a serial executor, so an actor can live on it (`unownedExecutor`), and a task executor, so a task can run where its
/// descriptors are. Handlers run on the loop's thread outside any task; an actor that lives here gets at its state with
/// `assumeIsolated`. Nothing that runs here may block.
///
/// A turn of the loop is: events of descriptors, timers that are due, the jobs that were queued when it began, and last the
/// closures given to ``atEndOfTurn(_:)``.
///
/// Sendable: `inbox` is locked, `thread` is atomic, the descriptors never change, and everything else is touched on the
/// loop's thread only, which every entry point checks.
package final class EventLoop: SerialExecutor, TaskExecutor, @unchecked Sendable {
  private enum Job {
    /// Of a task that runs here but on no actor of the loop.
    case task(UnownedJob)
    /// Of an actor that lives here.
    case isolated(UnownedJob)
    case closure(@Sendable () -> Void)
  }

  private struct Inbox {
    var jobs: [Job] = []
    /// Whether the loop has been told, and not yet looked.
    var isSignalled = false
    var shutdown: Shutdown = .running
  }

  private enum Shutdown {
    case running
    /// Jobs are still accepted and run; the loop ends when there are none.
    case requested([CheckedContinuation<Void, Never>])
    case finished
  }

  private let name: String
  private let isolation = LoopIsolation()
  private let inbox = Locked(Inbox())
  private let thread = Atomic<UInt>(0)
  let epoll: CInt
  let wakeUp: CInt

  // On the loop's thread only. One thread does one thing after the other: that nothing else is at it just now would be looked up
  // a dozen times in each turn.
  @exclusivity(unchecked) var slots: [(watch: DescriptorWatch?, generation: UInt32)] = []
  var freeSlots: [Int] = []
  @exclusivity(unchecked) var timers = TimerQueue()
  var timersScheduled: UInt64 = 0
  @exclusivity(unchecked) var endOfTurn: [any TurnEnder] = []
  /// When the events of this turn were found, in the time of `now`: for those to whom milliseconds do not matter, and for whom
  /// asking the system each time would cost more than what they do.
  package var turnBegan: Duration {
    if let turnTime { return turnTime }
    let time = now
    turnTime = time
    return time
  }
  @exclusivity(unchecked) private var turnTime: Duration?
  @exclusivity(unchecked) private var jobs: [Job] = []
  /// Which job of an actor runs just now; 0 for none.
  @exclusivity(unchecked) private var running: UInt = 0
  /// Whether that job has been given to the loop again while it ran.
  @exclusivity(unchecked) private var hasComeBack = false

  /// When the loop was made. The last of the properties, for the compiler does not know how large it is, nor where what would
  /// come after it is.
  let beginning = ContinuousClock.now

  /// Starts a loop on a thread of its own.
  ///
  /// - Parameter name: The thread's name, as `ps -L` and debuggers show it; the first 15 bytes count.
  /// - Throws: ``SystemError`` when the process is out of descriptors or threads.
  package init(name: String) throws(SystemError) {
    self.name = name
    let epoll = try systemCall("epoll_create1") { epoll_create1(CInt(EPOLL_CLOEXEC)) }
    let wakeUp: CInt
    do throws(SystemError) {
      wakeUp = try systemCall("eventfd") { eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK)) }
    } catch {
      close(epoll)
      throw error
    }
    self.epoll = epoll
    self.wakeUp = wakeUp
    isolation.loop = self
    do throws(SystemError) {
      var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(u64: Self.wakeUpToken))
      try systemCall("epoll_ctl") { epoll_ctl(epoll, EPOLL_CTL_ADD, wakeUp, &event) }
      try start()
    } catch {
      close(epoll)
      close(wakeUp)
      throw error
    }
  }

  private func start() throws(SystemError) {
    var handle = pthread_t()
    // The thread keeps the loop alive and gives it up as its last act.
    let retained = Unmanaged.passRetained(self)
    let failure = pthread_create(
      &handle, nil,
      { argument in
        Unmanaged<EventLoop>.fromOpaque(argument!).takeRetainedValue().run()
        return nil
      }, retained.toOpaque())
    guard failure == 0 else {
      retained.release()
      throw SystemError("pthread_create", errno: failure)
    }
    pthread_detach(handle)
  }

  deinit {
    close(epoll)
    close(wakeUp)
  }

  /// Whether the caller runs on this loop's thread.
  package var isCurrent: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

  func preconditionIsCurrent(_ what: StaticString) {
    precondition(isCurrent, "\(what) is for the thread of its event loop only")
  }

  // MARK: - Jobs

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
    let (mustSignal, isFinished) = inbox.withLock { inbox in
      if case .finished = inbox.shutdown { return (false, true) }
      inbox.jobs.append(job)
      // The loop looks at its inbox before it waits, so its own thread need not tell it.
      guard !inbox.isSignalled, !isCurrent else { return (false, false) }
      inbox.isSignalled = true
      return (true, false)
    }
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

  private func signal() {
    var one: UInt64 = 1
    // EAGAIN, the only error possible, means that the counter is full: the loop is told already.
    _ = write(wakeUp, &one, MemoryLayout.size(ofValue: one))
  }

  // MARK: - The thread

  /// Ends the loop after the jobs that are queued, and returns when its thread runs nothing any more.
  ///
  /// Timers and watches that are left are dropped. A job given to the loop afterwards is a mistake and stops the program.
  package func shutdown() async {
    await withCheckedContinuation { continuation in
      enum Next { case resume, signal, nothing }
      let next: Next = inbox.withLock { inbox in
        switch inbox.shutdown {
        case .finished:
          return .resume
        case .requested(let waiting):
          inbox.shutdown = .requested(waiting + [continuation])
          return .nothing
        case .running:
          inbox.shutdown = .requested([continuation])
          inbox.isSignalled = true
          return .signal
        }
      }
      switch next {
      case .resume: continuation.resume()
      case .signal: signal()
      case .nothing: break
      }
    }
  }

  private func run() {
    thread.store(UInt(pthread_self()), ordering: .relaxed)
    linux_set_thread_name(name)
    withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: 256) { events in
      while true {
        let count = wait(for: events)
        turnTime = nil
        for event in events[..<count] { dispatch(event) }
        runTimers()
        if let waiting = runJobs() {
          finish(waiting)
          break
        }
        runEndOfTurn()
      }
    }
  }

  private func wait(for events: UnsafeMutableBufferPointer<epoll_event>) -> Int {
    let hasRest = !endOfTurn.isEmpty
    let isBusy = inbox.withLock { inbox in
      guard !hasRest, inbox.jobs.isEmpty, case .running = inbox.shutdown else { return true }
      return false
    }
    let timeout = isBusy ? 0 : milliseconds(until: timers.first?.deadline)
    let count = epoll_wait(epoll, events.baseAddress!, CInt(events.count), timeout)
    // EINTR, the only error that correct arguments can have, is a turn without events.
    return max(0, Int(count))
  }

  /// Runs the jobs that are queued now, not those they add; when the loop is to end and there are none, returns those who
  /// wait for that.
  private func runJobs() -> [CheckedContinuation<Void, Never>]? {
    let waiting: [CheckedContinuation<Void, Never>]? = inbox.withLock { inbox in
      // Two arrays change places, so that neither is allocated anew.
      swap(&jobs, &inbox.jobs)
      inbox.isSignalled = false
      guard jobs.isEmpty, case .requested(let waiting) = inbox.shutdown else { return nil }
      inbox.shutdown = .finished
      return waiting
    }
    for job in jobs {
      switch job {
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

  private func runEndOfTurn() {
    guard !endOfTurn.isEmpty else { return }
    var enders: [any TurnEnder] = []
    swap(&enders, &endOfTurn)
    for ender in enders { ender.turnEnds() }
    enders.removeAll(keepingCapacity: true)
    if endOfTurn.isEmpty { swap(&enders, &endOfTurn) }
  }

  private func finish(_ waiting: [CheckedContinuation<Void, Never>]) {
    timers.removeAll()
    for slot in slots.indices { slots[slot].watch?.cancel() }
    endOfTurn.removeAll()
    for continuation in waiting { continuation.resume() }
  }
}
