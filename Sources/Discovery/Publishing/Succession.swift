/// Who publishes a service in a directory, and whose record it replaces.
///
/// A record stays in a directory for a minute after its publisher has died. Whoever goes on with the service elsewhere, and knows who
/// published it, replaces that record at once instead of taking another name. The former publisher, if it was only paused, then finds
/// that the name is taken.
///
/// Each service has numbers of its own, by which relayed connections are brought to it, too.
///
/// These numbers keep programs apart that are honest. They are no secrets: whoever may write to a directory may replace any record.
public struct Succession: Hashable, Sendable {
  /// A random number of this publisher, not used before.
  public var publisher: UInt64
  /// The number of the publisher before; nil for none.
  public var predecessor: UInt64?

  /// Makes a succession.
  ///
  /// - Parameters:
  ///   - publisher: A random number of this publisher, not used before.
  ///   - predecessor: The number of the publisher before; nil for none.
  public init(publisher: UInt64, after predecessor: UInt64? = nil) {
    self.publisher = publisher
    self.predecessor = predecessor
  }
}
