/// For how long a record counts, and when it is written again.
package enum Lease {
  /// The time after which a record that was not written again is gone.
  package static let duration: Duration = .seconds(60)
  /// The longest time from one write to the next. Three may fail before the record is gone.
  package static let renewal: Duration = .seconds(20)

  /// The time to the next write: 16–20 s, so that publishers that began together do not stay together.
  package static func nextRenewal(using random: inout some RandomNumberGenerator) -> Duration {
    renewal - .milliseconds(Int.random(in: 0...4_000, using: &random))
  }
}
