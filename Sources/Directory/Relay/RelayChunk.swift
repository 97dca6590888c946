import CLinux

/// Received bytes that were not read: a part of a message of the library, from which they are copied only once.
struct RelayChunk {
  let message: NATSMessage
  var range: Range<Int>

  /// Moves as many bytes as fit, and returns their number.
  mutating func read(into output: inout OutputSpan<UInt8>) -> Int {
    let count = min(range.count, output.freeCapacity)
    message.withBytes { bytes in
      output.withUnsafeMutableBufferPointer { buffer, initialized in
        let free = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[initialized...])
        free.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[range.lowerBound..<(range.lowerBound + count)]))
        initialized += count
      }
    }
    range = (range.lowerBound + count)..<range.upperBound
    return count
  }
}

/// Reads pieces of memory one after another.
struct PieceReader {
  private let pieces: UnsafeMutableBufferPointer<iovec>
  private var index = 0
  private var offset = 0

  init(_ pieces: UnsafeMutableBufferPointer<iovec>) {
    self.pieces = pieces
  }

  /// Appends the next bytes, which must be there.
  mutating func read(_ count: Int, into output: inout OutputSpan<UInt8>) {
    var left = count
    while left > 0 {
      let piece = UnsafeRawBufferPointer(start: pieces[index].iov_base, count: pieces[index].iov_len)
      let part = UnsafeRawBufferPointer(rebasing: piece[offset..<min(piece.count, offset + left)])
      output.withUnsafeMutableBufferPointer { buffer, initialized in
        UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[initialized...]).copyMemory(from: part)
        initialized += part.count
      }
      left -= part.count
      offset += part.count
      if offset == piece.count { (index, offset) = (index + 1, 0) }
    }
  }
}
