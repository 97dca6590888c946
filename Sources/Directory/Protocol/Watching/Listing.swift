import _BonjourishBase

/// The state machine of following a pattern of keys of a bucket: the last value of each key, and then each change.
///
/// A value without I/O: messages and time go in, requests and what they mean come out. It asks JetStream for a consumer that sends the
/// last value of each key and then each change. When messages are missing, or the server has been silent for three heartbeats, it asks
/// for another one.
package struct Listing {
  package enum Effect: Hashable, Sendable {
    /// Subscribe to a new subject, forget the former one, and ask for a consumer that delivers there.
    case list(number: UInt64)
    /// Write an empty message there, so that delivery goes on.
    case goOn(String)
    /// The server has made the consumer, at this time of its clock in nanoseconds since 1970; nil if it did not say.
    case began(Int64?)
    /// A value, or the mark that one was deleted.
    case value(DirectoryMessage, Delivery)
    /// All values that there were at the beginning have come.
    case settled
    /// The directory does not answer.
    case interrupted(JetStreamFailure)
    /// The directory answers again. Values follow, and then `settled`.
    case restored
  }

  private enum Phase: Hashable {
    /// Not connected. Goes to `asking` with ``start(at:)``.
    case offline
    /// A consumer was asked for.
    case asking
    /// The values that there were at the beginning are coming.
    case listing
    case following
    /// A refusal, or messages are missing. Goes to `asking` at the deadline.
    case waiting
  }

  /// The time after which a silent server sends a heartbeat.
  package static let heartbeat: Duration = .seconds(1.5)
  /// In a cluster another server than the one that is connected may have the consumer, and die.
  private static let silence: Duration = .seconds(5)
  /// A cluster that has just lost a server gives about every other consumer to that one, which does not answer; so the first requests wait
  /// for a second only. The later ones leave a slow server the time that it needs.
  private var timeout: Duration { unanswered < 5 ? .seconds(1) : .seconds(4) }
  private static let retry: Duration = .seconds(1)
  private static let pause: Duration = .seconds(1)

  private let bucket: Bucket
  private var phase = Phase.offline
  /// The number of the listing, from 1.
  package private(set) var number: UInt64 = 0
  private var deadline: ContinuousClock.Instant?
  private var lastSequence: UInt64 = 0
  /// The number of messages that waited behind the first one.
  private var initialWaiting: UInt64?
  /// Whether as many messages have come. A value that is overwritten before it is sent comes later, and some servers (nats-server 2.9)
  /// count it as waiting for ever.
  private var isListed = false
  private var askedAt: ContinuousClock.Instant?
  /// The number of requests in a row that were not answered.
  private var unanswered = 0
  private var isInterrupted = false
  /// Whether the last listing is complete, so that what it did not bring is gone.
  package private(set) var isSettled = false
  /// The number of messages that have come.
  package private(set) var messageCount = 0

  /// - Parameter bucket: The bucket that messages must come from.
  package init(_ bucket: Bucket) {
    self.bucket = bucket
  }

  /// The time at which ``advance(to:)`` is next needed; nil for none.
  package var nextDeadline: ContinuousClock.Instant? { deadline }

  /// Starts when the directory is connected, for the first time or again.
  package mutating func start(at now: ContinuousClock.Instant) -> [Effect] {
    unanswered = 0
    return ask(at: now)
  }

  /// Notes that the connection is lost.
  package mutating func disconnect(_ failure: JetStreamFailure) -> [Effect] {
    phase = .offline
    deadline = nil
    return interruption(failure)
  }

  /// Handles the answer to the request for a consumer.
  package mutating func answered(
    _ number: UInt64, _ answer: JetStreamAnswer, at now: ContinuousClock.Instant
  ) -> [Effect] {
    guard number == self.number, phase == .asking else { return [] }
    unanswered = 0
    guard case .done(let response) = answer else {
      let failure = if case .refused(let failure) = answer { failure } else { Claim.noAnswer }
      return wait(failure, at: now)
    }
    // Messages may have come before the answer.
    phase = .listing
    deadline = now + Self.silence
    let isEmpty = response["num_pending"]?.integer == 0 && lastSequence == 0
    return [.began(response["created"]?.string.flatMap(ServerTime.read))] + restoration()
      + (isEmpty || isListed ? settle() : [])
  }

  /// Handles a message of the subscription of a listing.
  package mutating func received(
    _ message: DirectoryMessage, _ number: UInt64, at now: ContinuousClock.Instant
  ) -> [Effect] {
    guard number == self.number else { return [] }
    switch phase {
    case .offline, .waiting: return []
    case .asking, .listing, .following: break
    }
    messageCount += 1
    if phase != .asking { deadline = now + Self.silence }
    if let status = message.status { return control(message, status, at: now) }
    guard let delivery = Delivery(message.reply), delivery.stream == bucket.stream else { return [] }
    guard delivery.consumerSequence == lastSequence + 1 else { return askAgain(at: now) }
    lastSequence = delivery.consumerSequence
    let waiting = initialWaiting ?? delivery.pending
    initialWaiting = waiting
    if delivery.pending == 0 || lastSequence > waiting { isListed = true }
    return [.value(message, delivery)] + (isListed && !isSettled && phase != .asking ? settle() : [])
  }

  /// Handles a deadline that has passed.
  package mutating func advance(to now: ContinuousClock.Instant) -> [Effect] {
    guard let deadline, deadline <= now else { return [] }
    self.deadline = nil
    switch phase {
    case .offline: return []
    case .asking:
      unanswered += 1
      return interruption(Claim.noAnswer) + ask(at: now)
    case .waiting, .listing, .following: return ask(at: now)
    }
  }

  private mutating func ask(at now: ContinuousClock.Instant) -> [Effect] {
    number += 1
    phase = .asking
    (isSettled, isListed, initialWaiting) = (false, false, nil)
    lastSequence = 0
    askedAt = now
    deadline = now + timeout
    return [.list(number: number)]
  }

  /// Lists again, because messages are missing: at most once a second, so that nobody can keep this side busy with it.
  private mutating func askAgain(at now: ContinuousClock.Instant) -> [Effect] {
    if let askedAt, now < askedAt + Self.pause {
      phase = .waiting
      deadline = askedAt + Self.pause
      return []
    }
    return ask(at: now)
  }

  private mutating func wait(_ failure: JetStreamFailure, at now: ContinuousClock.Instant) -> [Effect] {
    phase = .waiting
    deadline = now + Self.retry
    return interruption(failure)
  }

  private mutating func interruption(_ failure: JetStreamFailure) -> [Effect] {
    guard !isInterrupted else { return [] }
    isInterrupted = true
    return [.interrupted(failure)]
  }

  private mutating func restoration() -> [Effect] {
    guard isInterrupted else { return [] }
    isInterrupted = false
    return [.restored]
  }

  private mutating func settle() -> [Effect] {
    isSettled = true
    phase = .following
    return [.settled]
  }

  /// Handles a heartbeat, a request to go on, or the end of the consumer.
  private mutating func control(_ message: DirectoryMessage, _ status: Int, at now: ContinuousClock.Instant) -> [Effect] {
    guard status == 100 else { return phase == .asking ? [] : askAgain(at: now) }
    if !message.reply.isEmpty { return [.goOn(message.reply)] }
    if let subject = message.headers[DirectoryMessage.stalled] { return [.goOn(subject)] }
    guard phase != .asking, let last = message.headers[DirectoryMessage.lastConsumer].flatMap({ UInt64($0) }) else { return [] }
    guard last == lastSequence else { return askAgain(at: now) }
    // A server that has time for a heartbeat has nothing more to send.
    return phase == .listing ? settle() : []
  }
}
