/// The frames that a connection receives.
///
/// Iterating suspends only when no frame is there. All iterators of a connection take from the same stream, so one may read a
/// greeting and another the rest. Only one may wait at a time.
public struct Frames: AsyncSequence, Sendable {
  /// The body of a frame.
  public typealias Element = [UInt8]
  /// The error that ends the sequence.
  public typealias Failure = TransportError

  private let channel: Channel

  /// Retained while it is iterated: a connection that is released is aborted.
  private let connection: Connection

  init(of connection: Connection) {
    self.connection = connection
    channel = connection.channel
  }

  /// Returns an iterator over the frames that no other iterator has taken.
  public func makeAsyncIterator() -> Iterator { Iterator(channel: channel, connection: connection) }

  /// An iterator that takes one frame after another.
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline let channel: Channel
    let connection: Connection

    /// The memory, in bytes, that an iterator may keep of the last frame while it waits.
    @usableFromInline static var keptCapacity: Int { 256 }

    /// The last frame. Its memory is reused for the next one, unless it is shared.
    @usableFromInline var last: [UInt8] = []

    init(channel: Channel, connection: Connection) {
      self.channel = channel
      self.connection = connection
    }

    /// Returns the next frame's body, or `nil` after the peer closed its side between two frames or this side closed the
    /// connection.
    ///
    /// - Throws: `truncated` when the stream ended inside a frame; `frameTooLarge` or `malformedFrame` when the received bytes
    ///   are not a valid frame; `reset` and others when the connection is broken; `cancelled` when the task is cancelled and
    ///   there is no frame. Frames that came before an error are returned before it is thrown. Only after `cancelled` may more
    ///   frames follow.
    @inlinable
    public mutating func next() async throws(TransportError) -> [UInt8]? {
      // A frame that has been received is taken without an asynchronous call into another module, which would be slower.
      while !channel.takeFrame(into: &last) {
        // An idle connection keeps little memory.
        if last.capacity > Self.keptCapacity { last = [] }
        guard try await channel.waitForFrame() else { return nil }
      }
      return last
    }

    /// Returns the next frame's body, as `next()` does, for a caller of any isolation.
    @inlinable
    public nonisolated(nonsending) mutating func next(isolation actor: (any Actor)?) async throws(TransportError) -> [UInt8]? {
      try await next()
    }
  }
}
