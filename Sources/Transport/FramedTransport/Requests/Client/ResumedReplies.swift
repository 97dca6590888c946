public import FramedCoding
import _BonjourishEventLoop

/// The replies to requests for a stream, over one connection after another; see ``RequestClient/replies(eachWithin:resuming:)``.
public struct ResumedReplies<RequestCodec: MessageCodec, ReplyCodec: MessageCodec>: AsyncSequence {
  /// The type of the replies.
  public typealias Element = ReplyCodec.Message
  /// The error that ends the stream.
  public typealias Failure = MessagingError

  private let core: RequestClientCore<RequestCodec, ReplyCodec>
  private let each: Duration
  private let request: () -> RequestCodec.Message

  init(
    _ core: RequestClientCore<RequestCodec, ReplyCodec>, each: Duration, resuming request: @escaping () -> RequestCodec.Message
  ) {
    self.core = core
    self.each = each
    self.request = request
  }

  /// Returns an iterator that asks for the stream when its first reply is asked for.
  public func makeAsyncIterator() -> Iterator {
    Iterator(core: core, each: each, request: request)
  }

  /// An iterator over the replies. Releasing it tells the peer that no more are needed.
  public struct Iterator: AsyncIteratorProtocol {
    let core: RequestClientCore<RequestCodec, ReplyCodec>
    let each: Duration
    let request: () -> RequestCodec.Message
    private var present:
      (peer: RequestConnection<RequestCodec, ReplyCodec>, replies: Replies<RequestCodec, ReplyCodec>.Iterator)?
    private var isOver = false

    init(
      core: RequestClientCore<RequestCodec, ReplyCodec>, each: Duration, request: @escaping () -> RequestCodec.Message
    ) {
      self.core = core
      self.each = each
      self.request = request
    }

    /// Returns the next reply; nil at the end of the stream.
    ///
    /// - Throws: What ``Replies/Iterator/next()`` throws; `disconnected` only if there are no more connections.
    public mutating func next() async throws(MessagingError) -> Element? {
      try await next(isolation: nil)
    }

    /// Returns the next reply, as `next()` does, for a caller of any isolation.
    public nonisolated(nonsending) mutating func next(isolation actor: (any Actor)?) async throws(MessagingError) -> Element? {
      guard !isOver else { return nil }
      let ownDeadline = core.time.now() + each
      let deadline = earliest(ownDeadline, RequestDeadline.current) ?? ownDeadline
      while true {
        do throws(MessagingError) {
          if present == nil {
            let peer = try await core.peer(until: deadline, waiting: true)
            present = (peer, peer.replies(to: request(), eachWithin: each).makeAsyncIterator())
          }
          let reply = try await present?.replies.next(isolation: actor)
          isOver = reply == nil
          return reply
        } catch {
          // After an item that cannot be decoded, the stream goes on.
          guard error.code != .unreadable else { throw error }
          let peer = present?.peer
          present = nil
          guard error.code == .disconnected, let peer else {
            isOver = true
            throw error
          }
          await core.drop(peer)
        }
      }
    }
  }
}
