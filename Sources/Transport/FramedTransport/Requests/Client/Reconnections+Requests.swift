public import FramedCoding
import _BonjourishEventLoop

extension Reconnections {
  /// Sends requests to the peer, over one connection after another, while a closure runs.
  ///
  /// ```swift
  /// let connections = Reconnections(toHost: "games.example", port: 1955)
  /// let score = try await connections.withRequests(JSONCodec<Question>(), replies: JSONCodec<Answer>()) { client in
  ///   try await client.request(.score(of: "Ada"), within: .seconds(20), policy: .idempotent)
  /// }
  /// ```
  /// While the closure runs, connections are made as by the iteration. When it returns or throws, the last one is closed in order, and
  /// requests of other tasks fail. When the sequence ends with an error, requests fail with `disconnected`, and the closure goes on.
  ///
  /// - Parameters:
  ///   - requests: The codec of requests and notifications, in both directions.
  ///   - replies: The codec of replies, in both directions.
  ///   - limits: The limits of concurrent requests of each connection.
  ///   - answer: Called for each request of the peer, as by
  ///     ``Connection/withRequests(_:replies:limits:answering:streaming:notified:unreadable:_:)``.
  ///   - stream: Called for each request of the peer for a stream of replies; by default `answer` is called.
  ///   - notified: Called for each notification of the peer, one after another.
  ///   - body: The closure.
  /// - Returns: The closure's result.
  /// - Throws: The closure's error.
  public func withRequests<RequestCodec: MessageCodec, ReplyCodec: MessageCodec, Result, Failure: Error>(
    _ requests: RequestCodec, replies: ReplyCodec, limits: RequestLimits = .standard,
    answering answer: @escaping RequestConnection<RequestCodec, ReplyCodec>.Answer = { _, _ in throw RemoteError.unsupported },
    streaming stream: RequestConnection<RequestCodec, ReplyCodec>.Streaming? = nil,
    notified: @escaping RequestConnection<RequestCodec, ReplyCodec>.Notified = { _, _ in },
    _ body: (RequestClient<RequestCodec, ReplyCodec>) async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    let core = RequestClientCore<RequestCodec, ReplyCodec>(time: time)
    async let _: Void = serve(core) { connection throws(MessagingError) in
      try await connection.withRequests(
        requests, replies: replies, limits: limits, time: time, answering: answer, streaming: stream, notified: notified
      ) { (peer) throws(MessagingError) in
        await core.use(peer)
        try await peer.waitForEnd()
      }
    }
    // On the way out the task above is cancelled and awaited, so the connection is closed in order.
    return try await body(RequestClient(core: core))
  }

  /// Makes connections until the task is cancelled or an error ends the sequence.
  private func serve<RequestCodec: MessageCodec, ReplyCodec: MessageCodec>(
    _ core: RequestClientCore<RequestCodec, ReplyCodec>,
    using use: @escaping @Sendable (Connection) async throws(MessagingError) -> Void
  ) async {
    do throws(TransportError) {
      for try await connection in self {
        // The next iteration reports why the connection has ended.
        do throws(MessagingError) { try await use(connection) } catch {}
        await core.dropPeer()
      }
      await core.end(nil)
    } catch {
      await core.end(error)
    }
  }
}
