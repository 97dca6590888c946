import FramedCoding
import FramedWebSockets
import Testing
import TransportTestSupport
import _BonjourishEventLoop

@testable import FramedTransport

/// Peers that send frames of their own making, and what they and the app are told.
@Suite(.timeLimit(.minutes(1))) struct FramesOfPeersTests {
  private func withRawPeer(
    _ site: WebSite = WebSite(), limits: TransportLimits = .untimed, pending: PendingConnectionLimits = .unlimited,
    _ body: (_ peer: RawPeer, _ server: Connection) async throws -> Void
  ) async throws {
    try await withSite(site, limits: limits, pending: pending) { listener in
      let peer = try await listener.reachRawSocket()
      let server = try await listener.accept()
      try await body(peer, server)
      peer.connection.abort()
      server.abort()
    }
  }

  @Test(
    arguments: [
      ([0x83, 0x80, 1, 2, 3, 4], 1002, .malformedFrame), ([0x81, 0x01, 0x61], 1002, .malformedFrame),
      ([0xC1, 0x80, 1, 2, 3, 4], 1002, .malformedFrame), ([0x80, 0x80, 1, 2, 3, 4], 1002, .malformedFrame),
      ([0x82, 0x80, 1, 2, 3, 4], 1003, .unacceptableKind), ([0x81, 0x81, 0, 0, 0, 0, 0xFF], 1007, .invalidText),
      ([0x81, 0xFF, 0, 0, 0, 0, 0, 1, 0, 1, 1, 2, 3, 4], 1009, .frameTooLarge),
      ([0x88, 0x82, 0, 0, 0, 0, 0x03, 0xEC], 1002, .malformedFrame),
    ] as [([UInt8], UInt16, TransportError.Code)])
  func `a violation is answered with its code, after the messages before it`(
    bytes: [UInt8], number: UInt16, code: TransportError.Code
  ) async throws {
    try await withRawPeer { peer, server in
      try await peer.send(frame: 0x81, [0x61])
      try await peer.send(bytes + [UInt8](repeating: 0, count: 3_000))
      #expect(try await server.next() == [0x61])
      #expect(await server.failure()?.code == code)
      let (first, payload) = try await peer.readFrame()
      #expect(first == 0x88 && payload.prefix(2).elementsEqual([UInt8(number >> 8), UInt8(number & 255)]))
      #expect(try await peer.readAll() == "")
    }
  }

  @Test(
    arguments: [
      ([], nil, []), ([0x03, 0xE8], nil, [0x03, 0xE8]), ([0x03, 0xE9], nil, [0x03, 0xE9]),
      ([0x03, 0xF0, 0x78], .closedByPeer, [0x03, 0xF0, 0x78]), ([0x0F, 0xA1], .closedByPeer, [0x0F, 0xA1]),
    ] as [([UInt8], TransportError.Code?, [UInt8])])
  func `a closing frame is answered with its code, and ends the frames`(
    payload: [UInt8], code: TransportError.Code?, answer: [UInt8]
  ) async throws {
    try await withRawPeer { peer, server in
      try await peer.send(frame: 0x88, payload)
      let error = await server.failure()
      #expect(error?.code == code)
      if code != nil { #expect(error?.webSocketClose?.code.rawValue == UInt16(payload[0]) << 8 | UInt16(payload[1])) }
      async let closed: Void = server.close(within: .seconds(1000))
      #expect(try await peer.readFrame() == (0x88, answer))
      #expect(try await peer.readAll() == "")
      await peer.connection.close()
      await closed
    }
  }

  @Test func `an app that goes on after the peer's closing frame is refused in time`() async throws {
    try await withRawPeer { peer, server in
      try await peer.send(frame: 0x88, [0x03, 0xE8])
      #expect(try await server.next() == nil)
      try await server.send([0x61])
      #expect(try await peer.readFrame() == (0x81, [0x61]))
      #expect(try await peer.readFrame() == (0x88, [0x03, 0xE8]))
      await #expect(throws: TransportError.self) {
        while true { try await server.send([0x62]) }
      }
      #expect(try await peer.readAll() == "")
    }
  }

  @Test func `pings are answered, between fragments and frames in parts`() async throws {
    try await withRawPeer { peer, server in
      try await peer.send(frame: 0x01, [0x61])
      try await peer.send(frame: 0x89, [1, 2, 3])
      try await peer.send(frame: 0x8A, [9])
      try await peer.send(frame: 0x80, [0x62])
      #expect(try await peer.readFrame() == (0x8A, [1, 2, 3]))
      #expect(try await server.next() == [0x61, 0x62])
      // Of many pings at once, only the last must be answered (RFC 6455, section 5.5.3).
      for number in 0..<50 { try await peer.send(frame: 0x89, [UInt8(number)]) }
      var last: [UInt8] = []
      while last != [49] {
        let (first, payload) = try await peer.readFrame()
        #expect(first == 0x8A)
        last = payload
      }
    }
  }

  @Test func `the end of a stream without a closing frame is an error`() async throws {
    for (bytes, code) in [([], TransportError.Code.reset), ([0x81], .truncated), ([0x01, 0x81, 1, 2, 3, 4, 5], .truncated)] {
      try await withRawPeer { peer, server in
        if !bytes.isEmpty { try await peer.send(bytes.map { UInt8($0) }) }
        peer.connection.finishSending()
        #expect(await server.failure()?.code == code)
      }
    }
  }

  @Test func `the end of a stream after this side's closing frame is in order, also without the peer's`() async throws {
    try await withRawPeer { peer, server in
      server.finishSending()
      let frame = try await peer.readFrame()
      #expect(frame == (0x88, [0x03, 0xE8]))
      peer.connection.finishSending()
      #expect(await server.failure() == nil)
    }
  }

  // MARK: - Limits

  @Test func `what is not admitted may send little, in one frame or in fragments`() async throws {
    let pending = PendingConnectionLimits(admission: .app, timeLimit: nil, largestFrame: 100)
    let large = [UInt8](repeating: 0x61, count: 101)
    try await withRawPeer(pending: pending) { peer, server in
      try await peer.send(frame: 0x81, large)
      #expect(await server.failure()?.code == .frameTooLarge)
    }
    try await withRawPeer(pending: pending) { peer, server in
      try await peer.send(frame: 0x01, Array(large.prefix(60)))
      try await peer.send(frame: 0x80, Array(large.prefix(60)))
      #expect(await server.failure()?.code == .frameTooLarge)
    }
    try await withRawPeer(pending: pending) { peer, server in
      try await peer.send(frame: 0x81, Array(large.prefix(100)))
      #expect(try await server.next()?.count == 100)
      server.admit()
      // Admission has reached the loop before this does.
      _ = await server.metrics
      try await peer.send(frame: 0x81, large)
      try await peer.send(frame: 0x01, large)
      try await peer.send(frame: 0x80, large)
      #expect(try await server.next() == large)
      #expect(try await server.next() == large + large)
    }
  }

  @Test func `the first message admits, and neither a handshake nor a pong does`() async throws {
    try await withSite(limits: TransportLimits(heartbeat: Heartbeat()), pending: .standard) { listener in
      let peer = try await listener.reachRawSocket()
      let server = try await listener.accept()
      try await peer.send(frame: 0x8A)
      try await peer.send(frame: 0x89, [1])
      #expect(try await peer.readFrame() == (0x8A, [1]))
      #expect(listener.metrics.pending == 1 && listener.metrics.admitted == 0)
      try await peer.send(frame: 0x81, [0x61])
      #expect(try await server.next() == [0x61])
      #expect(listener.metrics.pending == 0 && listener.metrics.admitted == 1)
      peer.connection.abort()
      server.abort()
    }
  }

  @Test(
    arguments: [[0x81], [0x01, 0x81, 1, 2, 3, 4, 5], [0x89, 0x85, 1, 2, 3, 4, 5], [0x81, 0x85, 1, 2, 3, 4, 5]] as [[UInt8]])
  func `a message that does not end is given up, whatever has arrived of it`(bytes: [UInt8]) async throws {
    let limits = TransportLimits(frameTime: .milliseconds(50), stallTime: nil, keepAlive: nil, silenceLimit: nil)
    try await withRawPeer(limits: limits) { peer, server in
      try await peer.send(bytes)
      #expect(await server.failure()?.code == .frameTimedOut)
    }
  }

  // MARK: - Heartbeats

  @Test func `heartbeats are pings, and a pong is a sign of life`() async throws {
    let heartbeat = Heartbeat(interval: .milliseconds(1), timeout: .seconds(1000))
    try await withRawPeer(limits: TransportLimits(frameTime: nil, stallTime: nil, heartbeat: heartbeat)) { peer, server in
      for _ in 0..<3 {
        #expect(try await peer.readFrame() == (0x89, []))
        let deadline = await server.silenceDeadline
        try await peer.send(frame: 0x8A)
        while await server.silenceDeadline == deadline { await Task.yield() }
        #expect(await server.silenceDeadline > deadline)
      }
    }
  }

  @Test func `without heartbeats an empty message is a message`() async throws {
    try await withRawPeer { peer, server in
      try await peer.send(frame: 0x81)
      #expect(try await server.next() == [])
      try await server.send([])
      #expect(try await peer.readFrame() == (0x81, []))
    }
  }
}

extension Connection {
  /// When the connection is given up unless something arrives.
  fileprivate var silenceDeadline: LoopTime {
    get async {
      await withCheckedContinuation { continuation in
        channel.loop.perform { [channel] in continuation.resume(returning: channel.timeouts.silenceDeadline) }
      }
    }
  }
}
