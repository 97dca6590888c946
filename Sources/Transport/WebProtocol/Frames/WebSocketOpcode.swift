/// The kind of a WebSocket frame (RFC 6455, section 5.2).
package enum WebSocketOpcode: UInt8, Sendable {
  case continuation = 0x0
  case text = 0x1
  case binary = 0x2
  case close = 0x8
  case ping = 0x9
  case pong = 0xA

  /// Whether the frame is about the connection, not part of a message.
  package var isControl: Bool { rawValue >= 0x8 }
}

/// The side of a connection. It decides which frames are masked (RFC 6455, section 5.1).
package enum WebSocketRole: Hashable, Sendable {
  case client
  case server
}

/// The kind of the messages of a WebSocket, in both directions.
public enum WebSocketMessages: Hashable, Sendable {
  /// Text: what JSON needs, and a browser delivers as a string. Received messages must be UTF-8. The app must send UTF-8 only: peers
  /// end the connection otherwise.
  case text
  /// Binary, which a browser delivers as an `ArrayBuffer` or a `Blob`. Requests of `FramedTransport` need it.
  case binary
  /// Binary is sent, both kinds are received, and the app is not told which came.
  case any

  /// The kind of the messages to be sent.
  package var sent: WebSocketOpcode { self == .text ? .text : .binary }

  package func accepts(_ opcode: WebSocketOpcode) -> Bool {
    switch self {
    case .text: opcode == .text
    case .binary: opcode == .binary
    case .any: opcode == .text || opcode == .binary
    }
  }
}
