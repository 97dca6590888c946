import FramedCoding
import TestSupport
import Testing
import _BonjourishBase

@testable import FramedTransport

/// Two peers with random commands, and random frames.
extension RequestMachineTests {
  /// What a request is answered with, so that an answer tells whose it is.
  static func reply(to message: [UInt8]) -> [UInt8] { message.reversed() + [1] }

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
        case .deliver, .permit, .notify, .abort, .dropSilentPeer, .giveUpAnswering:
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
        case .request, .cancel, .notification, .ping, .terms, .item, .credit, .end: break
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
