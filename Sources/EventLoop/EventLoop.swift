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
  enum Job {
    /// Of a task that runs here but on no actor of the loop.
    case task(UnownedJob)
    /// Of an actor that lives here.
    case isolated(UnownedJob)
    case closure(@Sendable () -> Void)
  }

  struct Inbox {
    var jobs: [Job] = []
    /// Whether the loop has been told, and not yet looked.
    var isSignalled = false
    var shutdown: Shutdown = .running
  }

  enum Shutdown {
    case running
    /// Jobs are still accepted and run; the loop ends when there are none.
    case requested([CheckedContinuation<Void, Never>])
    case finished
  }

  let name: String
  let isolation = LoopIsolation()
  let inbox = Locked(Inbox())
  private let thread = Atomic<UInt>(0)
  let epoll: CInt
  let wakeUp: CInt
  let alarmClock: CInt

  // On the loop's thread only. One thread does one thing after the other: that nothing else is at it just now would be looked up
  // a dozen times in each turn.
  @exclusivity(unchecked) var slots: [(watch: DescriptorWatch?, generation: UInt32)] = []
  var freeSlots: [Int] = []
  @exclusivity(unchecked) var timers = TimerQueue()
  var timersScheduled: UInt64 = 0
  /// For when the alarm clock is set; never when it has rung.
  @exclusivity(unchecked) var alarmTime = LoopTime.never
  @exclusivity(unchecked) var endOfTurn: [any TurnEnder] = []
  /// When the events of this turn were found: for those to whom milliseconds do not matter, and for whom asking the system each
  /// time would cost more than what they do.
  package var turnBegan: LoopTime {
    if turnTime == .never { turnTime = .now }
    return turnTime
  }
  @exclusivity(unchecked) private var turnTime = LoopTime.never
  /// The number of this turn.
  @exclusivity(unchecked) package private(set) var turn: UInt64 = 0
  @exclusivity(unchecked) var jobs: [Job] = []
  /// Whether the loop's own thread has put something into the inbox, of which nobody tells it.
  @exclusivity(unchecked) var hasOwnJobs = false
  /// Whether somebody else has told it so.
  @exclusivity(unchecked) var isToldOfJobs = false
  /// Which job of an actor runs just now; 0 for none.
  @exclusivity(unchecked) var running: UInt = 0
  /// Whether that job has been given to the loop again while it ran.
  @exclusivity(unchecked) var hasComeBack = false

  /// The same moment by both clocks. The last of the properties, for the compiler does not know how large an instant is, nor where
  /// what would come after it is.
  let beginning: LoopTime
  let beginningInstant: ContinuousClock.Instant

  /// Starts a loop on a thread of its own.
  ///
  /// - Parameter name: The thread's name, as `ps -L` and debuggers show it; the first 15 bytes count.
  /// - Throws: ``SystemError`` when the process is out of descriptors or threads.
  package init(name: String) throws(SystemError) {
    self.name = name
    var opened: [CInt] = []
    do throws(SystemError) {
      opened.append(try systemCall("epoll_create1") { epoll_create1(CInt(EPOLL_CLOEXEC)) })
      opened.append(try systemCall("eventfd") { eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK)) })
      opened.append(try systemCall("timerfd_create") { timerfd_create(CLOCK_BOOTTIME, CInt(TFD_CLOEXEC | TFD_NONBLOCK)) })
    } catch {
      for descriptor in opened { close(descriptor) }
      throw error
    }
    (epoll, wakeUp, alarmClock) = (opened[0], opened[1], opened[2])
    // In this order, so that no timer comes before its time.
    beginningInstant = .now
    beginning = .now
    isolation.loop = self
    do throws(SystemError) {
      try attend(to: wakeUp, token: Self.wakeUpToken)
      try attend(to: alarmClock, token: Self.alarmToken)
      try start()
    } catch {
      for descriptor in opened { close(descriptor) }
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
    close(alarmClock)
  }

  /// Whether the caller runs on this loop's thread.
  package var isCurrent: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

  func preconditionIsCurrent(_ what: StaticString) {
    precondition(isCurrent, "\(what) is for the thread of its event loop only")
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
        turnTime = .never
        turn &+= 1
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
    setAlarmClock()
    let isBusy = hasOwnJobs || !endOfTurn.isEmpty
    let count = epoll_wait(epoll, events.baseAddress!, CInt(events.count), isBusy ? 0 : -1)
    // EINTR, the only error that correct arguments can have, is a turn without events.
    return max(0, Int(count))
  }

  private func runEndOfTurn() {
    guard !endOfTurn.isEmpty else { return }
    var enders: [any TurnEnder] = []
    swap(&enders, &endOfTurn)
    for place in enders.indices { enders[place].turnEnds() }
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
