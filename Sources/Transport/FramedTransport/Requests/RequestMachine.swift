import FramedCoding

/// The state of all requests, of this side and of the peer. ``RequestFrame`` describes the protocol.
///
/// A request of this side is *waiting* while the limit of open requests is reached; then it is *asked*, until the peer has
/// answered it or the connection has ended. When its time is over or its task is cancelled, it is *abandoned*: the peer is told,
/// and its place stays taken until the peer has finished it. A request of the peer is *answering* until its handler is done.
///
/// A peer that has ended its side answers no more requests. Its earlier requests are still answered, as long as the limits
/// permit.
package struct RequestMachine: Sendable {
  package typealias Instant = ContinuousClock.Instant

  package enum Event: Hashable, Sendable {
    /// A new request to the peer, with a number that was not used before.
    case ask(UInt64, [UInt8], deadline: Instant)
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
    /// Call the handler for a request of the peer; `answered` must follow.
    case answer(UInt64, [UInt8])
    /// Cancel the handler: its answer is no longer needed. `answered` must still follow.
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
    case replied([UInt8])
    case refused(RemoteError)
    case timedOut
    case cancelled
    case disconnected
  }

  private struct Waiting {
    let number: UInt64
    let message: [UInt8]
    let deadline: Instant
  }

  private enum Asked {
    case needed(until: Instant)
    case abandoned

    var deadline: Instant? {
      switch self {
      case .needed(let deadline): deadline
      case .abandoned: nil
      }
    }
  }

  private let limits: RequestLimits
  private var waiting: ArraySlice<Waiting> = []
  /// The requests that the peer must answer, by number.
  private var asked: [UInt64: Asked] = [:]
  /// The peer's requests by number, and whether the peer still needs the answer.
  private var answering: [UInt64: Bool] = [:]
  private var heartbeat: RequestHeartbeat?
  private var phase = Phase.open

  private enum Phase {
    case open
    /// The peer has ended its side.
    case finishing
    case over
  }

  /// The first deadline of an open request, or an earlier one: answering a request does not change it. While finishing, the
  /// deadline for late answers.
  private var answerDeadline: Instant?

  /// The time of the next `timePassed` event. It may be earlier than necessary, but never later.
  package var nextDeadline: Instant? {
    guard let heartbeatDeadline = heartbeat?.nextDeadline else { return answerDeadline }
    return min(answerDeadline ?? heartbeatDeadline, heartbeatDeadline)
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
      case .over: if case .ask(let number, _, _) = event { [Effect.finish(number, .disconnected)] } else { [Effect]() }
      }
    if heartbeat != nil, effects.contains(where: \.isSent) { heartbeat?.sent(at: now) }
    return effects
  }

  private mutating func handleOpen(_ event: Event, at now: Instant) -> [Effect] {
    switch event {
    case .ask(let number, let message, let deadline):
      return ask(Waiting(number: number, message: message, deadline: deadline), at: now)
    case .giveUp(let number):
      return giveUp(number)
    case .received(let frame):
      heartbeat?.heard(at: now)
      return receive(frame)
    case .sent:
      heartbeat?.sent(at: now)
      return []
    case .listening(let isListening):
      heartbeat?.setListening(isListening, at: now)
      return []
    case .answered(let number, let answer):
      return [answered(number, answer)]
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
    case .ask(let number, _, _):
      return [.finish(number, .disconnected)]
    case .answered(let number, let answer):
      return [answered(number, answer)]
    case .timePassed:
      guard let deadline = answerDeadline, deadline <= now else { return checkHeartbeat(at: now) }
      answerDeadline = nil
      return [.giveUpAnswering]
    case .giveUp, .received, .sent, .listening, .finished:
      return []
    case .ended:
      return end()
    }
  }

  // MARK: - Requests of this side

  private mutating func ask(_ request: Waiting, at now: Instant) -> [Effect] {
    precondition(asked[request.number] == nil, "number \(request.number) must not be used for two requests")
    guard request.deadline > now else { return [.finish(request.number, .timedOut)] }
    answerDeadline = min(answerDeadline ?? request.deadline, request.deadline)
    waiting.append(request)
    return askMore()
  }

  /// Sends waiting requests, as far as the limit permits.
  private mutating func askMore() -> [Effect] {
    var effects: [Effect] = []
    while asked.count < limits.asked, let request = waiting.popFirst() {
      asked[request.number] = .needed(until: request.deadline)
      effects.append(.send(.request(request.number, request.message)))
    }
    return effects
  }

  private mutating func giveUp(_ number: UInt64) -> [Effect] {
    if let index = waiting.firstIndex(where: { $0.number == number }) {
      waiting.remove(at: index)
      return [.finish(number, .cancelled)]
    }
    // The answer may have arrived meanwhile.
    guard case .needed = asked[number] else { return [] }
    return abandon(number, .cancelled)
  }

  private mutating func abandon(_ number: UInt64, _ outcome: Outcome) -> [Effect] {
    asked[number] = .abandoned
    return [.finish(number, outcome), .send(.cancel(number))]
  }

  private mutating func finish(_ number: UInt64, _ outcome: Outcome) -> [Effect] {
    switch asked.removeValue(forKey: number) {
    case .needed: [.finish(number, outcome)] + askMore()
    case .abandoned: askMore()
    // Unknown, or already answered: the protocol says to ignore it.
    case nil: []
    }
  }

  private mutating func checkDeadlines(at now: Instant) -> [Effect] {
    var effects: [Effect] = waiting.filter { $0.deadline <= now }.map { .finish($0.number, .timedOut) }
    waiting.removeAll { $0.deadline <= now }
    let due = asked.filter { _, asked in asked.deadline.map { $0 <= now } ?? false }.keys.sorted()
    for number in due { effects += abandon(number, .timedOut) }
    answerDeadline = (waiting.map(\.deadline) + asked.values.compactMap(\.deadline)).min()
    return effects
  }

  /// Ends all requests of this side.
  private mutating func endRequests() -> [Effect] {
    let numbers = waiting.map(\.number) + asked.filter { _, asked in asked.deadline != nil }.keys
    waiting = []
    asked = [:]
    return numbers.sorted().map { .finish($0, .disconnected) }
  }

  // MARK: - Requests of the peer

  private mutating func answered(_ number: UInt64, _ answer: Result<[UInt8], RemoteError>) -> Effect {
    guard answering.removeValue(forKey: number) != nil else {
      preconditionFailure("request \(number) of the peer must not be answered twice")
    }
    switch answer {
    case .success(let message): return .send(.reply(number, message))
    case .failure(let error): return .send(.failure(number, error))
    }
  }

  private mutating func receive(_ body: [UInt8]) -> [Effect] {
    let frame: RequestFrame?
    do throws(MessageError) {
      frame = try RequestFrame.parse(body)
    } catch {
      return abort(error)
    }
    switch frame {
    case .request(let number, let message):
      guard answering[number] == nil else {
        return abort(
          MessageError(.invalidValue, at: 1, expected: "a number other than \(number), which an unanswered request has"))
      }
      guard answering.count < limits.answered else {
        let error = RemoteError(.busy, "\(limits.answered) requests are already being answered; try again later")
        return [.refuse(.failure(number, error))]
      }
      answering[number] = true
      return [.answer(number, message)]
    case .reply(let number, let message):
      return finish(number, .replied(message))
    case .failure(let number, let error):
      return finish(number, .refused(error))
    case .cancel(let number):
      guard answering[number] == true else { return [] }
      answering[number] = false
      return [.stopAnswering(number)]
    case .notification(let message):
      return [.notify(message)]
    case .ping, nil:
      return []
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

  private mutating func abort(_ error: MessageError) -> [Effect] {
    [.abort(error)] + end()
  }

  private mutating func end() -> [Effect] {
    phase = .over
    let stopped = answering.filter { _, isNeeded in isNeeded }.keys
    answering = [:]
    answerDeadline = nil
    heartbeat = nil
    return endRequests() + stopped.sorted().map { .stopAnswering($0) }
  }
}
