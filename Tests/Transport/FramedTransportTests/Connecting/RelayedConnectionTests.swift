import CBonjourishLinux
import Testing
import TransportTestSupport
import _BonjourishEventLoop

@testable import FramedTransport

/// Connections over streams that no socket has brought.
@Suite(.timeLimit(.minutes(1))) struct RelayedConnectionTests {
  @Test func `a task that was cancelled before gets an error at once, and its stream is closed`() async throws {
    let address = try #require(SocketAddress(numericHost: "fd00::1", port: 1))
    let transportLoop = try TransportLoops.one.chosen()
    let (closed, closing) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      let stream = RelayedStream(peer: address, local: address) { _ in SilentStream { closing.yield() } }
      return try await Connection.connect(
        over: stream, format: .standard, limits: .standard, security: .plaintext, within: .seconds(3_600), on: transportLoop)
    }
    let error = await #expect(throws: TransportError.self) { try await task.value }
    #expect(error?.code == .cancelled)
    var closes = closed.makeAsyncIterator()
    await closes.next()
  }

  @Test func `a stream that is relayed comes in under the limits of the listener, and is known as one`() async throws {
    let peer = try #require(SocketAddress(numericHost: "fd00::1", port: 1))
    let local = try #require(SocketAddress(numericHost: "fd00::2", port: 2))
    let pending = PendingConnectionLimits(count: 1, timeLimit: nil, overflow: .refuse)
    let refused = Observed(0)
    try await withListener(pending: pending) { listener in
      func accept() {
        listener.accept(RelayedStream(peer: peer, local: local) { _ in SilentStream {} }) { refused.change { $0 += 1 } }
      }
      accept()
      let connection = try await listener.accept()
      #expect(connection.isRelayed && connection.peer == peer && connection.local == local)
      #expect(refused.value(\.self) == 0)
      accept()
      _ = await refused.take { $0 == 1 ? $0 : nil }
      connection.abort()
      try await until { listener.metrics.connections == 0 }
      await listener.close()
      accept()
      _ = await refused.take { $0 == 2 ? $0 : nil }
    }
  }

  @Test func `a connection over a relayed stream is known as one, and one over a socket is not`() async throws {
    let address = try #require(SocketAddress(numericHost: "fd00::1", port: 1))
    let relayed = try await Connection.connect(
      over: RelayedStream(peer: address, local: address) { _ in SilentStream {} }, format: .standard, limits: .standard,
      security: .plaintext, within: .seconds(3_600), on: try TransportLoops.one.chosen())
    #expect(relayed.isRelayed && relayed.peer == address)
    relayed.abort()
    try await withPair { client, server in #expect(!client.isRelayed && !server.isRelayed) }
  }

  @Test func `an answer that comes before the attempt has begun counts, and only the first one does`() async throws {
    let loop = try TransportLoops.one.chosen().loop
    let answer = LoopAnswer<Int>(on: loop) { Issue.record("no error was answered") }
    let timedOut = TransportError(.timedOut, "too late")
    let value = try await answer.wait(within: .seconds(3_600), orThrow: timedOut, "Trying") {
      answer.give(.success(1))
      answer.give(.failure(timedOut))
      answer.onFailure { Issue.record("the error was not the first answer") }
    }
    #expect(value == 1)
  }

  @Test func `an answer that does not come in time is an error, which ends the attempt`() async throws {
    let loop = try TransportLoops.one.chosen().loop
    let (ended, ending) = AsyncStream.makeStream(of: Void.self)
    let answer = LoopAnswer<Int>(on: loop) { ending.yield() }
    let timedOut = TransportError(.timedOut, "too late")
    #expect(!answer.isGiven)
    let error = await #expect(throws: TransportError.self) {
      try await answer.wait(within: .milliseconds(1), orThrow: timedOut, "Trying") {}
    }
    #expect(error == timedOut && answer.isGiven)
    var ends = ended.makeAsyncIterator()
    await ends.next()
  }

  @Test func `what is named after an error ends the attempt at once`() async throws {
    let loop = try TransportLoops.one.chosen().loop
    let (ended, ending) = AsyncStream.makeStream(of: String.self)
    let answer = LoopAnswer<Int>(on: loop) { ending.yield("first") }
    let refused = TransportError(.refused, "nobody is there")
    let error = await #expect(throws: TransportError.self) {
      try await answer.wait(within: .seconds(3_600), orThrow: TransportError(.timedOut, "too late"), "Trying") {
        answer.onFailure(nil)
        answer.give(.failure(refused))
        answer.onFailure { ending.yield("second") }
      }
    }
    #expect(error == refused)
    var ends = ended.makeAsyncIterator()
    #expect(await ends.next() == "second")
  }
}

/// A stream on which nothing ever happens.
private final class SilentStream: ByteStream {
  private let closed: () -> Void

  init(closed: @escaping () -> Void) { self.closed = closed }

  func start(_ interest: DescriptorEvents, _ handler: @escaping (DescriptorEvents) -> Void) {}
  func update(_ interest: DescriptorEvents) {}
  func receive(into output: inout OutputSpan<UInt8>) throws(SystemError) -> Int { throw SystemError("receive", errno: EAGAIN) }
  func send(_ pieces: UnsafeMutableBufferPointer<iovec>) throws(SystemError) -> Int { throw SystemError("send", errno: EAGAIN) }
  func finishSending() {}
  func countUnacknowledgedBytes() -> Int { 0 }
  func close() { closed() }
  func reset() { closed() }
}
