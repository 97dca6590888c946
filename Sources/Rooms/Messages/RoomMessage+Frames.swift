import FramedTransport
import Framing

extension RoomMessage {
  /// How messages are framed: four bytes of length, most significant first.
  static let format = FrameFormat(maximumBodySize: maximumByteCount)

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
