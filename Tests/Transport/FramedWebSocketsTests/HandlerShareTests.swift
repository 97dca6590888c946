import FramedWebSockets
import TestSupport
import Testing
import TransportTestSupport
import _BonjourishEventLoop

@testable import FramedTransport
@testable import FramedWebSockets

/// Who gets the places for handlers, and how long a request may take.
@Suite(.timeLimit(.minutes(1))) struct HandlerShareTests {
  private func address(_ number: Int) throws -> AddressBlock {
    let peer = try #require(SocketAddress(numericHost: "192.0.2.\(number)", port: UInt16(number)))
    return AddressBlock(peer, seenFrom: peer)
  }

  private func shares(count: Int, perAddress: Int = .max, paths: Int = 1) -> HandlerShares {
    HandlerShares(WebHandlerLimits(count: count, countPerAddress: perAddress), pathCount: paths)
  }

  // MARK: - The places

  @Test func `one address has its share, and the others have the rest`() throws {
    var shares = shares(count: 6, perAddress: 2)
    for number in 1...3 {
      #expect(try shares.take("/a", for: address(number)) && shares.take("/a", for: address(number)))
      #expect(try !shares.take("/a", for: address(number)))
    }
    #expect(try !shares.take("/a", for: address(4)))
    shares.giveBack("/a", of: try address(2))
    #expect(try !shares.take("/a", for: address(1)) && shares.take("/a", for: address(2)))
    // What has no address is bounded together only.
    shares.giveBack("/a", of: try address(3))
    #expect(shares.take("/a", for: nil) && !shares.take("/a", for: nil))
  }

  @Test func `a path that answers somebody leaves a place for each that answers nobody`() {
    var shares = shares(count: 4, paths: 3)
    #expect(shares.take("/slow", for: nil) && shares.take("/slow", for: nil) && !shares.take("/slow", for: nil))
    #expect(shares.take("/health", for: nil) && !shares.take("/health", for: nil))
    #expect(shares.take("/metrics", for: nil) && !shares.take("/metrics", for: nil))
    for path in ["/slow", "/slow", "/health", "/metrics"] { shares.giveBack(path, of: nil) }
    #expect(shares.take("/metrics", for: nil) && shares.take("/metrics", for: nil) && !shares.take("/metrics", for: nil))
  }

  @Test func `with many paths, half of the places are for whoever comes first`() {
    var shares = shares(count: 4, paths: 100)
    #expect(shares.take("/0", for: nil) && shares.take("/0", for: nil) && !shares.take("/0", for: nil))
    #expect(shares.take("/1", for: nil) && shares.take("/2", for: nil) && !shares.take("/3", for: nil))
    var single = self.shares(count: 1, paths: 5)
    #expect(single.take("/0", for: nil) && !single.take("/1", for: nil))
    single.giveBack("/0", of: nil)
    #expect(single.take("/1", for: nil) == true)
  }

  @Test func `a place is given back by whoever had it`() throws {
    let places = HandlerPlaces(shares(count: 1))
    let place = try #require(places.take("/a", for: nil))
    #expect(places.take("/a", for: nil) == nil)
    place.giveBack()
    #expect(places.take("/a", for: nil) != nil)
  }

  @Test func `without a choice sixteen handlers run, four of them for one address, and answer up to a mebibyte`() throws {
    var shares = HandlerShares(WebHandlerLimits(), pathCount: 1)
    #expect(try (0..<20).prefix { _ in try shares.take("/a", for: address(1)) }.count == 4)
    #expect((0..<20).prefix { _ in shares.take("/a", for: nil) }.count == 12)
    let (site, request) = (WebSite(), WebRequest(method: "GET", target: "/a", host: "a"))
    for (count, status) in [(1_048_576, 200), (1_048_577, 500)] {
      let reply = WebReply("text/plain", [UInt8](repeating: 0x61, count: count))
      #expect(site.response(to: request, with: .replied(reply)).status.code == status)
    }
    // Each is less than the time for which a connection may be pending.
    #expect(site.headTime == .seconds(4) && site.handlerLimits.timeLimit == .seconds(3))
  }

  // MARK: - The time

  @Test func `the head and the handler share the time for which a connection may be pending`() {
    let start = ContinuousClock.now
    let deadline = WebDeadline(pendingFor: .seconds(5), since: start)
    #expect(deadline.time(within: .seconds(3), at: start) == .seconds(3))
    // A slow head, of four seconds at most, and a handler of three: the answer leaves a second before the end.
    #expect(deadline.time(within: .seconds(4), at: start + .milliseconds(500)) == .milliseconds(3_500))
    #expect(deadline.time(within: .seconds(3), at: start + .seconds(3)) == .seconds(1))
    // Who comes late has half of what is left.
    #expect(deadline.time(within: .seconds(3), at: start + .seconds(4)) == .milliseconds(500))
    #expect(deadline.time(within: .seconds(3), at: start + .seconds(5)) == .zero)
    #expect(deadline.time(within: .seconds(3), at: start + .seconds(9)) == .zero)
  }

  @Test func `of a short time a fifth is kept, and of none nothing`() {
    let start = ContinuousClock.now
    let short = WebDeadline(pendingFor: .seconds(1), since: start)
    #expect(short.time(within: .seconds(3), at: start) == .milliseconds(800))
    let endless = WebDeadline(pendingFor: nil, since: start)
    #expect(endless.time(within: .seconds(600), at: start + .seconds(600)) == .seconds(600))
  }

  @Test(arguments: [("GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n", 503), ("GET /slow HTTP/1.1\r\nHost: ", 408)])
  func `a slow head and a slow handler are answered, and not reset at the pending limit`(
    request: String, status: Int
  ) async throws {
    let site = WebSite(
      handlers: [
        "/slow": { _ in
          await untilCancelled()
          return .text("")
        }
      ], handlerLimits: WebHandlerLimits(timeLimit: .seconds(600)), headTime: .seconds(600))
    // The request comes when the connection has been pending for 599.9 seconds of 600.
    let start = ContinuousClock.now
    let count = Locked(0)
    let web = WebLayer(.server(site)) {
      count.withLock { count in
        count += 1
        return count == 1 ? start : start + .milliseconds(599_900)
      }
    }
    try await withListener(
      ListenerSecurity(web), pending: PendingConnectionLimits(timeLimit: .seconds(600)), on: .one
    ) { listener in
      let peer = try await listener.reachRaw()
      try await peer.send(request)
      #expect(try await peer.readAll().hasPrefix("HTTP/1.1 \(status) "))
    }
  }
}
