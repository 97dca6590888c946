import FramedCoding

/// Requests of the peer, and the frames that it sends.
extension RequestMachine {
  /// How a request of the peer is to be answered.
  struct AnswerTerms: Hashable, Sendable {
    /// When the peer stops waiting; nil if it has told no time.
    let deadline: Instant?
    /// Whether it takes a stream of replies.
    let isStream: Bool
  }

  /// How to answer a request of the peer whose handler is to be called.
  func terms(ofAnswering number: UInt64) -> AnswerTerms {
    AnswerTerms(deadline: answering[number]?.deadline, isStream: answering[number]?.credit != nil)
  }

  /// Whether the handler of a request must wait before it sends an item. False if nobody needs the items.
  func mustWaitForCredit(_ number: UInt64) -> Bool {
    guard let request = answering[number], request.isNeeded else { return false }
    return request.credit == 0
  }

  /// Whether the handler of a request may send an item.
  package func mayStream(_ number: UInt64) -> Bool {
    answering[number].map { $0.isNeeded && $0.credit ?? 0 > 0 } ?? false
  }

  mutating func streamed(_ number: UInt64) {
    guard let credit = answering[number]?.credit else { return }
    precondition(credit > 0, "an item of request \(number) must have credit")
    answering[number]?.credit = credit - 1
  }

  mutating func streamEnded(_ number: UInt64) -> Effect {
    removeAnswering(number)
    return .send(.end(number))
  }

  mutating func answered(_ number: UInt64, _ answer: Result<[UInt8], RemoteError>) -> Effect {
    removeAnswering(number)
    switch answer {
    case .success(let message): return .send(.reply(number, message))
    case .failure(let error): return .send(.failure(number, error))
    }
  }

  private mutating func removeAnswering(_ number: UInt64) {
    guard answering.removeValue(forKey: number) != nil else {
      preconditionFailure("request \(number) of the peer must not be answered twice")
    }
  }

  mutating func receive(_ body: [UInt8], at now: Instant) -> [Effect] {
    let frame: RequestFrame?
    do throws(MessageError) {
      frame = try RequestFrame.parse(body)
    } catch {
      return abort(error)
    }
    switch frame {
    case .request(let number, let message):
      return receiveRequest(number, message, at: now)
    case .reply(let number, let message):
      return finish(number, .replied(message), at: now)
    case .failure(let number, let error):
      return finish(number, .refused(error), at: now)
    case .end(let number):
      return finish(number, .ended, at: now)
    case .item(let number, let message):
      return receiveItem(number, message, at: now)
    case .cancel(let number):
      guard answering[number]?.isNeeded == true else { return [] }
      answering[number]?.isNeeded = false
      return [.stopAnswering(number)]
    case .terms(let number, let terms):
      announced = (number, terms)
      return []
    case .credit(let number, let credit):
      guard let present = answering[number]?.credit else { return [] }
      answering[number]?.credit = min(present + Int(credit), Int(UInt32.max))
      return [.permit(number)]
    case .notification(let message):
      return [.notify(message)]
    case .ping, nil:
      return []
    }
  }

  private mutating func receiveRequest(_ number: UInt64, _ message: [UInt8], at now: Instant) -> [Effect] {
    guard answering[number] == nil else {
      return abort(
        MessageError(.invalidValue, at: 1, expected: "a number other than \(number), which an unanswered request has"))
    }
    let terms = announced?.number == number ? announced?.terms : nil
    announced = nil
    guard answering.count < limits.answered else {
      let error = RemoteError(.busy, "\(limits.answered) requests are already being answered; try again later")
      return [.refuse(.failure(number, error))]
    }
    let credit = terms.flatMap { $0.credit > 0 ? Int($0.credit) : nil }
    answering[number] = Answering(deadline: terms?.deadline(at: now), credit: credit)
    answerDeadline = earliest(answerDeadline, answering[number]?.deadline)
    return [.answer(number, message)]
  }
}
