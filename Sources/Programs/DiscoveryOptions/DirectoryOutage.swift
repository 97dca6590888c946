import Bonjourish

/// Decides what is told about a directory that comes and goes: an outage when it has lasted a while, and that it is over.
///
/// Connecting takes a moment, and so does going on with another server of a cluster: neither is worth a message.
struct DirectoryOutage {
  /// The time after which an outage is told.
  static let timeout: Duration = .seconds(3)

  /// The reason of the present outage.
  private var reason: String?
  /// When the present outage is told; nil if it was, or there is none.
  private(set) var deadline: ContinuousClock.Instant?
  private var wasReached = false
  /// The refusal that was told last in the present outage.
  private var refusal: DiscoveryError?

  /// Takes the state of the directory.
  ///
  /// - Parameter reason: Why it cannot be reached; nil if it answers.
  mutating func change(_ reason: String?, at now: ContinuousClock.Instant) -> DirectoryNews.Event? {
    let wasTold = self.reason != nil && deadline == nil
    let isBeginning = self.reason == nil && reason != nil
    self.reason = reason
    if reason == nil {
      (deadline, refusal) = (nil, nil)
      defer { wasReached = true }
      return wasTold ? .restored : wasReached ? nil : .reached
    }
    if isBeginning { deadline = now + Self.timeout }
    return nil
  }

  /// Takes that the directory refuses this program, or is not tried again: that is told at once, and once. An outage that was not told
  /// yet is not told any more.
  ///
  /// - Parameter isAlone: Whether a refusal before the first answer fails everything.
  mutating func refuse(_ error: DiscoveryError, isAlone: Bool = false) -> DirectoryNews.Event? {
    (reason, deadline) = (error.message, nil)
    guard refusal != error else { return nil }
    refusal = error
    return .refused(error, endsProgram: isAlone && !wasReached && error.code != .refused)
  }

  /// Lets time pass.
  mutating func advance(to now: ContinuousClock.Instant) -> DirectoryNews.Event? {
    guard let deadline, deadline <= now, let reason else { return nil }
    self.deadline = nil
    return .lost(reason)
  }
}
