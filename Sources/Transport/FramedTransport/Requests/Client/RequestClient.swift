public import FramedCoding
import _BonjourishEventLoop

/// A client that sends requests to one peer over one connection after another.
///
/// ``Reconnections/withRequests(_:replies:limits:answering:streaming:notified:_:)`` creates it. While that call runs, any number of tasks
/// can use it.
public struct RequestClient<RequestCodec: MessageCodec, ReplyCodec: MessageCodec>: Sendable {
  /// The type of requests and notifications.
  public typealias Request = RequestCodec.Message
  /// The type of replies.
  public typealias Reply = ReplyCodec.Message

  let core: RequestClientCore<RequestCodec, ReplyCodec>

  /// Sends a request to the peer, and waits for the reply.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - limit: The longest time for everything: waiting for a connection, and sending again.
  ///   - policy: What to do without a connection. By default the request waits for one, and is sent at most once.
  /// - Returns: The reply.
  /// - Throws: What ``RequestConnection/request(_:within:)`` throws. `disconnected` means that the policy lets the request fail, or that
  ///   there are no more connections; ``MessagingError/isUnsent`` tells whether the peer may have carried out the request.
  public func request(
    _ request: Request, within limit: Duration = .seconds(30), policy: RequestPolicy = .once
  ) async throws(MessagingError) -> Reply {
    let ownDeadline = core.time.now() + limit
    let deadline = earliest(ownDeadline, RequestDeadline.current) ?? ownDeadline
    var mayWait = policy.waitsForConnection
    while true {
      let peer = try await core.peer(until: deadline, waiting: mayWait)
      do throws(MessagingError) {
        return try await peer.request(request, within: core.time.now().duration(to: deadline))
      } catch {
        guard error.code == .disconnected else { throw error }
        await core.drop(peer)
        guard policy.repeatsWhenLost || (policy.waitsForConnection && error.isUnsent) else { throw error }
        mayWait = true
      }
    }
  }

  /// Sends a notification, which the peer does not answer, over the present connection.
  ///
  /// - Throws: `disconnected`, at once if there is no connection; `unwritable`; `cancelled`.
  public func notify(_ notification: Request) async throws(MessagingError) {
    try await core.peer(until: core.time.now(), waiting: false).notify(notification)
  }

  /// Asks the peer for a stream of replies that goes on after a connection was lost.
  ///
  /// ```swift
  /// var position = 0
  /// for try await part in client.replies(resuming: { .file("film.mp4", from: position) }) {
  ///   try write(part, at: position)
  ///   position += part.count
  /// }
  /// ```
  /// - Parameters:
  ///   - each: The longest time for each reply, waiting for a connection included.
  ///   - request: Called for the first connection and, whenever one was lost, for the next. It asks for what is still missing. It is
  ///     called by the iterating task.
  public func replies(
    eachWithin each: Duration = .seconds(30), resuming request: @escaping () -> Request
  ) -> ResumedReplies<RequestCodec, ReplyCodec> {
    ResumedReplies(core, each: each, resuming: request)
  }
}
