import CBonjourishLinux
import Synchronization

/// One thread that waits with epoll for descriptors, timers and Swift jobs, and runs their handlers one at a time.
///
/// The loop is a serial executor, so an actor can run on it (`unownedExecutor`), and a task executor, so a task can run on the
/// thread of its descriptors. Handlers run on the loop's thread, outside any task; an actor of the loop reaches its state with
/// `assumeIsolated`. Code on the loop must not block.
///
/// A tick of the loop handles, in this order: events of descriptors; timers that are due; the jobs that are queued by then; the
/// closures given to ``atEndOfTick(_:)``; the work given to ``afterTick(_:)``.
///
/// Sendable: `inbox` is locked, `thread` is atomic, the descriptors never change, and everything else is confined to the loop's
/// thread, which every entry point checks.
@usableFromInline
package final class EventLoop: SerialExecutor, TaskExecutor, @unchecked Sendable {
  enum Job {
    /// A job of a task that runs on the loop, but on none of its actors.
    case task(UnownedJob)
    /// A job of an actor of the loop.
    case isolated(UnownedJob)
    case closure(@Sendable () -> Void)
  }

  struct Inbox {
    var jobs: [Job] = []
    /// Whether the loop has been woken for the jobs and has not taken them yet.
    var isSignalled = false
    var shutdown: Shutdown = .running
  }

  enum Shutdown {
    case running
    /// Jobs are still accepted and run; the loop ends when none is left.
    case requested([CheckedContinuation<Void, Never>])
    case finished
  }

  let name: String
  let isolation = LoopIsolation()
  let inbox = Locked(Inbox())
  private let thread = Atomic<UInt>(0)
  let epoll: OwnedDescriptor
  let wakeUp: OwnedDescriptor
  let timerDescriptor: OwnedDescriptor

  // Confined to the loop's thread. Dynamic exclusivity checks are off: each tick would make a dozen.
  @exclusivity(unchecked) var slots: [(source: DescriptorSource?, generation: UInt32)] = []
  var freeSlots: [Int] = []
  @exclusivity(unchecked) var timers = TimerQueue()
  /// The time that the timer descriptor is set to; never when it has fired.
  @exclusivity(unchecked) var timerDescriptorTime = LoopTime.never
  @exclusivity(unchecked) var tickObservers: [any TickObserver] = []
  /// Those that act after the others.
  @exclusivity(unchecked) var lateObservers: [any TickObserver] = []
  /// The time of this tick, read from the clock once, at its first use. It is a few milliseconds old at most.
  package var tickStart: LoopTime {
    if tickTime == .never { tickTime = .now }
    return tickTime
  }
  @exclusivity(unchecked) private var tickTime = LoopTime.never
  /// The number of this tick.
  @exclusivity(unchecked) package private(set) var tick: UInt64 = 0
  @exclusivity(unchecked) var jobs: [Job] = []
  /// Whether the loop's own thread has added a job. The loop is not woken for such a job.
  @exclusivity(unchecked) var hasOwnJobs = false
  /// Whether another thread has added a job.
  @exclusivity(unchecked) var isToldOfJobs = false
  /// The running job of an actor; 0 for none.
  @exclusivity(unchecked) var running: UInt = 0
  /// Whether that job has been enqueued again while it ran.
  @exclusivity(unchecked) var hasComeBack = false
  /// How many jobs were enqueued again and resumed at once. A test of the runtime's behaviour reads it.
  @exclusivity(unchecked) var jobsResumedAtOnce: UInt64 = 0

  /// The same moment on both clocks. Declared last because `Instant` has no static size.
  let beginning: LoopTime
  let beginningInstant: ContinuousClock.Instant

  /// Starts a loop on a new thread.
  ///
  /// - Parameter name: The thread's name, as `ps -L` and debuggers show it; the first 15 bytes count.
  /// - Throws: ``SystemError`` when the process is out of descriptors or threads.
  package init(name: String) throws(SystemError) {
    self.name = name
    epoll = OwnedDescriptor(try systemCall("epoll_create1") { epoll_create1(CInt(EPOLL_CLOEXEC)) })
    wakeUp = OwnedDescriptor(try systemCall("eventfd") { eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK)) })
    timerDescriptor = OwnedDescriptor(
      try systemCall("timerfd_create") { timerfd_create(CLOCK_BOOTTIME, CInt(TFD_CLOEXEC | TFD_NONBLOCK)) })
    // `beginningInstant` is read first: otherwise timers could run early.
    beginningInstant = .now
    beginning = .now
    isolation.loop = self
    try attend(to: wakeUp.number, token: Self.wakeUpToken)
    try attend(to: timerDescriptor.number, token: Self.timerToken)
    try start()
  }

  private func start() throws(SystemError) {
    var handle = pthread_t()
    // The thread retains the loop until it ends.
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

  /// Whether the caller is on this loop's thread.
  @usableFromInline package var isCurrent: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

  /// Stops a debug build when the caller is not on this loop's thread. Release builds do not check.
  ///
  /// - Parameter what: The name of the called function, for the message.
  @inlinable
  package func assertIsCurrent(_ what: StaticString = #function, file: StaticString = #fileID, line: UInt = #line) {
    assert(isCurrent, "\(what) must be called on the thread of its event loop", file: file, line: line)
  }

  /// As ``assertIsCurrent(_:file:line:)``, in release builds too.
  func preconditionIsCurrent(_ what: StaticString = #function) {
    precondition(isCurrent, "\(what) must be called on the thread of its event loop")
  }

  // MARK: - The thread

  /// Ends the loop after the queued jobs, and returns when its thread runs no more of them.
  ///
  /// Remaining timers and watches are dropped. A job that is enqueued afterwards is a programming error and stops the program.
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
        tickTime = .never
        tick &+= 1
        for event in events[..<count] { dispatch(event) }
        runTimers()
        if let waiting = runJobs() {
          finish(waiting)
          break
        }
        endTick()
      }
    }
  }

  private func wait(for events: UnsafeMutableBufferPointer<epoll_event>) -> Int {
    setTimerDescriptor()
    let isBusy = hasOwnJobs || !tickObservers.isEmpty || !lateObservers.isEmpty
    let count = epoll_wait(epoll.number, events.baseAddress!, CInt(events.count), isBusy ? 0 : -1)
    // The only possible error is EINTR: a tick without events.
    return max(0, Int(count))
  }

  private func endTick() {
    if !tickObservers.isEmpty {
      var observers: [any TickObserver] = []
      swap(&observers, &tickObservers)
      for index in observers.indices { observers[index].tickEnded() }
      observers.removeAll(keepingCapacity: true)
      if tickObservers.isEmpty { swap(&observers, &tickObservers) }
    }
    guard !lateObservers.isEmpty else { return }
    let observers = lateObservers
    lateObservers = []
    for observer in observers { observer.tickEnded() }
  }

  private func finish(_ waiting: [CheckedContinuation<Void, Never>]) {
    timers.removeAll()
    for slot in slots.indices { slots[slot].source?.cancel() }
    tickObservers.removeAll()
    lateObservers.removeAll()
    for continuation in waiting { continuation.resume() }
  }
}
