import EventLoop
import FramedTransport

/// What all encrypted connections of a loop share: buffers while they work, so that an idle one keeps none, and the time for handshakes.
///
/// Sendable: confined to the loop, except for the initialiser.
final class TLSWorkspace: @unchecked Sendable {
  /// The encrypted bytes to receive at once.
  static let inputSize = 128 * 1024

  /// The encrypted bytes to send at once: eight records and their overhead, of at most 256 bytes each.
  static let outputSize = 8 * (TLSSession.recordSize + 256)

  let handshakes: HandshakeQueue
  private var input: [UInt8] = []
  private var output: [UInt8] = []
  /// Plain bytes that are put together for one record.
  let record = UnsafeMutableRawBufferPointer.allocate(byteCount: TLSSession.recordSize, alignment: 16)

  private init(_ loop: EventLoop) {
    handshakes = HandshakeQueue(on: loop)
  }

  deinit {
    record.deallocate()
  }

  private static let all = Locked<[ObjectIdentifier: TLSWorkspace]>([:])

  /// The workspace of a loop. Loops exist as long as the process.
  static func of(_ transportLoop: TransportLoop) -> TLSWorkspace {
    all.withLock { all in
      if let workspace = all[ObjectIdentifier(transportLoop)] { return workspace }
      let workspace = TLSWorkspace(transportLoop.loop)
      all[ObjectIdentifier(transportLoop)] = workspace
      return workspace
    }
  }

  /// An empty buffer of at least `inputSize`.
  func takeInput() -> [UInt8] {
    var buffer: [UInt8] = []
    swap(&buffer, &input)
    if buffer.capacity < Self.inputSize { buffer.reserveCapacity(Self.inputSize) }
    return buffer
  }

  /// Takes a buffer back. Exchanged rather than assigned: with a second reference to it, emptying would allocate another.
  func giveInput(_ buffer: inout [UInt8]) {
    swap(&buffer, &input)
    input.removeAll(keepingCapacity: true)
  }

  /// An empty buffer of at least `outputSize`.
  func takeOutput() -> [UInt8] {
    var buffer: [UInt8] = []
    swap(&buffer, &output)
    if buffer.capacity < Self.outputSize { buffer.reserveCapacity(Self.outputSize) }
    return buffer
  }

  /// Takes a buffer back, if it is a large one.
  func giveOutput(_ buffer: inout [UInt8]) {
    guard buffer.capacity >= Self.outputSize else { return }
    swap(&buffer, &output)
    output.removeAll(keepingCapacity: true)
  }
}
