import FramedTransport
import Framing

extension RoomMessage {
  /// How messages are framed: four bytes of length, most significant first.
  static let format = FrameFormat(maximumBodySize: maximumByteCount)

  /// Reads the messages that come on a connection up to its end, whatever that is.
  ///
  /// After a frame that is too large or no frame the stream means nothing any more: that is the last that is told of, and the
  /// caller may still answer.
  static func read(from connection: Connection, _ take: (Result<RoomMessage, MalformedMessage>) -> Void) async {
    do throws(TransportError) {
      for try await frame in connection.frames {
        take(Result { () throws(MalformedMessage) in try RoomMessage(decoding: frame) })
      }
    } catch {
      if error.code == .frameTooLarge || error.code == .malformedFrame { take(.failure(.tooLarge)) }
    }
  }

  /// Sends an encoded message without waiting.
  ///
  /// A peer that does not take what is sent to it, or is gone, loses its connection: nobody else shall wait for it.
  static func send(_ body: [UInt8], on connection: Connection) {
    do throws(TransportError) {
      if try connection.trySend(body) { return }
    } catch {
      // The reader of this connection gets the same error, and tells the machine.
    }
    connection.abort()
  }
}
