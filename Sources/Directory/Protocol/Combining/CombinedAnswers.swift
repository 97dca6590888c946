package import _BonjourishDiscovery

/// A state machine that makes one stream of answers out of those of the local network and of a directory.
package protocol CombinedAnswers: Sendable {
  /// The time at which ``advance(to:)`` is next needed; nil for none.
  var nextDeadline: ContinuousClock.Instant? { get }

  /// Handles an event of one side.
  mutating func handle(_ event: LookupEvent, from side: CombinedSide, at now: ContinuousClock.Instant) -> [LookupEvent]

  /// Handles the deadlines that have passed.
  mutating func advance(to now: ContinuousClock.Instant) -> [LookupEvent]
}
