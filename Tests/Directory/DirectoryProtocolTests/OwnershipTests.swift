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

/// A machine with a clock of its own.
struct OwnershipBench {
  var machine: Ownership
  var now = ContinuousClock.now
  private var revision: UInt64 = 1_000
  private var sequence: UInt64 = 0

  init(_ limits: Ownership.Limits = .init()) {
    machine = Ownership(owner: 7, in: Region("world")!, of: Bucket("b")!, limits: limits)
  }

  /// Connects, with a lease, to a directory without values.
  mutating func begin() {
    let lease = machine.start(at: now).compactMap(\.leaseNumber)[0]
    _ = stored(lease, 5)
    _ = machine.listed(1, .done(["num_pending": 0]), at: now)
  }

  /// Creates a value of one byte, 1.
  mutating func own(_ name: String, revision: UInt64 = 6) {
    if !machine.holdsLease(at: now) { begin() }
    let write = put(name, [1]).first(where: \.isValue)!
    _ = stored(write.number!, revision)
  }

  /// Puts a value whose version is its byte.
  mutating func put(_ name: String, _ bytes: [UInt8]) -> [Ownership.Effect] {
    machine.put(name, bytes, version: UInt64(bytes[0]), at: now)
  }

  mutating func stored(_ number: UInt64, _ revision: UInt64) -> [Ownership.Effect] {
    machine.answered(number, .stored(revision), at: now)
  }

  mutating func found(_ number: UInt64, _ reading: Ownership.Reading) -> [Ownership.Effect] {
    machine.found(number, reading, at: now)
  }

  /// Lets time pass, deadline by deadline. Nothing is answered.
  mutating func pass(_ time: Duration) -> [Ownership.Effect] {
    let end = now + time
    var effects: [Ownership.Effect] = []
    while let next = machine.nextDeadline, next <= end {
      now = max(now, next)
      effects += machine.advance(to: now)
    }
    now = end
    return effects
  }

  /// Lets time pass with a server that confirms leases, tells them, and sends heartbeats.
  ///
  /// - Parameter tells: Whether the watch keeps up.
  mutating func passRenewing(_ time: Duration, listing: UInt64 = 1, tells: Bool = true) -> [Ownership.Effect] {
    let end = now + time
    var effects: [Ownership.Effect] = []
    while now < end {
      let step = pass(min(.milliseconds(250), end - now))
      effects += step
      for number in step.compactMap(\.leaseNumber) {
        revision += 1
        effects += stored(number, revision)
        if tells { effects += see("world.owner.0000000000000007", owner: 7, revision: revision, listing: listing) }
      }
      effects += beat(listing: listing)
    }
    return effects
  }

  /// A heartbeat of the server.
  mutating func beat(listing: UInt64 = 1) -> [Ownership.Effect] {
    machine.received(DirectoryMessage(status: 100, headers: ["Nats-Last-Consumer": "\(sequence)"]), listing, at: now)
  }

  /// A message of the watch.
  mutating func see(
    _ key: String, owner: UInt64?, revision: UInt64 = 1, isDeletion: Bool = false, listing: UInt64 = 1, lease: String? = nil
  ) -> [Ownership.Effect] {
    sequence += 1
    var headers: [String: String] = isDeletion ? ["KV-Operation": "DEL"] : [:]
    headers["Bonjourish-Owner"] = owner?.digits
    headers["Bonjourish-Lease"] = lease
    let message = DirectoryMessage(
      subject: "$KV.b.\(key)", reply: "$JS.ACK.KV_b.c.1.\(revision).\(sequence).\(1_795_393_610_000_000_000 + revision).0",
      headers: headers)
    return machine.received(message, listing, at: now)
  }

  /// Begins another listing.
  mutating func restart() { sequence = 0 }
}

extension Ownership.Effect {
  var number: UInt64? {
    switch self {
    case .put(let number, _, _, _, _), .read(let number, _), .renew(let number, _, _): number
    default: nil
    }
  }

  var isValue: Bool { if case .put(_, let key, _, _, _) = self { key.hasPrefix("world.value.") } else { false } }
  var isRead: Bool { if case .read = self { true } else { false } }
  var isChange: Bool { if case .changed = self { true } else { false } }
  var written: [UInt8]? { if case .put(_, _, let bytes, _, _) = self { bytes } else { nil } }
  var expected: UInt64? { if case .put(_, _, _, _, let expected) = self { expected } else { nil } }

  var leaseNumber: UInt64? { if case .renew(let number, _, _) = self { number } else { nil } }

  var isHealth: Bool {
    switch self {
    case .usable, .unusable: true
    default: false
    }
  }
}
