import FramedTransport
import _BonjourishEventLoop
import _FramedWebProtocol

/// Requests that handlers answer.
extension WebStream {
  /// Whether a layer of encryption is below.
  var isEncrypted: Bool { lower is any LayeredStream }

  /// Has the handler of a path answer, if there is a place for it.
  func handle(_ request: WebRequest, hasBody: Bool) {
    loop.assertIsCurrent()
    var request = request
    request.peerBox = WebPeer(peer)
    guard case .server(let site) = side, let handler = site.handlers[request.path] else { return }
    let respond = { (outcome: WebHandlerOutcome) in
      self.report(outcome, of: request)
      self.answer(site.response(to: request, with: outcome), hasBody: hasBody)
    }
    guard let place = layer.handlerPlaces.take(request.path, for: terms.peerBlock) else { return respond(.crowded) }
    let run = HandlerRun(on: loop) { outcome in
      respond(outcome)
      self.settleOrFail()
    }
    phase = .handling(run)
    core.setTimer(after: deadline.time(within: site.handlerLimits.timeLimit, at: layer.now())) {
      run.stop()
      respond(.timedOut)
      self.settleOrFail()
    }
    run.start(handler, request, place)
  }

  /// Tells the listener's log of a handler that has not answered. The path is one of the site's own.
  private func report(_ outcome: WebHandlerOutcome, of request: WebRequest) {
    let reason: String
    switch outcome {
    case .replied(let reply) where reply.bytes.count > handlerLimits.largestReply: reason = "its answer is too large"
    case .replied: return
    case .failed(let error): reason = "it has thrown an error: \(error)"
    case .timedOut: reason = "it has not returned in time"
    case .crowded: reason = "too many run, for its address or altogether"
    }
    terms.log?.report(
      .warning, "handler \(request.path)", "the handler of \(request.path) did not answer \(peer): \(reason)",
      ["path": request.path, "peer": "\(peer)"])
  }

  private var handlerLimits: WebHandlerLimits {
    if case .server(let site) = side { site.handlerLimits } else { WebHandlerLimits() }
  }

  /// Cancels a handler whose answer nobody waits for.
  func stopHandling() {
    if case .handling(let run) = phase { run.stop() }
  }
}
