public import Framing
import Synchronization

/// A connection over which messages come and go, one in each frame.
///
/// ```swift
/// let peer = MessageConnection(connection, codec: MarshallingCodec<Move>())
/// try await peer.send(Move(player: "Ada", column: 3))
/// for try await move in peer.messages { … }
/// ```
/// It adds nothing to the bytes, and holds nothing back: what was not taken here can be taken from the connection's own frames.
public final class MessageConnection<Codec: MessageCodec>: Sendable {
  public typealias Message = Codec.Message

  /// What the messages go over.
  public let connection: Connection

  /// What makes frames of messages, and messages of frames.
  public let codec: Codec

  private let framesTaken = Atomic<UInt64>(0)

  /// Lets messages go over a connection.
  ///
  /// - Parameters:
  ///   - connection: Its ``Connection/frames`` are not to be taken by anyone else meanwhile.
  ///   - codec: The same as on the other side.
  public init(_ connection: Connection, codec: Codec) {
    self.connection = connection
    self.codec = codec
  }

  /// The messages that come.
  public var messages: Messages<Codec> { Messages(of: self) }

  /// Sends a message; suspends first while too much waits to be sent.
  ///
  /// - Throws: `unwritable` when the codec cannot encode the message, or it is larger than a frame may be; `disconnected` when
  ///   the connection is closed or broken; `cancelled` when the task is cancelled while it is suspended. The message is not
  ///   sent then.
  public func send(_ message: Message) async throws(MessagingError) {
    let body = try codec.message(of: message, for: connection)
    do throws(TransportError) {
      try await connection.send(body)
    } catch {
      throw MessagingError(error, "Sending a message to \(connection.peer)")
    }
  }

  /// Sends messages, as `send(_:)` does one after another.
  ///
  /// - Throws: What `send(_:)` throws; the messages before that one have been accepted.
  public func send(contentsOf messages: some Sequence<Message>) async throws(MessagingError) {
    for message in messages { try await send(message) }
  }

  /// Sends a message unless too much waits to be sent already.
  ///
  /// - Returns: Whether the message was accepted.
  /// - Throws: `unwritable`, `disconnected`.
  public func trySend(_ message: Message) throws(MessagingError) -> Bool {
    let body = try codec.message(of: message, for: connection)
    do throws(TransportError) {
      return try connection.trySend(body)
    } catch {
      throw MessagingError(error, "Sending a message to \(connection.peer)")
    }
  }

  fileprivate func decode(_ body: [UInt8]) throws(MessagingError) -> Message {
    let number = framesTaken.wrappingAdd(1, ordering: .relaxed).newValue
    do throws(MessageError) {
      return try codec.decode(body)
    } catch {
      throw MessagingError(
        .unreadable, message: error, frame: number, "Frame \(number) from \(connection.peer) is no message: \(error)")
    }
  }
}

/// The messages that come over a connection.
///
/// A frame that is no message is thrown as `unreadable`, and taken by that: the connection is as good as before. Whoever wants to
/// go on begins another iteration, or calls `next()` again; whoever trusts no peer that sends such things closes the connection.
public struct Messages<Codec: MessageCodec>: AsyncSequence, Sendable {
  public typealias Element = Codec.Message
  public typealias Failure = MessagingError

  private let connection: MessageConnection<Codec>

  init(of connection: MessageConnection<Codec>) {
    self.connection = connection
  }

  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(connection: connection, frames: connection.connection.frames.makeAsyncIterator())
  }

  /// Takes one message after another.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let connection: MessageConnection<Codec>
    var frames: Frames.AsyncIterator

    /// The next message; `nil` when the peer has closed its side, or this side the connection.
    ///
    /// - Throws: `unreadable` when a frame is no message; `disconnected` when the connection is broken; `cancelled` when the task
    ///   is cancelled and there is no frame. After `unreadable` and `cancelled` there may be more.
    public mutating func next() async throws(MessagingError) -> Element? {
      try await next(isolation: nil)
    }

    /// The next message, as `next()` takes it, for a caller of any isolation.
    public nonisolated(nonsending) mutating func next(isolation actor: (any Actor)?) async throws(MessagingError) -> Element? {
      let frame: [UInt8]?
      do throws(TransportError) {
        frame = try await frames.next(isolation: actor)
      } catch {
        throw MessagingError(error, "Waiting for a message from \(connection.connection.peer)")
      }
      guard let frame else { return nil }
      return try connection.decode(frame)
    }
  }
}
