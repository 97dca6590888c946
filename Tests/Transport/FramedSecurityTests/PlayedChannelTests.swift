import CBonjourishLinux
import Dispatch
import Testing
import TransportTestSupport

@testable import FramedSecurity
@testable import FramedTransport
@testable import _BonjourishEventLoop

/// One side of an encrypted channel over a stream that the test plays, as a channel of frames sees it. Confined to the loop.
private final class PlayedSide {
  private final class Notes {
    var outcomes: [TransportError.Code?] = []
    var progress: [ConnectionProgress] = []
  }

  let lower = PlayedStream()
  let stream: TLSStream
  private let notes = Notes()

  /// How establishing has ended; nil for well.
  var outcomes: [TransportError.Code?] { notes.outcomes }
  var progress: [ConnectionProgress] { notes.progress }

  convenience init(_ layer: (any StreamLayer)?, on transportLoop: TransportLoop) throws {
    try self.init(settings: try #require(layer as? TLSLayer), on: transportLoop)
  }

  init(settings: any TLSSettings, on transportLoop: TransportLoop) throws {
    let peer = try #require(SocketAddress(numericHost: "192.0.2.1", port: 7))
    stream = TLSStream(over: lower, settings, peer: peer, log: nil, on: transportLoop)
    let notes = notes
    stream.whenEstablished { notes.outcomes.append($0?.code) }
    stream.whenProgressing { notes.progress.append($0) }
    try stream.start([.readable, .writable]) { _ in }
  }

  /// What the channel gets, if it has room for so many bytes; none at the end.
  func receive(room: Int = 65_536) throws -> [UInt8] {
    var bytes: [UInt8] = []
    try bytes.append(addingCapacity: room) { (output) throws(SystemError) in _ = try stream.receive(into: &output) }
    return bytes
  }

  /// Sends bytes of the channel; returns the number of those that were taken.
  func send(_ bytes: [UInt8]) throws -> Int {
    var bytes = bytes
    return try bytes.withUnsafeMutableBytes { bytes in
      var piece = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
      return try withUnsafeMutablePointer(to: &piece) { piece in
        try stream.send(UnsafeMutableBufferPointer(start: piece, count: 1))
      }
    }
  }

  /// The errno with which a step fails.
  func errno(of step: () throws -> some Any) -> CInt? {
    do {
      _ = try step()
      return nil
    } catch {
      return (error as? SystemError)?.errno
    }
  }
}

/// Settings that depend on what is read first.
private struct HeldSettings: TLSSettings {
  let present: TLSLayer
  let update: SettingsUpdate?
}

/// An encrypted channel between streams that the test plays: each byte below, and when each end is told.
@Suite(.timeLimit(.minutes(1))) struct PlayedChannelTests {
  private let listening: ListenerSecurity
  private let transportLoop: TransportLoop

  init() throws {
    listening = .encrypted(try Identity.ephemeral())
    // No other test's handshakes are on it.
    transportLoop = TransportLoop(try EventLoop(name: "test"))
  }

  private func onLoop(_ body: @escaping @Sendable () async throws -> Void) async throws {
    try await Task(executorPreference: transportLoop.loop) { try await body() }.value
  }

  /// Two sides that have established the channel.
  private func pair() async throws -> (client: PlayedSide, server: PlayedSide) {
    let client = try PlayedSide(ConnectionSecurity.anyKey().layer, on: transportLoop)
    let server = try PlayedSide(listening.layer, on: transportLoop)
    for _ in 0..<1_000 where client.outcomes.isEmpty || server.outcomes.isEmpty {
      for (from, to) in [(client, server), (server, client)] {
        let bytes = from.lower.takeSent()
        if !bytes.isEmpty { to.lower.arrive(bytes) }
      }
      // A step of a handshake is taken in each tick.
      await Task.yield()
    }
    try #require(client.outcomes == [nil] && server.outcomes == [nil])
    for (from, to) in [(client, server), (server, client)] { to.lower.arrive(from.lower.takeSent()) }
    return (client, server)
  }

  @Test func `a channel carries nothing before it is established, and tells how far it has come`() async throws {
    try await onLoop {
      let side = try PlayedSide(listening.layer, on: transportLoop)
      #expect(side.lower.interest == .readable && side.stream.ready == [] && side.progress.isEmpty)
      #expect(side.errno { try side.receive() } == EAGAIN && side.errno { try side.send([1]) } == EAGAIN)
      side.stream.reset()
      #expect(side.lower.ends == ["reset"] && side.outcomes == [.closed])
      let (client, server) = try await pair()
      #expect(client.progress == [.heard, .answered] && server.progress == [.heard, .answered])
      for side in [client, server] {
        #expect(side.lower.interest == .readable && side.stream.ready == .writable)
        #expect(side.stream.countUnacknowledgedBytes() == 1 && side.stream.failure == nil)
        side.stream.reset()
      }
    }
  }

  @Test func `a handshake waits until what its settings depend on is read, and ends with what is wrong with that`() async throws
  {
    for error in [nil, TransportError(.unusablePins, "It has other lines")] {
      try await onLoop {
        let released = DispatchSemaphore(value: 0)
        let layer = try #require(listening.layer as? TLSLayer)
        let update = SettingsUpdate(thread: WorkThread()) { _ in
          released.wait()
          return error
        }
        let side = try PlayedSide(settings: HeldSettings(present: layer, update: update), on: transportLoop)
        side.lower.arrive([22])
        for _ in 0..<20 { await Task.yield() }
        #expect(side.stream.session == nil && side.stream.failure == nil)
        released.signal()
        while side.stream.session == nil, side.stream.failure == nil { await Task.yield() }
        #expect(side.stream.failure?.code == error?.code)
        side.stream.reset()
      }
    }
  }

  @Test func `a channel that is not established within ten seconds is given up`() async throws {
    try await onLoop {
      let timers = { transportLoop.loop.timers.next }
      let before = LoopTime.now
      let side = try PlayedSide(listening.layer, on: transportLoop)
      let due = timers()
      #expect(due >= before + .seconds(10) && due <= LoopTime.now + .seconds(10))
      let action = transportLoop.loop.timers.popDue(at: due)
      let giveUp = try #require(action)
      giveUp()
      #expect(side.stream.failure?.code == .handshakeFailed && side.stream.ready == [.readable, .writable])
      #expect(side.lower.interest == [])
      side.stream.close()
      #expect(side.outcomes == [.handshakeFailed])
      let (client, server) = try await pair()
      #expect(timers() == .never)
      for side in [client, server] { side.stream.reset() }
    }
  }

  @Test(arguments: [(10, 16), (20, 6)])
  func `what there is no room for waits, and leaves when there is`(room: Int, left: Int) async throws {
    try await onLoop {
      let (client, server) = try await pair()
      client.lower.unacknowledged = 100
      client.lower.room = room
      // A record of 25 bytes.
      #expect(try client.send([1, 2, 3]) == 3)
      #expect(client.lower.interest == [.readable, .writable] && client.stream.ready == [])
      #expect(client.stream.countUnacknowledgedBytes() == 100 + left)
      #expect(client.errno { try client.send([4]) } == EAGAIN)
      client.lower.room = .max
      client.lower.tell(.writable)
      #expect(client.lower.sent.count == 25 && client.stream.countUnacknowledgedBytes() == 101)
      #expect(client.lower.interest == .readable && client.stream.ready == .writable)
      server.lower.arrive(client.lower.takeSent())
      #expect(try server.receive() == [1, 2, 3] && server.stream.costOfReceiving >= 25)
      client.lower.room = room
      #expect(try client.send([5]) == 1)
      client.stream.close()
      #expect(client.lower.ends == ["reset"])
      server.stream.reset()
    }
  }

  @Test(arguments: [50, 5_000]) func `records are read whole however little room there is above`(room: Int) async throws {
    try await onLoop {
      let (client, server) = try await pair()
      let body = (0..<40_000).map { UInt8(truncatingIfNeeded: $0 / 3) }
      #expect(try client.send(body) == body.count)
      server.lower.arrive(client.lower.takeSent())
      var received: [UInt8] = []
      while received.count < body.count {
        if let bytes = try? server.receive(room: room) { received += bytes }
        try #require(server.stream.failure == nil)
        // In another tick, which has its own budget.
        await Task.yield()
      }
      #expect(received == body && server.errno { try server.receive() } == EAGAIN)
      for side in [client, server] { side.stream.reset() }
    }
  }

  @Test func `an end is told once all has left, and the other direction goes on`() async throws {
    try await onLoop {
      let (client, server) = try await pair()
      client.lower.room = 0
      try client.stream.finishSending()
      #expect(client.lower.ends.isEmpty && client.stream.countUnacknowledgedBytes() > 1)
      client.lower.room = .max
      client.lower.tell(.writable)
      #expect(client.lower.ends == ["finished"] && client.stream.countUnacknowledgedBytes() == 0)
      try client.stream.finishSending()
      #expect(client.lower.ends == ["finished"] && client.errno { try client.send([1]) } == EAGAIN)
      server.lower.arrive(client.lower.takeSent())
      server.lower.end()
      #expect(try server.receive() == [] && server.stream.failure == nil && server.lower.interest == [])
      #expect(try server.send([7]) == 1)
      client.lower.arrive(server.lower.takeSent())
      #expect(try client.receive() == [7])
      for side in [client, server] { side.stream.close() }
      #expect(client.lower.ends == ["finished", "closed"] && server.lower.ends == ["closed"])
    }
  }

  @Test func `an end without the peer's word is an error, which is told once`() async throws {
    try await onLoop {
      let (client, server) = try await pair()
      #expect(try client.send([1]) == 1)
      server.lower.arrive(client.lower.takeSent())
      server.lower.end()
      #expect(try server.receive() == [1])
      #expect(server.errno { try server.receive() } == EPROTO && server.stream.failure?.code == .unconfirmedEnd)
      #expect(server.errno { try server.send([1]) } == EPROTO && server.lower.interest == [])
      #expect(server.stream.ready == [.readable, .writable])
      for _ in 0..<2 { try server.stream.finishSending() }
      #expect(server.lower.ends == ["finished"])
      for side in [client, server] { side.stream.reset() }
    }
  }

  @Test func `an error below is the error of the channel`() async throws {
    try await onLoop {
      let (client, server) = try await pair()
      client.lower.refusal = ECONNRESET
      // What was taken is lost.
      #expect(try client.send([1]) == 1 && client.stream.failure?.code == .reset)
      #expect(client.errno { try client.send([1]) } == EPROTO && client.errno { try client.receive() } == EPROTO)
      for side in [client, server] { side.stream.reset() }
    }
  }

  @Test func `a side that ends before it has heard anything has nothing to say`() async throws {
    try await onLoop {
      let side = try PlayedSide(listening.layer, on: transportLoop)
      side.lower.unacknowledged = 3
      #expect(side.stream.countUnacknowledgedBytes() == 4)
      try side.stream.finishSending()
      #expect(side.stream.countUnacknowledgedBytes() == 3 && side.lower.ends.isEmpty)
      side.stream.close()
      #expect(side.lower.ends == ["closed"] && side.outcomes == [.closed])
    }
  }
}
