/// A message of NATS, as far as the directory needs it.
package struct DirectoryMessage: Hashable, Sendable {
  package var subject: String
  package var reply: String
  /// The status in the first line of the headers, such as 404; nil for none.
  package var status: Int?
  /// The headers that ``readHeaders`` names, as they were sent.
  package var headers: [String: String]
  package var data: [UInt8]
  /// Whether the data were larger than anything that the directory uses. They are then empty.
  package var isOversized: Bool

  package init(
    subject: String = "", reply: String = "", status: Int? = nil, headers: [String: String] = [:], data: [UInt8] = [],
    isOversized: Bool = false
  ) {
    self.subject = subject
    self.reply = reply
    self.status = status
    self.headers = headers
    self.data = data
    self.isOversized = isOversized
  }

  /// The largest data that are read of what is watched.
  package static let maximumByteCount = 16_384
  /// The largest data that are read of an answer, which may be an owned value. Other answers of JetStream have less than 2 kB.
  package static let maximumAnswerByteCount = 1 << 20

  /// The names of the headers that are read.
  package static let readHeaders = [operation, sequence, lastConsumer, stalled, owner, lease]
  /// On a message of a bucket: that the key was deleted.
  package static let operation = "KV-Operation"
  /// On an answer to a direct request: the sequence of the message in the stream.
  package static let sequence = "Nats-Sequence"
  /// On a heartbeat: the sequence of the last message to the consumer.
  package static let lastConsumer = "Nats-Last-Consumer"
  /// On a heartbeat: where to write so that delivery goes on.
  package static let stalled = "Nats-Consumer-Stalled"
  /// On an owned value: whose it is, as 16 hexadecimal digits.
  package static let owner = "Bonjourish-Owner"
  /// On the lease of an owner: for how long it counts, in milliseconds.
  package static let lease = "Bonjourish-Lease"
  /// On a message that is published: the sequence that the last message of the subject must have, 0 for none.
  package static let expectedSequence = "Nats-Expected-Last-Subject-Sequence"

  /// Whether it says that the key was deleted.
  package var isDeletion: Bool { headers[Self.operation] != nil }
}
