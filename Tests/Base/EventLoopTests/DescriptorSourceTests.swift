import CBonjourishLinux
import Testing
import _BonjourishEventLoop

/// Events of descriptors, and the end of a tick.
///
/// Sendable: `events` and `source` are used on the loop only.
@Suite(.timeLimit(.minutes(1))) final class DescriptorSourceTests: @unchecked Sendable {
  private let loop: EventLoop
  private var source: DescriptorSource?
  private var events: [DescriptorEvents] = []

  init() throws {
    loop = try EventLoop(name: "test")
  }

  /// Runs a closure on the loop, and returns after two more ticks.
  @discardableResult
  private func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    let value = await withCheckedContinuation { continuation in loop.execute { continuation.resume(returning: body()) } }
    for _ in 0..<2 { await withCheckedContinuation { continuation in loop.execute { continuation.resume() } } }
    return value
  }

  private func watch(_ descriptor: CInt, for interest: DescriptorEvents, edgeTriggered: Bool = false) async {
    await run {
      self.source = try? self.loop.watch(descriptor, for: interest, edgeTriggered: edgeTriggered) { self.events.append($0) }
      #expect(self.source?.interest == interest)
    }
  }

  /// The events since the last call.
  private func newEvents() async -> [DescriptorEvents] {
    await run {
      defer { self.events = [] }
      return self.events
    }
  }

  /// Runs a closure with the two ends of a pair of sockets, and ends the watch.
  private func withSockets(_ body: (_ near: CInt, _ far: CInt) async throws -> Void) async throws {
    var ends: [CInt] = [0, 0]
    try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
    try await body(ends[0], ends[1])
    await run {
      self.source?.cancel()
      self.source = nil
    }
    close(ends[0])
    await loop.shutdown()
  }

  @Test func `an edge-triggered source reports an event once, and again when it is rearmed`() async throws {
    try await withSockets { near, far in
      await watch(near, for: .readable, edgeTriggered: true)
      #expect(await newEvents() == [])
      #expect(write(far, "x", 1) == 1)
      await run {}
      #expect(await newEvents() == [.readable])
      #expect(await newEvents() == [])
      await run { self.source?.rearm() }
      #expect(await newEvents() == [.readable])
      close(far)
    }
  }

  @Test func `a source reports in each tick what is of interest, and without interest the end alone`() async throws {
    try await withSockets { near, far in
      await watch(near, for: [.readable, .writable])
      await run {}
      let events = await newEvents()
      #expect(events.count > 1 && Set(events) == [.writable])
      #expect(write(far, "x", 1) == 1)
      await run {}
      #expect(await newEvents().last == [.readable, .writable])
      await run { self.source?.update([]) }
      _ = await newEvents()
      #expect(await newEvents() == [])
      close(far)
      await run {}
      #expect(await newEvents().last == .hangUp)
    }
  }

  @Test func `a descriptor in error is reported, whatever is of interest`() async throws {
    try await withSockets { near, far in
      // What `near` has sent is lost with the other end.
      #expect(write(near, "x", 1) == 1)
      await watch(near, for: [])
      #expect(await newEvents() == [])
      close(far)
      await run {}
      #expect(await newEvents().last == [.hangUp, .error])
    }
  }

  @Test func `a cancelled source reports nothing, and another takes its place`() async throws {
    try await withSockets { near, far in
      await watch(near, for: .writable)
      await run {
        self.source?.cancel()
        self.source?.cancel()
        self.source?.update(.readable)
        self.source?.rearm()
      }
      _ = await newEvents()
      #expect(await newEvents() == [])
      await watch(near, for: .writable)
      #expect(await newEvents().last == .writable)
      close(far)
    }
  }

  // MARK: - Ticks

  private final class Observer: TickObserver {
    private let action: () -> Void

    init(_ action: @escaping () -> Void) { self.action = action }

    func tickEnded() { action() }
  }

  @Test func `late observers act after all others of their tick`() async {
    let story = Observed<[String]>([])
    await run {
      let tick = self.loop.tick
      func tell(_ what: String, after ticks: UInt64) { story.change { $0.append("\(what) \(self.loop.tick - tick == ticks)") } }
      self.loop.afterTick(
        Observer {
          tell("late", after: 0)
          self.loop.afterTick(Observer { tell("later", after: 1) })
        })
      self.loop.atEndOfTick {
        tell("end", after: 0)
        self.loop.atEndOfTick { tell("next end", after: 1) }
      }
      tell("job", after: 0)
    }
    #expect(story.value(\.self) == ["job true", "end true", "late true", "next end true", "later true"])
    await loop.shutdown()
  }

  @Test func `a tick has one time, and the next a later one`() async {
    let first = await run {
      let time = self.loop.tickStart
      while LoopTime.now <= time {}
      #expect(self.loop.tickStart == time)
      return time
    }
    let second = await run { self.loop.tickStart }
    #expect(second > first && second <= .now)
    await loop.shutdown()
  }

  // MARK: - The end

  /// Keeps its loop, as an object does that has timers and descriptors on it.
  private final class Owner: Sendable {
    let loop: EventLoop

    init(_ loop: EventLoop) { self.loop = loop }
  }

  private final class Former: @unchecked Sendable {  // used on the loop, and then by the test
    weak var owner: Owner?
  }

  @Test func `a loop that has ended keeps nothing that its timers, sources and observers hold`() async throws {
    let formers = (0..<4).map { _ in Former() }
    try await withSockets { near, far in
      await run {
        let owners = formers.map { former in
          let owner = Owner(self.loop)
          former.owner = owner
          return owner
        }
        let cancelled = self.loop.schedule(after: .seconds(3_600)) { [owner = owners[0]] in _ = owner }
        cancelled.cancel()
        cancelled.cancel()
        _ = self.loop.schedule(after: .seconds(3_600)) { [owner = owners[1]] in _ = owner }
        _ = try? self.loop.watch(near, for: .readable) { [owner = owners[2]] _ in _ = owner }
        self.loop.atEndOfTick { [owner = owners[3]] in _ = owner }
      }
      #expect(formers.map { $0.owner == nil } == [true, false, false, true])
      close(far)
    }
    for former in formers { while former.owner != nil { await Task.yield() } }
  }

  @Test func `what is queued while a loop ends is done before`() async {
    let done = Observed<[Int]>([])
    loop.execute {
      for number in 0..<3 {
        self.loop.execute {
          done.change { $0.append(number) }
          self.loop.execute { done.change { $0.append(number + 10) } }
        }
      }
    }
    await loop.shutdown()
    #expect(done.value(\.self) == [0, 1, 2, 10, 11, 12])
  }

  @Test func `a loop of the whole process is started once`() throws {
    let shared = SharedEventLoop(name: "shared")
    let loop = try shared.get()
    #expect(try shared.get() === loop)
  }

  @Test func `a call that a signal interrupts is repeated`() throws {
    var results: [(CInt, errno: CInt)] = [(-1, EINTR), (-1, EINTR), (7, EINTR)]
    func call() -> CInt {
      let (result, errno) = results.removeFirst()
      linux_set_errno(errno)
      return result
    }
    #expect(try systemCall("call") { call() } == 7)
    results = [(-1, EINTR), (-1, EAGAIN)]
    #expect(throws: SystemError("call", errno: EAGAIN)) { try systemCall("call") { call() } }
  }
}
