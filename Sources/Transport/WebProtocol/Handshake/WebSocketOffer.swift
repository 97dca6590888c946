/// A client's side of the handshake (RFC 6455, section 4.1).
package struct WebSocketOffer: Hashable, Sendable {
  package let host: String
  package let target: String
  package let origin: String?
  package let subprotocols: [String]
  /// The base64 of 16 random bytes.
  package let key: String

  package init(host: String, target: String, origin: String?, subprotocols: [String], key: String) {
    self.host = host
    self.target = target
    self.origin = origin
    self.subprotocols = subprotocols
    self.key = key
  }

  /// Whether the parts can stand in a head: visible ASCII only, so that nothing can be added to it.
  package var isValid: Bool {
    let texts = [host, target] + (origin.map { [$0] } ?? [])
    return texts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(\.isVisible) }
      && target.utf8.first == UInt8(ascii: "/") && !target.utf8.contains(UInt8(ascii: "#"))
      && subprotocols.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(\.isTokenByte) }
      && target.utf8.count + 14 <= HTTPLines.Limits().firstLine
      && request.count <= HTTPLines.Limits().byteCount
  }

  /// The bytes of the request.
  package var request: [UInt8] {
    var text = "GET \(target) HTTP/1.1\r\nHost: \(host)\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    text += "Sec-WebSocket-Key: \(key)\r\nSec-WebSocket-Version: \(WebSocketKey.version)\r\n"
    if let origin { text += "Origin: \(origin)\r\n" }
    if !subprotocols.isEmpty { text += "Sec-WebSocket-Protocol: \(subprotocols.joined(separator: ", "))\r\n" }
    return Array((text + "\r\n").utf8)
  }

  /// Checks the answer.
  ///
  /// - Returns: The chosen subprotocol, if any.
  /// - Throws: What is wrong with the answer; its status is the server's.
  package func check(_ answer: HTTPAnswer) throws(HTTPRefusal) -> String? {
    guard answer.status == HTTPStatus.switchingProtocols.code else {
      throw HTTPRefusal(
        status: HTTPStatus(code: answer.status, phrase: ""), reason: "the server answered with status \(answer.status)")
    }
    func bad(_ reason: String) -> HTTPRefusal { HTTPRefusal(status: .switchingProtocols, reason: reason) }
    let fields = answer.fields
    guard try fields.only("upgrade")?.lowercased() == "websocket", fields.contains("upgrade", in: "connection") else {
      throw bad("the answer does not upgrade to WebSocket")
    }
    guard try fields.only("sec-websocket-accept") == WebSocketKey.accept(key) else {
      throw bad("the answer does not belong to the request's key")
    }
    guard fields.values("sec-websocket-extensions").isEmpty else {
      throw bad("the server uses an extension that was not offered")
    }
    let chosen = try fields.only("sec-websocket-protocol")
    if let chosen, !subprotocols.contains(chosen) { throw bad("the server chose a subprotocol that was not offered") }
    return chosen
  }
}
