/// The reason for which a WebSocket is closed, as a number (RFC 6455, section 7.4).
public struct WebSocketCloseCode: RawRepresentable, Hashable, Sendable {
  /// The number.
  public let rawValue: UInt16

  /// Creates a code; any number will do. Which may be sent tells ``maySend``.
  public init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// The purpose of the connection is fulfilled.
  public static let normal = Self(rawValue: 1000)
  /// The page is left, or the server stops.
  public static let goingAway = Self(rawValue: 1001)
  /// The peer has broken the protocol.
  public static let protocolError = Self(rawValue: 1002)
  /// The peer has sent a kind of message that is not accepted.
  public static let unacceptableKind = Self(rawValue: 1003)
  /// There is no code in the closing frame; never sent.
  public static let none = Self(rawValue: 1005)
  /// The peer has sent a text that is not UTF-8.
  public static let invalidText = Self(rawValue: 1007)
  /// The peer has broken a rule of the app.
  public static let policyViolation = Self(rawValue: 1008)
  /// The peer has sent too large a message.
  public static let messageTooBig = Self(rawValue: 1009)
  /// The server cannot go on.
  public static let internalError = Self(rawValue: 1011)

  /// Whether a closing frame may have this code: one that a standard assigns to such frames, or one of 3000–4999 for libraries and apps.
  public var maySend: Bool {
    switch rawValue {
    case 1000...1003, 1007...1014, 3000...4999: true
    default: false
    }
  }

  /// Whether the peer has ended in order, not because of an error.
  package var isOrderly: Bool { self == .normal || self == .goingAway || self == .none }
}

extension WebSocketCloseCode: CustomStringConvertible {
  /// The number in decimal digits.
  public var description: String { "\(rawValue)" }
}

/// The content of a closing frame.
public struct WebSocketClose: Hashable, Sendable {
  /// The reason; ``WebSocketCloseCode/none`` if the frame is empty.
  public let code: WebSocketCloseCode
  /// The reason in words, at most 123 bytes of UTF-8. The peer chooses it: escape it for display.
  public let reason: String

  /// The most bytes of a reason.
  static let mostBytes = 123

  package init(_ code: WebSocketCloseCode, _ reason: String = "") {
    self.code = code
    self.reason = reason
  }

  /// The payload of the frame. A reason that is too long is cut between two characters.
  package var payload: [UInt8] {
    guard code.maySend else { return [] }
    var text = reason
    while text.utf8.count > Self.mostBytes { text.removeLast() }
    return [UInt8(code.rawValue >> 8), UInt8(truncatingIfNeeded: code.rawValue)] + text.utf8
  }

  /// Reads the payload of a closing frame (RFC 6455, sections 5.5.1 and 7.4).
  package init(payload: [UInt8]) throws(WebSocketViolation) {
    guard !payload.isEmpty else {
      self.init(.none)
      return
    }
    guard payload.count >= 2 else { throw .protocolError("a closing frame has half of a code") }
    let code = WebSocketCloseCode(rawValue: UInt16(payload[0]) << 8 | UInt16(payload[1]))
    guard code.maySend else { throw .protocolError("a closing frame has the code \(code), which must not be sent") }
    guard let reason = String(validating: payload[2...], as: UTF8.self) else {
      throw .invalidText("the reason in a closing frame is not UTF-8")
    }
    self.init(code, reason)
  }
}
