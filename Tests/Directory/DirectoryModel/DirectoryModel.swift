package import _BonjourishDirectoryProtocol

/// A model of a server of NATS with one key-value bucket, as far as the directory's machines see it.
///
/// A value without I/O: what clients write and time go in, the messages that they get come out. It has what the machines use:
/// revisions, expected sequences, marks of deletion, the age of values, limits, direct reads, consumers with heartbeats and flow
/// control; and what goes wrong: elections, a lost leader's consumers, missing permissions. `DirectoryModelTests` compares it with a
/// real `nats-server`.
package struct DirectoryModel {
  /// What a client writes.
  package struct Publication: Hashable, Sendable {
    package var subject: String
    package var reply: String
    package var headers: [String: String]
    package var data: [UInt8]

    package init(_ data: [UInt8] = [], to subject: String, reply: String = "", headers: [String: String] = [:]) {
      (self.subject, self.reply, self.headers, self.data) = (subject, reply, headers, data)
    }
  }

  /// A message that a client gets.
  package struct Sent: Hashable, Sendable {
    package var client: Int
    /// The pattern of the subscription through which it gets it.
    package var subscription: String
    package var message: DirectoryMessage
  }

  /// What the servers do while they have no leader. Reads are answered by any server that has the bucket.
  package struct Outage: Hashable, Sendable {
    package enum Answer: Hashable, Sendable {
      /// Nobody answers, and nothing is done.
      case silence
      /// Nobody answers, but what was asked for is done.
      case doneInSilence
      /// The server that is connected says that nobody listens.
      case refusal
    }

    package var answer: Answer
    package var answersReads: Bool

    package init(_ answer: Answer, answersReads: Bool) {
      (self.answer, self.answersReads) = (answer, answersReads)
    }
  }

  struct Settings {
    var maximumByteCount: Int64 = -1
    var maximumMessageSize: Int64 = -1
    var maximumAge: Duration = .zero
    var consumerLimit: Int64 = -1
    var text: [UInt8] = []
  }

  struct Stored {
    var subject: String
    var sequence: UInt64
    var time: Duration
    var headers: [String: String]
    var data: [UInt8]

    /// What it takes in the server's file.
    var size: Int64 { Int64(30 + subject.utf8.count + data.count + (headers.isEmpty ? 0 : 4 + headerSize)) }

    /// The bytes of its headers on the wire: `NATS/1.0`, the fields, and an empty line.
    var headerSize: Int { headers.isEmpty ? 0 : 12 + headers.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count + 4 } }
  }

  struct Subscription {
    var client: Int
    var pattern: String
  }

  let bucket: Bucket
  /// The bytes that a consumer sends before it waits, at first.
  package var window = 2 << 20
  /// What the servers do at present; nil when all is well.
  package var outage: Outage?
  /// The subjects to which each client may not write, as patterns.
  package var denied: [Int: [String]] = [:]
  /// Whether the bucket takes no more bytes than it has.
  package var isFull = false

  /// How far the server that answers reads is behind the others.
  package var readLag = Duration.zero

  var settings: Settings?
  /// What was replaced last of each subject, and when.
  var former: [String: (value: Stored?, until: Duration)] = [:]
  var values: [String: Stored] = [:]
  var subjects: [UInt64: String] = [:]
  /// How often each key was written.
  package internal(set) var revisions: [String: Int] = [:]
  package internal(set) var lastSequence: UInt64 = 0
  var byteCount: Int64 = 0
  var consumers: [Consumer] = []
  var lastConsumer = 0
  var subscriptions: [Subscription] = []

  /// - Parameter bucket: The one bucket, which does not exist yet.
  package init(_ bucket: Bucket) {
    self.bucket = bucket
  }

  // MARK: - Clients

  package mutating func subscribe(_ client: Int, to pattern: String, at now: Duration) -> [Sent] {
    subscriptions.append(Subscription(client: client, pattern: pattern))
    return deliver(at: now)
  }

  package mutating func unsubscribe(_ client: Int, from pattern: String, at now: Duration) {
    if let index = subscriptions.firstIndex(where: { $0.client == client && $0.pattern == pattern }) {
      subscriptions.remove(at: index)
    }
    noteInterest(at: now)
  }

  /// Ends the connection of a client, and with it its subscriptions.
  package mutating func disconnect(_ client: Int, at now: Duration) {
    subscriptions.removeAll { $0.client == client }
    noteInterest(at: now)
  }

  /// Handles what a client writes.
  package mutating func publish(_ publication: Publication, from client: Int, at now: Duration) -> [Sent] {
    let due = advance(to: now)
    // The server tells the connection, and answers nothing.
    if denied[client]?.contains(where: { Self.matches(publication.subject, $0) }) ?? false { return due }
    return due + handle(publication, at: now)
  }

  /// The last value of a key; nil for none, or the mark that it was deleted.
  package func value(_ key: String) -> (revision: UInt64, headers: [String: String], data: [UInt8])? {
    guard let stored = values[bucket.subject(key)], stored.headers[DirectoryMessage.operation] == nil else { return nil }
    return (stored.sequence, stored.headers, stored.data)
  }

  /// The keys with a value.
  package var keys: [String] {
    values.values.filter { $0.headers[DirectoryMessage.operation] == nil }.compactMap { bucket.key($0.subject) }.sorted()
  }

  func messages(to subject: String, _ message: DirectoryMessage) -> [Sent] {
    subscriptions.filter { Self.matches(subject, $0.pattern) }.map { subscription in
      var message = message
      // A delivery names the subject that was written to, and goes to another.
      if message.subject.isEmpty { message.subject = subject }
      return Sent(client: subscription.client, subscription: subscription.pattern, message: message)
    }
  }

  /// Whether a subject matches a pattern with wildcards.
  static func matches(_ subject: String, _ pattern: String) -> Bool {
    if subject == pattern { return true }
    guard pattern.utf8.contains(UInt8(ascii: "*")) || pattern.utf8.last == UInt8(ascii: ">") else { return false }
    let (tokens, wanted) = (subject.utf8.split(separator: UInt8(ascii: ".")), pattern.utf8.split(separator: UInt8(ascii: ".")))
    for (index, token) in wanted.enumerated() {
      if token.elementsEqual(">".utf8) { return tokens.count > index }
      guard index < tokens.count, token.elementsEqual("*".utf8) || token.elementsEqual(tokens[index]) else { return false }
    }
    return tokens.count == wanted.count
  }
}
