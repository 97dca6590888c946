import CBonjourishLinux
import FramedCoding
import Testing
import TransportTestSupport
import _BonjourishEventLoop

@testable import FramedTransport

/// What a channel wants of its stream, call by call.
@Suite(.timeLimit(.minutes(1))) struct ChannelTests {
  /// A channel that has begun, and its stream.
  private struct Scene: Sendable {
    let channel: Channel
    let connection: Connection
    let stream: ScriptedStream

    /// Runs a closure on the loop, and returns after the ticks that it has caused.
    @discardableResult
    func run<Value: Sendable>(_ body: @escaping @Sendable (Channel, ScriptedStream) -> Value) async -> Value {
      let value = await withCheckedContinuation { continuation in
        channel.loop.execute { continuation.resume(returning: body(channel, stream)) }
      }
      for _ in 0..<4 { await withCheckedContinuation { continuation in channel.loop.execute { continuation.resume() } } }
      return value
    }

    /// What the channel wanted since the last call.
    func story() async -> [String] {
      await run { _, stream in
        defer { stream.story = [] }
        return stream.story
      }
    }

    func send(_ body: [UInt8]) async {
      let isAccepted = await run { channel, _ in (try? channel.accept(body)) == true }
      #expect(isAccepted)
    }

    func report(_ events: DescriptorEvents, _ prepare: @escaping @Sendable (ScriptedStream) -> Void = { _ in }) async {
      await run { _, stream in
        prepare(stream)
        stream.handler?(events)
      }
    }

    /// Begins to close, and returns when the loop does it.
    func beginClosing(within limit: Duration = .seconds(1_000)) async -> Task<Void, Never> {
      let closing = Task { await connection.close(within: limit) }
      while await run({ channel, _ in channel.phase == .open }) { await Task.yield() }
      return closing
    }
  }

  private func begin(_ limits: TransportLimits, room: Int = .max) async throws -> Scene {
    let transportLoop = try TransportLoops.one.chosen()
    let anywhere = try #require(SocketAddress(numericHost: "192.0.2.1", port: 9))
    let stream = ScriptedStream(on: transportLoop.loop)
    let channel = Channel(stream, peer: anywhere, terms: ChannelTerms(.standard, limits), on: transportLoop)
    let scene = Scene(channel: channel, connection: Connection(channel, local: anywhere), stream: stream)
    await scene.run { channel, stream in
      stream.room = room
      channel.start()
    }
    return scene
  }

  private func scene(_ limits: TransportLimits = .untimed) async throws -> Scene {
    let scene = try await begin(limits)
    #expect(await scene.story() == ["watch reading"])
    return scene
  }

  /// A channel with a frame of five bytes that its stream does not take.
  private func blockedScene(_ limits: TransportLimits = .untimed) async throws -> Scene {
    let scene = try await scene(limits)
    await scene.run { _, stream in stream.room = 0 }
    await scene.send([1])
    #expect(await scene.story() == ["watch reading and writing"])
    return scene
  }

  // MARK: - Sending

  @Test func `what the stream does not take is sent when it has room again`() async throws {
    let scene = try await scene()
    await scene.run { _, stream in stream.room = 7 }
    await scene.send([1])
    await scene.send([2])
    #expect(await scene.story() == ["send 5 of 5", "send 2 of 5", "watch reading and writing"])
    await scene.report(.writable) { $0.room = 1 }
    #expect(await scene.story() == ["send 1 of 3"])
    await scene.report(.writable) { $0.room = .max }
    #expect(await scene.story() == ["send 2 of 2", "watch reading"])
    // Nobody waits for it any more.
    await scene.report(.writable)
    #expect(await scene.story() == [])
  }

  @Test(arguments: [(65_532, [0, 1, 2]), (65_531, [0, 0, 1])] as [(Int, [UInt64])])
  func `in one tick a connection sends until it is a MiB`(size: Int, ticks: [UInt64]) async throws {
    let scene = try await scene(.untimed(sendHighWater: 1 << 30))
    // A call shows 16 frames with large bodies: just a MiB, or a little less.
    await scene.run { channel, _ in
      for _ in 0..<48 { _ = try? channel.accept([UInt8](repeating: 1, count: size)) }
    }
    let sent = await scene.run { _, stream in stream.sendTicks }
    #expect(sent.map { $0 - sent[0] } == ticks)
    #expect(await scene.run { _, stream in stream.sentCounts } == [Int](repeating: 16 * (4 + size), count: 3))
  }

  @Test func `of what a group has for a slow member, a part is shown at once`() async throws {
    let scene = try await scene()
    let group = Group(backlogLimit: 1 << 30)
    group.add(scene.connection, whenSlow: .wait)
    await scene.run { _, stream in stream.room = 0 }
    for number in 0..<40 as Range<UInt8> { #expect(try group.tryBroadcast([UInt8](repeating: number, count: 20_000))) }
    #expect(await scene.story() == ["watch reading and writing"])
    await scene.report(.writable) { $0.room = .max }
    let counts = await scene.run { _, stream in stream.sentCounts }
    #expect(counts.reduce(0, +) == 40 * 20_004 && counts.count > 1)
    // Whole chunks of the group's log, until it is enough.
    #expect(counts.dropLast().allSatisfy { (256 * 1024..<256 * 1024 + 64 * 1024).contains($0) }, "\(counts)")
    #expect(await scene.story().last == "watch reading")
  }

  @Test(arguments: [(EPIPE, false), (ECONNRESET, true)])
  func `the reader is told of an error of sending, unless the peer had ended its side in order`(
    errno: CInt, isTold: Bool
  ) async throws {
    let scene = try await blockedScene()
    await scene.report(.writable) { $0.refusal = SystemError("send", errno: errno) }
    #expect(await scene.story() == ["watch reading"])
    let error = try #require(throws: TransportError.self) { try scene.connection.trySend([2]) }
    #expect(error.errno == errno && error.message.hasPrefix("Sending to 192.0.2.1:9 failed"))
    await scene.report(.readable) { $0.incoming = [.success([0, 0, 0, 1, 7]), .success([])] }
    await scene.report(.readable)
    #expect(try await scene.connection.next() == [7])
    if isTold {
      await #expect(throws: error) { try await scene.connection.next() }
    } else {
      #expect(try await scene.connection.next() == nil)
    }
    #expect(await scene.story() == ["watch nothing"])
  }

  @Test func `a stream that can no longer be watched breaks the connection`() async throws {
    let scene = try await scene()
    await scene.run { _, stream in (stream.room, stream.isWatchable) = (0, false) }
    await scene.send([1])
    #expect(await scene.story() == ["close"])
    let error = try await #require(throws: TransportError.self) { try await scene.connection.next() }
    #expect(error.errno == ENOMEM && error.message.hasPrefix("Watching the connection with 192.0.2.1:9 failed"))
    #expect(throws: error) { try scene.connection.trySend([2]) }
  }

  @Test func `the end of sending comes once, behind what was accepted`() async throws {
    let scene = try await blockedScene()
    for _ in 0..<2 { scene.connection.finishSending() }
    #expect(await scene.story() == [])
    await scene.report(.writable) { $0.room = .max }
    #expect(await scene.story() == ["send 5 of 5", "watch reading", "end"])
    await scene.connection.close()
    #expect(await scene.story() == ["watch reading", "close"])
  }

  @Test func `a peer that nothing can reach is not to blame for taking nothing, and later it is`() async throws {
    let limits = TransportLimits(frameTime: nil, stallTime: .milliseconds(1), keepAlive: nil, silenceLimit: nil)
    let scene = try await scene(limits)
    await scene.run { _, stream in (stream.room, stream.isCut) = (0, true) }
    await scene.send([1])
    while await scene.run({ _, stream in stream.cutChecks }) < 3 { await Task.yield() }
    #expect(await scene.story() == ["watch reading and writing"])
    await scene.run { _, stream in stream.isCut = false }
    let error = await #expect(throws: TransportError.self) { try await scene.connection.next() }
    #expect(error?.code == .sendTimedOut)
    #expect(await scene.story() == ["reset"])
  }

  @Test func `a heartbeat is not put behind what waits to be sent`() async throws {
    let heartbeat = Heartbeat(interval: .milliseconds(1), timeout: .seconds(1_000))
    let scene = try await begin(TransportLimits(frameTime: nil, stallTime: nil, heartbeat: heartbeat), room: 0)
    // The first waits itself.
    try await until { scene.channel.outbound.withLock { $0.byteCount } == 4 }
    for _ in 0..<3 {
      let time = await scene.run { channel, _ in channel.timeoutDeadline.timerTime }
      while await scene.run({ channel, _ in channel.timeoutDeadline.timerTime }) == time { await Task.yield() }
    }
    #expect(await scene.run { channel, _ in channel.outbound.withLock { $0.byteCount } } == 4)
    await scene.report(.writable) { $0.room = .max }
    while await scene.run({ _, stream in stream.sentCounts.count }) < 3 { await Task.yield() }
    #expect(await scene.run { _, stream in stream.sentCounts.prefix(3) } == [4, 4, 4])
  }

  // MARK: - Receiving

  @Test(arguments: [(12, 3, 2), (8, 2, 1), (9, 2, nil)] as [(Int, Int, Int?)], [false, true])
  func `reading pauses when so much is ahead, and goes on at half of it`(
    amounts: (Int, Int, Int?), isBlocked: Bool
  ) async throws {
    let (ahead, frames, taken) = amounts
    // A side that waits for its peer to read reads an eighth ahead.
    let scene =
      if isBlocked {
        try await blockedScene(.untimed(receiveAhead: 8 * ahead))
      } else {
        try await scene(.untimed(receiveAhead: ahead))
      }
    let writing = isBlocked ? " and writing" : ""
    await scene.report(.readable) { $0.incoming = [.success([UInt8](repeating: 0, count: 4 * frames)), .success([9])] }
    #expect(await scene.story() == [])
    await scene.report(.readable)
    let left = await scene.run { _, stream in stream.incoming.count }
    guard let taken else { return #expect(left == 0) }
    #expect(left == 1)
    #expect(await scene.story() == [isBlocked ? "watch writing" : "watch nothing"])
    // A half of what it may read ahead, which is all if it is blocked.
    for _ in 1...(isBlocked ? 1 : taken) {
      #expect(await scene.story() == [])
      var body: [UInt8] = [1]
      let isTaken = scene.channel.takeFrame(into: &body)
      #expect(isTaken && body.isEmpty)
    }
    #expect(await scene.story() == ["watch reading\(writing)"])
  }

  // MARK: - Closing

  @Test func `while it closes, a channel sends what was accepted, and drops what comes`() async throws {
    let scene = try await blockedScene()
    let closing = await scene.beginClosing()
    #expect(await scene.run { channel, _ in channel.phase == .draining })
    #expect(await scene.story() == ["watch reading and writing"])
    await scene.report(.readable) { $0.incoming = [.success([9, 9])] }
    #expect(await scene.run { _, stream in stream.incoming.isEmpty })
    await scene.report(.readable) { $0.incoming = [.success([])] }
    #expect(await scene.story() == ["watch writing"])
    await scene.report(.writable) { $0.room = .max }
    #expect(await scene.story() == ["send 5 of 5", "watch nothing", "end", "close"])
    await closing.value
  }

  @Test func `a channel that has nothing on its way closes at once`() async throws {
    let scene = try await scene()
    await scene.connection.close(within: .seconds(1_000))
    #expect(await scene.story() == ["watch reading", "end", "close"])
  }

  @Test func `a channel looks again and again whether all has arrived, and then closes`() async throws {
    let scene = try await scene()
    await scene.run { _, stream in stream.unacknowledged = 7 }
    let closing = await scene.beginClosing()
    while await scene.run({ _, stream in stream.arrivalChecks }) < 4 { await Task.yield() }
    #expect(await scene.run { channel, _ in channel.phase == .lingering })
    #expect(await scene.story() == ["watch reading", "end"])
    await scene.run { _, stream in stream.unacknowledged = 0 }
    await closing.value
    #expect(await scene.story() == ["close"])
  }

  @Test(arguments: [nil, ECONNRESET]) func `the end of the peer's side, and an error, close what only waits for arrival`(
    errno: CInt?
  ) async throws {
    let scene = try await scene()
    await scene.run { _, stream in stream.unacknowledged = 7 }
    let closing = await scene.beginClosing()
    await scene.report(.readable) { stream in
      stream.incoming = [errno.map { .failure(SystemError("recv", errno: $0)) } ?? .success([])]
    }
    await closing.value
    #expect(await scene.story() == ["watch reading", "end", "close"])
  }

  @Test func `at the end of the time a channel is reset if something has not left, and else closed`() async throws {
    let blocked = try await blockedScene()
    await blocked.connection.close(within: .milliseconds(1))
    #expect(await blocked.story() == ["watch reading and writing", "reset"])
    let lingering = try await scene()
    await lingering.run { _, stream in stream.unacknowledged = 7 }
    await lingering.connection.close(within: .milliseconds(1))
    #expect(await lingering.story() == ["watch reading", "end", "close"])
  }

  @Test(arguments: [false, true])
  func `a channel that is closed waits for nothing any more, and is closed once`(isDraining: Bool) async throws {
    let limits = TransportLimits(frameTime: .seconds(1_000), stallTime: .seconds(1_000), heartbeat: Heartbeat())
    let scene = try await blockedScene(limits)
    #expect(await scene.run { channel, _ in channel.timeoutDeadline.timerTime != .never })
    let closing = isDraining ? await scene.beginClosing() : nil
    if isDraining {
      #expect(await scene.run { channel, _ in channel.closeTimer != nil && channel.timeoutDeadline.timerTime == .never })
      #expect(await scene.story() == ["watch reading and writing"])
    }
    scene.connection.abort()
    await closing?.value
    await scene.run { channel, _ in
      channel.close()
      channel.fail(TransportError(.reset, "too late"))
      channel.update(reading: false)
      channel.flush()
    }
    #expect(await scene.story() == ["reset"])
    let isIdle = await scene.run { channel, _ in
      channel.closeTimer == nil && channel.arrivalTimer == nil && channel.flusher == nil && channel.closers.isEmpty
        && channel.timeoutDeadline.timerTime == .never
    }
    #expect(isIdle && scene.connection.failure == nil)
  }
}
