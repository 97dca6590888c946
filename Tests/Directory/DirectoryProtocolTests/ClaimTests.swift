import Testing
import _BonjourishDirectoryProtocol
import _BonjourishDiscovery

@Suite struct ClaimTests {
  let start = ContinuousClock.now
  var claim = Claim([1], Succession(publisher: 7), lease: .standard, seed: 1)

  static let wrong = JetStreamAnswer.refused(JetStreamFailure(code: 400, kind: 10_071, text: "wrong last sequence: 9"))
  private static let nobody = JetStreamFailure(code: 503, kind: 0, text: "nobody answers there")

  @Test mutating func `a free name is created, written again within 20 s, and removed`() {
    #expect(claim.start(at: start) == [.put(number: 1, [1], expected: 0)])
    #expect(claim.answered(1, .stored(5), at: start) == [.held(revision: 5)])
    let renewal = claim.nextDeadline! - start
    #expect((.seconds(16)...(.seconds(20))).contains(renewal))
    #expect(claim.advance(to: start + renewal) == [.put(number: 2, [1], expected: 5)])
    #expect(claim.answered(2, .stored(9), at: start + renewal) == [.held(revision: 9)])
    #expect(claim.leave() == [.delete(expected: 9), .ended])
    #expect(claim.nextDeadline == nil)
  }

  @Test mutating func `a name that another has is taken, and never written`() {
    _ = claim.start(at: start)
    #expect(claim.answered(1, Self.wrong, at: start) == [.read(number: 2)])
    #expect(claim.found(2, .record(owner: 8, revision: 9), at: start) == [.taken])
    #expect(claim.leave().isEmpty)
  }

  @Test mutating func `a name that may not be written fails, and is not taken for somebody else's`() {
    let failure = JetStreamFailure(DirectoryMessage(subject: "$KV.b.world.m", status: 403), status: 403)
    _ = claim.start(at: start)
    #expect(claim.answered(1, .refused(failure), at: start) == [.failed(failure)])
    #expect(claim.nextDeadline == nil)
  }

  @Test mutating func `whoever gets no answer to a write is not told that another has the name`() {
    _ = claim.start(at: start)
    #expect(claim.advance(to: start + .seconds(5)) == [.read(number: 2)])
    #expect(claim.found(2, .record(owner: 8, revision: 9), at: start + .seconds(5)) == [.put(number: 3, [1], expected: 0)])
    #expect(claim.answered(3, Self.wrong, at: start + .seconds(5)) == [.read(number: 4)])
    #expect(claim.found(4, .record(owner: 8, revision: 9), at: start + .seconds(5)) == [.taken])
  }

  @Test mutating func `what a stranger wrote without sense is taken too`() {
    _ = claim.start(at: start)
    _ = claim.answered(1, Self.wrong, at: start)
    #expect(claim.found(2, .record(owner: nil, revision: 9), at: start) == [.taken])
  }

  @Test mutating func `a directory that is full is told in words, and tried again`() {
    _ = claim.start(at: start)
    let said = #"{"error":{"code":503,"err_code":10077,"description":"maximum bytes exceeded"},"stream":"KV_b","seq":0}"#
    let effects = claim.answered(1, JetStreamAnswer(DirectoryMessage(data: Array(said.utf8))), at: start)
    let failure = JetStreamFailure(code: 503, kind: 10_077, text: "the directory is full (maximum bytes exceeded)")
    #expect(effects == [.interrupted(failure)])
    #expect(claim.nextDeadline != nil)
  }

  @Test mutating func `the record of a predecessor is replaced at once, but not taken back from a successor`() {
    claim = Claim([1], Succession(publisher: 7, after: 8), lease: .standard, seed: 1)
    _ = claim.start(at: start)
    _ = claim.answered(1, Self.wrong, at: start)
    #expect(claim.found(2, .record(owner: 8, revision: 9), at: start) == [.put(number: 3, [1], expected: 9)])
    #expect(claim.answered(3, .stored(10), at: start) == [.held(revision: 10)])
    // The predecessor has taken it again, which honest ones do not.
    _ = claim.advance(to: start + .seconds(20))
    _ = claim.answered(4, Self.wrong, at: start + .seconds(20))
    #expect(claim.found(5, .record(owner: 8, revision: 12), at: start) == [.taken])
  }

  @Test mutating func `the record of anybody but the predecessor is taken`() {
    claim = Claim([1], Succession(publisher: 7, after: 8), lease: .standard, seed: 1)
    _ = claim.start(at: start)
    _ = claim.answered(1, Self.wrong, at: start)
    #expect(claim.found(2, .record(owner: 9, revision: 9), at: start) == [.taken])
  }

  @Test mutating func `a deleted name is free`() {
    _ = claim.start(at: start)
    _ = claim.answered(1, Self.wrong, at: start)
    #expect(claim.found(2, .deleted(revision: 9), at: start) == [.put(number: 3, [1], expected: 9)])
  }

  @Test mutating func `an own record whose answer was lost is found again`() {
    _ = claim.start(at: start)
    #expect(claim.advance(to: start + Claim.timeout) == [.read(number: 2)])
    // The late answer to the first request is none to the second.
    #expect(claim.answered(1, .stored(3), at: start).isEmpty)
    #expect(claim.found(2, .record(owner: 7, revision: 3), at: start) == [.put(number: 3, [1], expected: 3)])
  }

  @Test mutating func `a write without an answer is looked into at once, however many there were before`() {
    _ = claim.start(at: start)
    #expect(claim.answered(1, .stored(5), at: start) == [.held(revision: 5)])
    for turn in 0..<10 as Range<UInt64> {
      let number = 2 + turn * 3
      #expect(claim.advance(to: claim.nextDeadline!) == [.put(number: number, [1], expected: 5 + turn)])
      let now = claim.nextDeadline!
      #expect(claim.advance(to: now) == [.read(number: number + 1)])
      let found = claim.found(number + 1, .record(owner: 7, revision: 5 + turn), at: now)
      #expect(found == [.put(number: number + 2, [1], expected: 5 + turn)])
      #expect(claim.answered(number + 2, .stored(6 + turn), at: now) == [.held(revision: 6 + turn)])
    }
  }

  @Test mutating func `a holder that was paused for longer than its lease does not overwrite its successor`() {
    _ = claim.start(at: start)
    _ = claim.answered(1, .stored(5), at: start)
    // The record has ended meanwhile, and another has the name now.
    #expect(claim.advance(to: start + .seconds(600)) == [.put(number: 2, [1], expected: 5)])
    #expect(claim.answered(2, Self.wrong, at: start) == [.read(number: 3)])
    #expect(claim.found(3, .record(owner: 8, revision: 6), at: start) == [.taken])
  }

  @Test mutating func `a record that has ended is created again`() {
    _ = claim.start(at: start)
    _ = claim.answered(1, .stored(5), at: start)
    _ = claim.advance(to: start + .seconds(600))
    _ = claim.answered(2, Self.wrong, at: start)
    #expect(claim.found(3, .none, at: start) == [.put(number: 4, [1], expected: 0)])
  }

  @Test mutating func `a new value is written at once, or after the write that is under way`() {
    _ = claim.start(at: start)
    #expect(claim.update([2], at: start).isEmpty)
    #expect(claim.answered(1, .stored(5), at: start) == [.held(revision: 5), .put(number: 2, [2], expected: 5)])
    _ = claim.answered(2, .stored(6), at: start)
    #expect(claim.update([2], at: start).isEmpty)
    #expect(claim.update([3], at: start) == [.put(number: 3, [3], expected: 6)])
  }

  @Test mutating func `a name that is given up while it is being written is removed afterwards`() {
    _ = claim.start(at: start)
    #expect(claim.leave().isEmpty)
    #expect(claim.answered(1, .stored(5), at: start) == [.delete(expected: 5), .ended])
  }

  @Test mutating func `a directory that does not answer is an interruption, once, and asked until it answers`() {
    _ = claim.start(at: start)
    #expect(claim.answered(1, .refused(Self.nobody), at: start) == [.interrupted(Self.nobody)])
    var now = start
    var reads = 0
    for _ in 0..<6 {
      let pause = claim.nextDeadline! - now
      #expect((.milliseconds(500)...(.seconds(8))).contains(pause))
      now = claim.nextDeadline!
      guard case .read(let number)? = claim.advance(to: now).first else { break }
      reads += 1
      #expect(claim.found(number, .refused(Self.nobody), at: now).isEmpty)
    }
    #expect(reads == 6)
    now = claim.nextDeadline!
    guard case .read(let number)? = claim.advance(to: now).first else { return }
    #expect(claim.found(number, .none, at: now) == [.reachable])
    #expect(claim.nextDeadline == nil)
  }

  @Test mutating func `when the bucket is there again, no answer to a request of before is waited for`() {
    _ = claim.start(at: start)
    #expect(claim.bucketReturned(at: start).isEmpty, "a write that is under way")
    #expect(claim.answered(1, .refused(Self.nobody), at: start) == [.interrupted(Self.nobody)])
    let asked = claim.nextDeadline!
    #expect(claim.advance(to: asked) == [.read(number: 2)])
    // A bucket that is being made drops what is asked.
    #expect(claim.bucketReturned(at: asked + .milliseconds(200)) == [.read(number: 3)])
    #expect(claim.found(2, .none, at: asked + .milliseconds(300)).isEmpty)
    #expect(claim.found(3, .none, at: asked + .milliseconds(300)) == [.reachable])
    #expect(claim.bucketReturned(at: asked + .seconds(1)).isEmpty, "a claim that has ended")
  }

  @Test mutating func `a claim that waits to try again tries at once when the bucket is there`() {
    _ = claim.start(at: start)
    _ = claim.answered(1, .refused(Self.nobody), at: start)
    #expect(claim.bucketReturned(at: start + .milliseconds(100)) == [.read(number: 2)])
  }

  @Test mutating func `silence is an interruption after two requests`() {
    _ = claim.start(at: start)
    #expect(claim.advance(to: start + .seconds(5)) == [.read(number: 2)])
    #expect(claim.advance(to: start + .seconds(10)) == [.interrupted(Claim.noAnswer)])
  }

  @Test mutating func `a refusal that stays is a failure`() {
    _ = claim.start(at: start)
    let failure = JetStreamFailure(code: 400, kind: 10_054, text: "message size exceeds maximum allowed")
    #expect(claim.answered(1, .refused(failure), at: start) == [.failed(failure)])
    #expect(claim.nextDeadline == nil)
  }

  @Test mutating func `a key that others create and delete in turn does not keep this side busy`() {
    _ = claim.start(at: start)
    var requests: UInt64 = 1
    while requests < 100 {
      guard case .read(let number)? = claim.answered(requests, Self.wrong, at: start).first else { break }
      guard case .put(let next, _, _)? = claim.found(number, .none, at: start).first else { break }
      requests = next
    }
    #expect(requests < 12)
    #expect(claim.nextDeadline! > start)
  }
}
