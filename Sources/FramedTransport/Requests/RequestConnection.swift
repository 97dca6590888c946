import EventLoop
public import Framing

/// One side of two that ask each other over a connection, many requests at once and answered in any order.
///
/// ``Connection/withRequests(_:replies:limits:answering:notified:unreadable:_:)`` makes it, and it can be used by any number of tasks as long
/// as that runs.
public struct RequestConnection<RequestCodec: MessageCodec, ReplyCodec: MessageCodec>: Sendable {
  public typealias Request = RequestCodec.Message
  public typealias Reply = ReplyCodec.Message

  /// What answers a request of the peer, given this side as well, to ask back.
  public typealias Answer = @Sendable (Request, RequestConnection) async throws -> Reply

  /// What is done about a notification of the peer, given this side as well.
  public typealias Notified = @Sendable (Request, RequestConnection) async -> Void

  /// What is done about a notification of the peer that cannot be decoded, given this side as well.
  public typealias Unreadable = @Sendable (MessageError, RequestConnection) async -> Void

  /// What requests and replies go over.
  public var connection: Connection { core.connection }

  let core: RequestCore
  let requests: RequestCodec
  let replies: ReplyCodec

  /// Asks the peer, and waits for its reply; suspends first while as many requests as permitted are under way.
  ///
  /// Cancelling the task, and the end of the time allowed, tell the peer that the reply is not needed any more. It may have done
  /// what it was asked nevertheless, as it may have when the connection breaks: only the peer knows.
  ///
  /// - Parameters:
  ///   - request: What to ask.
  ///   - limit: How long to wait altogether.
  /// - Returns: The reply.
  /// - Throws: `refused` with the peer's reason; `timedOut`; `disconnected` when the connection ends before the reply;
  ///   `cancelled`; `unwritable` when the request cannot be sent, and `unreadable` when the reply is none.
  public func request(_ request: Request, within limit: Duration = .seconds(30)) async throws(MessagingError) -> Reply {
    let message = try requests.message(of: request, for: connection, headerSize: RequestFrame.headerSize)
    let reply = try await core.ask(message, within: limit)
    do throws(MessageError) {
      return try replies.decode(reply)
    } catch {
      throw MessagingError(.unreadable, message: error, "The reply of \(connection.peer) cannot be read: \(error)")
    }
  }

  /// Tells the peer something that it does not answer; suspends first while too much waits to be sent.
  ///
  /// Requests and notifications of one task come in the order in which it has sent them. That a notification was sent does not
  /// mean that it comes: the connection may break.
  ///
  /// - Throws: `disconnected`; `unwritable`; `cancelled` when the task is cancelled while it is suspended. The notification may
  ///   have been sent then.
  public func notify(_ notification: Request) async throws(MessagingError) {
    try await core.notify(
      try requests.message(of: notification, for: connection, headerSize: RequestFrame.headerSize))
  }

  /// Waits until the peer has ended its side, or something else has ended the connection.
  ///
  /// - Throws: `disconnected` when the connection broke; `brokenRules` when the peer does not keep to the protocol; `cancelled`.
  public func waitForEnd() async throws(MessagingError) {
    try await core.waitForEnd()
  }
}

extension MessageCodec {
  /// The bytes of a message, if a frame has room for them and what stands before them.
  func message(
    of message: Message, for connection: Connection, headerSize: Int = 0
  ) throws(MessagingError) -> [UInt8] {
    let bytes: [UInt8]
    do throws(MessageError) {
      bytes = try encode(message)
    } catch {
      throw .unwritable(error)
    }
    let largest = connection.format.largestBodySize - headerSize
    guard bytes.count <= largest else { throw .tooLarge(bytes.count, permitted: largest) }
    return bytes
  }
}
