/// The answer to a direct request for the last message of a key.
package enum DirectAnswer: Hashable, Sendable {
  /// There is none.
  case none
  /// The message, and its sequence in the stream, which a key-value bucket calls the revision.
  case message(DirectoryMessage, revision: UInt64)
  case refused(JetStreamFailure)

  package init(_ message: DirectoryMessage) {
    if message.status == 404 {
      self = .none
    } else if let status = message.status {
      self = .refused(JetStreamFailure(message, status: status))
    } else if let revision = message.headers[DirectoryMessage.sequence].flatMap({ UInt64($0) }), revision > 0 {
      self = .message(message, revision: revision)
    } else {
      self = .refused(.senseless)
    }
  }
}
