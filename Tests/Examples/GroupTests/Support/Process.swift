/// A process of a simulation: while it is paused, nothing happens in it; when it wakes, everything is there at once, in the order of each
/// thread, and between the threads in any order.
final class Process {
  enum Thread: Int, CaseIterable {
    /// Which talks with the directory.
    case directory
    /// Which has the connections with the players.
    case connections
  }

  private let timeline: Timeline
  private(set) var isAlive = true
  private(set) var isPaused = false
  private var wokenAt: Duration?
  private var waiting: [[() -> Void]] = Thread.allCases.map { _ in [] }

  private var posted: [Duration] = Thread.allCases.map { _ in .zero }

  init(_ timeline: Timeline) {
    self.timeline = timeline
  }

  var isRunning: Bool { isAlive && !isPaused }

  /// Whether it runs, and has had the time to find out how late it is.
  var isAwake: Bool { isRunning && wokenAt.map { timeline.now >= $0 + .milliseconds(20) } ?? true }

  /// Does something in a thread, now or when the process wakes.
  func run(on thread: Thread, _ body: @escaping () -> Void) {
    guard isAlive else { return }
    if isPaused { waiting[thread.rawValue].append(body) } else { body() }
  }

  /// Hands something to another thread, which takes it after at most some microseconds, and in order.
  func post(to thread: Thread, within longest: Int = 3_000, _ body: @escaping () -> Void) {
    let time = max(posted[thread.rawValue], timeline.now + .microseconds(timeline.number(in: 20...longest)))
    posted[thread.rawValue] = time
    timeline.at(time) { [self] in run(on: thread, body) }
  }

  /// Plans something for a time.
  func at(_ time: Duration, on thread: Thread, _ body: @escaping () -> Void) -> Timeline.Entry {
    timeline.at(time) { [self] in run(on: thread, body) }
  }

  func pause() { isPaused = true }

  func wake() {
    guard isAlive, isPaused else { return }
    isPaused = false
    wokenAt = timeline.now
    while isAlive, !isPaused, let thread = timeline.choice(Thread.allCases.filter { !waiting[$0.rawValue].isEmpty }) {
      waiting[thread.rawValue].removeFirst()()
    }
  }

  /// Ends it at once, as SIGKILL does.
  func kill() {
    isAlive = false
    waiting = Thread.allCases.map { _ in [] }
  }
}
