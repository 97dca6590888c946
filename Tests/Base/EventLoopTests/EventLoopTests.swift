import CBonjourishLinux
import Testing

@testable import _BonjourishEventLoop

/// An actor that lives on a loop, as connections and backends do.
private actor Resident {
  let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(on loop: EventLoop) {
    self.loop = loop
  }

  func isAtHome() -> Bool { loop.isCurrent }

  func run<Value: Sendable>(_ body: @Sendable (isolated Resident) throws -> Value) rethrows -> Value {
    try body(self)
  }

  /// Begins to wait after it has given the loop something else to do, and returns whether that was done before it waited.
  func beginsToWaitAfterOthers() async -> Bool {
    othersDone = false
    loop.execute { self.assumeIsolated { $0.othersDone = true } }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        continuation.resume(returning: othersDone)
      }
    } onCancel: {
    }
  }

  private var othersDone = false

  /// Calls `start` on the loop with a closure, and returns what the closure is called with.
  func wait<Value: Sendable>(_ start: @Sendable (isolated Resident, @escaping (Value) -> Void) -> Void) async -> Value {
    await withCheckedContinuation { continuation in
      start(self) { continuation.resume(returning: $0) }
    }
  }
}

struct EventLoopTests {
  @Test func `actors live on it`() async throws {
    let loop = try EventLoop(name: "test")
    #expect(!loop.isCurrent)
    #expect(await Resident(on: loop).isAtHome())
    await loop.shutdown()
  }

  /// The loop recognises a job by the bits of `UnownedJob`, which the runtime does not promise to keep: this test is to be the
  /// first thing that fails when a new toolchain does otherwise.
  @Test(arguments: [false, true]) func `a job that an actor hands to itself resumes at once and in order`(
    prefersLoop: Bool
  ) async throws {
    #expect(MemoryLayout<UnownedJob>.size == MemoryLayout<UInt>.size, "UnownedJob is no pointer any more: see EventLoop+Jobs")
    let loop = try EventLoop(name: "test")
    let resident = Resident(on: loop)
    let task = Task(executorPreference: prefersLoop ? loop : nil) {
      var others = 0
      for _ in 0..<100 where await resident.beginsToWaitAfterOthers() { others += 1 }
      return others
    }
    #expect(await task.value == 0, "something else ran within one step of an actor: EventLoop+Jobs no longer knows its jobs")
    let resumed = await resident.run { $0.loop.jobsResumedAtOnce }
    if !prefersLoop {
      #expect(resumed >= 100, "the runtime no longer hands such a job back: EventLoop.runIsolated can be simplified")
    }
    await loop.shutdown()
  }

  @Test func `tasks run on it`() async throws {
    let loop = try EventLoop(name: "test")
    let isCurrent = await Task(executorPreference: loop) { loop.isCurrent }.value
    #expect(isCurrent)
    await loop.shutdown()
  }

  @Test func `jobs from many threads all run`() async throws {
    let loop = try EventLoop(name: "test")
    let resident = Resident(on: loop)
    let sum = await withTaskGroup(of: Int.self) { group in
      for number in 1...2_000 {
        group.addTask { await resident.run { _ in number } }
      }
      return await group.reduce(0, +)
    }
    #expect(sum == 2_000 * 2_001 / 2)
    await loop.shutdown()
  }

  @Test func `timers run in order of deadline then of scheduling`() async throws {
    let loop = try EventLoop(name: "test")
    let resident = Resident(on: loop)
    let order = await resident.wait { resident, done in
      let start = ContinuousClock.now
      final class Log { var names: [String] = [] }
      let log = Log()
      for (name, milliseconds) in [("c", 3), ("a", 1), ("d", 3), ("b", 2)] {
        _ = resident.loop.schedule(at: start + .milliseconds(milliseconds)) {
          log.names.append(name)
          if log.names.count == 4 { done(log.names) }
        }
      }
    }
    #expect(order == ["a", "b", "c", "d"])
    await loop.shutdown()
  }

  @Test func `timers never run early`() async throws {
    let loop = try EventLoop(name: "test")
    for microseconds in [0, 1, 300, 999, 1_001, 2_500] {
      let early = await Resident(on: loop).wait { resident, done in
        let deadline = ContinuousClock.now + .microseconds(microseconds)
        _ = resident.loop.schedule(at: deadline) { done(ContinuousClock.now < deadline) }
      }
      #expect(!early)
    }
    await loop.shutdown()
  }

  @Test(arguments: [0, 1, 2, 3, 4, 5, 6, 7, 8]) func `a cancelled timer does not run and the others do`(cancelled: Int)
    async throws
  {
    let loop = try EventLoop(name: "test")
    let ran = await Resident(on: loop).wait { resident, done in
      final class Log { var numbers: [Int] = [] }
      let log = Log()
      let start = ContinuousClock.now
      let timers = [4, 0, 8, 2, 6, 1, 7, 3, 5].map { number in
        (number, resident.loop.schedule(at: start + .microseconds(500 + number)) { log.numbers.append(number) })
      }
      timers.first { $0.0 == cancelled }!.1.cancel()
      _ = resident.loop.schedule(at: start + .milliseconds(2)) { done(log.numbers) }
    }
    #expect(ran == Array(0..<9).filter { $0 != cancelled })
    await loop.shutdown()
  }

  @Test func `a descriptor is reported while there is something to read`() async throws {
    let loop = try EventLoop(name: "test")
    var ends: [CInt] = [0, 0]
    #expect(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0)
    let (near, far) = (ends[0], ends[1])
    let resident = Resident(on: loop)
    let events: DescriptorEvents = await resident.wait { resident, done in
      final class Box { var watch: DescriptorSource? }
      let box = Box()
      box.watch = try! resident.loop.watch(near, for: .readable) { events in
        box.watch?.cancel()
        done(events)
      }
      #expect(throws: SystemError("epoll_ctl", errno: EEXIST)) { try resident.loop.watch(near, for: .readable) { _ in } }
      _ = write(far, "x", 1)
    }
    #expect(events == .readable)

    // The watch is gone, the byte is still there; a new watch sees it, and after a change of interest only that.
    let seen: [DescriptorEvents] = await resident.wait { resident, done in
      final class Box { var watch: DescriptorSource?; var seen: [DescriptorEvents] = [] }
      let box = Box()
      box.watch = try! resident.loop.watch(near, for: .readable) { events in
        box.seen.append(events)
        if box.seen.count == 1 {
          box.watch?.update(.writable)
        } else {
          box.watch?.cancel()
          done(box.seen)
        }
      }
    }
    #expect(seen == [.readable, .writable])
    close(near)
    close(far)
    await loop.shutdown()
  }

  @Test func `hang ups are reported`() async throws {
    let loop = try EventLoop(name: "test")
    var ends: [CInt] = [0, 0]
    #expect(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0)
    let (near, far) = (ends[0], ends[1])
    let events: DescriptorEvents = await Resident(on: loop).wait { resident, done in
      final class Box { var watch: DescriptorSource? }
      let box = Box()
      box.watch = try! resident.loop.watch(near, for: .readable) { events in
        box.watch?.cancel()
        done(events)
      }
      close(far)
    }
    #expect(events.isSuperset(of: [.hangUp, .readHangUp]))
    close(near)
    await loop.shutdown()
  }

  @Test func `an event of a cancelled watch does not reach the next owner of its place`() async throws {
    let loop = try EventLoop(name: "test")
    var first: [CInt] = [0, 0], second: [CInt] = [0, 0], third: [CInt] = [0, 0]
    #expect(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &first) == 0)
    #expect(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &second) == 0)
    #expect(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &third) == 0)
    let (a, b, c) = (first, second, third)
    let stray: Bool = await Resident(on: loop).wait { resident, done in
      final class Box { var watches: [DescriptorSource] = []; var stray = false; var isDone = false }
      let box = Box()
      // Both are ready in one tick; whichever comes first cancels both and watches a silent descriptor in their place.
      for end in [a[0], b[0]] {
        box.watches.append(
          try! resident.loop.watch(end, for: .readable) { _ in
            for watch in box.watches { watch.cancel() }
            box.watches = [try! resident.loop.watch(c[0], for: .readable) { _ in box.stray = true }]
            guard !box.isDone else { return }
            box.isDone = true
            _ = resident.loop.schedule(after: .milliseconds(1)) {
              for watch in box.watches { watch.cancel() }
              done(box.stray)
            }
          })
      }
      _ = write(a[1], "x", 1)
      _ = write(b[1], "x", 1)
    }
    #expect(!stray)
    for end in a + b + c { close(end) }
    await loop.shutdown()
  }

  @Test func `the end of a tick comes once and after its jobs`() async throws {
    let loop = try EventLoop(name: "test")
    let order: [String] = await Resident(on: loop).wait { resident, done in
      final class Log { var names: [String] = [] }
      let log = Log()
      resident.loop.atEndOfTick {
        log.names.append("first end")
        let tick = resident.loop.tick
        // Registered at the end of a tick, so it belongs to the next.
        resident.loop.atEndOfTick {
          log.names.append("next end")
          #expect(resident.loop.tick == tick + 1)
          done(log.names)
        }
      }
      resident.loop.atEndOfTick { log.names.append("second end") }
      log.names.append("job")
    }
    #expect(order == ["job", "first end", "second end", "next end"])
    await loop.shutdown()
  }

  @Test func `shutdown runs what is queued and can be awaited twice`() async throws {
    let loop = try EventLoop(name: "test")
    let resident = Resident(on: loop)
    async let jobs = withTaskGroup(of: Int.self) { group in
      for number in 1...100 { group.addTask { await resident.run { _ in number } } }
      return await group.reduce(0, +)
    }
    #expect(await jobs == 5_050)
    async let first: Void = loop.shutdown()
    async let second: Void = loop.shutdown()
    _ = await (first, second)
    await loop.shutdown()
  }

  /// In a process of its own, because other tests open and close descriptors meanwhile.
  @Test func `a loop leaves no descriptor behind`() async {
    await #expect(processExitsWith: .success) {
      func openDescriptors() -> Int {
        (CInt(0)..<256).count { linux_fcntl($0, F_GETFD, 0) != -1 }
      }
      await (try EventLoop(name: "test")).shutdown()
      let before = openDescriptors()
      for _ in 0..<20 { await (try EventLoop(name: "test")).shutdown() }
      // A loop that has been shut down closes its descriptors when its thread lets go of it, a moment later.
      while openDescriptors() > before + 2 { await Task.yield() }
    }
  }

  @Test func `system errors tell the call and the reason`() {
    let error = #expect(throws: SystemError.self) { try systemCall("close") { close(-1) } }
    #expect(error?.errno == EBADF)
    #expect(error?.description == "close: Bad file descriptor")
  }
}
