import DirectoryProtocol
import Escaping
import Testing

/// The side of those who take values over.
@Suite struct OrphanTests {
  private var bench = OwnershipBench()
  private static let wrong = JetStreamAnswer.refused(JetStreamFailure(code: 400, kind: 10_071, text: "wrong last sequence: 9"))

  /// Sees a value of owner 8, and lets it become an orphan.
  private mutating func orphan(_ name: String = "m", revision: UInt64 = 40) -> Ownership.Effect? {
    _ = bench.see("world.value.\(name)", owner: 8, revision: revision)
    return bench.passRenewing(.milliseconds(13_300)).first(where: \.isRead)
  }

  @Test mutating func `the values of an owner that is silent for the lease are orphans, and are taken with their revision`() {
    bench.begin()
    _ = bench.see("world.value.m", owner: 8, revision: 40)
    _ = bench.see("world.owner.0000000000000008", owner: 8, revision: 41)
    #expect(bench.passRenewing(.milliseconds(12_900)).filter(\.isRead).isEmpty)
    let read = bench.passRenewing(.milliseconds(500)).first(where: \.isRead)!
    #expect(bench.found(read.number!, .value(owner: 8, revision: 40, bytes: [4, 2])) == [.orphaned("m", [4, 2])])
    let take = bench.machine.take("m", at: bench.now).first(where: \.isValue)!
    #expect(take.expected == 40)
    #expect(take.written == [4, 2])
    #expect(bench.stored(take.number!, 50) == [.changed("m", .owned(stored: 0))])
    #expect(bench.machine.take("n", at: bench.now) == [.changed("n", .lost)])
  }

  @Test(arguments: [("20000", 20), ("3000", 3), ("2999", 13), ("60001", 13), ("-1", 13), ("x", 13), (nil, 13)])
  mutating func `the lease of a silent owner counts for as long as it says, if it may`(text: String?, seconds: Int) {
    bench.begin()
    _ = bench.see("world.value.m", owner: 8, revision: 40)
    _ = bench.see("world.owner.0000000000000008", owner: 8, revision: 41, lease: text)
    #expect(bench.passRenewing(.seconds(seconds) - .milliseconds(100)).filter(\.isRead).isEmpty)
    #expect(bench.passRenewing(.milliseconds(500)).filter(\.isRead).count == 1)
  }

  @Test mutating func `an owner that writes its lease keeps its values`() {
    bench.begin()
    _ = bench.see("world.value.m", owner: 8, revision: 40)
    for second in 0..<20 {
      _ = bench.see("world.owner.0000000000000008", owner: 8, revision: 41 + UInt64(second))
      #expect(bench.passRenewing(.seconds(1)).filter(\.isRead).isEmpty)
    }
  }

  @Test mutating func `an owner that ends leaves its values at once, and so does a value that belongs to nobody`() {
    bench.begin()
    _ = bench.see("world.owner.0000000000000008", owner: 8, revision: 40)
    _ = bench.see("world.value.m", owner: 8, revision: 41)
    _ = bench.see("world.owner.0000000000000008", owner: nil, revision: 42, isDeletion: true)
    #expect(bench.passRenewing(.milliseconds(300)).filter(\.isRead).isEmpty == false)
    _ = bench.see("world.value.n", owner: 0, revision: 43)
    #expect(bench.passRenewing(.milliseconds(300)).filter(\.isRead).isEmpty == false)
  }

  @Test mutating func `of two who take a value one wins`() {
    bench.begin()
    let read = orphan()!
    _ = bench.found(read.number!, .value(owner: 8, revision: 40, bytes: [1]))
    let take = bench.machine.take("m", at: bench.now).first(where: \.isValue)!
    let again = bench.machine.answered(take.number!, Self.wrong, at: bench.now).first(where: \.isRead)!
    #expect(bench.found(again.number!, .value(owner: 9, revision: 44, bytes: [1])) == [.changed("m", .lost)])
  }

  @Test mutating func `an orphan that was removed meanwhile is not created again`() {
    for reading in [Ownership.Reading.none, .deleted] {
      bench = OwnershipBench()
      bench.begin()
      let read = orphan()!
      _ = bench.found(read.number!, .value(owner: 8, revision: 40, bytes: [1]))
      let take = bench.machine.take("m", at: bench.now).first(where: \.isValue)!
      let again = bench.machine.answered(take.number!, Self.wrong, at: bench.now).first(where: \.isRead)!
      #expect(bench.found(again.number!, reading) == [.changed("m", .lost)])
    }
  }

  @Test mutating func `an outage makes nobody an orphan, silence counts from when everything is listed again`() {
    bench.begin()
    _ = bench.see("world.value.m", owner: 8, revision: 40)
    _ = bench.machine.disconnect(JetStreamFailure(code: 0, kind: 0, text: "away"), at: bench.now)
    _ = bench.pass(.seconds(60))
    let lease = bench.machine.start(at: bench.now).compactMap(\.leaseNumber)[0]
    _ = bench.stored(lease, 50)
    bench.restart()
    _ = bench.see("world.value.m", owner: 8, revision: 40, listing: 2)
    _ = bench.machine.listed(2, .done(["num_pending": 1]), at: bench.now)
    #expect(bench.passRenewing(.milliseconds(12_900), listing: 2).filter(\.isRead).isEmpty)
    #expect(bench.passRenewing(.milliseconds(500), listing: 2).filter(\.isRead).count == 1)
  }

  @Test mutating func `whoever has no lease takes nothing`() {
    bench.begin()
    _ = bench.see("world.value.m", owner: 0, revision: 40)
    bench.now += .seconds(30)
    #expect(bench.pass(.seconds(1)).filter(\.isRead).isEmpty)
  }

  @Test mutating func `an orphan that is not wanted is reported again only when it has changed`() {
    bench.begin()
    let read = orphan()!
    _ = bench.found(read.number!, .value(owner: 8, revision: 40, bytes: [1]))
    bench.machine.ignore("m")
    #expect(bench.passRenewing(.seconds(5)).filter(\.isRead).isEmpty)
    // Or when it is asked for.
    bench.machine.reconsider("m")
    let again = bench.passRenewing(.seconds(1)).first(where: \.isRead)
    #expect(bench.found(again!.number!, .value(owner: 8, revision: 40, bytes: [1])) == [.orphaned("m", [1])])
    bench.machine.ignore("m")
    bench.machine.reconsider("n")
    #expect(bench.passRenewing(.seconds(5)).filter(\.isRead).isEmpty)
    _ = bench.see("world.value.m", owner: 8, revision: 41)
    #expect(bench.passRenewing(.seconds(1)).filter(\.isRead).isEmpty == false)
  }

  @Test mutating func `at most eight orphans are undecided`() {
    bench.begin()
    for number in 0..<20 { _ = bench.see("world.value.m\(number)", owner: 0, revision: 40 + UInt64(number)) }
    #expect(bench.passRenewing(.seconds(2)).filter(\.isRead).count == 8)
  }

  @Test mutating func `an own value that a stranger writes is lost at once`() {
    bench.own("m")
    #expect(bench.see("world.value.m", owner: 7, revision: 6).isEmpty)
    // What was listed late is older than what is ours.
    #expect(bench.see("world.value.m", owner: 8, revision: 4).isEmpty)
    #expect(bench.see("world.value.m", owner: 8, revision: 9) == [.changed("m", .lost)])
    bench.own("n", revision: 12)
    #expect(bench.see("world.value.n", owner: nil, revision: 13, isDeletion: true) == [.changed("n", .lost)])
  }

  @Test mutating func `what breaks the rules is ignored, and what is too much is left out`() {
    var limits = Ownership.Limits()
    (limits.values, limits.owners, limits.valueSize) = (4, 4, 10)
    bench = OwnershipBench(limits)
    bench.begin()
    let keys = [
      "world.value.M", "world.value.", "world.value.a.b", "other.value.m", "world.owner.8", "world.other.m", "world.value.a=2F",
    ]
    for key in keys { _ = bench.see(key, owner: 8) }
    #expect(bench.machine.flaws == keys.count)
    _ = bench.see("world.value.m", owner: nil)
    #expect(bench.machine.flaws == keys.count + 1)
    for number in 0..<10 { _ = bench.see("world.owner.000000000000000\(number)", owner: UInt64(number)) }
    for number in 0..<10 { _ = bench.see("world.value.m\(number)", owner: 0, revision: 40 + UInt64(number)) }
    let reads = bench.passRenewing(.seconds(1)).filter(\.isRead)
    #expect(reads.count == 4)
    // A value that is too long, and one that changed while it was read.
    #expect(bench.found(reads[0].number!, .value(owner: 0, revision: 40, bytes: Array(repeating: 0, count: 11))).isEmpty)
    #expect(bench.found(reads[1].number!, .value(owner: 0, revision: 41, bytes: nil)).isEmpty)
    #expect(bench.found(reads[2].number!, .value(owner: 9, revision: 90, bytes: [1])).isEmpty)
    #expect(bench.found(reads[3].number!, .value(owner: nil, revision: 43, bytes: [1])).isEmpty)
  }
}
