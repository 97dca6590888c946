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
    guard case .server(let site) = side, let handler = site.handlers[request.path] else { return }
    let respond = { (outcome: WebHandlerOutcome) in
      self.answer(site.response(to: request, with: outcome), hasBody: hasBody)
    }
    guard layer.handlerSlots.take() else { return respond(.crowded) }
    let run = HandlerRun(on: loop) { outcome in
      respond(outcome)
      self.settleOrFail()
    }
    phase = .handling(run)
    core.setTimer(after: site.handlerLimits.timeLimit) {
      run.stop()
      respond(.timedOut)
      self.settleOrFail()
    }
    run.start(handler, request, layer.handlerSlots)
  }

  /// Cancels a handler whose answer nobody waits for.
  func stopHandling() {
    if case .handling(let run) = phase { run.stop() }
  }
}
