import _BonjourishDirectoryProtocol

/// A consumer that delivers to a subject: the last value of each key, and then each change.
struct Consumer {
  struct Flow {
    /// Where the client writes to make it go on.
    var subject: String
    /// The bytes that were delivered when that was asked for.
    var byteCount: Int
  }

  var name: String
  var subject: String
  var filter: String
  var headersOnly: Bool
  var heartbeat: Duration
  var inactivity: Duration
  /// The sequences that are yet to be delivered. Values that were replaced meanwhile are left out then.
  var backlog: [UInt64]
  /// The bytes that may be under way.
  var window: Int
  var delivered: UInt64 = 0
  var byteCount = 0
  var flow: Flow?
  var flows = 0
  var lastSent: Duration
  /// Since when nobody listens; nil if somebody does.
  var idleSince: Duration?

  init(
    name: String, subject: String, filter: String, headersOnly: Bool, heartbeat: Duration, inactivity: Duration,
    backlog: [UInt64],
    window: Int, at now: Duration
  ) {
    (self.name, self.subject, self.filter, self.headersOnly) = (name, subject, filter, headersOnly)
    (self.heartbeat, self.inactivity, self.backlog, self.window, lastSent) = (heartbeat, inactivity, backlog, window, now)
  }

  mutating func goOn() {
    guard let flow else { return }
    byteCount -= flow.byteCount
    self.flow = nil
    window *= 2
  }

  var deadline: Duration { idleSince.map { $0 + inactivity } ?? lastSent + heartbeat }
}

extension DirectoryModel {
  /// The time at which ``advance(to:)`` is next needed; nil for none.
  package var nextDeadline: Duration? {
    let ages = settings.map(\.maximumAge).flatMap { age in age > .zero ? oldest.map { $0.time + age } : nil }
    return (consumers.map(\.deadline) + (ages.map { [$0] } ?? [])).min()
  }

  private var oldest: Stored? { subjects.keys.min().flatMap { values[subjects[$0]!] } }

  /// Lets time pass: values that are too old are gone, without a word, and consumers send heartbeats or end.
  package mutating func advance(to now: Duration) -> [Sent] {
    if let age = settings?.maximumAge, age > .zero {
      while let oldest, oldest.time + age <= now { remove(oldest.subject) }
    }
    consumers.removeAll { consumer in consumer.idleSince.map { $0 + consumer.inactivity <= now } ?? false }
    var sent: [Sent] = []
    for index in consumers.indices where consumers[index].idleSince == nil && consumers[index].deadline <= now {
      consumers[index].lastSent = now
      let consumer = consumers[index]
      var heartbeat = DirectoryMessage(status: 100, headers: [DirectoryMessage.lastConsumer: "\(consumer.delivered)"])
      heartbeat.headers[DirectoryMessage.stalled] = consumer.flow?.subject
      sent += messages(to: consumer.subject, heartbeat)
    }
    return sent
  }

  /// Ends consumers without a word, as with the server that had them.
  ///
  /// - Parameter isLost: Called with the number of each.
  package mutating func loseConsumers(_ isLost: (Int) -> Bool) {
    var number = -1
    consumers.removeAll { _ in
      number += 1
      return isLost(number)
    }
  }

  mutating func noteInterest(at now: Duration) {
    for index in consumers.indices {
      let hasInterest = subscriptions.contains { Self.matches(consumers[index].subject, $0.pattern) }
      consumers[index].idleSince = hasInterest ? nil : consumers[index].idleSince ?? now
    }
  }

  /// Delivers what may be delivered.
  mutating func deliver(at now: Duration) -> [Sent] {
    noteInterest(at: now)
    return consumers.indices.flatMap { deliver(from: $0, at: now) }
  }

  private mutating func deliver(from index: Int, at now: Duration) -> [Sent] {
    guard !consumers[index].backlog.isEmpty, consumers[index].idleSince == nil else { return [] }
    let sequences = consumers[index].backlog.filter { subjects[$0] != nil }
    var sent: [Sent] = []
    var count = 0
    while count < sequences.count, consumers[index].flow == nil || consumers[index].byteCount <= consumers[index].window {
      let stored = values[subjects[sequences[count]]!]!
      count += 1
      consumers[index].delivered += 1
      consumers[index].lastSent = now
      let consumer = consumers[index]
      let time = Int64((stored.time / .nanoseconds(1)).rounded())
      let reply =
        "$JS.ACK.\(bucket.stream).\(consumer.name).1.\(stored.sequence).\(consumer.delivered).\(time).\(sequences.count - count)"
      let message = DirectoryMessage(
        subject: stored.subject, reply: reply, headers: stored.headers, data: consumer.headersOnly ? [] : stored.data)
      sent += messages(to: consumer.subject, message)
      consumers[index].byteCount += stored.headerSize + message.data.count + stored.subject.utf8.count + reply.utf8.count
      guard consumer.flow == nil, consumers[index].byteCount > consumer.window / 2 else { continue }
      consumers[index].flows += 1
      let subject = "$JS.FC.\(bucket.stream).\(consumer.name).\(consumers[index].flows)"
      consumers[index].flow = Consumer.Flow(subject: subject, byteCount: consumers[index].byteCount)
      sent += messages(to: consumer.subject, DirectoryMessage(reply: subject, status: 100))
    }
    consumers[index].backlog = Array(sequences[count...])
    return sent
  }
}
