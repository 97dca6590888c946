/// What JetStream tells about a message that it delivers, in the subject to acknowledge it.
///
/// `$JS.ACK.<stream>.<consumer>.<deliveries>.<stream sequence>.<consumer sequence>.<time>.<pending>`, and in its second form
/// with a domain and an account before the stream and more tokens at the end.
package struct Delivery: Hashable, Sendable {
  package let stream: String
  package let consumer: String
  /// The sequence in the stream: the revision of the key.
  package let streamSequence: UInt64
  /// The sequence for the consumer, from 1. A gap means that messages are missing.
  package let consumerSequence: UInt64
  /// When the server stored the message, in nanoseconds since 1970 of its clock.
  package let time: Int64
  /// The number of messages that are yet to be delivered.
  package let pending: UInt64

  /// - Parameter reply: The subject that the message is to be acknowledged at.
  /// - Returns: Nil for any other subject.
  package init?(_ reply: String) {
    // A subject of a message has no more bytes; splitting is bounded.
    guard reply.utf8.count <= 1_024 else { return nil }
    let tokens = reply.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map { Substring($0) }
    let start: Int
    switch tokens.count {
    case 9: start = 2
    case 11...13: start = 4
    default: return nil
    }
    guard tokens[0] == "$JS", tokens[1] == "ACK", let streamSequence = UInt64(tokens[start + 3]),
      let consumerSequence = UInt64(tokens[start + 4]), let time = Int64(tokens[start + 5]), time >= 0,
      let pending = UInt64(tokens[start + 6])
    else { return nil }
    stream = String(tokens[start])
    consumer = String(tokens[start + 1])
    self.streamSequence = streamSequence
    self.consumerSequence = consumerSequence
    self.time = time
    self.pending = pending
  }
}
