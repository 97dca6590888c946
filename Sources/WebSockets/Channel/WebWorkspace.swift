import CLinux
import EventLoop
import FramedTransport
import WebProtocol

/// The memory that all WebSockets of a loop share while they work, so that an idle one keeps none.
///
/// Sendable: confined to the loop, except for the initialiser.
final class WebWorkspace: @unchecked Sendable {
  /// The bytes to receive at once.
  static let inputSize = 256 * 1024

  /// The bytes of frames to put together for one call of the system, and the most that a connection holds back. A server's are fewer,
  /// because it has many connections, and sends large payloads from where they are.
  static func outputSize(_ role: WebSocketRole) -> Int { role == .server ? 64 * 1024 : 257 * 1024 }

  private var input: [UInt8] = []
  let output = UnsafeMutableRawBufferPointer.allocate(byteCount: outputSize(.client), alignment: 64)
  // Dynamic exclusivity checks are off for what each frame of a client uses.
  private let masks = UnsafeMutableBufferPointer<UInt32>.allocate(capacity: 64)
  @exclusivity(unchecked) private var masksLeft = 0

  private init() {}

  deinit {
    output.deallocate()
    masks.deallocate()
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
    if masksLeft == 0 { refillMasks() }
    masksLeft -= 1
    return masks[masksLeft]
  }

  private func refillMasks() {
    masks.initialize(repeating: 0)
    // As many as one call of the system gives.
    if getentropy(masks.baseAddress!, masks.count * 4) != 0 {
      var generator = SystemRandomNumberGenerator()
      for index in masks.indices { masks[index] = UInt32(truncatingIfNeeded: generator.next()) }
    }
    masksLeft = masks.count
  }
}
