/// Why received frames are not accepted, and the code that tells the peer.
package struct WebSocketViolation: Error, Hashable, Sendable {
  package let code: WebSocketCloseCode
  /// What is wrong, as a clause for a message.
  package let reason: String

  static func protocolError(_ reason: String) -> Self { Self(code: .protocolError, reason: reason) }

  static func invalidText(_ reason: String) -> Self { Self(code: .invalidText, reason: reason) }

  static func tooBig(_ size: UInt64, permitted: Int) -> Self {
    Self(code: .messageTooBig, reason: "a message has \(size) bytes or more, and \(permitted) are permitted")
  }
}
