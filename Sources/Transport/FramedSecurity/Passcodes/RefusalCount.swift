/// Refusals that are told together, so that a flood of them fills no screen. A value without a clock.
struct RefusalCount: Sendable {
  /// The shortest time between two that are told.
  static let pause = Duration.seconds(1)

  private var untold = 0
  private var next: ContinuousClock.Instant?

  /// Adds a refusal.
  ///
  /// - Returns: The number of refusals to tell; `nil` if this one waits to be told with a later one.
  mutating func add(at now: ContinuousClock.Instant) -> Int? {
    untold += 1
    if let next, now < next { return nil }
    next = now + Self.pause
    defer { untold = 0 }
    return untold
  }
}
