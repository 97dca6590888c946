public import Framing

/// Why a message could not be sent or taken, or a request not be answered.
public struct MessagingError: Error, Hashable, Sendable {
  /// The kind of a messaging error; kinds may be added.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// The connection ended; ``MessagingError/transport`` tells why if it broke.
    public static let disconnected = Code(description: "disconnected")
    /// A frame came that is no message; ``MessagingError/message`` and ``MessagingError/frame`` tell where it is wrong.
    public static let unreadable = Code(description: "unreadable")
    /// A message cannot be written, or is larger than a frame may be.
    public static let unwritable = Code(description: "unwritable")
    /// The peer has answered a request with an error, which is ``MessagingError/remote``.
    public static let refused = Code(description: "refused")
    /// The peer has not answered a request within the time allowed.
    public static let timedOut = Code(description: "timedOut")
    /// The peer does not keep to the protocol of requests; the connection is aborted.
    public static let brokenRules = Code(description: "brokenRules")
    /// The task that waited was cancelled.
    public static let cancelled = Code(description: "cancelled")
  }

  /// What went wrong.
  public let code: Code

  /// Why the connection broke, or why it did not take the frame; `nil` when the peer has ended it in order.
  public let transport: TransportError?

  /// Where in the message something is wrong.
  public let message: MessageError?

  /// Which of the frames that were taken as messages it was, counted from 1.
  public let frame: UInt64?

  /// What the peer says of a request.
  public let remote: RemoteError?

  /// What was tried, with whom, why it failed, and what to do, in a sentence.
  ///
  /// It may contain text that comes from the peer: make control characters visible before printing it.
  public let description: String

  init(
    _ code: Code, transport: TransportError? = nil, message: MessageError? = nil, frame: UInt64? = nil,
    remote: RemoteError? = nil, _ description: String
  ) {
    self.code = code
    self.transport = transport
    self.message = message
    self.frame = frame
    self.remote = remote
    self.description = description
  }
}

extension MessagingError: CustomStringConvertible {}

extension MessagingError {
  /// What the transport says.
  ///
  /// - Parameter attempt: What was tried and with whom, such as "A request to 10.0.0.1:80".
  init(_ error: TransportError, _ attempt: String) {
    let code: Code =
      switch error.code {
      case .cancelled: .cancelled
      default: .disconnected
      }
    self.init(code, transport: error, "\(attempt) failed: \(error)")
  }

  /// What the codec says of a message that is to be sent.
  static func unwritable(_ error: MessageError) -> MessagingError {
    MessagingError(.unwritable, message: error, "A message cannot be written: \(error)")
  }

  /// A message that no frame of the connection's format has room for.
  static func tooLarge(_ byteCount: Int, permitted: Int) -> MessagingError {
    let error = MessageError(.tooLarge, expected: "at most \(permitted) bytes, not \(byteCount); raise the format's maximum")
    return .unwritable(error)
  }
}
