import FramedCoding
import TestSupport
import Testing
import _BonjourishBase

@testable import FramedTransport

@Suite struct RequestMachineTests {
  private let start = ContinuousClock.now
  private let refusal = RemoteError("no", "No.")

  private func after(_ seconds: Int) -> ContinuousClock.Instant { start + .seconds(seconds) }

  private func machine(asked: Int = 2, answered: Int = 2) -> RequestMachine {
    RequestMachine(limits: RequestLimits(asked: asked, answered: answered), at: start)
  }

  @Test func `a request is sent and its reply told`() {
    var machine = machine()
    #expect(machine.handle(.ask(1, [7], deadline: after(10)), at: start) == [.send(.request(1, [7]))])
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
        == [.finish(1, .replied([])), .send(.request(2, [2]))])
    #expect(machine.handle(.giveUp(3), at: start) == [.finish(3, .cancelled)])
    #expect(machine.handle(.received(RequestFrame.reply(2, []).encoded), at: start) == [.finish(2, .replied([]))])
  }

  @Test func `the place of an abandoned request is taken until the peer is done with it`() {
    var machine = machine(asked: 1)
    _ = machine.handle(.ask(1, [], deadline: after(10)), at: start)
    _ = machine.handle(.ask(2, [], deadline: after(30)), at: start)
    #expect(machine.handle(.giveUp(1), at: start) == [.finish(1, .cancelled), .send(.cancel(1))])
    #expect(machine.handle(.giveUp(1), at: start) == [])
    #expect(machine.handle(.received(RequestFrame.failure(1, refusal).encoded), at: start) == [.send(.request(2, []))])
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
    #expect(machine.handle(.received(RequestFrame.reply(1, []).encoded), at: after(11)) == [.send(.request(3, []))])
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
    #expect(effects.dropFirst() == [.finish(1, .disconnected), .finish(2, .disconnected), .stopAnswering(5)])
    #expect(machine.nextDeadline == nil)
    #expect(machine.handle(.answered(5, .success([])), at: start) == [])
    #expect(machine.handle(.ask(3, [], deadline: after(10)), at: start) == [.finish(3, .disconnected)])
  }

  @Test func `a peer that asks no more is answered for a while`() {
    var machine = RequestMachine(limits: RequestLimits(asked: 1, lateAnswerTime: .seconds(5)), at: start)
    _ = machine.handle(.ask(1, [], deadline: after(10)), at: start)
    _ = machine.handle(.ask(2, [], deadline: after(2)), at: start)
    for number in 7...9 as ClosedRange<UInt64> {
      _ = machine.handle(.received(RequestFrame.request(number, []).encoded), at: start)
    }
    #expect(machine.handle(.finished, at: after(1)) == [.finish(1, .disconnected), .finish(2, .disconnected)])
    #expect(machine.nextDeadline == after(6))
    #expect(machine.handle(.ask(3, [], deadline: after(10)), at: after(1)) == [.finish(3, .disconnected)])
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
    for frame: RequestFrame in [
      .request(.max, [1, 2]), .reply(0, [3]), .failure(7, refusal), .cancel(8), .notification([]), .ping,
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

  // MARK: - Heartbeats

  private func machine(interval: Int, timeout: Int) -> RequestMachine {
    let heartbeat = Heartbeat(interval: .seconds(interval), timeout: .seconds(timeout))
    return RequestMachine(limits: RequestLimits(heartbeat: heartbeat), at: start)
  }

  @Test func `a ping is sent after the interval without sending`() {
    var machine = machine(interval: 5, timeout: 100)
    #expect(machine.nextDeadline == after(5))
    #expect(machine.handle(.ask(1, [], deadline: after(90)), at: after(2)) == [.send(.request(1, []))])
    #expect(machine.nextDeadline == after(7))
    #expect(machine.handle(.sent, at: after(4)) == [])
    #expect(machine.handle(.received(RequestFrame.notification([]).encoded), at: after(8)) == [.notify([])])
    #expect(machine.handle(.timePassed, at: after(8)) == [])
    #expect(machine.handle(.timePassed, at: after(9)) == [.send(.ping)])
    #expect(machine.handle(.timePassed, at: after(13)) == [])
    #expect(machine.handle(.timePassed, at: after(14)) == [.send(.ping)])
  }

  @Test func `a peer that says nothing for the timeout is dropped, whatever it said before`() {
    var machine = machine(interval: 8, timeout: 10)
    _ = machine.handle(.ask(1, [], deadline: after(90)), at: start)
    #expect(machine.handle(.received(RequestFrame.ping.encoded), at: after(3)) == [])
    #expect(machine.handle(.received([200]), at: after(4)) == [])
    #expect(machine.handle(.timePassed, at: after(8)) == [.send(.ping)])
    #expect(machine.nextDeadline == after(14))
    #expect(machine.handle(.timePassed, at: after(14)) == [.dropSilentPeer, .finish(1, .disconnected)])
    #expect(machine.nextDeadline == nil)
  }

  @Test func `silence does not count while no task reads, or this side was asleep`() {
    var machine = machine(interval: 8, timeout: 10)
    _ = machine.handle(.listening(false), at: after(1))
    #expect(machine.nextDeadline == after(8))
    #expect(machine.handle(.timePassed, at: after(8)) == [.send(.ping)])
    #expect(machine.handle(.timePassed, at: after(16)) == [.send(.ping)])
    _ = machine.handle(.listening(true), at: after(17))
    #expect(machine.nextDeadline == after(24))
    #expect(machine.handle(.timePassed, at: after(3600)) == [.send(.ping)])
    #expect(machine.handle(.timePassed, at: after(3608)) == [.send(.ping)])
    #expect(machine.handle(.timePassed, at: after(3610)) == [.dropSilentPeer])
  }

  @Test func `a peer that has ended its side owes no pings, and gets them until everything is answered`() {
    let heartbeat = Heartbeat(interval: .seconds(2), timeout: .seconds(3))
    var machine = RequestMachine(limits: RequestLimits(lateAnswerTime: .seconds(5), heartbeat: heartbeat), at: start)
    _ = machine.handle(.received(RequestFrame.request(1, []).encoded), at: start)
    #expect(machine.handle(.finished, at: after(1)) == [])
    #expect(machine.handle(.timePassed, at: after(2)) == [.send(.ping)])
    #expect(machine.handle(.timePassed, at: after(4)) == [.send(.ping)])
    #expect(machine.nextDeadline == after(6))
    #expect(machine.handle(.timePassed, at: after(6)) == [.giveUpAnswering])
  }

  @Test func `without a heartbeat no peer is pinged or dropped`() {
    var machine = machine()
    #expect(machine.nextDeadline == nil)
    #expect(machine.handle(.timePassed, at: after(1_000_000)) == [])
  }

  // MARK: - Two peers

  /// What a request is answered with, so that an answer tells whose it is.
  private static func reply(to message: [UInt8]) -> [UInt8] { message.reversed() + [1] }

  /// One of two machines, with those who use it and what is on its way to it.
  private struct Peer {
    var machine: RequestMachine
    var incoming: ArraySlice<RequestFrame> = []
    var asking: [UInt64: (message: [UInt8], deadline: ContinuousClock.Instant)] = [:]
    var answering: [UInt64: (message: [UInt8], isNeeded: Bool)] = [:]
    /// Requests that were sent and whose answer has not come.
    var outstanding: Set<UInt64> = []
    var lastNumber: UInt64 = 0
  }

  @Test(arguments: 0..<100 as Range<UInt64>)
  func `every request has one outcome, and a reply is its own`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let limits = RequestLimits(asked: generator.number(in: 1..<5), answered: 4)
    let excess = generator.once(in: 3)
    var peers = [limits, excess ? RequestLimits(asked: 8, answered: 4) : limits].map {
      Peer(machine: RequestMachine(limits: $0, at: start))
    }
    let permitted = [limits.asked, excess ? 8 : limits.asked]
    var now = start
    var disconnected = false
    var refused = 0

    func run(_ effects: [RequestMachine.Effect], of index: Int) {
      for effect in effects {
        switch effect {
        case .send(let frame), .refuse(let frame):
          if case .refuse = effect { refused += 1 }
          if case .request(let number, let message) = frame {
            #expect(peers[index].asking[number]?.message == message)
            #expect(peers[index].outstanding.insert(number).inserted)
            #expect(peers[index].outstanding.count <= permitted[index])
          }
          peers[1 - index].incoming.append(frame)
        case .finish(let number, let outcome):
          guard let (message, _) = peers[index].asking.removeValue(forKey: number) else {
            Issue.record("request \(number) has two outcomes, seed \(seed)")
            continue
          }
          if case .replied(let reply) = outcome { #expect(reply == Self.reply(to: message), "seed \(seed)") }
          if case .disconnected = outcome { #expect(disconnected) }
        case .answer(let number, let message):
          #expect(peers[index].answering.updateValue((message, true), forKey: number) == nil)
          #expect(peers[index].answering.count <= 4)
        case .stopAnswering(let number):
          #expect(peers[index].answering[number]?.isNeeded == true)
          peers[index].answering[number]?.isNeeded = false
        case .notify, .abort, .dropSilentPeer, .giveUpAnswering:
          Issue.record("\(effect), seed \(seed)")
        }
      }
      if let first = peers[index].asking.values.map(\.deadline).min(), !disconnected {
        // Perhaps earlier, but never later.
        #expect(peers[index].machine.nextDeadline.map { $0 <= first } ?? false, "seed \(seed)")
      }
    }

    func step(asking: Bool) {
      let index = generator.number(in: 0..<2)
      switch generator.number(in: 0..<(asking ? 10 : 6)) {
      case 0, 1, 2:
        guard let frame = peers[index].incoming.popFirst() else { return }
        switch frame {
        case .reply(let number, _), .failure(let number, _): peers[index].outstanding.remove(number)
        case .request, .cancel, .notification, .ping: break
        }
        run(peers[index].machine.handle(.received(frame.encoded), at: now), of: index)
      case 3, 4:
        guard let (number, request) = peers[index].answering.randomElement(using: &generator) else { return }
        peers[index].answering[number] = nil
        let answer: Result<[UInt8], RemoteError> =
          request.isNeeded && !generator.once(in: 5) ? .success(Self.reply(to: request.message)) : .failure(refusal)
        run(peers[index].machine.handle(.answered(number, answer), at: now), of: index)
      case 5:
        now += .milliseconds(generator.number(in: 0..<500))
        for index in 0..<2 {
          guard let deadline = peers[index].machine.nextDeadline, deadline <= now else { continue }
          run(peers[index].machine.handle(.timePassed, at: now), of: index)
          #expect(peers[index].machine.nextDeadline.map { $0 > now } ?? true)
        }
      case 6, 7, 8:
        peers[index].lastNumber += 1
        let number = peers[index].lastNumber
        let message = generator.bytes(count: generator.number(in: 0..<8))
        let deadline = now + .milliseconds(generator.number(in: 0..<20_000))
        peers[index].asking[number] = (message, deadline)
        run(peers[index].machine.handle(.ask(number, message, deadline: deadline), at: now), of: index)
      default:
        let number = UInt64(generator.number(in: 1..<Int(peers[index].lastNumber + 2)))
        run(peers[index].machine.handle(.giveUp(number), at: now), of: index)
      }
    }

    for _ in 0..<600 { step(asking: true) }
    if generator.once(in: 2) {
      // The link is lost: everything is told at once.
      disconnected = true
      for index in 0..<2 { run(peers[index].machine.handle(.ended, at: now), of: index) }
      #expect(peers.allSatisfy { peer in !peer.answering.values.contains { $0.isNeeded } })
    } else {
      // Without anything new all comes to rest.
      for _ in 0..<20_000 where peers.contains(where: { !$0.asking.isEmpty || !$0.outstanding.isEmpty }) { step(asking: false) }
      #expect(peers.allSatisfy { $0.outstanding.isEmpty && $0.answering.isEmpty }, "seed \(seed)")
    }
    #expect(peers.allSatisfy { $0.asking.isEmpty }, "seed \(seed)")
    #expect(peers.allSatisfy { $0.machine.nextDeadline == nil } || !disconnected)
    // A side that keeps to the peer's limit is never refused.
    if !excess { #expect(refused == 0, "seed \(seed)") }
  }

  @Test(arguments: 0..<100 as Range<UInt64>)
  func `no frame is too strange`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<50 {
      var machine = machine(asked: 3, answered: 3)
      for number in 1...3 as ClosedRange<UInt64> { _ = machine.handle(.ask(number, [], deadline: after(10)), at: start) }
      var answering: Set<UInt64> = []
      for _ in 0..<20 {
        var frame = [UInt8(generator.number(in: 1..<7))] + [0, 0, 0, 0, 0, 0, 0, UInt8(generator.number(in: 0..<5))]
        frame += generator.bytes(count: generator.number(in: 0..<10))
        if generator.once(in: 8) { frame.removeLast(generator.number(in: 1..<frame.count)) }
        let effects = machine.handle(.received(frame), at: start)
        #expect(effects.count <= 8, "seed \(seed)")
        for case .answer(let number, _) in effects { answering.insert(number) }
        if generator.once(in: 3), let number = answering.popFirst() {
          _ = machine.handle(.answered(number, .success([])), at: start)
        }
        #expect(answering.count <= 3, "seed \(seed)")
      }
    }
  }
}
