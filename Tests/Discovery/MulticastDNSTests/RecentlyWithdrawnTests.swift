import Testing

@testable import _BonjourishMulticastDNS

/// What is remembered of records that were withdrawn.
struct RecentlyWithdrawnTests {
  private static func key(_ text: String) throws -> RecordKey {
    RecordKey(name: try DNSName(labels: [Array(text.utf8), Array("local".utf8)]), data: .txt([0]))
  }

  private let a: RecordKey
  private let b: RecordKey
  private let c: RecordKey

  init() throws {
    (a, b, c) = (try Self.key("a"), try Self.key("b"), try Self.key("c"))
  }

  private func instant(_ milliseconds: Int64) -> Instant { Instant(.milliseconds(milliseconds)) }

  @Test func `a record counts as withdrawn for two seconds, the last moment included`() {
    var withdrawn = RecentlyWithdrawn()
    withdrawn.note(a, lastSent: nil, at: instant(1_000))
    for (time, isKnown) in [(1_000, true), (2_999, true), (3_000, true), (3_001, false), (60_000, false)] as [(Int64, Bool)] {
      #expect(withdrawn.contains(a, at: instant(time)) == isKnown, "\(time)")
      #expect(!withdrawn.contains(b, at: instant(time)))
    }
  }

  @Test func `a record that is withdrawn again counts from then on`() {
    var withdrawn = RecentlyWithdrawn()
    withdrawn.note(a, lastSent: nil, at: instant(0))
    withdrawn.note(a, lastSent: nil, at: instant(1_500))
    // Forgets what is too old, but not the second time.
    withdrawn.note(b, lastSent: nil, at: instant(3_000))
    #expect(withdrawn.contains(a, at: instant(3_500)))
    #expect(withdrawn.contains(b, at: instant(3_500)))
  }

  @Test func `when a record was sent last is known until it is too old, unless it was said goodbye to`() {
    var withdrawn = RecentlyWithdrawn()
    withdrawn.note(a, lastSent: instant(400), at: instant(1_000))
    withdrawn.note(b, lastSent: nil, at: instant(1_000))
    #expect(withdrawn.lastSent(a) == instant(400))
    #expect(withdrawn.lastSent(b) == nil)
    withdrawn.note(c, lastSent: nil, at: instant(3_000))
    #expect(withdrawn.lastSent(a) == instant(400))
    withdrawn.note(c, lastSent: nil, at: instant(3_001))
    #expect(withdrawn.lastSent(a) == nil)
  }

  @Test func `of thousands of records those of the last two seconds are known`() throws {
    var withdrawn = RecentlyWithdrawn()
    let keys = try (0..<5_000).map { try Self.key("x\($0)") }
    for (number, key) in keys.enumerated() { withdrawn.note(key, lastSent: nil, at: instant(Int64(10 * number))) }
    for number in [0, 2_500, 4_798, 4_799, 4_998, 4_999] {
      #expect(withdrawn.contains(keys[number], at: instant(49_990)) == (number >= 4_799), "\(number)")
    }
  }
}
