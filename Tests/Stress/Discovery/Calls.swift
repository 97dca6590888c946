import Bonjourish
import CBonjourishLinux
import Dispatch
import Synchronization
import _BonjourishConsole

/// Browses and resolves many services, and measures how long the calls of the library occupy the thread that makes them.
struct Calls {
  let count: Int
  let bonjour: Bonjour

  init(count: Int, on bonjour: Bonjour) {
    self.count = count
    self.bonjour = bonjour
  }

  /// The longest time that a call may take.
  private static let maximum: Duration = .milliseconds(1)

  func run() async throws {
    for usesSnapshots in [false, true] {
      let thread = MeasuredThread()
      let begin = ContinuousClock.now
      let found = try await Task(executorPreference: thread) { try await browse(usesSnapshots, on: thread) }.value
      let total = ContinuousClock.now - begin
      let figures = thread.figures
      Output.standard.line(
        """
        \(usesSnapshots ? "snapshots" : "changes"): \(found) resolved in \(total / .milliseconds(1)) ms; \(figures.count) calls, \
        the longest on the caller's thread \(figures.longest / .microseconds(1)) µs of a processor, \
        all \(figures.sum / .milliseconds(1)) ms
        """)
      guard figures.longest <= Self.maximum else { fatalError("a call took longer than a millisecond") }
    }
  }

  private func browse(_ usesSnapshots: Bool, on thread: MeasuredThread) async throws -> Int {
    try await bonjour.withBrowser(for: "_stress._tcp", resolving: true) { browser in
      var (snapshots, changes) = (browser.snapshots.makeAsyncIterator(), browser.changes.makeAsyncIterator())
      var found = 0
      while found < count {
        thread.callBegins()
        if usesSnapshots {
          guard let snapshot = try await snapshots.next() else { break }
          found = snapshot.services.count
        } else {
          guard let change = try await changes.next() else { break }
          if case .found(let service) = change, service.endpoint != nil { found += 1 }
        }
        thread.callEnds()
      }
      return found
    }
  }
}

/// A thread of a caller: runs the jobs of a task, and measures how long calls occupy it, before they suspend and after.
final class MeasuredThread: TaskExecutor {
  struct Figures {
    /// The number of calls.
    var count = 0
    /// The longest stretch of a call without suspension.
    var longest: Duration = .zero
    var sum: Duration = .zero
    /// The time of the processor when the stretch of a call began; nil between two calls.
    fileprivate var began: Duration?

    fileprivate mutating func endStretch(at now: Duration) {
      guard let began else { return }
      longest = max(longest, now - began)
      sum += now - began
    }
  }

  private let queue = DispatchQueue(label: "caller")
  private let measured = Mutex(Figures())

  var figures: Figures { measured.withLock { $0 } }

  func callBegins() {
    measured.withLock { figures in
      figures.count += 1
      figures.began = Self.processorTime
    }
  }

  func callEnds() {
    measured.withLock { figures in
      figures.endStretch(at: Self.processorTime)
      figures.began = nil
    }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { [self] in
      measured.withLock { if $0.began != nil { $0.began = Self.processorTime } }
      job.runSynchronously(on: asUnownedTaskExecutor())
      measured.withLock { $0.endStretch(at: Self.processorTime) }
    }
  }

  func asUnownedTaskExecutor() -> UnownedTaskExecutor { UnownedTaskExecutor(ordinary: self) }

  /// Of this thread.
  private static var processorTime: Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
