import Testing
import _BonjourishEventLoop

@testable import FramedTransport

/// A stream that has a core and nothing else. Sendable: used on the loop only.
private final class Bare: TickObserver, @unchecked Sendable {
  let core: StreamCore
  var ready: DescriptorEvents = []
  private(set) var events: [DescriptorEvents] = []
  private(set) var ticks: [UInt64] = []
  /// What the channel does in its handler.
  var react: (Bare) -> Void = { _ in }

  init(on loop: EventLoop) { core = StreamCore(on: loop) }

  func start(_ interest: DescriptorEvents) {
    core.start(interest) { [unowned self] events in
      self.events.append(events)
      ticks.append(core.loop.tick)
      react(self)
    }
  }

  func signal() { core.signal(ready, self) }

  func tickEnded() {
    if core.report(ready) { signal() }
  }
}

@Suite(.timeLimit(.minutes(1))) struct StreamCoreTests {
  private let bare: Bare
  private let loop: EventLoop

  init() throws {
    loop = try TransportLoops.one.chosen().loop
    bare = Bare(on: loop)
  }

  /// Runs a closure on the loop, and returns after the ticks that it has caused.
  private func run<Value: Sendable>(_ body: @escaping @Sendable (Bare) -> Value) async -> Value {
    let value = await withCheckedContinuation { continuation in
      loop.execute { [bare] in continuation.resume(returning: body(bare)) }
    }
    for _ in 0..<4 { await withCheckedContinuation { continuation in loop.execute { continuation.resume() } } }
    return value
  }

  @Test func `the handler is called once at the end of a tick, with the events that hold then`() async {
    await run { bare in
      bare.start([.readable, .writable])
      bare.ready = .readable
      bare.signal()
      bare.signal()
      #expect(bare.events.isEmpty, "not from within a call to the stream")
      bare.ready = .writable
      bare.react = { $0.ready = [] }
    }
    #expect(await run { $0.events } == [.writable])
  }

  @Test func `it is called in each tick as long as an event holds that is of interest`() async {
    await run { bare in
      bare.start(.readable)
      bare.ready = [.readable, .writable]
      bare.react = { if $0.events.count == 3 { $0.core.update(.hangUp) } }
      bare.signal()
    }
    let (events, ticks) = await run { ($0.events, $0.ticks) }
    #expect(events == [.readable, .readable, .readable] && Set(ticks).count == 3)
  }

  @Test func `it is not called after the end`() async {
    await run { bare in
      bare.start(.readable)
      bare.ready = .readable
      bare.signal()
      bare.core.end()
      bare.signal()
      #expect(!bare.core.call(.readable) && !bare.core.isStarted)
    }
    #expect(await run { $0.events.isEmpty })
  }

  @Test func `the first error counts, and only of a stream that is open`() async {
    let (first, second) = (TransportError(.reset, "first"), TransportError(.refused, "second"))
    await run { bare in
      #expect(!bare.core.fail(first), "it has not been started")
      bare.start([])
      bare.core.setTimer(after: .seconds(3_600)) {}
      #expect(bare.core.fail(first) && !bare.core.fail(second) && bare.core.failure == first)
      #expect(!bare.core.hasTimer)
    }
  }

  @Test(arguments: [true, false]) func `what prevents a layer is told once, when it ends`(hasFailed: Bool) async {
    let (failure, closed) = (TransportError(.reset, "failed"), TransportError(.closed, "closed"))
    let told = Observed<[TransportError?]>([])
    await run { bare in
      bare.core.whenEstablished { error in told.change { $0.append(error) } }
      bare.start([])
      if hasFailed { _ = bare.core.fail(failure) }
      #expect(told.change { $0.isEmpty }, "the channel finds the error at its next read")
      bare.core.end(closed)
      bare.core.end(closed)
    }
    #expect(told.change { $0 } == [hasFailed ? failure : closed])
  }

  @Test func `what is established ends its timer, and its end tells no more`() async {
    let told = Observed<[TransportError?]>([])
    await run { bare in
      bare.core.whenEstablished { error in told.change { $0.append(error) } }
      bare.start([])
      bare.core.setTimer(after: .seconds(3_600)) {}
      bare.core.establish()
      #expect(!bare.core.hasTimer)
      bare.core.end(TransportError(.closed, "closed"))
    }
    #expect(told.change { $0 } == [nil])
  }

  @Test func `progress is told when it is new`() async {
    let told = Observed<[ConnectionProgress]>([])
    await run { bare in
      bare.core.whenProgressing { progress in told.change { $0.append(progress) } }
      for progress in [ConnectionProgress.heard, .heard, .answered, .heard] { bare.core.note(progress) }
    }
    #expect(told.change { $0 } == [.heard, .answered])
  }

  @Test func `a timer that is set again runs the latter action only`() async {
    let (done, doing) = AsyncStream.makeStream(of: String.self)
    await run { bare in
      bare.core.setTimer(after: .zero) { doing.yield("former") }
      bare.core.setTimer(after: .zero) {
        doing.yield(bare.core.hasTimer ? "set" : "latter")
        doing.finish()
      }
    }
    var actions: [String] = []
    for await action in done { actions.append(action) }
    #expect(actions == ["latter"])
  }
}
