import FramedTransport

extension MemoryLink {
  /// The properties of a link without faults.
  public struct Conditions: Hashable, Sendable {
    /// The number of bytes that may be on their way or unread in one direction before the sender must wait.
    public let window: Int

    /// The largest piece in bytes: a read returns a random number of bytes, at most this many; `nil` for all available bytes.
    public let largestPiece: Int?

    /// The time from sending bytes to their arrival.
    public let delay: Duration

    /// The seed of the random numbers: with the same seed, the same bytes are read in the same pieces.
    public let seed: UInt64

    /// Creates the properties of a link. By default it is fast and does not split reads.
    ///
    /// - Parameters:
    ///   - window: Bytes, at least 1.
    ///   - largestPiece: Bytes, at least 1. With 1 each byte is read separately.
    ///   - delay: Zero or more.
    ///   - seed: Any number.
    public init(window: Int = 64 * 1024, largestPiece: Int? = nil, delay: Duration = .zero, seed: UInt64 = 0) {
      precondition(window > 0, "window must be at least 1")
      precondition(largestPiece ?? 1 > 0, "largestPiece must be at least 1")
      precondition(delay >= .zero, "delay must not be negative")
      self.window = window
      self.largestPiece = largestPiece
      self.delay = delay
      self.seed = seed
    }
  }
}
