/// What a request of a ``RequestClient`` does while there is no connection, and when its connection is lost.
///
/// A request that was not sent can always be sent on the next connection. A request that was sent may have been carried out, and only
/// the program knows whether carrying it out twice does harm.
public struct RequestPolicy: Hashable, Sendable {
  /// Whether the request waits for a connection, within its time limit. Otherwise it fails at once with `disconnected`.
  public var waitsForConnection: Bool

  /// Whether the request is sent again when the connection was lost before the reply came: for requests that may be carried out more
  /// than once.
  public var repeatsWhenLost: Bool

  /// Creates a policy.
  ///
  /// - Parameters:
  ///   - waitsForConnection: Whether the request waits for a connection.
  ///   - repeatsWhenLost: Whether the request is sent again; it waits for the next connection then, whatever `waitsForConnection` is.
  public init(waitsForConnection: Bool = true, repeatsWhenLost: Bool = false) {
    self.waitsForConnection = waitsForConnection
    self.repeatsWhenLost = repeatsWhenLost
  }

  /// Waits for a connection, and is sent at most once.
  public static let once = RequestPolicy()

  /// Waits for a connection, and is sent again until there is a reply.
  public static let idempotent = RequestPolicy(repeatsWhenLost: true)

  /// Fails at once without a connection, and is sent at most once.
  public static let immediate = RequestPolicy(waitsForConnection: false)
}
