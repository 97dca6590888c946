/// The times to wait before something that fails is tried again: each twice the one before, up to a longest one.
package struct Backoff: Hashable, Sendable {
  private let shortest: Duration
  private let longest: Duration

  package init(from shortest: Duration, to longest: Duration) {
    (self.shortest, self.longest) = (shortest, longest)
  }

  /// The time to wait.
  ///
  /// - Parameter failures: How often in a row it has failed before; 0 for the shortest time.
  package func delay(after failures: Int) -> Duration { min(shortest * (1 << min(max(failures, 0), 16)), longest) }

  /// The time to wait, half of it random, so that those who lost one server together do not come back together.
  package func delay(after failures: Int, using random: inout some RandomNumberGenerator) -> Duration {
    let limit = delay(after: failures)
    return limit / 2 + limit * Double.random(in: 0...0.5, using: &random)
  }
}
