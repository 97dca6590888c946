import Testing
import _BonjourishBase

@testable import _BonjourishDirectoryProtocol

/// The bounds of what a program owns and knows, and answers that come late or not at all.
@Suite struct OwnershipLimitTests {
  private var bench = OwnershipBench()
  private static let away = JetStreamFailure(code: 0, kind: 0, text: "away")

  @Test mutating func `a program owns so many values at most, and is told`() {
    var limits = Ownership.Limits()
    limits.values = 2
    bench = OwnershipBench(limits)
    for name in ["a", "b"] { bench.own(name) }
    let failure = JetStreamFailure(code: 0, kind: 0, text: "this program owns 2 values, the most there may be")
    #expect(bench.put("c", [1]) == [.changed("c", .failed(failure))])
    // One that it has may change.
    #expect(bench.put("a", [2]).isEmpty)
    _ = bench.machine.remove("a", at: bench.now)
    #expect(bench.put("c", [1]).filter(\.isValue).count == 1)
  }

  @Test mutating func `of too many owners the one that was heard first is forgotten`() {
    var limits = Ownership.Limits()
    limits.owners = 2
    bench = OwnershipBench(limits)
    bench.begin()
    for owner in [8, 9, 10] as [UInt64] {
      _ = bench.see("world.owner.\(owner.digits)", owner: owner, revision: owner)
      bench.now += .milliseconds(10)
    }
    #expect(bench.machine.flaws == 1)
    #expect(bench.machine.heard.keys.sorted() == [9, 10])
    // One that has ended goes first.
    _ = bench.see("world.owner.\((10 as UInt64).digits)", owner: nil, revision: 20, isDeletion: true)
    _ = bench.see("world.owner.\((11 as UInt64).digits)", owner: 11, revision: 21)
    #expect(bench.machine.heard.keys.sorted() == [9, 11])
  }

  @Test mutating func `a write or a read without an answer is looked into after three seconds`() {
    bench.begin()
    let write = bench.put("m", [1])[0]
    #expect(bench.passRenewing(.milliseconds(2_900)).filter(\.isRead).isEmpty)
    let read = bench.passRenewing(.milliseconds(400)).filter(\.isRead)
    #expect(read.count == 1)
    // The late answer to the write is none to the read.
    #expect(bench.stored(write.number!, 9).isEmpty)
    let again = bench.passRenewing(.milliseconds(3_300)).filter(\.isRead)
    #expect(again.count == 1 && again[0].number! > read[0].number!)
    #expect(bench.found(read[0].number!, .none).isEmpty)
    #expect(bench.found(again[0].number!, .value(owner: 7, revision: 9, bytes: [1])).map(\.expected) == [9])
  }

  @Test mutating func `what is refused for now is looked into a second later`() {
    bench.begin()
    let write = bench.put("m", [1])[0]
    for answer in [JetStreamAnswer.refused(Self.away), .done([:])] {
      bench = OwnershipBench()
      bench.begin()
      _ = bench.put("m", [1])
      #expect(bench.machine.answered(write.number!, answer, at: bench.now).filter { !$0.isHealth }.isEmpty)
      #expect(bench.passRenewing(.milliseconds(900)).filter(\.isRead).isEmpty)
      let read = bench.passRenewing(.milliseconds(300)).first(where: \.isRead)!
      let missing = JetStreamFailure(code: 404, kind: 10_059, text: "stream not found")
      #expect(bench.found(read.number!, .refused(missing)) == [.missing])
      #expect(bench.passRenewing(.milliseconds(900)).filter(\.isRead).isEmpty)
      let again = bench.passRenewing(.milliseconds(300)).first(where: \.isRead)!
      #expect(bench.found(again.number!, .none).map(\.expected) == [0])
    }
  }

  @Test mutating func `an orphan that is not found in three seconds is sought again`() {
    bench.begin()
    _ = bench.see("world.value.m", owner: 0, revision: 40)
    let read = bench.passRenewing(.milliseconds(300)).first(where: \.isRead)!
    #expect(bench.passRenewing(.milliseconds(2_700)).filter(\.isRead).isEmpty)
    let again = bench.passRenewing(.milliseconds(600)).first(where: \.isRead)!
    #expect(bench.found(read.number!, .value(owner: 0, revision: 40, bytes: [1])).isEmpty)
    #expect(bench.found(again.number!, .value(owner: 0, revision: 40, bytes: [1])) == [.orphaned("m", [1])])
    #expect(bench.machine.offers("m") && !bench.machine.offers("n"))
    // As long as it is offered, it is not read, and an own value of its name is not taken.
    #expect(bench.passRenewing(.seconds(5)).filter(\.isRead).isEmpty)
    // One that somebody takes, or removes, is offered no more.
    _ = bench.see("world.value.m", owner: 9, revision: 41)
    #expect(!bench.machine.offers("m"))
  }

  @Test mutating func `values that are neither held nor known are given up without a word`() {
    bench.begin()
    #expect(bench.machine.remove("m", at: bench.now).isEmpty && bench.machine.release("m", at: bench.now).isEmpty)
    let write = bench.put("m", [1])[0]
    #expect(bench.machine.release("m", at: bench.now).isEmpty)
    let refusal = JetStreamFailure(code: 400, kind: 10_054, text: "message size exceeds maximum allowed")
    #expect(bench.machine.answered(write.number!, .refused(refusal), at: bench.now) == [.changed("m", .failed(refusal))])
    #expect(bench.passRenewing(.seconds(2)).filter(\.isValue).isEmpty && bench.machine.own.isEmpty)
  }

  @Test mutating func `a value of one's own is no orphan to take`() {
    bench.own("m")
    #expect(bench.machine.take("m", at: bench.now).isEmpty)
  }

  @Test mutating func `whoever has ended, or is away, writes nothing more`() {
    bench.own("m")
    _ = bench.put("m", [2])
    #expect(bench.machine.end(at: bench.now).count == 2)
    #expect(bench.machine.end(at: bench.now).isEmpty && bench.machine.start(at: bench.now).isEmpty)
    bench = OwnershipBench()
    bench.own("m")
    _ = bench.put("m", [2])
    _ = bench.machine.disconnect(Self.away, at: bench.now)
    #expect(bench.machine.end(at: bench.now).isEmpty)
  }

  @Test mutating func `a value that nobody changed, or that is not held, is not written at the end`() {
    bench.own("m")
    _ = bench.put("n", [1])
    #expect(bench.machine.end(at: bench.now) == [.delete(key: "world.owner.0000000000000007", expected: nil)])
    // Nor without a lease.
    bench = OwnershipBench()
    bench.own("m")
    _ = bench.put("m", [2])
    bench.now += .seconds(12)
    #expect(bench.machine.end(at: bench.now).count == 1)
  }

  @Test mutating func `after a start that nobody was disconnected for, everything is listed before values can be kept`() {
    bench.begin()
    let missing = JetStreamFailure(code: 404, kind: 10_059, text: "stream not found")
    #expect(bench.machine.bucketFailed(missing, at: bench.now) == [.unusable(missing)])
    let lease = bench.machine.start(at: bench.now).compactMap(\.leaseNumber)[0]
    #expect(bench.stored(lease, 9).filter(\.isHealth).isEmpty)
    let listing = bench.machine.listing.number
    #expect(bench.machine.listed(listing, .done(["num_pending": 0]), at: bench.now).filter(\.isHealth) == [.usable])
  }

  @Test mutating func `values that a listing does not bring are gone, and those that it brings are kept`() {
    bench.begin()
    for name in ["a", "b"] { _ = bench.see("world.value.\(name)", owner: 8, revision: 40) }
    _ = bench.machine.start(at: bench.now)
    bench.restart()
    _ = bench.see("world.value.b", owner: 8, revision: 40, listing: 2)
    _ = bench.machine.listed(2, .done(["num_pending": 1]), at: bench.now)
    #expect(bench.machine.foreign.keys.sorted() == ["b"])
    // A value of an owner that is seen with it for the first time counts from then on.
    let since = bench.machine.foreign["b"]!.since
    bench.now += .seconds(1)
    _ = bench.see("world.value.b", owner: 8, revision: 41, listing: 2)
    #expect(bench.machine.foreign["b"]!.since == since && bench.machine.foreign["b"]!.revision == 41)
    _ = bench.see("world.value.b", owner: 9, revision: 42, listing: 2)
    #expect(bench.machine.foreign["b"]!.since == bench.now && bench.machine.foreign["b"]!.owner == 9)
  }

  @Test func `a name of a value is 1–64 lower-case letters, digits and hyphens`() {
    for (name, isName) in [
      ("", false), ("a", true), ("a-9", true), ("A", false), ("a.b", false), (String(repeating: "a", count: 64), true),
      (String(repeating: "a", count: 65), false),
    ] { #expect(Ownership.isName(name) == isName, "\(name)") }
    #expect(Ownership.text(.milliseconds(13_001)) == "13001")
  }
}
