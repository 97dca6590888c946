public import FramedTransport

/// The limits of calls between actors, and of what is remembered of each peer.
///
/// The largest body of the connection's format bounds the size of each call and of each result.
public struct ActorLimits: Hashable, Sendable {
  /// The limits of requests, which carry the calls: how many calls are under way at once in each direction, and for how long results
  /// are waited for after the peer has ended its side.
  public var requests = RequestLimits.standard

  /// The number of calls to one peer that may be under way or wait for their turn; at least 1. A further call fails with `busy`.
  public var calls = 256

  /// The longest time that a call may take, including the wait for its turn. It fails with `timedOut` then.
  public var callTime = Duration.seconds(30)

  /// The number of own actors whose references one peer may hold; zero or more. A call or a result that would bring another one there
  /// fails with `tooManyReferences`. Actors that are gone do not count.
  public var references = 1024

  /// The number of actors that may be offered under a name; zero or more.
  public var names = 1024

  /// The deepest permitted nesting of arrays and objects in an argument or result, 1–256. Each level of a recursive type uses the
  /// stack.
  public var depth = 64

  /// Creates limits, to be changed.
  public init() {}

  /// 64 calls in each direction at once and 256 under way, 30 seconds for a call, 1,024 references and names, and a depth of 64.
  public static let standard = ActorLimits()
}
