/// Answers a request for one path. It runs as a task of its own, not on a connection's thread, and is cancelled when its time is over or
/// its client has reset the connection. What it throws is answered with 500, without the error's text.
public typealias WebHandler = @Sendable (WebRequest) async throws -> WebReply

/// The bounds of a site's handlers. A request has no content, so none of it is limited here.
public struct WebHandlerLimits: Hashable, Sendable {
  /// The number of handlers that run at a time, for all clients of a listener together; more requests are answered with 503. A handler
  /// counts until it has returned, also after its time was over.
  ///
  /// A path that answers somebody leaves a place for each path that answers nobody, up to half of the places: a slow one does not keep the
  /// others from answering.
  public var count: Int

  /// The number of handlers that run at a time for one address, as `AddressBlock` counts addresses; more requests are answered with 503.
  public var countPerAddress: Int

  /// The longest time for a handler; then its client is answered with 503, and its task is cancelled.
  ///
  /// It is less if the listener's `PendingConnectionLimits.timeLimit` is near, which covers everything from the beginning of the connection to
  /// the end of the answer: of that a fifth, at most a second, is kept for sending the answer.
  public var timeLimit: Duration

  /// The most bytes of an answer's content; larger ones are answered with 500.
  public var largestReply: Int

  /// Creates limits.
  ///
  /// - Parameters:
  ///   - count: The number of handlers that run at a time, at least 1.
  ///   - countPerAddress: The number of handlers that run at a time for one address, at least 1.
  ///   - timeLimit: The longest time for a handler, more than zero.
  ///   - largestReply: The most bytes of an answer's content; 0 or more.
  public init(
    count: Int = 16, countPerAddress: Int = 4, timeLimit: Duration = .seconds(3), largestReply: Int = 1 << 20
  ) {
    self.count = count
    self.countPerAddress = countPerAddress
    self.timeLimit = timeLimit
    self.largestReply = largestReply
    check()
  }

  /// Fails if a value cannot be used.
  package func check() {
    precondition(count > 0, "count must be at least 1")
    precondition(countPerAddress > 0, "countPerAddress must be at least 1")
    precondition(timeLimit > .zero, "timeLimit must be more than zero")
    precondition(largestReply >= 0, "largestReply must not be negative")
  }
}
