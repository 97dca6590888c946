/// For how long a record counts, and when it is written again.
package struct RecordLease: Hashable, Sendable {
  /// The time after which a record that was not written again is gone.
  package let duration: Duration

  /// The lease of every directory but those of tests.
  package static let standard = RecordLease(duration: .seconds(60))

  package init(duration: Duration) {
    self.duration = duration
  }

  /// The longest time from one write to the next. Two may fail before the record is gone.
  package var renewal: Duration { duration / 3 }

  /// The time to the next write: 16–20 s of 60 s, so that publishers that began together do not stay together.
  func nextRenewal(using random: inout some RandomNumberGenerator) -> Duration {
    renewal * Double.random(in: 0.8...1, using: &random)
  }
}
