package import EventLoop
public import Framing

extension Connection {
  /// Asks the peer and answers what it asks, for as long as a closure runs.
  ///
  /// ```swift
  /// let score = try await connection.withRequests(JSONCodec<Question>(), replies: JSONCodec<Answer>()) { peer in
  ///   try await peer.request(.score(of: "Ada"), within: .seconds(5))
  /// }
  /// ```
  /// When the closure ends, by return or by an error, handlers that still run are cancelled, requests of other tasks fail with
  /// `disconnected`, and the connection is closed in order. When the connection breaks, handlers are cancelled and requests fail,
  /// and the closure goes on without. When the peer ends its side in order, requests fail as well, for it answers nothing any more;
  /// what it has asked before is answered for as long as ``RequestLimits/lateAnswerTime`` says.
  ///
  /// A request takes nine bytes of its frame for itself. The connection's format has to permit bodies of 128 bytes.
  ///
  /// - Parameters:
  ///   - requests: The codec of requests and notifications, in both directions.
  ///   - replies: The codec of replies, in both directions.
  ///   - limits: How many requests can be under way.
  ///   - answer: Called for each request of the peer, for several at the same time; its task is cancelled when the peer does not
  ///     need the reply any more. A ``RemoteError`` that it throws is told to the peer; of other errors only that there was one.
  ///     Without it all requests are refused. It runs on the connection's thread, which it must not block.
  ///   - notified: Called for each notification of the peer, one after another. While it waits for a reply of the same peer and
  ///     as many notifications wait as permitted, the reply waits too.
  ///   - unreadable: Called for each notification that cannot be decoded, in its place among the others, with where it goes wrong.
  ///     Without it such ones are ignored, so that peers of a later version can notify of more.
  ///   - body: What to do meanwhile.
  /// - Returns: What the closure returns.
  /// - Throws: What the closure throws.
  public func withRequests<RequestCodec: MessageCodec, ReplyCodec: MessageCodec, Result, Failure: Error>(
    _ requests: RequestCodec, replies: ReplyCodec, limits: RequestLimits = .standard,
    answering answer: @escaping RequestConnection<RequestCodec, ReplyCodec>.Answer = { _, _ in throw RemoteError.unsupported },
    notified: @escaping RequestConnection<RequestCodec, ReplyCodec>.Notified = { _, _ in },
    unreadable: @escaping RequestConnection<RequestCodec, ReplyCodec>.Unreadable = { _, _ in },
    _ body: (RequestConnection<RequestCodec, ReplyCodec>) async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    try await withRequests(
      requests, replies: replies, limits: limits, time: .system, answering: answer, notified: notified, unreadable: unreadable,
      body)
  }

  /// Answers what the peer asks, until it has ended its side.
  ///
  /// This is for servers that do not ask themselves:
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
  ///   - limits: How many requests are answered at once.
  ///   - answer: Called for each request, as ``withRequests(_:replies:limits:answering:notified:unreadable:_:)`` says.
  /// - Throws: `disconnected` when the connection broke; `brokenRules` when the peer does not keep to the protocol; `cancelled`.
  public func answerRequests<RequestCodec: MessageCodec, ReplyCodec: MessageCodec>(
    _ requests: RequestCodec, replies: ReplyCodec, limits: RequestLimits = .standard,
    _ answer: @escaping RequestConnection<RequestCodec, ReplyCodec>.Answer
  ) async throws(MessagingError) {
    try await withRequests(
      requests, replies: replies, limits: limits, time: .system, answering: answer, notified: { _, _ in }
    ) { (peer) throws(MessagingError) in
      try await peer.waitForEnd()
    }
  }

  /// As above, by a clock of the caller's.
  package func withRequests<RequestCodec: MessageCodec, ReplyCodec: MessageCodec, Result, Failure: Error>(
    _ requests: RequestCodec, replies: ReplyCodec, limits: RequestLimits, time: Timekeeper,
    answering answer: @escaping RequestConnection<RequestCodec, ReplyCodec>.Answer,
    notified: @escaping RequestConnection<RequestCodec, ReplyCodec>.Notified,
    unreadable: @escaping RequestConnection<RequestCodec, ReplyCodec>.Unreadable = { _, _ in },
    _ body: (RequestConnection<RequestCodec, ReplyCodec>) async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    let handlers = RequestCore.Handlers(
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
  /// Has a request of the peer answered.
  fileprivate func answer(
    _ message: [UInt8], by answer: Answer
  ) async -> RequestCore.Answer {
    let request: Request
    do throws(MessageError) {
      request = try requests.decode(message)
    } catch {
      return .failure(RemoteError(.unreadable, "\(error)"))
    }
    do {
      let reply = try await answer(request, self)
      return .success(try replies.message(of: reply, for: connection, headerSize: RequestFrame.headerSize))
    } catch let error as RemoteError {
      return .failure(error)
    } catch {
      // What it is may be nothing for others.
      return .failure(
        Task.isCancelled
          ? RemoteError(.cancelled, "The request was taken back") : RemoteError(.failed, "The request could not be answered"))
    }
  }
}
