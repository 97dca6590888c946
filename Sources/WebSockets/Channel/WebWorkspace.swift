import CLinux
import EventLoop
import FramedTransport

/// The memory that all WebSockets of a loop share while they work, so that an idle one keeps none.
///
/// Sendable: confined to the loop, except for the initialiser.
final class WebWorkspace: @unchecked Sendable {
  /// The bytes to receive at once.
  static let inputSize = 128 * 1024

  /// The bytes of frames to put together for one call of the system, and the most that a connection holds back.
  static let outputSize = 64 * 1024

  private var input: [UInt8] = []
  let output = UnsafeMutableRawBufferPointer.allocate(byteCount: outputSize, alignment: 64)
  private var masks: [UInt32] = []

  private init() {}

  deinit {
    output.deallocate()
  }

  private static let all = Locked<[ObjectIdentifier: WebWorkspace]>([:])

  /// The workspace of a loop. Loops exist as long as the process.
  static func of(_ transportLoop: TransportLoop) -> WebWorkspace {
    all.withLock { all in
      if let workspace = all[ObjectIdentifier(transportLoop)] { return workspace }
      let workspace = WebWorkspace()
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

  /// The next mask for a client's frame: nobody else can know it (RFC 6455, section 10.3).
  func nextMask() -> UInt32 {
    if masks.isEmpty {
      // As many as one call of the system gives.
      masks = [UInt32](repeating: 0, count: 64)
      let failure = masks.withUnsafeMutableBytes { getentropy($0.baseAddress!, $0.count) }
      if failure != 0 {
        var generator = SystemRandomNumberGenerator()
        for index in masks.indices { masks[index] = UInt32(truncatingIfNeeded: generator.next()) }
      }
    }
    return masks.removeLast()
  }
}
