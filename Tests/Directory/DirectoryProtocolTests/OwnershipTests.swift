import Testing
import _BonjourishBase

@testable import _BonjourishDirectoryProtocol

/// The owner's side: the lease, the writes, the fence.
@Suite struct OwnershipTests {
  private var bench = OwnershipBench()
  private static let wrong = JetStreamAnswer.refused(JetStreamFailure(code: 400, kind: 10_071, text: "wrong last sequence: 9"))
  private static let away = JetStreamFailure(code: 0, kind: 0, text: "away")

  @Test mutating func `the lease is written first, then the value, and then each change at most once a second`() {
    #expect(
      bench.machine.start(at: bench.now) == [
        .list(number: 1), .renew(number: 1, key: "world.owner.0000000000000007", lease: .seconds(13)),
      ])
    #expect(bench.put("m", [1]).isEmpty)
    #expect(bench.stored(1, 5) == [.put(number: 2, key: "world.value.m", [1], owner: 7, expected: 0)])
    #expect(bench.stored(2, 6) == [.changed("m", .owned(stored: 1))])
    // Two changes within the second: the newer one is written.
    #expect(bench.put("m", [2]).isEmpty)
    #expect(bench.put("m", [3]).isEmpty)
    // Not newer.
    #expect(bench.put("m", [2]).isEmpty)
    #expect(bench.pass(.milliseconds(900)).filter(\.isValue).isEmpty)
    let later = bench.pass(.milliseconds(200)).filter(\.isValue)
    #expect(later.map(\.written) == [[3]])
    #expect(later.map(\.expected) == [6])
    #expect(bench.stored(later[0].number!, 7) == [.changed("m", .owned(stored: 3))])
  }

  @Test mutating func `an unchanged value is not written, but before it is forgotten`() {
    bench.own("m")
    #expect(bench.passRenewing(.seconds(149)).filter(\.isValue).isEmpty)
    #expect(bench.passRenewing(.seconds(2)).filter(\.isValue).map(\.written) == [[1]])
  }

  @Test mutating func `a lease that nobody confirms ends a second before others may take the values`() {
    bench.own("m")
    #expect(bench.pass(.milliseconds(11_900)).filter(\.isChange).isEmpty)
    #expect(bench.machine.holdsLease(at: bench.now))
    #expect(bench.pass(.milliseconds(100)).filter(\.isChange) == [.changed("m", .doubtful)])
    #expect(!bench.machine.holdsLease(at: bench.now))
    // Nothing is written without a lease.
    #expect(bench.put("m", [2]).isEmpty)
    #expect(bench.pass(.seconds(3)).filter(\.isValue).isEmpty)
  }

  @Test mutating func `an election of nine seconds passes unnoticed`() {
    bench.own("m")
    // The last lease that is confirmed is a second old when nobody answers any more.
    var effects = bench.pass(.seconds(10))
    let lease = bench.pass(.seconds(1)).compactMap(\.leaseNumber).last!
    effects += bench.pass(.milliseconds(900))
    effects += bench.stored(lease, 7)
    let listing = bench.machine.listing.number
    effects += bench.machine.listed(listing, .done(["num_pending": 0]), at: bench.now)
    effects += bench.passRenewing(.seconds(20), listing: listing)
    #expect(effects.filter(\.isChange).isEmpty)
    #expect(effects.filter(\.isHealth).isEmpty)
  }

  @Test mutating func `an answer to a lease counts from when it was sent`() {
    bench.own("m")
    let lease = bench.pass(.seconds(1)).compactMap(\.leaseNumber).last!
    _ = bench.pass(.milliseconds(10_900))
    _ = bench.stored(lease, 7)
    // Sent at 1 s, confirmed at 11.9 s: it ends at 13 s.
    #expect(bench.pass(.seconds(1)).filter(\.isChange).isEmpty)
    #expect(bench.pass(.milliseconds(150)).filter(\.isChange) == [.changed("m", .doubtful)])
  }

  @Test mutating func `an owner in doubt whose value nobody took goes on`() {
    bench.own("m")
    _ = bench.pass(.seconds(12))
    let lease = bench.pass(.seconds(1)).compactMap(\.leaseNumber).last!
    let writes = bench.stored(lease, 7).filter(\.isValue)
    #expect(writes.map(\.expected) == [6])
    #expect(bench.stored(writes[0].number!, 8) == [.changed("m", .owned(stored: 1))])
  }

  @Test mutating func `a paused owner finds out before it writes, and is told that it has lost`() {
    bench.own("m")
    // No event for a minute, as with SIGSTOP; then the program puts before anything else happens.
    bench.now += .seconds(60)
    #expect(bench.put("m", [2]) == [.changed("m", .doubtful)])
    let lease = bench.pass(.zero).compactMap(\.leaseNumber).last!
    let write = bench.stored(lease, 50).first(where: \.isValue)!
    #expect(write.expected == 6)
    let read = bench.machine.answered(write.number!, Self.wrong, at: bench.now)
    #expect(read == [.read(number: write.number! + 1, key: "world.value.m")])
    let lost = bench.found(write.number! + 1, .value(owner: 8, revision: 40, bytes: [9]))
    #expect(lost == [.changed("m", .lost)])
    #expect(bench.passRenewing(.seconds(5)).filter(\.isValue).isEmpty)
  }

  @Test mutating func `a value whose first write is not confirmed is doubtful with the lease, because others may have it`() {
    bench.begin()
    let write = bench.put("m", [1])[0]
    _ = bench.put("n", [1])
    _ = bench.machine.answered(write.number! + 1, .refused(Self.away), at: bench.now)
    // Refused means that nobody can have it.
    #expect(bench.pass(.seconds(12)).filter(\.isChange) == [.changed("m", .doubtful)])
    let lease = bench.pass(.seconds(1)).compactMap(\.leaseNumber).last!
    let read = bench.stored(lease, 7).filter(\.isRead)[0]
    #expect(bench.found(read.number!, .value(owner: 8, revision: 9, bytes: [1])) == [.changed("m", .lost)])
  }

  @Test mutating func `a late answer to an old lease proves nothing`() {
    bench.own("m")
    let lease = bench.pass(.seconds(1)).compactMap(\.leaseNumber).last!
    bench.now += .seconds(60)
    #expect(bench.stored(lease, 7) == [.changed("m", .doubtful)])
    #expect(!bench.machine.holdsLease(at: bench.now))
  }

  @Test mutating func `a write whose answer was lost is found again`() {
    bench.own("m")
    _ = bench.put("m", [2])
    _ = bench.passRenewing(.seconds(1))
    let read = bench.passRenewing(Ownership.timeout + .seconds(1)).first(where: \.isRead)!
    let again = bench.found(read.number!, .value(owner: 7, revision: 9, bytes: [2]))
    #expect(again.map(\.expected) == [9])
    #expect(bench.stored(again[0].number!, 10) == [.changed("m", .owned(stored: 2))])
  }

  @Test mutating func `a value that somebody else created is lost`() {
    bench.begin()
    let write = bench.put("m", [1])[0]
    let read = bench.machine.answered(write.number!, Self.wrong, at: bench.now)[0]
    #expect(bench.found(read.number!, .value(owner: 8, revision: 3, bytes: [4])) == [.changed("m", .lost)])
  }

  @Test mutating func `a value that a successor has finished is not created again`() {
    for reading in [Ownership.Reading.none, .deleted] {
      bench = OwnershipBench()
      bench.own("m")
      bench.now += .seconds(60)
      let lease = bench.pass(.zero).compactMap(\.leaseNumber).last!
      let write = bench.stored(lease, 50).first(where: \.isValue)!
      let read = bench.machine.answered(write.number!, Self.wrong, at: bench.now)[0]
      #expect(bench.found(read.number!, reading) == [.changed("m", .lost)])
    }
  }

  @Test mutating func `a value that the directory has lost is created again while the lease lasts`() {
    bench.own("m")
    _ = bench.put("m", [2])
    let write = bench.passRenewing(.seconds(1)).first(where: \.isValue)!
    let read = bench.machine.answered(write.number!, Self.wrong, at: bench.now)[0]
    #expect(bench.found(read.number!, .none).map(\.expected) == [0])
  }

  @Test mutating func `a refusal for ever is told once, and the next version is tried`() {
    bench.begin()
    let write = bench.put("m", [1])[0]
    let failure = JetStreamFailure(code: 400, kind: 10_054, text: "message size exceeds maximum allowed")
    #expect(bench.machine.answered(write.number!, .refused(failure), at: bench.now) == [.changed("m", .failed(failure))])
    #expect(bench.passRenewing(.seconds(3)).filter(\.isValue).isEmpty)
    #expect(bench.put("m", [2]).filter(\.isValue).map(\.written) == [[2]])
  }

  @Test mutating func `a lost connection ends the lease, and what was under way is looked at`() {
    bench.own("m")
    _ = bench.put("m", [2])
    #expect(bench.passRenewing(.seconds(1)).filter(\.isValue).isEmpty == false)
    _ = bench.machine.disconnect(Self.away, at: bench.now)
    #expect(bench.pass(.seconds(3)).isEmpty)
    let lease = bench.machine.start(at: bench.now).compactMap(\.leaseNumber)[0]
    #expect(bench.stored(lease, 9).filter(\.isRead).count == 1)
  }

  @Test mutating func `a finished value is removed, also while it is written`() {
    bench.own("m")
    #expect(bench.machine.remove("m", at: bench.now) == [.delete(key: "world.value.m", expected: 6)])
    bench.own("n", revision: 8)
    _ = bench.put("n", [2])
    let write = bench.passRenewing(.seconds(1)).first(where: \.isValue)!
    #expect(bench.machine.remove("n", at: bench.now).isEmpty)
    #expect(bench.stored(write.number!, 11).last == .delete(key: "world.value.n", expected: 11))
  }

  @Test mutating func `a released value belongs to nobody, and what ends releases all`() {
    bench.own("m")
    let released = bench.machine.release("m", at: bench.now)
    guard case .put(_, "world.value.m", [1], owner: 0, expected: 6)? = released.first else {
      Issue.record("\(released)")
      return
    }
    bench.own("n", revision: 8)
    _ = bench.put("n", [2])
    let end = bench.machine.end(at: bench.now)
    #expect(end.map(\.written) == [[2], nil])
    #expect(end.last == .delete(key: "world.owner.0000000000000007", expected: nil))
    #expect(bench.pass(.seconds(4)).isEmpty)
  }
}
