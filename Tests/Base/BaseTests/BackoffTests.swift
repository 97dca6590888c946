import Testing
import _BonjourishBase

struct BackoffTests {
  private let backoff = Backoff(from: .milliseconds(250), to: .seconds(8))

  @Test func `each time is twice the one before, up to the longest`() {
    let delays = [-1, 0, 1, 2, 5, 6, .max].map { backoff.delay(after: $0) }
    #expect(
      delays == [
        .milliseconds(250), .milliseconds(250), .milliseconds(500), .seconds(1), .seconds(8), .seconds(8), .seconds(8),
      ])
  }

  @Test(arguments: [0, 1, 5, .max]) func `half of a random time is certain`(failures: Int) {
    var random = SeededGenerator(seed: 7)
    let delays = (0..<1_000).map { _ in backoff.delay(after: failures, using: &random) }
    let limit = backoff.delay(after: failures)
    #expect(delays.allSatisfy { $0 >= limit / 2 && $0 <= limit })
    #expect(delays.min()! < limit * 0.55 && delays.max()! > limit * 0.95)
  }
}
