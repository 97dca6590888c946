/// A state machine that follows records of a directory: a ``Watch`` those of a pattern of keys, a ``KeyReader`` one.
package protocol RecordFollower {
  associatedtype Records: Collection<DirectoryRecord>

  /// The live records, in no order.
  var records: Records { get }
  /// A live record; nil if there is none.
  func record(_ key: DirectoryKey) -> DirectoryRecord?
  /// Whether everything has been told that there was at the beginning, or after the last interruption.
  var isSettled: Bool { get }
  var counters: Watch.Counters { get }
  /// The time at which ``advance(to:)`` is next needed; nil for none.
  var nextDeadline: ContinuousClock.Instant? { get }

  /// Starts when the directory is connected, for the first time or again.
  mutating func start(at now: ContinuousClock.Instant) -> [Watch.Effect]
  /// Notes that the connection is lost.
  mutating func disconnect(_ failure: JetStreamFailure, at now: ContinuousClock.Instant) -> [Watch.Effect]
  /// Handles the deadlines that have passed.
  mutating func advance(to now: ContinuousClock.Instant) -> [Watch.Effect]
}
