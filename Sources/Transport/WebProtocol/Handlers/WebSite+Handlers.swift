/// What becomes of a handler's work.
package enum WebHandlerOutcome: Sendable {
  /// It has answered.
  case replied(WebReply)
  /// It has thrown an error, of which the client learns nothing.
  case failed(any Error)
  /// It has not answered in time.
  case timedOut
  /// As many run as may.
  case crowded
}

extension WebSite {
  /// The answer to a request for a path that has a handler.
  package func response(to request: WebRequest, with outcome: WebHandlerOutcome) -> HTTPResponse {
    do throws(HTTPRefusal) {
      guard case .replied(let reply) = outcome else { throw outcome.refusal }
      guard reply.bytes.count <= handlerLimits.largestReply else {
        throw HTTPRefusal(status: .internalError, reason: "The answer is too large.")
      }
      let fields =
        Self.content(reply.contentType, reply.bytes.count) + [("Cache-Control", "no-store")] + Self.protection(host: nil)
      return HTTPResponse(HTTPStatus.chosen(reply.status), fields, body: reply.bytes)
    } catch {
      return Self.response(to: error)
    }
  }
}

extension WebHandlerOutcome {
  fileprivate var refusal: HTTPRefusal {
    switch self {
    case .replied, .failed: HTTPRefusal(status: .internalError, reason: "The answer could not be made.")
    case .timedOut: HTTPRefusal(status: .serviceUnavailable, reason: "The answer takes too long; try again later.")
    case .crowded: HTTPRefusal(status: .serviceUnavailable, reason: "Too many requests are being answered; try again later.")
    }
  }
}
