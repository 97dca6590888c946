public import FramedCoding
import _BonjourishEventLoop

/// One side of a connection whose two sides send each other requests. Many requests can be open, and are answered in any order.
///
/// ``Connection/withRequests(_:replies:limits:answering:notified:unreadable:_:)`` creates it. While that call runs, any number of
/// tasks can use it.
public struct RequestConnection<RequestCodec: MessageCodec, ReplyCodec: MessageCodec>: Sendable {
  /// The type of requests and notifications.
  public typealias Request = RequestCodec.Message
  /// The type of replies.
  public typealias Reply = ReplyCodec.Message

  /// A handler of the peer's requests. Its second argument is this side, for requests to the peer.
  public typealias Answer = @Sendable (Request, RequestConnection) async throws -> Reply

  /// A handler of the peer's notifications. Its second argument is this side.
  public typealias Notified = @Sendable (Request, RequestConnection) async -> Void

  /// A handler of the peer's notifications that cannot be decoded. Its second argument is this side.
  public typealias Unreadable = @Sendable (MessageError, RequestConnection) async -> Void

  /// The connection that carries requests and replies.
  public var connection: Connection { core.connection }

  let core: RequestCore
  let requests: RequestCodec
  let replies: ReplyCodec

  /// Sends a request to the peer, and waits for the reply. While ``RequestLimits/asked`` requests are open, it waits before
  /// sending.
  ///
  /// When the task is cancelled or the time limit is reached, the peer is told that the reply is no longer needed. The peer may
  /// have carried out the request nevertheless, and so it may when the connection breaks.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - limit: The longest time to wait, including the wait before sending.
  /// - Returns: The reply.
  /// - Throws: `refused` with the peer's reason; `timedOut`; `disconnected` if the connection ends before the reply;
  ///   `cancelled`; `unwritable` if the request cannot be encoded; `unreadable` if the reply cannot be decoded.
  public func request(_ request: Request, within limit: Duration = .seconds(30)) async throws(MessagingError) -> Reply {
    let message = try requests.message(of: request, in: connection.format, headerSize: RequestFrame.headerSize)
    let reply = try await core.ask(message, within: limit)
    do throws(MessageError) {
      return try replies.decode(reply)
    } catch {
      throw MessagingError(
        .unreadable, messageError: error, "The reply of \(connection.peer) cannot be decoded: \(error.message)")
    }
  }

  /// Sends a notification, which the peer does not answer. Suspends while too much waits to be sent.
  ///
  /// Requests and notifications of one task arrive in the order in which they were sent. A notification that was sent may still
  /// be lost if the connection breaks.
  ///
  /// - Throws: `disconnected`; `unwritable`; `cancelled` if the task is cancelled while it is suspended. The notification may
  ///   have been sent then.
  public func notify(_ notification: Request) async throws(MessagingError) {
    try await core.notify(
      try requests.message(of: notification, in: connection.format, headerSize: RequestFrame.notificationHeaderSize))
  }

  /// Waits until the peer has ended its side, or the connection has ended for another reason.
  ///
  /// - Throws: `disconnected` if the connection broke; `brokenRules` if the peer violated the protocol; `cancelled`.
  public func waitForEnd() async throws(MessagingError) {
    try await core.waitForEnd()
  }
}
