import CBonjourishLinux
import FramedCoding
import TestSupport
import TransportTestSupport
import _BonjourishEventLoop

@testable import FramedTransport

extension RawSocket {
  func send(body: [UInt8]) throws {
    var bytes: [UInt8] = []
    try FrameEncoder().encode(body, into: &bytes)
    try write(bytes)
  }

  func send(_ frame: RequestFrame) throws { try send(body: frame.encoded) }

  /// The next frame, which has to come.
  func receive() async throws -> RequestFrame? {
    try await blocking {
      var decoder = FrameDecoder()
      while true {
        if let frame = try decoder.nextFrame() { return try RequestFrame.parse(frame) }
        // No more than the frame, for what follows is for the next call.
        let byte = try self.read(atMost: 1)
        guard !byte.isEmpty else { throw RawSocket.Failure(errno: ECONNRESET) }
        decoder.append(contentsOf: byte)
      }
    }
  }
}
