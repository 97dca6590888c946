/// Decides what is told about a directory that comes and goes: an outage when it has lasted a while, and that it is over.
///
/// Connecting takes a moment, and so does going on with another server of a cluster: neither is worth a message.
struct DirectoryOutage {
  /// The time after which an outage is told.
  static let patience: Duration = .seconds(3)

  /// The reason of the present outage.
  private var reason: String?
  /// When the present outage is told; nil if it was, or there is none.
  private(set) var deadline: ContinuousClock.Instant?
  private var wasReached = false

  /// Takes the state of the directory.
  ///
  /// - Parameter reason: Why it cannot be reached; nil if it answers.
  mutating func change(_ reason: String?, at now: ContinuousClock.Instant) -> DirectoryNews.Event? {
    let wasTold = self.reason != nil && deadline == nil
    let isBeginning = self.reason == nil && reason != nil
    self.reason = reason
    if reason == nil {
      deadline = nil
      defer { wasReached = true }
      return wasTold ? .restored : wasReached ? nil : .reached
    }
    if isBeginning { deadline = now + Self.patience }
    return nil
  }

  /// Takes that the directory is not tried again. An outage that was not told yet is not told any more.
  mutating func end(_ reason: String) -> DirectoryNews.Event {
    (self.reason, deadline) = (reason, nil)
    return .ended(reason)
  }

  /// Lets time pass.
  mutating func advance(to now: ContinuousClock.Instant) -> DirectoryNews.Event? {
    guard let deadline, deadline <= now, let reason else { return nil }
    self.deadline = nil
    return .lost(reason)
  }
}
