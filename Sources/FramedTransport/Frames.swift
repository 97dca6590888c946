/// The frames that come over a connection.
///
/// While frames are there, iterating does not suspend. All iterators of a connection take from the same stream, so that one
/// may read a greeting and another what follows; only one may wait at a time.
public struct Frames: AsyncSequence, Sendable {
  public typealias Element = [UInt8]
  public typealias Failure = TransportError

  private let channel: Channel

  /// Holds the connection as long as somebody iterates, for dropping it ends it.
  private let connection: Connection

  init(of connection: Connection) {
    self.connection = connection
    channel = connection.channel
  }

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(channel: channel, connection: connection) }

  /// Takes one frame after another.
  public struct AsyncIterator: AsyncIteratorProtocol {
    @usableFromInline let channel: Channel
    let connection: Connection

    /// How much of the last frame's memory an iterator that waits may keep.
    @usableFromInline static var keptCapacity: Int { 256 }

    /// The last frame: if nobody else has it any more when the next is taken, that one takes its place.
    @usableFromInline var last: [UInt8] = []

    init(channel: Channel, connection: Connection) {
      self.channel = channel
      self.connection = connection
    }

    /// The next frame's body; `nil` when the peer has closed its side between two frames, or this side the connection.
    ///
    /// - Throws: `truncated` when the peer ended inside a frame; `frameTooLarge` or `malformedFrame` when a length cannot be
    ///   accepted; `reset` and others when the connection is broken; `cancelled` when the task is cancelled and there is no
    ///   frame. Frames that came before an error are taken before it is thrown. After `cancelled`, and only then, there may
    ///   be more.
    @inlinable
    public mutating func next() async throws(TransportError) -> [UInt8]? {
      // Only what has to wait pays for waiting, and for being an asynchronous function of another module.
      while !channel.takeFrame(into: &last) {
        // Little is kept while nothing comes.
        if last.capacity > Self.keptCapacity { last = [] }
        guard try await channel.waitForFrame() else { return nil }
      }
      return last
    }

    /// The next frame's body, as `next()` takes it, for a caller of any isolation.
    @inlinable
    public nonisolated(nonsending) mutating func next(isolation actor: (any Actor)?) async throws(TransportError) -> [UInt8]? {
      try await next()
    }
  }
}
