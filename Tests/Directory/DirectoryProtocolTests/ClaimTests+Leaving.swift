import Testing
import _BonjourishDirectoryProtocol
import _BonjourishDiscovery

/// A claim that is given up, or changed, whatever it does at that time.
extension ClaimTests {
  private static let nobody = JetStreamFailure(code: 503, kind: 0, text: "nobody answers there")

  @Test mutating func `a claim that waits for an answer to its last write ends when it is refused, or late`() {
    for isLate in [true, false] {
      claim = Claim([1], Succession(publisher: 7), lease: .standard, seed: 1)
      _ = claim.start(at: start)
      #expect(claim.leave().isEmpty && claim.leave().isEmpty)
      if isLate {
        #expect(claim.advance(to: start + .milliseconds(4_999)).isEmpty)
        #expect(claim.advance(to: start + .seconds(5)) == [.ended])
      } else {
        #expect(claim.answered(1, Self.wrong, at: start) == [.ended])
      }
      #expect(claim.nextDeadline == nil && claim.leave().isEmpty)
      #expect(claim.answered(1, .stored(5), at: start).isEmpty)
    }
  }

  @Test mutating func `a claim that reads or waits ends at once, and removes only what it had`() {
    _ = claim.start(at: start)
    _ = claim.answered(1, Self.wrong, at: start)
    #expect(claim.leave() == [.ended] && claim.nextDeadline == nil)
    #expect(claim.found(2, .none, at: start).isEmpty)
    claim = Claim([1], Succession(publisher: 7), lease: .standard, seed: 1)
    _ = claim.start(at: start)
    _ = claim.answered(1, .stored(5), at: start)
    _ = claim.advance(to: claim.nextDeadline!)
    #expect(claim.answered(2, .refused(Self.nobody), at: start) == [.interrupted(Self.nobody)])
    #expect(claim.leave() == [.delete(expected: 5), .ended] && claim.nextDeadline == nil)
    #expect(claim.advance(to: start + .seconds(600)).isEmpty)
  }

  @Test mutating func `a value that changes while the key is read is written afterwards, once`() {
    _ = claim.start(at: start)
    _ = claim.answered(1, Self.wrong, at: start)
    #expect(claim.update([2], at: start).isEmpty)
    #expect(claim.found(2, .none, at: start) == [.put(number: 3, [2], expected: 0)])
    #expect(claim.answered(3, .stored(4), at: start) == [.held(revision: 4)])
  }

  @Test mutating func `an answer that makes no sense is an interruption`() {
    _ = claim.start(at: start)
    let failure = JetStreamFailure(code: 0, kind: 0, text: "the answer to a write makes no sense")
    #expect(claim.answered(1, .done([:]), at: start) == [.interrupted(failure)])
    // What was written meanwhile is found out, and the claim is over.
    let now = claim.nextDeadline!
    #expect(claim.advance(to: now) == [.read(number: 2)])
    #expect(claim.found(2, .record(owner: 7, revision: 5), at: now) == [.reachable])
    #expect(claim.revision == nil && claim.nextDeadline == nil)
  }

  @Test mutating func `a write that is stored after an interruption ends the claim, which begins anew`() {
    _ = claim.start(at: start)
    #expect(claim.advance(to: start + .seconds(5)) == [.read(number: 2)])
    #expect(claim.found(2, .none, at: start + .seconds(5)) == [.put(number: 3, [1], expected: 0)])
    // The second one without an answer.
    #expect(claim.advance(to: start + .seconds(10)) == [.interrupted(Claim.noAnswer), .read(number: 4)])
    #expect(claim.found(4, .none, at: start + .seconds(10)) == [.reachable])
  }
}
