public import FramedCoding
package import _BonjourishEventLoop

extension Connection {
  /// Sends requests to the peer and answers its requests, while a closure runs.
  ///
  /// ```swift
  /// let score = try await connection.withRequests(JSONCodec<Question>(), replies: JSONCodec<Answer>()) { peer in
  ///   try await peer.request(.score(of: "Ada"), within: .seconds(5))
  /// }
  /// ```
  /// When the closure returns or throws, running handlers are cancelled, requests of other tasks fail with `disconnected`, and
  /// the connection is closed in order. When the connection breaks, handlers are cancelled and requests fail, but the closure
  /// goes on. When the peer ends its side in order, requests fail, too, because it will answer no more. Its earlier requests are
  /// still answered, for at most ``RequestLimits/lateAnswerTime``.
  ///
  /// A request uses nine bytes of its frame's body. The connection's format must permit bodies of at least 128 bytes.
  ///
  /// - Parameters:
  ///   - requests: The codec of requests and notifications, in both directions.
  ///   - replies: The codec of replies, in both directions.
  ///   - limits: The limits of concurrent requests.
  ///   - answer: Called for each request of the peer; calls overlap. Its task is cancelled when the peer no longer needs the
  ///     reply. A ``RemoteError`` that it throws is sent to the peer; of another error the peer learns only that the handler
  ///     failed. By default all requests are refused. It runs on the connection's thread, which it must not block.
  ///   - stream: Called for each request of the peer for a stream of replies, instead of `answer`, with a writer for the items. By
  ///     default `answer` is called, and its reply is the only item.
  ///   - notified: Called for each notification of the peer, one after another. If it waits for a reply of the same peer while
  ///     ``RequestLimits/notified`` notifications wait, the reply waits, too.
  ///   - unreadable: Called for each notification that cannot be decoded, in order with the others, with the error. By default
  ///     such notifications are ignored, so that peers of a later version can send new ones.
  ///   - body: The closure.
  /// - Returns: The closure's result.
  /// - Throws: The closure's error.
  public func withRequests<RequestCodec: MessageCodec, ReplyCodec: MessageCodec, Result, Failure: Error>(
    _ requests: RequestCodec, replies: ReplyCodec, limits: RequestLimits = .standard,
    answering answer: @escaping RequestConnection<RequestCodec, ReplyCodec>.Answer = { _, _ in throw RemoteError.unsupported },
    streaming stream: RequestConnection<RequestCodec, ReplyCodec>.Streaming? = nil,
    notified: @escaping RequestConnection<RequestCodec, ReplyCodec>.Notified = { _, _ in },
    unreadable: @escaping RequestConnection<RequestCodec, ReplyCodec>.Unreadable = { _, _ in },
    _ body: (RequestConnection<RequestCodec, ReplyCodec>) async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    try await withRequests(
      requests, replies: replies, limits: limits, time: .system, answering: answer, streaming: stream, notified: notified,
      unreadable: unreadable, body)
  }

  /// Answers the peer's requests until the peer has ended its side.
  ///
  /// For servers that send no requests:
  ///
  /// ```swift
  /// await listener.serve { connection in
  ///   do {
  ///     try await connection.answerRequests(JSONCodec<Question>(), replies: JSONCodec<Answer>()) { question, _ in
  ///       …
  ///     }
  ///   } catch { … }
  /// }
  /// ```
  /// - Parameters:
  ///   - requests: The codec of requests.
  ///   - replies: The codec of replies.
  ///   - limits: The limits of concurrent requests.
  ///   - answer: Called for each request, as by ``withRequests(_:replies:limits:answering:streaming:notified:unreadable:_:)``.
  ///   - stream: Called for each request for a stream of replies; by default `answer` is called.
  /// - Throws: `disconnected` if the connection broke; `brokenRules` if the peer violated the protocol; `cancelled`.
  public func answerRequests<RequestCodec: MessageCodec, ReplyCodec: MessageCodec>(
    _ requests: RequestCodec, replies: ReplyCodec, limits: RequestLimits = .standard,
    _ answer: @escaping RequestConnection<RequestCodec, ReplyCodec>.Answer,
    streaming stream: RequestConnection<RequestCodec, ReplyCodec>.Streaming? = nil
  ) async throws(MessagingError) {
    try await withRequests(
      requests, replies: replies, limits: limits, time: .system, answering: answer, streaming: stream, notified: { _, _ in }
    ) { (peer) throws(MessagingError) in
      try await peer.waitForEnd()
    }
  }

  /// As above, with the caller's clock.
  package func withRequests<RequestCodec: MessageCodec, ReplyCodec: MessageCodec, Result, Failure: Error>(
    _ requests: RequestCodec, replies: ReplyCodec, limits: RequestLimits, time: MonotonicClock,
    answering answer: @escaping RequestConnection<RequestCodec, ReplyCodec>.Answer,
    streaming stream: RequestConnection<RequestCodec, ReplyCodec>.Streaming? = nil,
    notified: @escaping RequestConnection<RequestCodec, ReplyCodec>.Notified,
    unreadable: @escaping RequestConnection<RequestCodec, ReplyCodec>.Unreadable = { _, _ in },
    _ body: (RequestConnection<RequestCodec, ReplyCodec>) async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    var handlers = RequestCore.Handlers(
      answer: { message, core in
        let peer = RequestConnection(core: core, requests: requests, replies: replies)
        return await peer.answer(message, by: answer)
      },
      notified: { message, core in
        let peer = RequestConnection(core: core, requests: requests, replies: replies)
        let notification: RequestCodec.Message
        do throws(MessageError) {
          notification = try requests.decode(message)
        } catch {
          return await unreadable(error, peer)
        }
        await notified(notification, peer)
      })
    if let stream {
      handlers.stream = { message, number, core in
        let peer = RequestConnection(core: core, requests: requests, replies: replies)
        return await peer.answer(message, number, byStreaming: stream)
      }
    }
    let core = RequestCore(self, limits: limits, handlers: handlers, time: time)
    async let served: Void = core.serve()
    do throws(Failure) {
      let result = try await body(RequestConnection(core: core, requests: requests, replies: replies))
      await core.stop()
      await served
      return result
    } catch {
      await core.stop()
      await served
      throw error
    }
  }
}

extension RequestConnection {
  /// Decodes a request, calls the handler, and encodes its reply.
  fileprivate func answer(_ message: [UInt8], by answer: Answer) async -> RequestCore.Answer {
    do {
      let reply = try await answer(try read(message), self)
      return .success(try replies.message(of: reply, in: connection.format, headerSize: RequestFrame.headerSize))
    } catch {
      return .failure(Self.reason(of: error))
    }
  }

  /// Decodes a request, and calls the handler. Returns the reason if it fails.
  fileprivate func answer(_ message: [UInt8], _ number: UInt64, byStreaming stream: Streaming) async -> RemoteError? {
    do {
      try await stream(try read(message), ReplyWriter(core: core, number: number, replies: replies), self)
      return nil
    } catch {
      return Self.reason(of: error)
    }
  }

  private func read(_ message: [UInt8]) throws(RemoteError) -> Request {
    do throws(MessageError) {
      return try requests.decode(message)
    } catch {
      throw RemoteError(.unreadable, "\(error)")
    }
  }

  /// What the peer learns of an error. Other errors than `RemoteError` may hold details that are not for the peer.
  private static func reason(of error: any Error) -> RemoteError {
    error as? RemoteError
      ?? (Task.isCancelled
        ? RemoteError(.cancelled, "The request was cancelled") : RemoteError(.failed, "The request could not be answered"))
  }
}
