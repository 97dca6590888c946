import CBonjourishLinux
import FramedTransport
import _BonjourishEventLoop
import _FramedWebProtocol

/// The memory that all WebSockets of a loop share while they work, so that an idle one keeps none.
///
/// Sendable: confined to the loop, except for the initialiser.
final class WebWorkspace: @unchecked Sendable {
  /// The bytes to receive at once.
  static let inputSize = 256 * 1024

  /// The bytes of frames to put together for one call of the system, and the most that a connection holds back. A server's are fewer,
  /// because it has many connections, and sends large payloads from where they are.
  static func outputSize(_ role: WebSocketRole) -> Int { role == .server ? 64 * 1024 : 257 * 1024 }

  // Dynamic exclusivity checks are off for what every read, and each frame of a client, uses.
  @exclusivity(unchecked) var input = SpareBuffer(size: inputSize)
  let output = UnsafeMutableRawBufferPointer.allocate(byteCount: outputSize(.client), alignment: 64)
  private let masks = UnsafeMutableBufferPointer<UInt32>.allocate(capacity: 64)
  @exclusivity(unchecked) private var masksLeft = 0

  private init() {}

  deinit {
    output.deallocate()
    masks.deallocate()
  }

  /// The workspaces of all loops.
  static let all = PerLoop { _ in WebWorkspace() }

  /// The next mask for a client's frame: nobody else can know it (RFC 6455, section 10.3).
  func nextMask() -> UInt32 {
    if masksLeft == 0 { refillMasks() }
    masksLeft -= 1
    return masks[masksLeft]
  }

  private func refillMasks() {
    masks.initialize(repeating: 0)
    // As many as one call of the system gives.
    precondition(getentropy(masks.baseAddress!, masks.count * 4) == 0, "the system must have random numbers")
    masksLeft = masks.count
  }
}
