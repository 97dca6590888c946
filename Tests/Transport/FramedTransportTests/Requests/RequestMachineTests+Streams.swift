import FramedCoding
import Testing

@testable import FramedTransport

/// Streams of replies, and deadlines that travel.
extension RequestMachineTests {
  /// A side that has asked for a stream with the number 1, of which each item must come within five seconds.
  private func streaming(window: Int) -> RequestMachine {
    var machine = RequestMachine(limits: RequestLimits(asked: 1, streamed: window), at: start)
    let terms = RequestTerms(milliseconds: 60_000, credit: UInt32(window))
    #expect(
      machine.handle(.askForStream(1, [7], deadline: after(60), each: .seconds(5)), at: start)
        == [.send(.terms(1, terms)), .send(.request(1, [7]))])
    return machine
  }

  private func item(_ byte: UInt8) -> RequestMachine.Event { .received(RequestFrame.item(1, [byte]).encoded) }

  @Test func `items are delivered, and credit is given back when half of it is used`() {
    var machine = streaming(window: 4)
    for byte in 1...4 as ClosedRange<UInt8> { #expect(machine.handle(item(byte), at: start) == [.deliver(1, [byte])]) }
    #expect(machine.handle(.taken(1, 1), at: start) == [])
    #expect(machine.handle(.taken(1, 1), at: start) == [.send(.credit(1, 2))])
    #expect(machine.handle(item(5), at: start) == [.deliver(1, [5])])
    #expect(machine.handle(.ask(2, [], deadline: after(10)), at: start) == [])
    #expect(
      machine.handle(.received(RequestFrame.end(1).encoded), at: start) == [.finish(1, .ended)] + asked(2, [], within: 10))
    #expect(machine.handle(.taken(1, 3), at: start) == [])
  }

  @Test func `half of a window, rounded up, is given back at once`() {
    let credits = (1...5).map { window in
      var stream = RequestStream(window: window, each: .seconds(5), at: start)
      #expect(stream.take(0, at: start) == nil)
      var credit: Int?
      while credit == nil { credit = stream.take(1, at: start) }
      #expect(stream.credit == window + (credit ?? 0) && stream.take(0, at: start) == nil)
      return credit
    }
    #expect(credits == [1, 1, 2, 2, 3])
  }

  @Test func `an item without credit, and an end without a stream, violate the protocol`() {
    var machine = streaming(window: 1)
    _ = machine.handle(item(1), at: start)
    guard case .abort(let tooMany) = machine.handle(item(2), at: start).first else {
      return #expect(Bool(false), "an item too many")
    }
    // The place of the number.
    #expect(tooMany.code == .invalidValue && tooMany.offset == 1)
    for frame in [RequestFrame.item(1, []), .end(1)] {
      var plain = self.machine()
      _ = plain.handle(.ask(1, [], deadline: after(10)), at: start)
      let effects = plain.handle(.received(frame.encoded), at: start)
      guard case .abort(let error) = effects.first else { return #expect(Bool(false), "\(frame)") }
      #expect(error.code == .invalidValue && error.offset == 1)
      #expect(effects.dropFirst() == [.finish(1, .disconnected)])
    }
  }

  @Test func `a stream that nobody needs any more is cancelled, and its items are dropped`() {
    var machine = streaming(window: 2)
    #expect(machine.handle(.giveUp(1), at: start) == [.finish(1, .cancelled), .send(.cancel(1))])
    #expect(machine.handle(item(1), at: start) == [])
    #expect(machine.handle(.received(RequestFrame.failure(1, refusal).encoded), at: start) == [])
    #expect(machine.handle(item(2), at: start) == [])
  }

  @Test func `silence ends a stream only while the peer may send`() {
    var machine = streaming(window: 1)
    #expect(machine.nextDeadline == after(5))
    #expect(machine.handle(item(1), at: after(4)) == [.deliver(1, [1])])
    // The app takes its time.
    #expect(machine.handle(.timePassed, at: after(20)) == [])
    #expect(machine.nextDeadline == after(60))
    #expect(machine.handle(.taken(1, 1), at: after(30)) == [.send(.credit(1, 1))])
    #expect(machine.nextDeadline == after(35))
    #expect(machine.handle(.timePassed, at: after(35)) == [.finish(1, .timedOut), .send(.cancel(1))])
  }

  @Test func `a single reply is a stream of one item, as from a peer of an earlier version`() {
    var machine = streaming(window: 1)
    #expect(machine.handle(.received(RequestFrame.reply(1, [9]).encoded), at: start) == [.finish(1, .replied([9]))])
  }

  @Test func `the handler of a stream has as much credit as the peer gives`() {
    var machine = machine()
    _ = machine.handle(.received(RequestFrame.terms(3, RequestTerms(milliseconds: 9_000, credit: 1)).encoded), at: start)
    #expect(machine.handle(.received(RequestFrame.request(3, [1]).encoded), at: start) == [.answer(3, [1])])
    #expect(machine.terms(ofAnswering: 3) == RequestMachine.AnswerTerms(deadline: after(9), isStream: true))
    #expect(machine.mayStream(3) && !machine.mustWaitForCredit(3))
    #expect(machine.handle(.streamed(3), at: start) == [])
    #expect(!machine.mayStream(3) && machine.mustWaitForCredit(3))
    #expect(machine.handle(.received(RequestFrame.credit(3, .max).encoded), at: start) == [.permit(3)])
    #expect(machine.handle(.received(RequestFrame.credit(3, .max).encoded), at: start) == [.permit(3)])
    #expect(machine.mayStream(3))
    #expect(machine.handle(.streamEnded(3), at: start) == [.send(.end(3))])
    #expect(machine.handle(.received(RequestFrame.credit(3, 1).encoded), at: start) == [])
  }

  @Test func `a peer that asks no more gets the streams that it has asked for, and gives no more credit`() {
    var machine = machine()
    for number in [3, 4] as [UInt64] {
      _ = machine.handle(.received(RequestFrame.terms(number, RequestTerms(milliseconds: .max, credit: 2)).encoded), at: start)
      _ = machine.handle(.received(RequestFrame.request(number, []).encoded), at: start)
    }
    #expect(machine.handle(.finished, at: start) == [])
    #expect(machine.handle(.streamed(3), at: start) == [])
    #expect(machine.mayStream(3) && !machine.mustWaitForCredit(3))
    #expect(machine.handle(.received(RequestFrame.credit(3, 1).encoded), at: start) == [])
    #expect(machine.handle(.streamed(3), at: start) == [])
    #expect(!machine.mayStream(3) && machine.mustWaitForCredit(3))
    #expect(machine.handle(.streamEnded(3), at: start) == [.send(.end(3))])
    #expect(machine.handle(.askForStream(9, [], deadline: nil, each: .seconds(1)), at: start) == [.finish(9, .unsent)])
    #expect(machine.handle(.ended, at: start) == [.stopAnswering(4)])
    #expect(!machine.mayStream(4) && !machine.mustWaitForCredit(4))
    #expect(machine.handle(.streamEnded(4), at: start) == [])
  }

  @Test func `a handler is cancelled at the deadline that came with its request`() {
    var machine = machine()
    let terms = RequestTerms(milliseconds: 2_000, credit: 0)
    _ = machine.handle(.received(RequestFrame.terms(8, terms).encoded), at: start)
    _ = machine.handle(.received(RequestFrame.request(7, []).encoded), at: start)
    // These terms are for another request.
    #expect(machine.terms(ofAnswering: 7) == RequestMachine.AnswerTerms(deadline: nil, isStream: false))
    _ = machine.handle(.received(RequestFrame.terms(8, terms).encoded), at: after(1))
    _ = machine.handle(.received(RequestFrame.request(8, []).encoded), at: after(1))
    #expect(machine.nextDeadline == after(3))
    #expect(machine.handle(.timePassed, at: after(3)) == [.stopAnswering(8)])
    #expect(machine.nextDeadline == nil)
    #expect(machine.handle(.received(RequestFrame.cancel(8).encoded), at: after(3)) == [])
    #expect(machine.handle(.answered(8, .failure(refusal)), at: after(4)) == [.send(.failure(8, refusal))])
  }

  @Test func `times are rounded up to milliseconds, and very long ones are without a limit`() {
    #expect(RequestTerms(deadline: start + .nanoseconds(1), credit: 0, at: start).milliseconds == 1)
    #expect(RequestTerms(deadline: start + .seconds(1), credit: 0, at: start).milliseconds == 1000)
    #expect(RequestTerms(deadline: start - .seconds(1), credit: 0, at: start).milliseconds == 0)
    #expect(RequestTerms(deadline: start + .seconds(1 << 40), credit: 0, at: start).deadline(at: start) == nil)
    #expect(RequestTerms(deadline: nil, credit: 0, at: start).deadline(at: start) == nil)
  }
}
