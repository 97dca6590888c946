import CBonjourishLinux
import FramedCoding
import FramedTransport
import _FramedWebProtocol

/// Frames of a group in the form that servers send: the same bytes for all members, because nothing is masked.
final class WebBatch {
  let opcode: WebSocketOpcode
  let hasHeartbeat: Bool
  private(set) var bytes: [UInt8] = []
  /// The ends of the frames in `bytes`, and in the batch.
  private var ends: [(here: Int, there: Int)] = []

  init(
    _ pieces: UnsafeMutableBufferPointer<iovec>, _ opcode: WebSocketOpcode, _ prefix: FrameFormat.LengthPrefix,
    hasHeartbeat: Bool
  ) {
    self.opcode = opcode
    self.hasHeartbeat = hasHeartbeat
    bytes.reserveCapacity(pieces.reduce(0) { $0 + $1.iov_len } * 9 / 8 + 64)
    var cursor = PieceCursor(pieces)
    var frame = OutgoingFrame()
    while let size = frame.readLength(&cursor, prefix) {
      let header = WebSocketFrameHeader(size == 0 && hasHeartbeat ? .ping : opcode, length: UInt64(size))
      bytes.append(addingCapacity: WebSocketFrameHeader.mostBytes) { header.write(into: &$0) }
      var left = size
      while left > 0, let rest = cursor.rest {
        let part = UnsafeRawBufferPointer(rebasing: rest[..<min(rest.count, left)])
        bytes.append(contentsOf: part)
        cursor.advance(by: part.count)
        left -= part.count
      }
      ends.append((bytes.count, cursor.count))
    }
  }

  /// Calls a closure with the bytes for a gathering write.
  func withVector(_ body: (UnsafeMutableBufferPointer<iovec>) -> Int) -> Int {
    bytes.withUnsafeBytes { bytes in
      var vector = iovec(iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
      return withUnsafeMutablePointer(to: &vector) { body(UnsafeMutableBufferPointer(start: $0, count: 1)) }
    }
  }

  /// The bytes of the batch that have been taken when a number of these have been sent: whole frames.
  ///
  /// - Returns: Their number, and the end here of the last of these frames.
  func taken(_ sent: Int) -> (count: Int, frameEnd: Int) {
    guard sent > 0 else { return (0, 0) }
    var low = 0
    var high = ends.count - 1
    while low < high {
      let middle = (low + high) / 2
      if ends[middle].here < sent { low = middle + 1 } else { high = middle }
    }
    return (ends[low].there, ends[low].here)
  }
}
