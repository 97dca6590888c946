import Testing
import _BonjourishBase
import _FramedWebProtocol

/// The client's side of the handshake, and the mathematics of both.
@Suite struct WebSocketOfferTests {
  private func offer(host: String = "h:1", target: String = "/s?t=1", origin: String? = nil, subprotocols: [String] = [])
    -> WebSocketOffer
  {
    WebSocketOffer(
      host: host, target: target, origin: origin, subprotocols: subprotocols, key: "dGhlIHNhbXBsZSBub25jZQ==")
  }

  private func lines(_ bytes: [UInt8]) throws -> [[UInt8]] {
    var lines = HTTPLines()
    var offset = 0
    try #require(try lines.read(bytes.span, from: &offset))
    #expect(offset == bytes.count)
    return lines.lines
  }

  @Test func `a site accepts the offer, and the client the answer`() throws {
    let offer = offer(origin: "http://h", subprotocols: ["x", "y"])
    let site = WebSite(socketPath: "/s", origins: .any, hosts: .any, subprotocols: ["y"])
    guard case .upgrade(let response, let details) = site.react(to: try lines(offer.request), isAlone: true) else {
      Issue.record("refused")
      return
    }
    #expect(details.target == "/s?t=1" && details.origin == "http://h" && details.host == "h:1")
    #expect(try offer.check(HTTPAnswer(lines(response.head))) == "y")
  }

  @Test func `nothing can be added to the head of an offer`() {
    #expect(offer().isValid)
    for wrong in [
      offer(host: "h\r\nX: y"), offer(host: ""), offer(target: "/s HTTP/1.1\r\n"), offer(target: "s"), offer(target: "/s#f"),
      offer(origin: "a b"), offer(origin: ""), offer(subprotocols: ["a,b"]), offer(subprotocols: [""]), offer(host: "hö"),
      offer(target: "/" + String(repeating: "a", count: 2_040)),
      offer(subprotocols: [String](repeating: "abcdefgh", count: 900)),
    ] { #expect(!wrong.isValid) }
  }

  @Test(arguments: [
    "HTTP/1.1 200 OK", "HTTP/1.1 101 X\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
    "HTTP/1.1 101 X\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
    "HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade",
    "HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOO=",
    "HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
      + "\r\nSec-WebSocket-Extensions: permessage-deflate",
    "HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
      + "\r\nSec-WebSocket-Protocol: z",
  ])
  func `an answer that is not one to the offer is refused`(head: String) throws {
    let answer = try HTTPAnswer(lines(Array((head + "\r\n\r\n").utf8)))
    #expect(throws: HTTPRefusal.self) { try offer(subprotocols: ["x"]).check(answer) }
  }

  @Test func `digests are those of the standards`() {
    func hex(_ text: String) -> String {
      SHA1.digest(Array(text.utf8)).map(\.hexadecimal).joined()
    }
    #expect(hex("") == "da39a3ee5e6b4b0d3255bfef95601890afd80709")
    #expect(hex("abc") == "a9993e364706816aba3e25717850c26c9cd0d89d")
    #expect(hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") == "84983e441c3bd26ebaae4aa1f95129e5e54670f1")
    // `head -c N /dev/zero | tr '\0' a | sha1sum`
    #expect(hex(String(repeating: "a", count: 55)) == "c1c8bbdc22796e28c0e15163d20899b65621d65a")
    #expect(hex(String(repeating: "a", count: 56)) == "c2db330f6083854c99d4b5bfb6e8f29f201be699")
    #expect(hex(String(repeating: "a", count: 64)) == "0098ba824b5c16427bd7a1122a5a442a25ec644d")
  }
}
