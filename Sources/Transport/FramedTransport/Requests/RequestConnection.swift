public import FramedCoding
import _BonjourishEventLoop

/// One side of a connection whose two sides send each other requests. Many requests can be open, and are answered in any order.
///
/// ``Connection/withRequests(_:replies:limits:answering:streaming:notified:unreadable:_:)`` creates it. While that call runs, any number of
/// tasks can use it.
public struct RequestConnection<RequestCodec: MessageCodec, ReplyCodec: MessageCodec>: Sendable {
  /// The type of requests and notifications.
  public typealias Request = RequestCodec.Message
  /// The type of replies.
  public typealias Reply = ReplyCodec.Message

  /// A handler of the peer's requests. Its second argument is this side, for requests to the peer.
  public typealias Answer = @Sendable (Request, RequestConnection) async throws -> Reply

  /// A handler of the peer's requests for a stream of replies. Its last argument is this side.
  public typealias Streaming = @Sendable (Request, ReplyWriter<ReplyCodec>, RequestConnection) async throws -> Void

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
  /// The time limit travels with the request: the peer's handler is cancelled when it is over, and can read ``RequestDeadline/current``.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - limit: The longest time to wait, including the wait before sending. In a handler of requests the wait ends with the handler's
  ///     own deadline at the latest.
  /// - Returns: The reply.
  /// - Throws: `refused` with the peer's reason; `timedOut`; `disconnected` if the connection ends before the reply;
  ///   `cancelled`; `unwritable` if the request cannot be encoded; `unreadable` if the reply cannot be decoded.
  public func request(_ request: Request, within limit: Duration = .seconds(30)) async throws(MessagingError) -> Reply {
    let message = try requests.message(of: request, in: connection.format, headerSize: RequestFrame.headerSize)
    return try decode(try await core.ask(message, within: limit))
  }

  func decode(_ reply: [UInt8]) throws(MessagingError) -> Reply {
    do throws(MessageError) {
      return try replies.decode(reply)
    } catch {
      throw MessagingError(
        .unreadable, messageError: error, "The reply of \(connection.peer) cannot be decoded: \(error.message)")
    }
  }

  /// Asks the peer for a stream of replies.
  ///
  /// ```swift
  /// for try await part in peer.replies(to: .log(since: yesterday)) { show(part) }
  /// ```
  /// Each iteration sends the request anew. It takes a place among the ``RequestLimits/asked`` requests until it ends. The peer sends at
  /// most ``RequestLimits/streamed`` items ahead; then it waits until items are taken. Leaving the loop and cancelling the task tell the
  /// peer that no more items are needed. A peer without a handler for streams, or of an earlier version, sends one reply.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - limit: The longest time for the whole stream, which travels with the request; nil for any time.
  ///   - each: The longest time for the first item, including the wait before sending, and for each following one.
  public func replies(
    to request: Request, within limit: Duration? = nil, eachWithin each: Duration = .seconds(30)
  ) -> Replies<RequestCodec, ReplyCodec> {
    Replies(self, request, within: limit, each: each)
  }

  /// Sends a notification, which the peer does not answer. Suspends while too much waits to be sent.
  ///
  /// Requests and notifications of one task arrive in the order in which they were sent. A notification that was sent may still
  /// be lost if the connection breaks.
  ///
  /// - Throws: `disconnected`; `unwritable`; `cancelled` if the task is cancelled while it is suspended. The notification may
  ///   have been sent then.
  public func notify(_ notification: Request) async throws(MessagingError) {
    let message = try requests.message(
      of: notification, in: connection.format, headerSize: RequestFrame.notificationHeaderSize)
    try await core.deliver(RequestFrame.notification(message).encoded, "A notification")
  }

  /// Waits until the peer has ended its side, or the connection has ended for another reason.
  ///
  /// - Throws: `disconnected` if the connection broke; `brokenRules` if the peer violated the protocol; `cancelled`.
  public func waitForEnd() async throws(MessagingError) {
    try await core.waitForEnd()
  }
}
