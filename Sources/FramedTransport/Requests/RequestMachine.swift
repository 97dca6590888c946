import Framing

/// What is to be done about requests, of this side and of the peer; ``RequestFrame`` is what the two say to each other.
///
/// A request of this side is *waiting* while as many as permitted are under way, then *asked*, until the peer has answered it
/// or the connection has ended. When nobody needs the answer any more, for time has run out or whoever waited has gone, it is
/// *abandoned*: the peer is told, and its place is taken until the peer is done with it. A request of the peer is *answered*
/// until the handler is done.
///
/// A peer that has ended its side answers nothing any more. What it asked before is still answered, for as long as the limits say.
package struct RequestMachine: Sendable {
  package typealias Instant = ContinuousClock.Instant

  package enum Event: Hashable, Sendable {
    /// Somebody asks the peer. The number is none that was used before.
    case ask(UInt64, [UInt8], deadline: Instant)
    /// Nobody waits for the answer any more.
    case giveUp(UInt64)
    /// A frame came.
    case received([UInt8])
    /// The handler is done with a request of the peer.
    case answered(UInt64, Result<[UInt8], RemoteError>)
    /// It is time for `nextDeadline`.
    case timePassed
    /// The peer has ended its side in order, so no more frames come.
    case finished
    /// The connection has ended, or is to.
    case ended
  }

  package enum Effect: Hashable, Sendable {
    case send(RequestFrame)
    /// Send this for a request that came in excess of what is permitted.
    case refuse(RequestFrame)
    /// Tell whoever asked; he is told once.
    case finish(UInt64, Outcome)
    /// Have a request of the peer handled, and say `answered` then.
    case answer(UInt64, [UInt8])
    /// The answer is not needed any more; `answered` is to be said nevertheless.
    case stopAnswering(UInt64)
    /// The peer notifies of something.
    case notify([UInt8])
    /// The peer breaks the rules: abort the connection.
    case abort(MessageError)
    /// The peer has ended its side, and the time for what it said before is over: say `ended`.
    case giveUpAnswering
  }

  /// What became of a request of this side.
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
  /// The requests that the peer has to answer, by number.
  private var asked: [UInt64: Asked] = [:]
  /// The numbers of requests of the peer, and whether it still needs the answer.
  private var answering: [UInt64: Bool] = [:]
  private var phase = Phase.open

  private enum Phase {
    case open
    /// The peer has ended its side.
    case finishing
    case over
  }

  /// When to say `timePassed`; never later than the first deadline, but perhaps earlier, for requests that were answered do not
  /// take theirs back.
  package private(set) var nextDeadline: Instant?

  package init(limits: RequestLimits) {
    self.limits = limits
  }

  package mutating func handle(_ event: Event, at now: Instant) -> [Effect] {
    switch phase {
    case .open: handleOpen(event, at: now)
    case .finishing: handleFinishing(event, at: now)
    case .over: if case .ask(let number, _, _) = event { [.finish(number, .disconnected)] } else { [] }
    }
  }

  private mutating func handleOpen(_ event: Event, at now: Instant) -> [Effect] {
    switch event {
    case .ask(let number, let message, let deadline):
      return ask(Waiting(number: number, message: message, deadline: deadline), at: now)
    case .giveUp(let number):
      return giveUp(number)
    case .received(let frame):
      return receive(frame)
    case .answered(let number, let answer):
      return [answered(number, answer)]
    case .timePassed:
      return checkDeadlines(at: now)
    case .finished:
      phase = .finishing
      nextDeadline = now + limits.lateAnswerTime
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
      guard let nextDeadline, nextDeadline <= now else { return [] }
      self.nextDeadline = nil
      return [.giveUpAnswering]
    case .giveUp, .received, .finished:
      return []
    case .ended:
      return end()
    }
  }

  // MARK: - Requests of this side

  private mutating func ask(_ request: Waiting, at now: Instant) -> [Effect] {
    precondition(asked[request.number] == nil, "The number \(request.number) was given to two requests")
    guard request.deadline > now else { return [.finish(request.number, .timedOut)] }
    nextDeadline = min(nextDeadline ?? request.deadline, request.deadline)
    waiting.append(request)
    return askMore()
  }

  /// Asks what waits, as far as permitted.
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
    // The answer may have come meanwhile.
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
    // Nobody has asked, or has been answered already: that is not worth a connection.
    case nil: []
    }
  }

  private mutating func checkDeadlines(at now: Instant) -> [Effect] {
    var effects: [Effect] = waiting.filter { $0.deadline <= now }.map { .finish($0.number, .timedOut) }
    waiting.removeAll { $0.deadline <= now }
    let due = asked.filter { _, asked in asked.deadline.map { $0 <= now } ?? false }.keys.sorted()
    for number in due { effects += abandon(number, .timedOut) }
    nextDeadline = (waiting.map(\.deadline) + asked.values.compactMap(\.deadline)).min()
    return effects
  }

  /// Tells all who wait that there will be no answer.
  private mutating func endRequests() -> [Effect] {
    let numbers = waiting.map(\.number) + asked.filter { _, asked in asked.deadline != nil }.keys
    waiting = []
    asked = [:]
    return numbers.sorted().map { .finish($0, .disconnected) }
  }

  // MARK: - Requests of the peer

  private mutating func answered(_ number: UInt64, _ answer: Result<[UInt8], RemoteError>) -> Effect {
    guard answering.removeValue(forKey: number) != nil else {
      preconditionFailure("Request \(number) of the peer was answered twice")
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
          MessageError(.invalidValue, at: 1, expected: "another number than that of a request not answered yet, \(number)"))
      }
      guard answering.count < limits.answered else {
        let error = RemoteError(.busy, "\(limits.answered) requests are being answered already; ask again later")
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
    case nil:
      return []
    }
  }

  // MARK: - The end

  private mutating func abort(_ error: MessageError) -> [Effect] {
    [.abort(error)] + end()
  }

  private mutating func end() -> [Effect] {
    phase = .over
    let stopped = answering.filter { _, isNeeded in isNeeded }.keys
    answering = [:]
    nextDeadline = nil
    return endRequests() + stopped.sorted().map { .stopAnswering($0) }
  }
}
