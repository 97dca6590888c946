extension MemoryLink {
  /// What a link is like as long as nothing goes wrong.
  public struct Conditions: Hashable, Sendable {
    /// How many bytes may be on their way or unread in one direction before the sender has to wait.
    public let window: Int

    /// A read gives a random number of bytes, at most this many; as many as there are when `nil`.
    public let largestPiece: Int?

    /// How long bytes take.
    public let delay: Duration

    /// What the random numbers come from: with the same seed the same bytes are read in the same pieces.
    public let seed: UInt64

    /// Conditions of a link; a fast one that splits nothing when none are given.
    ///
    /// - Parameters:
    ///   - window: At least 1 byte.
    ///   - largestPiece: At least 1 byte, which gives every byte by itself.
    ///   - delay: Not negative.
    ///   - seed: Any number.
    public init(window: Int = 64 * 1024, largestPiece: Int? = nil, delay: Duration = .zero, seed: UInt64 = 0) {
      precondition(window > 0, "Through a window of no bytes nothing could ever be sent")
      precondition(largestPiece ?? 1 > 0, "In pieces of no bytes nothing could ever be read")
      precondition(delay >= .zero, "Nothing arrives before it is sent")
      self.window = window
      self.largestPiece = largestPiece
      self.delay = delay
      self.seed = seed
    }
  }
}
