/// A listener's limits for connections from unknown peers.
///
/// A connection that a listener has accepted is *pending* until it is admitted: by its first whole frame, or by
/// `Connection.admit()` if the app checks a hello first. Any program on the network can open a pending connection. So the limits
/// permit few at a time, few from one address, for a short time and with small frames. Admitted connections do not count.
/// Connections that this side has opened are never pending.
public struct PendingConnectionLimits: Hashable, Sendable {
  /// The event that admits a pending connection. Later versions may add cases.
  #if hasAttribute(nonexhaustive)
  @nonexhaustive
  #endif
  public enum Admission: Hashable, Sendable {
    /// The first whole frame: for apps without a hello whose peers send first.
    case firstFrame
    /// The app, by `Connection.admit()`: if a hello identifies the peer, or the app sends first.
    case app
  }

  /// The handling of a connection that arrives while `count` connections are already pending. Later versions may add cases.
  #if hasAttribute(nonexhaustive)
  @nonexhaustive
  #endif
  public enum Overflow: Hashable, Sendable {
    /// The new connection displaces another. Those that have said nothing have a quarter of the places, those that have said something
    /// half, and those that have completed the handshake of the protection the rest. Of those that exceed their share most, it is one
    /// of the address with the most pending connections, and of these the one that has waited longest. So many silent connections, or
    /// many that only begin, cannot keep others out. The same happens when the process has no descriptor left.
    case displace
    /// The new connection is refused.
    case refuse
  }

  /// The event that admits a pending connection.
  public var admission: Admission

  /// The number of connections that may be pending at a time; `nil` for no limit.
  public var count: Int?

  /// The number of pending connections from one address; `nil` for no limit. One more is refused at once.
  ///
  /// One address is an IPv4 address or an IPv6 prefix of 64 bits, which is what providers assign to one customer. On this side's
  /// own link, where all share a prefix, it is the whole IPv6 address. All peers behind one address translation (NAT) count as
  /// one address. That limits how many may be pending at the same time, not how many may be connected.
  public var countPerAddress: Int?

  /// The longest time for a connection to be pending; `nil` for no limit. With `firstFrame` it is the time to the first frame.
  public var timeLimit: Duration?

  /// The largest body in bytes of a pending connection's frame, if that is less than the format permits.
  ///
  /// It applies to everything that arrives before `Connection.admit()` is called. So a peer must wait for an answer to its hello
  /// before it sends larger frames. Has no effect with `firstFrame`.
  public var largestFrame: Int?

  /// The handling of a connection that arrives while `count` connections are already pending.
  public var overflow: Overflow

  /// Creates limits for pending connections.
  ///
  /// - Parameters:
  ///   - admission: The event that admits a pending connection.
  ///   - count: The number of pending connections, at least 1.
  ///   - countPerAddress: The number of pending connections from one address, at least 1.
  ///   - timeLimit: The longest time to be pending, more than zero.
  ///   - largestFrame: The largest body before the app has admitted the connection, in bytes; 0 or more.
  ///   - overflow: The handling of a connection that arrives while `count` connections are already pending.
  public init(
    admission: Admission = .firstFrame, count: Int? = 64, countPerAddress: Int? = 8, timeLimit: Duration? = .seconds(5),
    largestFrame: Int? = 4096, overflow: Overflow = .displace
  ) {
    self.admission = admission
    self.count = count
    self.countPerAddress = countPerAddress
    self.timeLimit = timeLimit
    self.largestFrame = largestFrame
    self.overflow = overflow
    check()
  }

  /// Fails if a value cannot be used.
  func check() {
    precondition(count.map { $0 > 0 } ?? true, "count must be at least 1")
    precondition(countPerAddress.map { $0 > 0 } ?? true, "countPerAddress must be at least 1")
    precondition(timeLimit.map { $0 > .zero } ?? true, "timeLimit must be more than zero")
    precondition(largestFrame.map { $0 >= 0 } ?? true, "largestFrame must not be negative")
  }

  /// 64 pending connections, 8 of them from one address, for 5 seconds; the first frame admits.
  public static let standard = PendingConnectionLimits()

  /// As `standard`, but the app admits the connection, after a hello of at most 4 KiB.
  public static let hello = PendingConnectionLimits(admission: .app)

  /// No limits: for benchmarks, and for listeners that only trusted peers can reach.
  package static let unlimited = PendingConnectionLimits(count: nil, countPerAddress: nil, timeLimit: nil, largestFrame: nil)
}
