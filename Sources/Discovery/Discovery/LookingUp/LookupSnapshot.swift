/// The state of a lookup at one time.
public struct LookupSnapshot<Element: Hashable & Sendable>: Hashable, Sendable {
  /// What has been found, sorted.
  public var elements: [Element]
  /// Whether all hosts that answer at once have answered.
  public var isSettled: Bool
  /// The reason why the engine or the network is unreachable; nil when it is reachable.
  public var interruption: DiscoveryError?

  /// Makes a snapshot like one of a lookup, for previews and tests.
  ///
  /// - Parameters:
  ///   - elements: What has been found, sorted.
  ///   - isSettled: Whether all hosts that answer at once have answered.
  ///   - interruption: The reason why the engine or the network is unreachable; nil when it is reachable.
  public init(elements: [Element] = [], isSettled: Bool = false, interruption: DiscoveryError? = nil) {
    self.elements = elements
    self.isSettled = isSettled
    self.interruption = interruption
  }
}
