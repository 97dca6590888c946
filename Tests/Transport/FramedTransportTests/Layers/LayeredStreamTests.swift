import CBonjourishLinux
import Testing
import _BonjourishEventLoop

@testable import FramedTransport

/// A layer that changes nothing. Sendable: used on the loop only.
private final class PlainLayer: LayeredStream, @unchecked Sendable {
  let lower: any ByteStream
  let peer: SocketAddress
  let core: StreamCore
  let facts: any Sendable
  var ready: DescriptorEvents = []
  var needed: DescriptorEvents { core.interest }
  var isFlushed = true
  private(set) var story: [String] = []
  var failure: TransportError? { core.failure }

  init(over lower: any ByteStream, on loop: EventLoop, peer: SocketAddress, facts: String = "") {
    self.lower = lower
    self.peer = peer
    self.facts = facts
    core = StreamCore(on: loop)
  }

  func begin() { story.append("begin") }

  func handleLower(_ events: DescriptorEvents) {
    ready = events
    settleOrFail()
  }

  func fail(_ error: TransportError) { _ = core.fail(error) }

  func release() {
    story.append("release")
    core.end(TransportError(.closed, "closed"))
  }

  func receive(into output: inout OutputSpan<UInt8>) throws(SystemError) -> Int { try lower.receive(into: &output) }
  func send(_ pieces: UnsafeMutableBufferPointer<iovec>) throws(SystemError) -> Int { try lower.send(pieces) }
  func finishSending() throws(SystemError) { try lower.finishSending() }
  func countUnacknowledgedBytes() -> Int { lower.countUnacknowledgedBytes() }
}

/// What all layers have in common.
@Suite(.timeLimit(.minutes(1))) struct LayeredStreamTests {
  private let loop: EventLoop
  private let lower: ScriptedStream
  private let layer: PlainLayer
  private let events = Observed<[DescriptorEvents]>([])

  init() throws {
    loop = try TransportLoops.one.chosen().loop
    lower = ScriptedStream(on: loop)
    layer = PlainLayer(over: lower, on: loop, peer: try #require(SocketAddress(numericHost: "192.0.2.1", port: 9)))
  }

  /// Runs a closure on the loop, and returns after the ticks that it has caused.
  @discardableResult
  private func run<Value: Sendable>(_ body: @escaping @Sendable (PlainLayer, ScriptedStream) -> Value) async -> Value {
    let value = await withCheckedContinuation { continuation in
      loop.execute { [layer, lower] in continuation.resume(returning: body(layer, lower)) }
    }
    for _ in 0..<4 { await withCheckedContinuation { continuation in loop.execute { continuation.resume() } } }
    return value
  }

  private func start() async -> SystemError? {
    await run { [events] layer, _ -> SystemError? in
      do throws(SystemError) {
        try layer.start(.readable) { reported in events.change { $0.append(reported) } }
        return nil
      } catch {
        return error
      }
    }
  }

  @Test func `a layer begins when the stream below has begun, and tells above what it is ready for`() async {
    await run { layer, _ in #expect(throws: Never.self) { try layer.update(.writable) } }
    #expect(await start() == nil)
    #expect(await run { $1.story } == ["watch reading"], "before, it has nothing to watch")
    #expect(await run { layer, _ in layer.story } == ["begin"])
    await run { layer, _ in layer.ready = [.readable, .writable] }
    await run { layer, _ in
      #expect(throws: Never.self) { try layer.update(.writable) }
      layer.ready = .writable
    }
    #expect(await run { $1.story }.prefix(2) == ["watch reading", "watch writing"])
    #expect(events.value(\.first) == .writable)
    await run { layer, _ in layer.close() }
  }

  @Test(arguments: [true, false]) func `a layer that cannot begin is closed, and tells so`(isFlushed: Bool) async {
    let told = Observed<[TransportError?]>([])
    await run { layer, lower in
      layer.whenEstablished { error in told.change { $0.append(error) } }
      (layer.isFlushed, lower.isWatchable) = (isFlushed, false)
    }
    #expect(await start()?.errno == ENOMEM)
    // What it holds and has not sent is lost, which the peer is to notice.
    #expect(await run { $1.story } == [isFlushed ? "close" : "reset"])
    #expect(await run { layer, _ in layer.story } == ["release"])
    #expect(told.value(\.self).map { $0?.code } == [.closed])
  }

  @Test func `a layer whose stream can no longer be watched has failed, and has that found above`() async {
    #expect(await start() == nil)
    await run { layer, lower in
      lower.isWatchable = false
      layer.handleLower([.readable, .writable])
    }
    let failure = await run { layer, _ in layer.core.failure }
    #expect(failure?.errno == ENOMEM && failure?.message.hasPrefix("Watching the connection with 192.0.2.1:9 failed") == true)
    #expect(events.value(\.first) == .readable)
    await run { layer, _ in layer.reset() }
    #expect(await run { $1.story.last } == "reset")
  }

  @Test func `the facts of layers are told from above`() async {
    let facts = await run { layer, _ in
      PlainLayer(
        over: PlainLayer(over: layer, on: layer.core.loop, peer: layer.peer, facts: "b"), on: layer.core.loop, peer: layer.peer,
        facts: "a"
      )
      .allFacts.compactMap { $0 as? String }
    }
    #expect(facts == ["a", "b", ""])
  }
}
