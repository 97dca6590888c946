/// Who publishes a service in a directory, and whose record it replaces.
///
/// A record stays in a directory for a minute after its publisher has died. Whoever goes on with the service, and knows who
/// published it, replaces that record instead of taking another name:
///
/// - Another program that takes the service over gives the number of the former publisher, ``predecessor``, and replaces its record
///   at once. The former publisher, if it was only paused, then finds that the name is taken.
/// - A program that comes back after a crash gives its ``identity``. It replaces a record of the same identity when the program that
///   has written it is gone: the server of the directory knows nobody at its address (0.5 s), or the record has not been renewed for
///   25 s. So two programs with one identity, such as servers that share a key, do not take each other's names.
///
/// Each service has numbers of its own, by which relayed connections are brought to it, too.
///
/// These numbers keep programs apart that are honest. They are no secrets and prove nothing: everybody reads them, and whoever may write
/// to a directory may replace any record. Check the key of whom you have reached.
public struct Succession: Hashable, Sendable {
  /// The number of this publisher in this run of its program: random, not used before. Its upper half is the ``identity``, if there
  /// is one.
  public var publisher: UInt64
  /// The number of the publisher before; nil for none.
  public var predecessor: UInt64?
  /// What all runs of this publisher have in common, and others do not; nil for a publisher that keeps nothing.
  public let identity: UInt32?

  /// Makes a succession.
  ///
  /// - Parameters:
  ///   - publisher: A random number of this publisher, not used before.
  ///   - predecessor: The number of the publisher before; nil for none.
  public init(publisher: UInt64, after predecessor: UInt64? = nil) {
    self.publisher = publisher
    self.predecessor = predecessor
    identity = nil
  }

  /// Makes the succession of a publisher that keeps an identity from run to run, with a new number.
  ///
  /// - Parameters:
  ///   - identity: The same number in each run, such as the first four bytes of the fingerprint of the program's key.
  ///   - predecessor: The number of the publisher before; nil for none.
  public init(identity: UInt32, after predecessor: UInt64? = nil) {
    publisher = UInt64(identity) << 32 | UInt64.random(in: 0...UInt64(UInt32.max))
    self.predecessor = predecessor
    self.identity = identity
  }

  /// Whether a number is that of a run of this publisher, of this run or another.
  package func isRun(_ publisher: UInt64) -> Bool { identity.map(UInt64.init) == publisher >> 32 }
}
