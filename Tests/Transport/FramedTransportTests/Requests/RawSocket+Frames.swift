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

  /// The next frame, which has to come. Terms are ignored, as by a peer of an earlier version.
  func receive() async throws -> RequestFrame? {
    try await blocking {
      var decoder = FrameDecoder()
      while true {
        if let body = try decoder.nextFrame() {
          let frame = try RequestFrame.parse(body)
          if case .terms = frame { continue }
          return frame
        }
        // No more than the frame, for what follows is for the next call.
        let byte = try self.read(atMost: 1)
        guard !byte.isEmpty else { throw RawSocket.Failure(errno: ECONNRESET) }
        decoder.append(contentsOf: byte)
      }
    }
  }
}
