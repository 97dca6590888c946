public import FramedCoding

/// An error of sending or receiving a message, or of a request.
public struct MessagingError: Error, Hashable, Sendable {
  /// The kind of a messaging error; kinds may be added.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The code's name, such as `disconnected`.
    public let description: String

    /// The connection ended; ``MessagingError/transport`` has the reason if it broke.
    public static let disconnected = Code(description: "disconnected")
    /// A received frame is not a valid message; ``MessagingError/messageError`` and ``MessagingError/frame`` tell where it is
    /// wrong.
    public static let unreadable = Code(description: "unreadable")
    /// A message cannot be encoded, or is larger than a frame may be.
    public static let unwritable = Code(description: "unwritable")
    /// The peer has answered a request with an error, which is in ``MessagingError/remote``.
    public static let refused = Code(description: "refused")
    /// The peer has not answered a request within the time allowed.
    public static let timedOut = Code(description: "timedOut")
    /// The peer has violated the protocol of requests; the connection is aborted.
    public static let brokenRules = Code(description: "brokenRules")
    /// The waiting task was cancelled.
    public static let cancelled = Code(description: "cancelled")
  }

  /// The kind of the error.
  public let code: Code

  /// The reason why the connection broke or did not accept the frame; `nil` if the peer has ended it in order.
  public let transport: TransportError?

  /// The codec's error, with the position in the message.
  public let messageError: MessageError?

  /// The number of the frame, among the frames taken as messages, counted from 1.
  public let frame: UInt64?

  /// The peer's error for a request.
  public let remote: RemoteError?

  /// Whether a request was not sent, because there was no connection: the peer has not carried it out.
  public let isUnsent: Bool

  /// A sentence: what was tried, with which peer, why it failed, and what to do. It may contain text from the peer.
  public let message: String

  /// The error behind this one: of the connection, the codec or the peer; `nil` if there is none.
  public var underlyingError: (any Error)? {
    if let transport { return transport }
    if let messageError { return messageError }
    return remote
  }

  init(
    _ code: Code, transport: TransportError? = nil, messageError: MessageError? = nil, frame: UInt64? = nil,
    remote: RemoteError? = nil, isUnsent: Bool = false, _ message: String
  ) {
    self.code = code
    self.transport = transport
    self.messageError = messageError
    self.frame = frame
    self.remote = remote
    self.isUnsent = isUnsent
    self.message = message
  }
}

extension MessagingError: CustomStringConvertible {
  /// The message, escaped for display.
  public var description: String { message.escapedForDisplay }
}

extension MessagingError: TransportErrorConvertible {
  /// The error of the connection, if that is the reason; otherwise a transport error with this message. It is permanent if the peer
  /// has refused a request, not if it was busy or has failed.
  public var transportError: TransportError {
    let isPermanent = remote.map { ![.busy, .failed, .cancelled].contains($0.code) } ?? false
    return transport
      ?? TransportError(code == .timedOut ? .timedOut : .unreachable, isPermanent: isPermanent, message, because: self)
  }
}

extension MessagingError {
  /// Converts an error of the transport.
  ///
  /// - Parameter attempt: What was tried and with which peer, such as "A request to 10.0.0.1:80".
  init(_ error: TransportError, _ attempt: String) {
    let code: Code =
      switch error.code {
      case .cancelled: .cancelled
      default: .disconnected
      }
    self.init(code, transport: error, "\(attempt) failed: \(error.message)")
  }

  /// The error for a message that the codec cannot encode.
  static func unwritable(_ error: MessageError) -> MessagingError {
    MessagingError(.unwritable, messageError: error, "A message cannot be encoded: \(error.message)")
  }

  /// The error for a message that does not fit into a frame of the connection's format.
  static func tooLarge(_ byteCount: Int, permitted: Int) -> MessagingError {
    let error = MessageError(.tooLarge, expected: "at most \(permitted) bytes, not \(byteCount); raise the format's maximum")
    return .unwritable(error)
  }
}
