import CBonjourishLinux
import FramedTransport
import Testing
import TransportTestSupport
import _BonjourishEventLoop

@testable import FramedWebSockets

/// Native peers beside WebSockets, whose first bytes are held back until they have told what the peer speaks.
@Suite(.timeLimit(.minutes(1))) struct NativeStreamTests {
  /// A stream that reports each arrival once, as a watched socket does.
  private final class EdgeStream: ByteStream {
    private let loop: EventLoop
    private var interest: DescriptorEvents = []
    private var handler: ((DescriptorEvents) -> Void)?
    private var unread: [UInt8] = []

    init(on loop: EventLoop) { self.loop = loop }

    func start(_ interest: DescriptorEvents, _ handler: @escaping (DescriptorEvents) -> Void) throws(SystemError) {
      self.interest = interest
      self.handler = handler
    }

    func arrive(_ bytes: [UInt8]) {
      unread += bytes
      if interest.contains(.readable) { handler?(.readable) }
    }

    func update(_ interest: DescriptorEvents) throws(SystemError) {
      let isNew = interest.contains(.readable) && !self.interest.contains(.readable)
      self.interest = interest
      guard isNew, !unread.isEmpty else { return }
      loop.atEndOfTick { if self.interest.contains(.readable) { self.handler?(.readable) } }
    }

    func receive(into output: inout OutputSpan<UInt8>) throws(SystemError) -> Int {
      guard !unread.isEmpty else { throw SystemError("receive", errno: EAGAIN) }
      let count = min(unread.count, output.freeCapacity)
      for byte in unread[..<count] { output.append(byte) }
      unread.removeFirst(count)
      return count
    }

    func send(_ pieces: UnsafeMutableBufferPointer<iovec>) throws(SystemError) -> Int { pieces.reduce(0) { $0 + $1.iov_len } }
    func finishSending() throws(SystemError) {}
    func countUnacknowledgedBytes() -> Int { 0 }
    func close() { handler = nil }
    func reset() { handler = nil }
  }

  @Test func `what arrives while the beginning is held back is read after it`() async throws {
    let transportLoop = try TransportLoop.first(1)[0]
    let peer = try #require(SocketAddress(numericHost: "192.0.2.1", port: 7))
    let received = Locked<[UInt8]>([])
    let (first, second): ([UInt8], [UInt8]) = ([0, 0, 0, 6, 0x47], [0x45, 0x54, 0x20, 0x2F, 0x20])
    await Task(executorPreference: transportLoop.loop) {
      let lower = EdgeStream(on: transportLoop.loop)
      let layer = WebLayer(.server(WebSite()))
      let stream = layer.wrap(
        lower, peer: peer, terms: StreamTerms(.standard, .untimed, largestFrame: 65_536), on: transportLoop)
      stream.whenEstablished { _ in }
      try? stream.start(.readable) { _ in
        var bytes: [UInt8] = []
        // Less than what is held back.
        try? bytes.append(addingCapacity: 3) { (output) throws(SystemError) in _ = try stream.receive(into: &output) }
        received.withLock { $0 += bytes }
      }
      lower.arrive(first)
      lower.arrive(second)
    }.value
    // The test's stream reports an arrival once; what is left of it after three bytes is not the layer's affair.
    try await until { received.withLock { $0.count } >= first.count + 3 }
    #expect(received.withLock { $0.prefix(8) } == (first + second).prefix(8))
  }
}
