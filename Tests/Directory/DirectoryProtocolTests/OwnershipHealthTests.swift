import Testing
import _BonjourishBase

@testable import _BonjourishDirectoryProtocol

/// What a program is told about owning values at all.
@Suite struct OwnershipHealthTests {
  private var bench = OwnershipBench()
  private static let forbidden = JetStreamFailure(DirectoryMessage(subject: "$KV.b.world.owner.1", status: 403), status: 403)

  private mutating func start() -> UInt64 { bench.machine.start(at: bench.now).compactMap(\.leaseNumber)[0] }

  @Test mutating func `it is told once that values can be kept, when the lease is confirmed and everything is listed`() {
    let lease = start()
    #expect(bench.stored(lease, 5).filter(\.isHealth).isEmpty)
    #expect(bench.machine.listed(1, .done(["num_pending": 0]), at: bench.now) == [.usable])
    #expect(bench.passRenewing(.seconds(60)).filter(\.isHealth).isEmpty)
  }

  @Test mutating func `a missing permission is told at once and once, and that it was given`() {
    let lease = start()
    #expect(bench.machine.answered(lease, .refused(Self.forbidden), at: bench.now) == [.unusable(Self.forbidden)])
    _ = bench.machine.listed(1, .done(["num_pending": 0]), at: bench.now)
    for _ in 0..<20 {
      let next = bench.pass(.seconds(1))
      #expect(next.filter(\.isHealth).isEmpty)
      for number in next.compactMap(\.leaseNumber) {
        #expect(bench.machine.answered(number, .refused(Self.forbidden), at: bench.now).isEmpty)
      }
    }
    let restart = bench.machine.start(at: bench.now).compactMap(\.leaseNumber)[0]
    _ = bench.machine.listed(bench.machine.listing.number, .done(["num_pending": 0]), at: bench.now)
    #expect(bench.stored(restart, 9).filter(\.isHealth) == [.usable])
  }

  @Test mutating func `a watch that is refused is told, too`() {
    let lease = start()
    #expect(bench.machine.listed(1, .refused(Self.forbidden), at: bench.now) == [.unusable(Self.forbidden)])
    #expect(bench.stored(lease, 5).filter(\.isHealth).isEmpty)
  }

  @Test mutating func `a bucket without room is told once, and that there is room, and orphans are sought all the while`() {
    bench.begin()
    let full = JetStreamFailure(code: 503, kind: JetStreamFailure.storeFailed, text: "maximum bytes exceeded")
    let write = bench.put("m", [1]).first(where: \.isValue)!
    #expect(bench.machine.answered(write.number!, .refused(full), at: bench.now) == [.unusable(full)])
    _ = bench.see("world.value.other", owner: 0, revision: 40)
    var later = bench.passRenewing(.seconds(1))
    #expect(later.contains { if case .read(_, "world.value.other") = $0 { true } else { false } })
    for _ in 0..<20 {
      for number in later.filter({ $0.isValue || $0.isRead }).compactMap(\.number) {
        later = bench.found(number, .none)
        for number in later.filter(\.isValue).compactMap(\.number) {
          let told = bench.machine.answered(number, .refused(full), at: bench.now)
          #expect(told.filter { $0.isHealth || $0 == .missing }.isEmpty)
        }
      }
      later = bench.passRenewing(.seconds(1))
      #expect(later.filter(\.isHealth).isEmpty)
    }
    for number in later.filter(\.isRead).compactMap(\.number) { later += bench.found(number, .none) }
    let last = later.last(where: \.isValue)!
    #expect(bench.stored(last.number!, 60).contains(.usable))
  }

  @Test mutating func `silence is told after five seconds at the beginning, and later when the lease is over`() {
    _ = start()
    #expect(bench.pass(.milliseconds(4_900)).filter(\.isHealth).isEmpty)
    #expect(bench.pass(.milliseconds(200)).filter(\.isHealth) == [.unusable(Claim.noAnswer)])
    bench = OwnershipBench()
    bench.own("m")
    let later = bench.pass(.seconds(11))
    #expect(later.filter(\.isHealth).isEmpty)
    #expect(bench.pass(.seconds(20)).filter(\.isHealth) == [.unusable(Claim.noAnswer)])
  }

  @Test mutating func `a bucket that cannot be used is told at once, and that it can be again, however short that was`() {
    let missing = JetStreamFailure(code: 404, kind: 10_059, text: "stream not found")
    // Before it was there once, also what may be an election.
    let electing = JetStreamFailure(code: 503, kind: 10_008, text: "JetStream system temporarily unavailable")
    #expect(bench.machine.bucketFailed(electing, at: bench.now) == [.unusable(electing)])
    #expect(bench.machine.bucketFailed(electing, at: bench.now).isEmpty)
    #expect(bench.machine.bucketFailed(missing, at: bench.now) == [.unusable(missing)])
    for _ in 0..<2 {
      let lease = start()
      let listed = bench.machine.listed(bench.machine.listing.number, .done(["num_pending": 0]), at: bench.now)
      #expect((listed + bench.stored(lease, 5)).filter(\.isHealth) == [.usable])
      // The lease still counts.
      _ = bench.pass(.seconds(1))
      #expect(bench.machine.bucketFailed(missing, at: bench.now) == [.unusable(missing)])
      #expect(bench.pass(.seconds(1)).filter(\.isHealth).isEmpty)
    }
  }

  @Test mutating func `an election of the bucket's servers is told only when it takes too long`() {
    bench.own("m")
    let electing = JetStreamFailure(code: 503, kind: 10_008, text: "JetStream system temporarily unavailable")
    #expect(bench.machine.bucketFailed(electing, at: bench.now).isEmpty)
    #expect(bench.pass(.seconds(11)).filter(\.isHealth).isEmpty)
    #expect(bench.machine.bucketFailed(electing, at: bench.now).isEmpty)
    #expect(bench.pass(.seconds(20)).filter(\.isHealth) == [.unusable(electing)])
  }

  @Test mutating func `a lost connection is nothing to tell`() {
    _ = start()
    let failure = JetStreamFailure(code: 0, kind: 0, text: "away")
    #expect(bench.machine.disconnect(failure, at: bench.now).filter(\.isHealth).isEmpty)
    #expect(bench.pass(.seconds(60)).filter(\.isHealth).isEmpty)
  }
}
