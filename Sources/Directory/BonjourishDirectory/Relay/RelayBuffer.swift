import CBonjourishLinux

/// Received bytes that were not read, in order.
///
/// They stay in the messages of the library, so that they are copied only once. Each message has some hundred bytes of its own, so
/// many small ones that nobody reads are copied together.
struct RelayBuffer {
  /// The bytes of one message, or the copied bytes of many.
  private struct Chunk {
    let message: NATSMessage?
    var copied: [UInt8] = []
    var range: Range<Int>

    func withBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
      if let message { message.withBytes(body) } else { copied.withUnsafeBytes(body) }
    }
  }

  /// How many messages stay as they are, whatever their size.
  static let mostSmallMessages = 32
  /// Smaller messages are copied together.
  static let smallSize = 1_024

  private var chunks: [Chunk] = []
  /// The index of the first chunk that has bytes.
  private var first = 0

  var isEmpty: Bool { first == chunks.count }
  /// How many pieces of memory there are.
  var chunkCount: Int { chunks.count - first }

  mutating func append(_ message: NATSMessage, _ range: Range<Int>) {
    guard !range.isEmpty else { return }
    guard chunkCount >= Self.mostSmallMessages, range.count < Self.smallSize else {
      return chunks.append(Chunk(message: message, range: range))
    }
    if chunks[chunks.count - 1].message != nil { chunks.append(Chunk(message: nil, range: 0..<0)) }
    let last = chunks.count - 1
    message.withBytes { chunks[last].copied.append(contentsOf: UnsafeRawBufferPointer(rebasing: $0[range])) }
    chunks[last].range = chunks[last].range.lowerBound..<chunks[last].copied.count
  }

  /// Moves as many bytes as fit, and returns their number.
  mutating func read(into output: inout OutputSpan<UInt8>) -> Int {
    var count = 0
    while !isEmpty, !output.isFull {
      let range = chunks[first].range
      let part = range.prefix(output.freeCapacity)
      chunks[first].withBytes { bytes in
        output.withUnsafeMutableBufferPointer { buffer, initialized in
          let free = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[initialized...])
          free.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[part]))
          initialized += part.count
        }
      }
      count += part.count
      chunks[first].range = part.upperBound..<range.upperBound
      if chunks[first].range.isEmpty { first += 1 }
    }
    dropReadChunks()
    return count
  }

  mutating func removeAll() { self = RelayBuffer() }

  /// Releases the messages that were read, once they are many or all.
  private mutating func dropReadChunks() {
    if isEmpty {
      chunks.removeAll(keepingCapacity: true)
    } else if first >= 16 {
      chunks.removeFirst(first)
    } else {
      return
    }
    first = 0
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
