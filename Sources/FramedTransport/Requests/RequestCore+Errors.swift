/// What those are told who have asked or notified in vain.
extension RequestCore {
  func error(of outcome: RequestMachine.Outcome) -> MessagingError {
    let peer = connection.peer
    switch outcome {
    case .refused(let error):
      return MessagingError(.refused, remote: error, "\(peer) refused a request: \(error)")
    case .timedOut:
      return MessagingError(
        .timedOut, "\(peer) has not answered a request in time; allow more, or see whether it is still there")
    case .cancelled:
      return cancelled("A request to")
    case .disconnected:
      return disconnected("A request")
    case .replied:
      preconditionFailure("A reply is no error")
    }
  }

  func disconnected(_ attempt: String) -> MessagingError {
    let reason = failure.map { "\($0)" } ?? "the connection has ended; connect again if the peer is still there"
    return MessagingError(
      .disconnected, transport: failure?.transport, "\(attempt) to \(connection.peer) failed: \(reason)")
  }

  nonisolated func cancelled(_ attempt: String) -> MessagingError {
    MessagingError(.cancelled, "\(attempt) \(connection.peer) was cancelled with its task")
  }
}
