import CBonjourishLinux
import FramedCoding

/// The progress in the frames of the channel that are to be sent: where in a frame the next byte is.
struct OutgoingFrame {
  /// The bytes of a length that have been read.
  private var length: UInt64 = 0
  private var lengthCount = 0
  /// The bytes of the body that are still to be read.
  var left = 0
  /// The mask for them.
  var mask: UInt32 = 0

  /// Whether the next byte is the first of a frame.
  var isAtBoundary: Bool { left == 0 && lengthCount == 0 }

  /// Reads a length; returns the size of the body when it is complete.
  mutating func readLength(_ pieces: inout PieceCursor, _ prefix: FrameFormat.LengthPrefix) -> Int? {
    while let byte = pieces.next() {
      switch prefix.byteOrder {
      case .bigEndian: length = length << 8 | UInt64(byte)
      case .littleEndian: length |= UInt64(byte) << UInt64(8 * lengthCount)
      }
      lengthCount += 1
      guard lengthCount == prefix.width.rawValue else { continue }
      defer { (length, lengthCount) = (0, 0) }
      // This side's own encoder has written it.
      return Int(length) - (prefix.countsItself ? lengthCount : 0)
    }
    return nil
  }
}

/// A position in pieces to be sent.
struct PieceCursor {
  private let pieces: UnsafeMutableBufferPointer<iovec>
  private var index = 0
  private var offset = 0
  /// The number of bytes before it.
  private(set) var count = 0

  init(_ pieces: UnsafeMutableBufferPointer<iovec>) {
    self.pieces = pieces
  }

  /// The bytes from here to the end of the piece; `nil` at the end of all.
  var rest: UnsafeRawBufferPointer? {
    mutating get {
      while index < pieces.count, offset == pieces[index].iov_len {
        index += 1
        offset = 0
      }
      guard index < pieces.count else { return nil }
      return UnsafeRawBufferPointer(start: pieces[index].iov_base + offset, count: pieces[index].iov_len - offset)
    }
  }

  mutating func advance(by byteCount: Int) {
    offset += byteCount
    count += byteCount
  }

  mutating func next() -> UInt8? {
    guard let byte = rest?.first else { return nil }
    advance(by: 1)
    return byte
  }
}
