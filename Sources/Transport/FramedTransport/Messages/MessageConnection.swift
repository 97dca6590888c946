public import FramedCoding
import Synchronization

/// A connection that sends and receives messages, one in each frame.
///
/// ```swift
/// let peer = MessageConnection(connection, codec: MarshallingCodec<Move>())
/// try await peer.send(Move(player: "Ada", column: 3))
/// for try await move in peer.messages { … }
/// ```
/// It adds no bytes of its own and buffers nothing: messages that were not taken here can be taken from the connection's
/// `frames`.
public final class MessageConnection<Codec: MessageCodec>: Sendable {
  /// The type of the messages.
  public typealias Message = Codec.Message

  /// The connection that carries the messages.
  public let connection: Connection

  /// The codec that encodes and decodes the messages.
  public let codec: Codec

  private let framesTaken = Atomic<UInt64>(0)

  /// Creates a message connection over a connection.
  ///
  /// - Parameters:
  ///   - connection: The connection. Its ``Connection/frames`` must not be read elsewhere at the same time.
  ///   - codec: The codec, the same as on the peer's side.
  public init(_ connection: Connection, codec: Codec) {
    self.connection = connection
    self.codec = codec
  }

  /// The received messages.
  public var messages: Messages<Codec> { Messages(of: self) }

  /// Sends a message. Suspends while too much waits to be sent.
  ///
  /// - Throws: `unwritable` if the codec cannot encode the message, or it is larger than a frame may be; `disconnected` if the
  ///   connection is closed or broken; `cancelled` if the task is cancelled while it is suspended. The message is not sent then.
  public func send(_ message: Message) async throws(MessagingError) {
    let body = try codec.message(of: message, in: connection.format)
    do throws(TransportError) {
      try await connection.send(body)
    } catch {
      throw MessagingError(error, "Sending a message to \(connection.peer)")
    }
  }

  /// Sends messages, one after another, as `send(_:)` does.
  ///
  /// - Throws: What `send(_:)` throws. The messages before the one that failed have been accepted.
  public func send(contentsOf messages: some Sequence<Message>) async throws(MessagingError) {
    for message in messages { try await send(message) }
  }

  /// Sends a message, unless too much waits to be sent already.
  ///
  /// - Returns: Whether the message was accepted.
  /// - Throws: `unwritable`, `disconnected`.
  public func trySend(_ message: Message) throws(MessagingError) -> Bool {
    let body = try codec.message(of: message, in: connection.format)
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
        .unreadable, messageError: error, frame: number,
        "Frame \(number) from \(connection.peer) is not a valid message: \(error.message)")
    }
  }
}

/// The messages that a connection receives.
///
/// A frame that is not a valid message throws `unreadable` and is consumed; the connection stays usable. To go on, start another
/// iteration or call `next()` again. If you do not trust a peer that sends such frames, close the connection.
public struct Messages<Codec: MessageCodec>: AsyncSequence, Sendable {
  /// The type of the messages.
  public typealias Element = Codec.Message
  /// The error that ends an iteration.
  public typealias Failure = MessagingError

  private let connection: MessageConnection<Codec>

  init(of connection: MessageConnection<Codec>) {
    self.connection = connection
  }

  /// Returns an iterator over the messages that no other iterator has taken.
  public func makeAsyncIterator() -> Iterator {
    Iterator(connection: connection, frames: connection.connection.frames.makeAsyncIterator())
  }

  /// An iterator that takes one message after another.
  public struct Iterator: AsyncIteratorProtocol {
    let connection: MessageConnection<Codec>
    var frames: Frames.AsyncIterator

    /// Returns the next message; `nil` after the peer closed its side or this side closed the connection.
    ///
    /// - Throws: `unreadable` if a frame is not a valid message; `disconnected` if the connection is broken; `cancelled` if the
    ///   task is cancelled and there is no frame. After `unreadable` and `cancelled` more messages may follow.
    public mutating func next() async throws(MessagingError) -> Element? {
      try await next(isolation: nil)
    }

    /// Returns the next message, as `next()` does, for a caller of any isolation.
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
