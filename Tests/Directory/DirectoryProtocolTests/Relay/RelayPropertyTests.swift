import TestSupport
import Testing
import _BonjourishBase
import _BonjourishDirectoryProtocol

/// Two ends of a relayed connection, with whatever a network may do between them.
@Suite struct RelayPropertyTests {
  /// After CVE-2021-21404 (Syncthing): a relay may say anything.
  @Test(arguments: seeds(4, of: 10)) func `bytes arrive complete and in order through loss, duplication and reordering`(
    seed: UInt64
  )
    throws
  {
    var random = SeededGenerator(seed: seed)
    var conditions = RelayPair.Conditions()
    conditions.loss = 10
    conditions.duplication = 5
    let delay = Int.random(in: 1...50, using: &random)
    conditions.delay = delay...(delay + .random(in: 0...3, using: &random))
    conditions.reading = .random(in: 1_000...200_000, using: &random)
    conditions.readingInterval = .random(in: 1...40, using: &random)
    let start = Int.random(in: 0...3_000, using: &random)
    conditions.partitions = [start..<(start + 10_000), (start + 25_000)..<(start + 35_000)]
    var pair = RelayPair(
      conditions, toSend: (.random(in: 0...250_000, using: &random), .random(in: 0...250_000, using: &random)), seed: seed)
    try pair.run(for: 300_000)
    let isBroken = pair.ends[0].isBroken || pair.ends[1].isBroken
    #expect(pair.hasEnded && pair.isComplete && !isBroken, "\(pair.time) ms")
    // All that is left is forgotten in the end.
    for _ in 0..<2 { for side in 0...1 { _ = pair.ends[side].link.advance(to: pair.now + RelayLink.lingerTime * 3) } }
    #expect(pair.ends.map(\.link.nextDeadline) == [nil, nil])
  }

  @Test(arguments: seeds(2, of: 4)) func `a network that stays away is an error on both sides within half a minute`(
    seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    var conditions = RelayPair.Conditions()
    conditions.loss = 10
    conditions.delay = 1...20
    let start = Int.random(in: 1_000...2_000, using: &random)
    conditions.partitions = [start..<10_000_000]
    var pair = RelayPair(conditions, toSend: (40_000_000, seed.isMultiple(of: 2) ? 0 : 40_000_000), seed: seed)
    try pair.run(for: start + 30_000)
    #expect(pair.ends.map(\.isBroken) == [true, true], "\(pair.time) ms")
    #expect(pair.ends.map(\.link.end) == [.silent, .silent])
    #expect(pair.time - start > 20_000)
  }

  @Test func `without loss nothing is sent twice, and a slow reader stops the sender`() throws {
    var conditions = RelayPair.Conditions()
    conditions.delay = 5...5
    conditions.reading = 3_000
    conditions.readingInterval = 10
    var pair = RelayPair(conditions, toSend: (1_000_000, 0), seed: 1)
    try pair.run(for: 2_000)
    #expect((500_000...900_000).contains(pair.ends[0].sent))
    try pair.run(for: 60_000)
    #expect(pair.isComplete && pair.hasEnded)
    #expect(pair.repetitions == 0)
  }
}
