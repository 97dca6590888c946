import CBonjourishLinux
import Testing
import TransportTestSupport
import _BonjourishEventLoop

@testable import FramedTransport
@testable import FramedTransportTesting
@testable import FramedWebSockets

/// Frames that cost time and give nothing: what a tick takes of them.
@Suite(.timeLimit(.minutes(1))) struct UselessFramesTests {
  /// Notes at the end of each tick how much of what was received has been read since the one before.
  private final class Observer: TickObserver, @unchecked Sendable {
    private let channel: Channel
    private var before = 0
    private(set) var most = 0

    init(_ channel: Channel) { self.channel = channel }

    func tickEnded() {
      let held = (channel.stream as? WebStream)?.held.count ?? 0
      most = max(most, before - held)
      before = held
      if channel.phase == .open { channel.loop.afterTick(self) }
    }
  }

  /// Frames of a client, masked with zeros: 10,000 times the same, and before and after it others.
  @Test(
    arguments: [
      ([], [0x89, 0x80, 0, 0, 0, 0], []), ([], [0x8A, 0x80, 0, 0, 0, 0], []), ([], [0x82, 0x80, 0, 0, 0, 0], []),
      ([0x02, 0x80, 0, 0, 0, 0], [0x00, 0x80, 0, 0, 0, 0], [0x80, 0x80, 0, 0, 0, 0]),
      ([0x02, 0x80, 0, 0, 0, 0], [0x00, 0x81, 0, 0, 0, 0, 7], [0x80, 0x80, 0, 0, 0, 0]),
    ] as [([UInt8], [UInt8], [UInt8])])
  func `a tick takes a bounded number of them, and the rest comes without another event`(
    first: [UInt8], frame: [UInt8], last: [UInt8]
  ) async throws {
    let transportLoop = try TransportLoop.first(1)[0]
    let address = try #require(SocketAddress(numericHost: "192.0.2.1", port: 7))
    let limits = TransportLimits(
      receiveAhead: 4 << 20, frameTime: nil, stallTime: nil, keepAlive: nil, silenceLimit: nil,
      heartbeat: Heartbeat(interval: .seconds(1_000), timeout: .seconds(3_000)))
    let client = try ConnectionSecurity.socket("/socket", .binary).layer!
    let server = ListenerSecurity.plaintext(serving: WebSite(messages: .binary)).layer!
    let ends = await Task(executorPreference: transportLoop.loop) {
      let wire = MemoryWire(.init(window: 4 << 20), on: transportLoop.loop)
      return [(server, MemoryLink.Direction.toClient), (client, .toServer)].map { layer, direction in
        let stream = layer.wrap(
          MemoryStream(wire, sending: direction), peer: address, terms: StreamTerms(.standard, limits, largestFrame: 65_536),
          on: transportLoop)
        return Connection(over: stream, peer: address, local: address, format: .standard, limits: limits, on: transportLoop)
      }
    }.value
    defer { for end in ends { end.abort() } }
    try await ends[1].send([1])
    #expect(try await ends[0].next() == [1])

    let observer = Observer(ends[0].channel)
    let bytes = first + Array(repeatElement(frame, count: 10_000).joined()) + last + [0x82, 0x81, 0, 0, 0, 0, 9]
    try await Task(executorPreference: transportLoop.loop) {
      transportLoop.loop.afterTick(observer)
      var bytes = bytes
      let sent = try bytes.withUnsafeMutableBytes { bytes in
        var piece = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
        return try withUnsafeMutablePointer(to: &piece) {
          try (ends[1].channel.stream as? WebStream)?.lower.send(UnsafeMutableBufferPointer(start: $0, count: 1))
        }
      }
      #expect(sent == bytes.count)
    }.value
    while let body = try await ends[0].next(), body != [9] {}
    let most = await Task(executorPreference: transportLoop.loop) { observer.most }.value
    // What comes in the tick of the first read is not seen.
    #expect(most > 0 && most <= (LayerBudget.mostSteps + 2) * frame.count, "\(most / frame.count) frames in one tick")
    ends[0].abort()
  }
}
