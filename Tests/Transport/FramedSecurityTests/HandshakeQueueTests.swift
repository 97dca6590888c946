import Testing
import _BonjourishEventLoop

@testable import FramedSecurity

/// Confined to the loop.
private final class Record: @unchecked Sendable {
  var steps: [(worker: Int, tick: UInt64)] = []
  /// The number of steps that had been taken when the end of a tick came.
  var stepsAtEndOfTick: [Int] = []
}

private final class Worker: HandshakeWorker {
  let takeTurn: () -> Void

  init(_ takeTurn: @escaping () -> Void) {
    self.takeTurn = takeTurn
  }

  func takeStep() { takeTurn() }
}

struct HandshakeQueueTests {
  @Test func `one step is taken in each tick, in order, after everything else`() async throws {
    let loop = try EventLoop(name: "test")
    let record = Record()
    await withCheckedContinuation { done in
      loop.execute {
        let queue = HandshakeQueue(on: loop)
        for number in 0..<200 {
          queue.add(
            Worker {
              record.steps.append((number, loop.tick))
              loop.execute { loop.atEndOfTick { record.stepsAtEndOfTick.append(record.steps.count) } }
              if number == 199 { loop.execute { done.resume() } }
            }, isUnderWay: false)
        }
        // Later than the first worker, and done before it.
        loop.atEndOfTick { record.stepsAtEndOfTick.append(record.steps.count) }
      }
    }
    await loop.shutdown()
    #expect(record.steps.map(\.worker) == Array(0..<200))
    #expect(zip(record.steps, record.steps.dropFirst()).allSatisfy { $0.tick < $1.tick }, "two steps in one tick")
    #expect(record.stepsAtEndOfTick.prefix(100) == Array(0..<100)[...])
  }

  @Test func `a worker can wait again, and an empty queue can be used again`() async throws {
    let loop = try EventLoop(name: "test")
    let record = Record()
    for round in 1...3 {
      await withCheckedContinuation { done in
        loop.execute {
          let queue = HandshakeQueue(on: loop)
          var rest = 100
          var again: (() -> Void)?
          let worker = Worker { again?() }
          again = {
            record.steps.append((round, loop.tick))
            rest -= 1
            if rest > 0 {
              queue.add(worker, isUnderWay: rest % 2 == 0)
            } else {
              again = nil
              loop.execute { done.resume() }
            }
          }
          queue.add(worker, isUnderWay: rest % 2 == 0)
        }
      }
      #expect(record.steps.count == round * 100)
    }
    await loop.shutdown()
  }

  @Test func `handshakes that are under way go on before others begin`() async throws {
    let loop = try EventLoop(name: "test")
    let record = Record()
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      loop.execute {
        let queue = HandshakeQueue(on: loop)
        func add(_ number: Int, isUnderWay: Bool) {
          let worker = Worker {
            record.steps.append((number, loop.tick))
            // The first three go on, each behind who is under way.
            if number < 3 { add(number + 100, isUnderWay: true) }
            if record.steps.count == 203 { loop.execute { done.resume() } }
          }
          queue.add(worker, isUnderWay: isUnderWay)
        }
        for number in 0..<200 { add(number, isUnderWay: false) }
      }
    }
    await loop.shutdown()
    #expect(record.steps.prefix(7).map(\.worker) == [0, 100, 1, 101, 2, 102, 3])
    #expect(record.steps.count == 203 && record.steps.last?.worker == 199)
  }
}
