import Glibc

/// A portion of a log in the form that the system takes, to be sent to many.
struct Pass: ~Copyable {
  let portion: LogPortion
  let vectors: UnsafeMutableBufferPointer<iovec>

  init(_ portion: LogPortion) {
    self.portion = portion
    let pieces = portion.pieces(from: portion.range.lowerBound)
    vectors = .allocate(capacity: pieces.count)
    for (index, piece) in pieces.enumerated() {
      let vector = iovec(iov_base: UnsafeMutableRawPointer(mutating: piece.bytes.baseAddress), iov_len: piece.range.count)
      vectors.initializeElement(at: index, to: vector)
    }
  }

  // The portion, which keeps the memory that they name, goes after them.
  deinit { vectors.deallocate() }
}
