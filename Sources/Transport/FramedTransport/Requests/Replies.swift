public import FramedCoding

/// The replies to a request for a stream; see ``RequestConnection/replies(to:within:eachWithin:)``.
public struct Replies<RequestCodec: MessageCodec, ReplyCodec: MessageCodec>: AsyncSequence, Sendable {
  /// The type of the replies.
  public typealias Element = ReplyCodec.Message
  /// The error that ends the stream.
  public typealias Failure = MessagingError

  private let peer: RequestConnection<RequestCodec, ReplyCodec>
  private let request: RequestCodec.Message
  private let limit: Duration?
  private let each: Duration

  init(
    _ peer: RequestConnection<RequestCodec, ReplyCodec>, _ request: RequestCodec.Message, within limit: Duration?,
    each: Duration
  ) {
    self.peer = peer
    self.request = request
    self.limit = limit
    self.each = each
  }

  /// Returns an iterator that sends the request when its first reply is asked for.
  public func makeAsyncIterator() -> Iterator {
    Iterator(peer: peer, request: request, limit: limit, each: each)
  }

  /// An iterator over the replies to one request. Releasing it tells the peer that no more are needed.
  public struct Iterator: AsyncIteratorProtocol {
    private enum State {
      case idle
      case open(Stream)
      case over
    }

    /// A stream that the peer was asked for. It is closed when it is released.
    private final class Stream: Sendable {
      let core: RequestCore
      let number: UInt64

      init(_ core: RequestCore, _ number: UInt64) {
        self.core = core
        self.number = number
      }

      deinit {
        Task(executorPreference: core.executor) { [core, number] in await core.closeStream(number) }
      }
    }

    let peer: RequestConnection<RequestCodec, ReplyCodec>
    let request: RequestCodec.Message
    let limit: Duration?
    let each: Duration
    private var state = State.idle
    /// Items that were taken together, because each call to the connection's thread takes time.
    private var items: ArraySlice<[UInt8]> = []
    private var takenCount = 0

    init(
      peer: RequestConnection<RequestCodec, ReplyCodec>, request: RequestCodec.Message, limit: Duration?, each: Duration
    ) {
      self.peer = peer
      self.request = request
      self.limit = limit
      self.each = each
    }

    /// Returns the next reply; nil at the end of the stream.
    ///
    /// - Throws: What ``RequestConnection/request(_:within:)`` throws. The replies before the error are returned first. Nothing
    ///   follows an error, except after `unreadable`.
    public mutating func next() async throws(MessagingError) -> Element? {
      try await next(isolation: nil)
    }

    /// Returns the next reply, as `next()` does, for a caller of any isolation.
    public nonisolated(nonsending) mutating func next(isolation actor: (any Actor)?) async throws(MessagingError) -> Element? {
      if items.isEmpty {
        guard let stream = try await opened() else { return nil }
        do throws(MessagingError) {
          items = try await stream.core.takeItems(of: stream.number, after: takenCount)
        } catch {
          state = .over
          throw error
        }
        takenCount = items.count
      }
      guard let item = items.popFirst() else {
        state = .over
        return nil
      }
      return try peer.decode(item)
    }

    private mutating func opened() async throws(MessagingError) -> Stream? {
      switch state {
      case .open(let stream):
        return stream
      case .over:
        return nil
      case .idle:
        let message = try peer.requests.message(
          of: request, in: peer.connection.format, headerSize: RequestFrame.headerSize)
        let stream = Stream(peer.core, await peer.core.openStream(message, within: limit, each: each))
        state = .open(stream)
        return stream
      }
    }
  }
}
