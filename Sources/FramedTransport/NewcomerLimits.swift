/// What a listener allows to those of whom nothing is known yet.
///
/// A connection that a listener has accepted is a *newcomer* until it is admitted: by the first whole frame that comes over it,
/// or, where the app wants to hear a hello first, by `Connection.admit()`. Anybody on the network can be a newcomer, so
/// newcomers get little: few of them at a time, few from one address, a short time, small frames. Those who are admitted count
/// no more. Connections that this side has opened are never newcomers.
public struct NewcomerLimits: Hashable, Sendable {
  /// What makes a newcomer one who may stay.
  public enum Admission: Hashable, Sendable {
    /// The first frame that has come whole. This is right for apps without a hello, and for those who speak second.
    case firstFrame
    /// The app's word, `Connection.admit()`. This is right when only a hello tells who it is, and when the app speaks first.
    case app
  }

  /// What happens when one more comes than there may be.
  public enum Overflow: Hashable, Sendable {
    /// The one who has waited longest, among those of the address with most newcomers, has to go. So a crowd that says nothing
    /// cannot keep out those who do.
    case displace
    /// The one who comes is refused.
    case refuse
  }

  /// What makes a newcomer one who may stay.
  public var admission: Admission

  /// How many newcomers there may be at a time; `nil` for any number.
  public var count: Int?

  /// How many of them may come from one address; `nil` for any number. One more is refused at once.
  ///
  /// An IPv4 address counts as one, and so does an IPv6 prefix of 64 bits, which is what providers give to one customer. On a
  /// link that this side is on too, where a prefix is shared by all, it is the whole IPv6 address. All who are behind one
  /// address translation (NAT) count as one; what is limited is how many of them may be about to say hello at the same moment,
  /// not how many may stay.
  public var countPerAddress: Int?

  /// How long a connection may be a newcomer, which with `firstFrame` is the time to its first frame; `nil` for ever.
  public var timeLimit: Duration?

  /// The largest body in bytes of a newcomer's frame, if that is less than what the format permits.
  ///
  /// It concerns all that comes before `Connection.admit()` is called. So a peer has to wait for an answer to its hello before
  /// it sends anything larger. Not looked at with `firstFrame`.
  public var largestFrame: Int?

  /// What happens when one more comes than `count`.
  public var overflow: Overflow

  /// Limits for newcomers.
  ///
  /// - Parameters:
  ///   - admission: What makes a newcomer one who may stay.
  ///   - count: How many there may be at a time, at least 1.
  ///   - countPerAddress: How many from one address, at least 1.
  ///   - timeLimit: How long one may take to be admitted, more than zero.
  ///   - largestFrame: The largest frame of one whom the app has not admitted, in bytes of its body.
  ///   - overflow: What happens when one more comes than `count`.
  public init(
    admission: Admission = .firstFrame, count: Int? = 64, countPerAddress: Int? = 8, timeLimit: Duration? = .seconds(5),
    largestFrame: Int? = 4096, overflow: Overflow = .displace
  ) {
    precondition(count.map { $0 > 0 } ?? true, "Where nobody may be a newcomer nobody could ever connect")
    precondition(countPerAddress.map { $0 > 0 } ?? true, "Where nobody may be a newcomer nobody could ever connect")
    precondition(timeLimit.map { $0 > .zero } ?? true, "A newcomer needs some time to say hello")
    precondition(largestFrame.map { $0 >= 0 } ?? true, "The largest body of a frame cannot be of a negative size")
    self.admission = admission
    self.count = count
    self.countPerAddress = countPerAddress
    self.timeLimit = timeLimit
    self.largestFrame = largestFrame
    self.overflow = overflow
  }

  /// 64 newcomers, 8 of them from one address, for 5 seconds; the first frame admits.
  public static let standard = NewcomerLimits()

  /// As `standard`, but the app admits, after a hello of at most 4 KiB.
  public static let hello = NewcomerLimits(admission: .app)

  /// None: for measuring, and for listeners that only reach those who are trusted.
  public static let unlimited = NewcomerLimits(count: nil, countPerAddress: nil, timeLimit: nil, largestFrame: nil)
}
