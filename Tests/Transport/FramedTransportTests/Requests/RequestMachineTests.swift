import FramedCoding
import TestSupport
import Testing
import _BonjourishBase

@testable import FramedTransport

@Suite struct RequestMachineTests {
  let start = ContinuousClock.now
  let refusal = RemoteError("no", "No.")

  func after(_ seconds: Int) -> ContinuousClock.Instant { start + .seconds(seconds) }

  func machine(asked: Int = 2, answered: Int = 2) -> RequestMachine {
    RequestMachine(limits: RequestLimits(asked: asked, answered: answered), at: start)
  }

  /// What sends a request, with the seconds that its sender waits.
  func asked(_ number: UInt64, _ message: [UInt8], within seconds: UInt32) -> [RequestMachine.Effect] {
    [
      .send(.terms(number, RequestTerms(milliseconds: seconds * 1000, credit: 0))),
      .send(.request(number, message)),
    ]
  }

  @Test func `a request is sent and its reply told`() {
    var machine = machine()
    #expect(machine.handle(.ask(1, [7], deadline: after(10)), at: start) == asked(1, [7], within: 10))
    #expect(machine.nextDeadline == after(10))
    #expect(machine.handle(.received(RequestFrame.reply(1, [8]).encoded), at: start) == [.finish(1, .replied([8]))])
  }

  @Test func `replies come in any order, and refusals are replies`() {
    var machine = machine()
    _ = machine.handle(.ask(1, [], deadline: after(10)), at: start)
    _ = machine.handle(.ask(2, [], deadline: after(10)), at: start)
    #expect(machine.handle(.received(RequestFrame.failure(2, refusal).encoded), at: start) == [.finish(2, .refused(refusal))])
    #expect(machine.handle(.received(RequestFrame.reply(1, []).encoded), at: start) == [.finish(1, .replied([]))])
  }

  @Test func `what exceeds the limit waits in order for answers`() {
    var machine = machine(asked: 1)
    _ = machine.handle(.ask(1, [], deadline: after(10)), at: start)
    #expect(machine.handle(.ask(2, [2], deadline: after(10)), at: start) == [])
    #expect(machine.handle(.ask(3, [3], deadline: after(10)), at: start) == [])
    #expect(
      machine.handle(.received(RequestFrame.reply(1, []).encoded), at: start)
        == [.finish(1, .replied([]))] + asked(2, [2], within: 10))
    #expect(machine.handle(.giveUp(3), at: start) == [.finish(3, .cancelled)])
    #expect(machine.handle(.received(RequestFrame.reply(2, []).encoded), at: start) == [.finish(2, .replied([]))])
  }

  @Test func `the place of an abandoned request is taken until the peer is done with it`() {
    var machine = machine(asked: 1)
    _ = machine.handle(.ask(1, [], deadline: after(10)), at: start)
    _ = machine.handle(.ask(2, [], deadline: after(30)), at: start)
    #expect(machine.handle(.giveUp(1), at: start) == [.finish(1, .cancelled), .send(.cancel(1))])
    #expect(machine.handle(.giveUp(1), at: start) == [])
    #expect(machine.handle(.received(RequestFrame.failure(1, refusal).encoded), at: start) == asked(2, [], within: 30))
    #expect(machine.handle(.received(RequestFrame.failure(1, refusal).encoded), at: start) == [])
  }

  @Test func `deadlines end requests that wait and requests that are asked`() {
    var machine = machine(asked: 1)
    _ = machine.handle(.ask(1, [], deadline: after(10)), at: start)
    _ = machine.handle(.ask(2, [], deadline: after(5)), at: start)
    _ = machine.handle(.ask(3, [], deadline: after(20)), at: start)
    #expect(machine.nextDeadline == after(5))
    #expect(machine.handle(.timePassed, at: after(5)) == [.finish(2, .timedOut)])
    #expect(machine.nextDeadline == after(10))
    #expect(machine.handle(.timePassed, at: after(9)) == [])
    #expect(machine.handle(.timePassed, at: after(10)) == [.finish(1, .timedOut), .send(.cancel(1))])
    #expect(machine.handle(.received(RequestFrame.reply(1, []).encoded), at: after(11)) == asked(3, [], within: 9))
    #expect(machine.handle(.ask(4, [], deadline: after(11)), at: after(11)) == [.finish(4, .timedOut)])
  }

  @Test func `a request of the peer is answered once, and taken back with its handler's help`() {
    var machine = machine()
    #expect(machine.handle(.received(RequestFrame.request(9, [1]).encoded), at: start) == [.answer(9, [1])])
    #expect(machine.handle(.received(RequestFrame.cancel(9).encoded), at: start) == [.stopAnswering(9)])
    #expect(machine.handle(.received(RequestFrame.cancel(9).encoded), at: start) == [])
    #expect(machine.handle(.answered(9, .failure(refusal)), at: start) == [.send(.failure(9, refusal))])
    #expect(machine.handle(.received(RequestFrame.cancel(9).encoded), at: start) == [])
    // The number is free again.
    #expect(machine.handle(.received(RequestFrame.request(9, [2]).encoded), at: start) == [.answer(9, [2])])
    #expect(machine.handle(.answered(9, .success([3])), at: start) == [.send(.reply(9, [3]))])
  }

  @Test func `a peer that asks too much is refused`() {
    var machine = machine(answered: 1)
    _ = machine.handle(.received(RequestFrame.request(1, []).encoded), at: start)
    let effects = machine.handle(.received(RequestFrame.request(2, []).encoded), at: start)
    guard effects.count == 1, case .refuse(.failure(2, let error)) = effects[0] else {
      Issue.record("\(effects)")
      return
    }
    #expect(error.code == .busy)
    #expect(machine.handle(.received(RequestFrame.cancel(2).encoded), at: start) == [])
    _ = machine.handle(.answered(1, .success([])), at: start)
    #expect(machine.handle(.received(RequestFrame.request(2, []).encoded), at: start) == [.answer(2, [])])
  }

  @Test func `answers and cancels of unknown numbers are ignored, and so are unknown kinds`() {
    var machine = machine()
    for frame: RequestFrame in [.reply(0, [1]), .failure(.max, refusal), .cancel(3)] {
      #expect(machine.handle(.received(frame.encoded), at: start) == [])
    }
    #expect(machine.handle(.received([0]), at: start) == [])
    #expect(machine.handle(.received([200, 1, 2]), at: start) == [])
    #expect(machine.handle(.received(RequestFrame.notification([5]).encoded), at: start) == [.notify([5])])
  }

  @Test(
    arguments: [
      [], [1], [1, 0, 0, 0], [2, 0, 0, 0, 0, 0, 0, 0], [4, 0, 0, 0, 0, 0, 0, 0, 1, 9], [3, 0, 0, 0, 0, 0, 0, 0, 1],
      [3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1], [3, 0, 0, 0, 0, 0, 0, 0, 1, 0xFF, 0xFF, 0xFF, 0xFF],
      [3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0xFF, 0, 0, 0, 0],
      [7, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0], [8, 0], [9, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0], [10, 0, 0, 0, 0, 0, 0, 0, 1, 9],
      [3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 65] + [UInt8](repeating: 97, count: 65) + [0, 0, 0, 0],
    ] as [[UInt8]])
  func `a frame that breaks the rules ends everything`(frame: [UInt8]) {
    var machine = machine(asked: 1)
    _ = machine.handle(.ask(1, [], deadline: after(10)), at: start)
    _ = machine.handle(.ask(2, [], deadline: after(10)), at: start)
    _ = machine.handle(.received(RequestFrame.request(5, []).encoded), at: start)
    let effects = machine.handle(.received(frame), at: start)
    guard case .abort = effects.first else {
      Issue.record("\(effects)")
      return
    }
    #expect(effects.dropFirst() == [.finish(1, .disconnected), .finish(2, .unsent), .stopAnswering(5)])
    #expect(machine.nextDeadline == nil)
    #expect(machine.handle(.answered(5, .success([])), at: start) == [])
    #expect(machine.handle(.ask(3, [], deadline: after(10)), at: start) == [.finish(3, .unsent)])
  }

  @Test func `a peer that asks no more is answered for a while`() {
    var machine = RequestMachine(limits: RequestLimits(asked: 1, lateAnswerTime: .seconds(5)), at: start)
    _ = machine.handle(.ask(1, [], deadline: after(10)), at: start)
    _ = machine.handle(.ask(2, [], deadline: after(2)), at: start)
    for number in 7...9 as ClosedRange<UInt64> {
      _ = machine.handle(.received(RequestFrame.request(number, []).encoded), at: start)
    }
    #expect(machine.handle(.finished, at: after(1)) == [.finish(1, .disconnected), .finish(2, .unsent)])
    #expect(machine.nextDeadline == after(6))
    #expect(machine.handle(.ask(3, [], deadline: after(10)), at: after(1)) == [.finish(3, .unsent)])
    #expect(machine.handle(.giveUp(1), at: after(2)) == [])
    #expect(machine.handle(.answered(8, .success([1])), at: after(2)) == [.send(.reply(8, [1]))])
    #expect(machine.handle(.answered(7, .failure(refusal)), at: after(3)) == [.send(.failure(7, refusal))])
    #expect(machine.handle(.timePassed, at: after(5)) == [])
    #expect(machine.handle(.timePassed, at: after(6)) == [.giveUpAnswering])
    #expect(machine.nextDeadline == nil)
    #expect(machine.handle(.ended, at: after(6)) == [.stopAnswering(9)])
    #expect(machine.handle(.answered(9, .success([])), at: after(6)) == [])
  }

  @Test func `a number that is not answered yet cannot be used again`() {
    var machine = machine()
    _ = machine.handle(.received(RequestFrame.request(5, []).encoded), at: start)
    let effects = machine.handle(.received(RequestFrame.request(5, []).encoded), at: start)
    guard case .abort(let error) = effects.first else {
      Issue.record("\(effects)")
      return
    }
    #expect(error.code == .invalidValue)
    #expect(error.offset == 1)
  }

  @Test func `the layout is that of the table`() throws {
    #expect(RequestFrame.request(0x0102, [9]).encoded == [1, 0, 0, 0, 0, 0, 0, 1, 2, 9])
    #expect(RequestFrame.reply(1, []).encoded == [2, 0, 0, 0, 0, 0, 0, 0, 1])
    #expect(
      RequestFrame.failure(1, RemoteError("a", "b")).encoded
        == [3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 97, 0, 0, 0, 1, 98])
    #expect(RequestFrame.cancel(1).encoded == [4, 0, 0, 0, 0, 0, 0, 0, 1])
    #expect(RequestFrame.notification([9]).encoded == [5, 9])
    #expect(RequestFrame.ping.encoded == [6])
    #expect(
      RequestFrame.terms(1, RequestTerms(milliseconds: 258, credit: 16)).encoded
        == [7, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 2, 0, 0, 0, 16])
    #expect(RequestFrame.item(1, [9]).encoded == [8, 0, 0, 0, 0, 0, 0, 0, 1, 9])
    #expect(RequestFrame.credit(1, 2).encoded == [9, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2])
    #expect(RequestFrame.end(1).encoded == [10, 0, 0, 0, 0, 0, 0, 0, 1])
    for frame: RequestFrame in [
      .request(.max, [1, 2]), .reply(0, [3]), .failure(7, refusal), .cancel(8), .notification([]), .ping,
      .terms(9, RequestTerms(milliseconds: .max, credit: 0)), .item(10, [4]), .credit(11, .max), .end(12),
    ] {
      #expect(try RequestFrame.parse(frame.encoded) == frame)
    }
  }

  @Test func `reasons that are too long are cut between characters`() throws {
    let error = RemoteError(.init(rawValue: String(repeating: "c", count: 70)), String(repeating: "漢", count: 500))
    #expect(error.code.rawValue.utf8.count == 64)
    #expect(error.text == String(repeating: "漢", count: 333))
    #expect(try RequestFrame.parse(RequestFrame.failure(1, error).encoded) == .failure(1, error))
    let small = RequestFrame.failure(1, error).encoded(upTo: RequestFrame.leastBodySize)
    #expect((126...128).contains(small.count))
    #expect(try RequestFrame.parse(small) == .failure(1, RemoteError(error.code, String(error.text.prefix(15)))))
  }
}
