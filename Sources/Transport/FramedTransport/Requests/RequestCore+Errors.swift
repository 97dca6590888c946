/// The errors of requests and notifications.
extension RequestCore {
  func error(of outcome: RequestMachine.Outcome) -> MessagingError {
    let peer = connection.peer
    switch outcome {
    case .refused(let error):
      return MessagingError(.refused, remote: error, "\(peer) refused a request: \(error.message)")
    case .timedOut:
      return MessagingError(
        .timedOut, "\(peer) has not answered a request in time; raise the time limit, or check that the peer still runs")
    case .cancelled:
      return cancelled("A request to")
    case .disconnected:
      return disconnected("A request")
    case .unsent:
      return disconnected("A request", isUnsent: true)
    case .replied, .ended:
      preconditionFailure("outcome must not be a reply")
    }
  }

  func disconnected(_ attempt: String, isUnsent: Bool = false) -> MessagingError {
    let reason = failure?.message ?? "the connection has ended; connect again if the peer is still there"
    return MessagingError(
      .disconnected, transport: failure?.transport, isUnsent: isUnsent, "\(attempt) to \(connection.peer) failed: \(reason)")
  }

  nonisolated func cancelled(_ attempt: String) -> MessagingError {
    MessagingError(.cancelled, "\(attempt) \(connection.peer) was cancelled with its task")
  }
}
