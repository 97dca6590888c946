/// Limits how often each origin does something: in the long run, and at once.
public struct RateLimiter: Sendable {
  private let rate: ShareLimits.Rate?
  /// The times at which the origins have used nothing any more.
  private var rested: [Origin: Duration] = [:]
  /// The number of origins at which those that have rested are forgotten.
  private var sweepCount = RateLimiter.fewest
  private static let fewest = 256

  /// - Parameter rate: The rate for each origin; nil for no limit.
  public init(_ rate: ShareLimits.Rate?) {
    self.rate = rate
  }

  /// Whether a peer may do it once more at a time, which is then counted for all its origins. Times never decrease.
  public mutating func allows(_ peer: Peer, at now: Duration) -> Bool {
    // None is left out, so that the count does not depend on their order.
    peer.origins.map { allows($0, at: now) }.allSatisfy(\.self)
  }

  /// Whether an origin may do it once more at a time, which is then counted. Times never decrease.
  public mutating func allows(_ origin: Origin, at now: Duration) -> Bool {
    guard let rate else { return true }
    let interval = Duration.seconds(1) / rate.perSecond
    let start = max(rested[origin] ?? now, now)
    guard start - now <= interval * (rate.burst - 1) else { return false }
    rested[origin] = start + interval
    if rested.count >= sweepCount {
      rested = rested.filter { $0.value > now }
      // Swept again only after as many more, so that the time is constant on average.
      sweepCount = max(Self.fewest, 2 * rested.count)
    }
    return true
  }

  /// The number of origins that are remembered.
  public var count: Int { rested.count }
}
