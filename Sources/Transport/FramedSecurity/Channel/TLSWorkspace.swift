import FramedTransport
import _BonjourishEventLoop

/// What all encrypted connections of a loop share: buffers while they work, so that an idle one keeps none, and the time for handshakes.
///
/// Sendable: confined to the loop, except for the initialiser.
final class TLSWorkspace: @unchecked Sendable {
  /// The encrypted bytes to receive at once.
  static let inputSize = 128 * 1024

  /// The encrypted bytes to send at once: four records and their overhead, of at most 256 bytes each. With more, they leave the
  /// processor's cache before they are sent, and the peer waits longer before it can decrypt: eight are 15 % slower in `make bench`.
  static let outputSize = 4 * (TLSSession.recordSize + 256)

  let handshakes: HandshakeQueue
  // Dynamic exclusivity checks are off because every read and write uses these.
  @exclusivity(unchecked) var input = SpareBuffer(size: inputSize)
  @exclusivity(unchecked) var output = SpareBuffer(size: outputSize)
  /// Plain bytes that are put together for one record.
  let record = UnsafeMutableRawBufferPointer.allocate(byteCount: TLSSession.recordSize, alignment: 16)

  private init(_ loop: EventLoop) {
    handshakes = HandshakeQueue(on: loop)
  }

  deinit {
    record.deallocate()
  }

  /// The workspaces of all loops.
  static let all = PerLoop { TLSWorkspace($0.loop) }
}
