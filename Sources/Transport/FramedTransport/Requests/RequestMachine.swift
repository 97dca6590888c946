import FramedCoding

/// The state of all requests, of this side and of the peer. ``RequestFrame`` describes the protocol.
///
/// A request of this side is *waiting* while the limit of open requests is reached; then it is *asked*, until the peer has
/// answered it or the connection has ended. When its time is over or its task is cancelled, it is *abandoned*: the peer is told,
/// and its place stays taken until the peer has finished it. A request of the peer is *answering* until its handler is done.
///
/// A request can ask for a stream of replies. The peer sends as many items as it has credit for; credit is given back when the app has
/// taken items.
///
/// A peer that has ended its side answers no more requests. Its earlier requests are still answered, as long as the limits
/// permit.
package struct RequestMachine: Sendable {
  package typealias Instant = ContinuousClock.Instant

  package enum Event: Hashable, Sendable {
    /// A new request to the peer, with a number that was not used before.
    case ask(UInt64, [UInt8], deadline: Instant)
    /// A new request to the peer for a stream of replies, of which each must come within a time.
    case askForStream(UInt64, [UInt8], deadline: Instant?, each: Duration)
    /// The app has taken items of a stream.
    case taken(UInt64, Int)
    /// The task of a request no longer waits.
    case giveUp(UInt64)
    /// A frame was received.
    case received([UInt8])
    /// A frame was sent that is not the machine's.
    case sent
    /// Taking frames has resumed or paused.
    case listening(Bool)
    /// The handler of a request of the peer is done.
    case answered(UInt64, Result<[UInt8], RemoteError>)
    /// The handler of a request of the peer sends an item; it had credit.
    case streamed(UInt64)
    /// The handler of a request of the peer has sent all items.
    case streamEnded(UInt64)
    /// `nextDeadline` has passed.
    case timePassed
    /// The peer has ended its side in order; no more frames follow.
    case finished
    /// The connection has ended, or is being ended.
    case ended
  }

  package enum Effect: Hashable, Sendable {
    case send(RequestFrame)
    /// Send this failure for a request beyond the limit.
    case refuse(RequestFrame)
    /// Resume the caller of a request, once.
    case finish(UInt64, Outcome)
    /// Give the app an item of a stream.
    case deliver(UInt64, [UInt8])
    /// The handler of a request of the peer has credit for items.
    case permit(UInt64)
    /// Call the handler for a request of the peer; `answered` or `streamEnded` must follow. `terms(ofAnswering:)` tells how.
    case answer(UInt64, [UInt8])
    /// Cancel the handler: its answer is no longer needed. `answered` or `streamEnded` must still follow.
    case stopAnswering(UInt64)
    /// Call the handler for a notification of the peer.
    case notify([UInt8])
    /// Abort the connection: the peer violated the protocol.
    case abort(MessageError)
    /// Abort the connection: the peer was silent for the heartbeat's timeout.
    case dropSilentPeer
    /// End the connection: the time for late answers is over. `ended` must follow.
    case giveUpAnswering
  }

  /// The outcome of a request of this side.
  package enum Outcome: Hashable, Sendable {
    /// Of a stream: the last item, and the end.
    case replied([UInt8])
    /// The stream has no more items.
    case ended
    case refused(RemoteError)
    case timedOut
    case cancelled
    case disconnected
    /// The connection has ended before the request was sent.
    case unsent
  }

  struct Waiting {
    let number: UInt64
    let message: [UInt8]
    var asked: Asked
  }

  struct Asked {
    let deadline: Instant?
    var stream: RequestStream?
    var isNeeded = true

    /// When to stop waiting; nil for never, and if nobody waits.
    var due: Instant? { isNeeded ? earliest(deadline, stream?.silenceDeadline) : nil }
  }

  struct Answering {
    /// When the peer stops waiting.
    let deadline: Instant?
    /// The number of items that may be sent; nil for a request with one reply.
    var credit: Int?
    /// Whether the peer needs the answer.
    var isNeeded = true
  }

  let limits: RequestLimits
  var waiting: ArraySlice<Waiting> = []
  /// The requests that the peer must answer, by number.
  var asked: [UInt64: Asked] = [:]
  /// The peer's requests by number.
  var answering: [UInt64: Answering] = [:]
  /// The terms of the peer's next request, and its number.
  var announced: (number: UInt64, terms: RequestTerms)?
  private var heartbeat: RequestHeartbeat?
  private var phase = Phase.open

  private enum Phase {
    case open
    /// The peer has ended its side.
    case finishing
    case over
  }

  /// The first deadline of an open request in either direction, or an earlier one: answering a request does not change it. While finishing, the
  /// deadline for late answers.
  var answerDeadline: Instant?

  /// The time of the next `timePassed` event. It may be earlier than necessary, but never later.
  package var nextDeadline: Instant? {
    earliest(answerDeadline, heartbeat?.nextDeadline)
  }

  package init(limits: RequestLimits, at now: Instant) {
    self.limits = limits
    heartbeat = limits.heartbeat.map { RequestHeartbeat($0, at: now) }
  }

  package mutating func handle(_ event: Event, at now: Instant) -> [Effect] {
    let effects =
      switch phase {
      case .open: handleOpen(event, at: now)
      case .finishing: handleFinishing(event, at: now)
      case .over: handleOver(event)
      }
    if heartbeat != nil, effects.contains(where: \.isSent) { heartbeat?.sent(at: now) }
    return effects
  }

  private mutating func handleOpen(_ event: Event, at now: Instant) -> [Effect] {
    switch event {
    case .ask(let number, let message, let deadline):
      return ask(Waiting(number: number, message: message, asked: Asked(deadline: deadline)), at: now)
    case .askForStream(let number, let message, let deadline, let each):
      let stream = RequestStream(window: limits.streamed, each: each, at: now)
      return ask(Waiting(number: number, message: message, asked: Asked(deadline: deadline, stream: stream)), at: now)
    case .taken(let number, let count):
      return taken(number, count, at: now)
    case .giveUp(let number):
      return giveUp(number, at: now)
    case .received(let frame):
      heartbeat?.heard(at: now)
      return receive(frame, at: now)
    case .sent:
      heartbeat?.sent(at: now)
      return []
    case .listening(let isListening):
      heartbeat?.setListening(isListening, at: now)
      return []
    case .answered(let number, let answer):
      return [answered(number, answer)]
    case .streamed(let number):
      streamed(number)
      return []
    case .streamEnded(let number):
      return [streamEnded(number)]
    case .timePassed:
      return checkDeadlines(at: now) + checkHeartbeat(at: now)
    case .finished:
      phase = .finishing
      heartbeat?.setListening(false, at: now)
      answerDeadline = now + limits.lateAnswerTime
      return endRequests()
    case .ended:
      return end()
    }
  }

  private mutating func handleFinishing(_ event: Event, at now: Instant) -> [Effect] {
    switch event {
    case .ask(let number, _, _), .askForStream(let number, _, _, _):
      return [.finish(number, .unsent)]
    case .answered(let number, let answer):
      return [answered(number, answer)]
    case .streamed(let number):
      streamed(number)
      return []
    case .streamEnded(let number):
      return [streamEnded(number)]
    case .timePassed:
      guard let deadline = answerDeadline, deadline <= now else { return checkHeartbeat(at: now) }
      answerDeadline = nil
      return [.giveUpAnswering]
    case .taken, .giveUp, .received, .sent, .listening, .finished:
      return []
    case .ended:
      return end()
    }
  }

  private func handleOver(_ event: Event) -> [Effect] {
    switch event {
    case .ask(let number, _, _), .askForStream(let number, _, _, _):
      [.finish(number, .unsent)]
    case .taken, .giveUp, .received, .sent, .listening, .answered, .streamed, .streamEnded, .timePassed, .finished, .ended:
      []
    }
  }

  // MARK: - The end

  private mutating func checkHeartbeat(at now: Instant) -> [Effect] {
    switch heartbeat?.check(at: now) {
    case .pingDue?: [.send(.ping)]
    case .peerSilent?: [.dropSilentPeer] + end()
    case nil: []
    }
  }

  mutating func abort(_ error: MessageError) -> [Effect] {
    [.abort(error)] + end()
  }

  private mutating func end() -> [Effect] {
    phase = .over
    let stopped = answering.filter { $0.value.isNeeded }.keys
    answering = [:]
    announced = nil
    answerDeadline = nil
    heartbeat = nil
    return endRequests() + stopped.sorted().map { .stopAnswering($0) }
  }
}

/// The earlier of two instants, of which nil is never.
func earliest(_ one: ContinuousClock.Instant?, _ other: ContinuousClock.Instant?) -> ContinuousClock.Instant? {
  guard let one, let other else { return one ?? other }
  return min(one, other)
}
