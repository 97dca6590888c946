package import FuzzCases
import _FramedWebProtocol

/// Bytes that a site takes for a request, read at once and one by one: the reaction is the same, and lets nothing of the request into a
/// head, except what may be there.
package enum HTTPCase {
  private static let key = "dGhlIHNhbXBsZSBub25jZQ=="

  private static let site = WebSite(
    files: ["/": WebFile("text/html", "<p>"), "/a.js": WebFile("text/javascript", "1")],
    handlers: ["/h": { _ in .text("") }], origins: .these(["http://a"]),
    hosts: .local(names: ["a"]), subprotocols: ["s"])

  /// Tries some bytes.
  ///
  /// - Throws: ``Violation``.
  package static func run(_ bytes: [UInt8]) throws(Violation) {
    let whole = react(to: bytes, pieces: .max)
    try Violation.unless(react(to: bytes, pieces: 1) == whole, "byte by byte the reaction is another")
    switch whole {
    case .answer(let response, _)?: try check(response, in: bytes)
    case .upgrade(let response, let details)?:
      try check(response, in: bytes)
      try Violation.unless(
        details.target.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "a target has other than visible characters")
      try Violation.unless(details.target.hasPrefix("/socket"), "the WebSocket has another path")
      try Violation.unless(AllowedHosts.local(names: ["a"]).permits(details.host), "a stranger's host")
      try Violation.unless(AllowedOrigins.these(["http://a"]).permits(details.origin, host: details.host), "a stranger's page")
    case .handle(let request, _)?:
      try Violation.unless(request.path == "/h", "a handler of another path")
      try Violation.unless(
        request.target.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "a target has other than visible characters")
      try Violation.unless(AllowedHosts.local(names: ["a"]).permits(request.host), "a stranger's host")
      try Violation.unless(
        bytes.starts(with: "GET /".utf8) || bytes.starts(with: "HEAD /".utf8), "a handler for another method")
    case nil: break
    }
    readAnswer(bytes)
  }

  private static func react(to bytes: [UInt8], pieces size: Int) -> WebReaction? {
    var lines = HTTPLines()
    var rest = bytes[...]
    do throws(HTTPRefusal) {
      while !rest.isEmpty {
        let piece = Array(rest.prefix(size))
        rest = rest.dropFirst(size)
        var offset = 0
        guard try lines.read(piece.span, from: &offset) else { continue }
        return site.react(to: lines.lines, isAlone: rest.isEmpty && offset == piece.count)
      }
    } catch {
      return .answer(WebSite.response(to: error), hasBody: true)
    }
    return nil
  }

  private static func check(_ response: HTTPResponse, in bytes: [UInt8]) throws(Violation) {
    let lines = response.head.split(separator: 0x0A, omittingEmptySubsequences: false)
    try Violation.unless(lines.count == response.fields.count + 3, "the head of an answer has more lines than fields")
    try Violation.unless(
      response.head.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0x0A || $0 == 0x0D }, "control characters in a head")
    let isFile = response.status == .ok || response.status == .notModified
    try Violation.unless(
      !isFile || bytes.starts(with: "GET /".utf8) || bytes.starts(with: "HEAD /".utf8), "a file for another method")
    var read = HTTPLines()
    var offset = 0
    let isComplete = try? read.read(response.head.span, from: &offset)
    try Violation.unless(isComplete == true && offset == response.head.count, "an answer that our client cannot read")
  }

  /// A client's side: it must not trap.
  private static func readAnswer(_ bytes: [UInt8]) {
    var lines = HTTPLines()
    var offset = 0
    let offer = WebSocketOffer(host: "a", target: "/socket", origin: nil, subprotocols: ["s"], key: key)
    guard (try? lines.read(bytes.span, from: &offset)) == true, let answer = try? HTTPAnswer(lines.lines) else { return }
    _ = try? offer.check(answer)
  }
}
