import Testing
import _BonjourishBase
import _BonjourishDirectoryProtocol

/// The side of those who take values over.
@Suite struct OrphanTests {
  private var bench = OwnershipBench()
  private static let wrong = JetStreamAnswer.refused(JetStreamFailure(code: 400, kind: 10_071, text: "wrong last sequence: 9"))

  /// Sees a value of owner 8, and lets it become an orphan.
  private mutating func orphan(_ name: String = "m", revision: UInt64 = 40) -> Ownership.Effect? {
    _ = bench.see("world.value.\(name)", owner: 8, revision: revision)
    return bench.passRenewing(.milliseconds(14_300)).first(where: \.isRead)
  }

  @Test mutating func `the values of an owner that is silent for the lease are orphans, and are taken with their revision`() {
    bench.begin()
    _ = bench.see("world.value.m", owner: 8, revision: 40)
    _ = bench.see("world.owner.0000000000000008", owner: 8, revision: 41)
    #expect(bench.passRenewing(.milliseconds(12_900)).filter(\.isRead).isEmpty)
    let read = bench.passRenewing(.milliseconds(1_500)).first(where: \.isRead)!
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
    #expect(bench.passRenewing(.milliseconds(1_500)).filter(\.isRead).count == 1)
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

  @Test mutating func `an outage makes nobody an orphan, and silence of somebody never heard counts from the next listing`() {
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
    #expect(bench.passRenewing(.milliseconds(1_500), listing: 2).filter(\.isRead).count == 1)
  }

  /// Lists everything again, with the value and the lease of owner 8 as they were.
  private mutating func listAgain(_ listing: UInt64) {
    let lease = bench.machine.start(at: bench.now).compactMap(\.leaseNumber)[0]
    _ = bench.stored(lease, 50)
    bench.restart()
    _ = bench.see("world.value.m", owner: 8, revision: 40, listing: listing)
    _ = bench.see("world.owner.0000000000000008", owner: 8, revision: 41, listing: listing)
    _ = bench.machine.listed(listing, .done(["num_pending": 1]), at: bench.now)
  }

  @Test mutating func `a lease that is listed again is as old as when it was first told`() {
    bench.begin()
    _ = bench.see("world.value.m", owner: 8, revision: 40)
    _ = bench.see("world.owner.0000000000000008", owner: 8, revision: 41)
    for listing in 2...3 as ClosedRange<UInt64> {
      _ = bench.passRenewing(.seconds(5), listing: listing - 1)
      listAgain(listing)
    }
    // Listed 10 s after the lease was told: it is 13 s old before the owner's five seconds are over.
    #expect(bench.passRenewing(.milliseconds(4_900), listing: 3).filter(\.isRead).isEmpty)
    #expect(bench.passRenewing(.milliseconds(1_500), listing: 3).filter(\.isRead).count == 1)
  }

  @Test mutating func `after a listing owners have five seconds to write again`() {
    bench.begin()
    _ = bench.see("world.value.m", owner: 8, revision: 40)
    _ = bench.see("world.owner.0000000000000008", owner: 8, revision: 41)
    _ = bench.machine.disconnect(JetStreamFailure(code: 0, kind: 0, text: "away"), at: bench.now)
    _ = bench.pass(.seconds(60))
    listAgain(2)
    #expect(bench.passRenewing(.milliseconds(4_900), listing: 2).filter(\.isRead).isEmpty)
    _ = bench.see("world.owner.0000000000000008", owner: 8, revision: 51, listing: 2)
    #expect(bench.passRenewing(.milliseconds(12_900), listing: 2).filter(\.isRead).isEmpty)
    #expect(bench.passRenewing(.milliseconds(1_500), listing: 2).filter(\.isRead).count == 1)
  }

  @Test mutating func `a watch that lags behind makes no orphans, until it has told an own lease`() {
    bench.begin()
    _ = bench.see("world.value.m", owner: 8, revision: 40)
    _ = bench.see("world.owner.0000000000000008", owner: 8, revision: 41)
    #expect(bench.passRenewing(.seconds(60), tells: false).filter(\.isRead).isEmpty)
    // The lease of owner 8 comes before the own one, as it was written.
    _ = bench.see("world.owner.0000000000000008", owner: 8, revision: 1_040)
    #expect(bench.passRenewing(.milliseconds(12_900)).filter(\.isRead).isEmpty)
    #expect(bench.passRenewing(.milliseconds(1_500)).filter(\.isRead).count == 1)
  }

  @Test mutating func `a program that was paused takes nothing from owners whom it has not heard since`() {
    bench.begin()
    _ = bench.see("world.value.m", owner: 8, revision: 40)
    _ = bench.see("world.owner.0000000000000008", owner: 8, revision: 41)
    _ = bench.passRenewing(.seconds(3))
    bench.now += .seconds(60)
    var effects = bench.pass(.milliseconds(100))
    // It has a lease again before the watch tells what was written meanwhile.
    for number in effects.compactMap(\.leaseNumber) { effects += bench.stored(number, 1_900) }
    effects += bench.pass(.milliseconds(900))
    #expect(bench.machine.holdsLease(at: bench.now))
    #expect(effects.filter(\.isRead).isEmpty)
  }

  @Test mutating func `an own lease that is told before its answer comes counts with the answer`() {
    bench.begin()
    _ = bench.see("world.value.m", owner: 8, revision: 40)
    _ = bench.see("world.owner.0000000000000008", owner: 8, revision: 41)
    _ = bench.passRenewing(.milliseconds(12_900), tells: false)
    let lease = bench.pass(.milliseconds(400)).compactMap(\.leaseNumber).last!
    _ = bench.see("world.owner.0000000000000007", owner: 7, revision: 1_800)
    #expect(bench.pass(.milliseconds(300)).filter(\.isRead).isEmpty)
    _ = bench.stored(lease, 1_800)
    #expect(bench.pass(.milliseconds(300)).filter(\.isRead).count == 1)
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
    let reads = bench.passRenewing(.seconds(2)).filter(\.isRead)
    #expect(reads.count == 8)
    // Each is answered by itself.
    for read in reads {
      guard case .read(let number, let key) = read, let place = UInt64(key.dropFirst("world.value.m".count)) else {
        return #expect(Bool(false))
      }
      let found = Ownership.Reading.value(owner: 0, revision: 40 + place, bytes: [UInt8(place)])
      #expect(bench.found(number, found) == [.orphaned("m\(place)", [UInt8(place)])])
    }
    #expect(bench.passRenewing(.seconds(2)).filter(\.isRead).isEmpty)
    // Those that are left to others make room.
    for number in 0..<20 { bench.machine.ignore("m\(number)") }
    #expect(bench.passRenewing(.milliseconds(250)).filter(\.isRead).count == 8)
  }

  @Test mutating func `an orphan of the largest size is offered, and a larger one is left alone`() {
    var limits = Ownership.Limits()
    limits.valueSize = 10
    bench = OwnershipBench(limits)
    bench.begin()
    for (size, isOffered) in [(11, false), (10, true)] {
      let (name, revision) = ("m\(size)", 40 + UInt64(size))
      _ = bench.see("world.value.\(name)", owner: 0, revision: revision)
      let read = bench.passRenewing(.milliseconds(300)).first(where: \.isRead)!
      let bytes = [UInt8](repeating: 1, count: size)
      let effects = bench.found(read.number!, .value(owner: 0, revision: revision, bytes: bytes))
      #expect(effects == (isOffered ? [.orphaned(name, bytes)] : []) && bench.machine.flaws == 1)
    }
    #expect(bench.passRenewing(.seconds(2)).filter(\.isRead).isEmpty)
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
