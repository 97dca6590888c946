import CBonjourishLinux
import FramedTransport
import TestSupport
import Testing
import TransportTestSupport

@testable import FramedWebSockets
@testable import _BonjourishEventLoop

/// What a WebSocket does when nothing comes, and when: its timers are run by hand.
@Suite(.timeLimit(.minutes(1))) struct DeadlineTests {
  /// Runs a closure on a loop on which nothing else runs.
  private func onLoop(_ body: @escaping @Sendable (TransportLoop) throws -> Void) async throws {
    let transportLoop = TransportLoop(try EventLoop(name: "test"))
    try await Task(executorPreference: transportLoop.loop) { try body(transportLoop) }.value
  }

  /// Checks that a step sets a timer for a time; returns what the timer would do.
  private func timer(
    after limit: Duration, on transportLoop: TransportLoop, setBy step: () throws -> Void
  ) throws -> () -> Void {
    let before = LoopTime.now
    try step()
    let next = transportLoop.loop.timers.next
    try #require(next >= before + limit && next <= LoopTime.now + limit)
    let action = transportLoop.loop.timers.popDue(at: next)
    return try #require(action)
  }

  @Test func `a head that does not end is answered, and the connection ended if nobody reads the answer`() async throws {
    try await onLoop { transportLoop in
      let web = try PlayedWeb(.server(WebSite(headTime: .seconds(7))), on: transportLoop)
      defer { web.stream.reset() }
      web.lower.arrive(Array("GET".utf8))
      #expect(transportLoop.loop.timers.next == .never)
      let answer = try timer(after: .seconds(7), on: transportLoop) { web.lower.arrive(Array(" ".utf8)) }
      let end = try timer(after: .seconds(10), on: transportLoop) { answer() }
      #expect(String(decoding: web.lower.takeSent(), as: UTF8.self).hasPrefix("HTTP/1.1 408 "))
      #expect(web.lower.ends == ["finished"] && web.stream.failure == nil)
      end()
      #expect(web.stream.failure?.code == .answered && transportLoop.loop.timers.next == .never)
    }
  }

  @Test func `a handler that does not return is answered for`() async throws {
    try await onLoop { transportLoop in
      let limits = WebHandlerLimits(timeLimit: .seconds(5))
      let handler: WebHandler = { _ in
        await untilCancelled()
        return .text("")
      }
      let web = try PlayedWeb(.server(WebSite(handlers: ["/a": handler], handlerLimits: limits)), on: transportLoop)
      defer { web.stream.reset() }
      let answer = try timer(after: .seconds(5), on: transportLoop) {
        web.lower.arrive(Array("GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
      }
      #expect(web.lower.sent.isEmpty && web.lower.interest == .readable)
      answer()
      #expect(String(decoding: web.lower.takeSent(), as: UTF8.self).hasPrefix("HTTP/1.1 503 "))
    }
  }

  @Test func `a peer that does not read what is wrong is given up after a second`() async throws {
    try await onLoop { transportLoop in
      let web = try PlayedWeb.server(on: transportLoop)
      defer { web.stream.reset() }
      #expect(transportLoop.loop.timers.next == .never)
      let end = try timer(after: .seconds(1), on: transportLoop) {
        web.lower.arrive([0x82, 0])
        #expect(web.receive() == .error(EAGAIN))
      }
      #expect(web.stream.failure == nil)
      end()
      #expect(web.stream.failure?.code == .malformedFrame && web.stream.ready == [.readable, .writable])
    }
  }

  @Test func `an app has two seconds after the peer's closing frame, and none after its own`() async throws {
    try await onLoop { transportLoop in
      let web = try PlayedWeb.server(on: transportLoop)
      defer { web.stream.reset() }
      let close = try timer(after: .seconds(2), on: transportLoop) {
        web.lower.arrive(masked(0x88, [0x03, 0xE9]))
        #expect(web.receive() == .end)
      }
      #expect(web.send([0, 0, 0, 1, 7]) == 5 && web.lower.takeSent() == [0x82, 1, 7])
      close()
      #expect(web.lower.takeSent() == [0x88, 2, 0x03, 0xE9] && web.lower.ends == ["finished"])
      #expect(web.send([0, 0, 0, 1, 7]) == -Int(EPIPE) && web.lower.sent.isEmpty)
    }
  }

  private static let limits = TransportLimits(frameTime: .seconds(9), stallTime: nil, keepAlive: nil, silenceLimit: nil)

  @Test func `a message of which the app sees nothing is given up, but not while this side does not read`() async throws {
    try await onLoop { transportLoop in
      let web = try PlayedWeb.server(limits: Self.limits, on: transportLoop)
      defer { web.stream.reset() }
      let first = try timer(after: .seconds(9), on: transportLoop) {
        web.lower.arrive(masked(0x02, [1]))
        #expect(web.receive() == .error(EAGAIN))
      }
      try web.stream.update([])
      let second = try timer(after: .seconds(9), on: transportLoop) { first() }
      #expect(web.lower.sent.isEmpty)
      try web.stream.update(.readable)
      let end = try timer(after: .seconds(1), on: transportLoop) { second() }
      #expect(web.lower.takeSent() == unmasked(0x88, [0x03, 0xF0] + Array("a message took too long".utf8)))
      end()
      #expect(web.stream.failure?.code == .frameTimedOut)
    }
  }

  @Test func `a message has its time anew for each 64 KiB, and none once it is whole`() async throws {
    try await onLoop { transportLoop in
      let web = try PlayedWeb.server(
        limits: Self.limits, format: FrameFormat(maximumBodySize: 1 << 20), on: transportLoop)
      defer { web.stream.reset() }
      web.stream.permit(largestFrame: 1 << 20)
      func arrive(_ first: UInt8, _ count: Int) -> LoopTime {
        web.lower.arrive(masked(first, [UInt8](repeating: 7, count: count)))
        _ = web.receive(room: 400_000)
        return transportLoop.loop.timers.next
      }
      let begun = arrive(0x02, 1)
      #expect(begun != .never && arrive(0x00, 65_535) == begun)
      let again = arrive(0x00, 1)
      #expect(again > begun && arrive(0x80, 1) == .never)
    }
  }
}
