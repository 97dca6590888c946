import CBonjourishLinux

/// A portion of a log in the form of a gathering write, to be sent to many members.
struct SendBatch: ~Copyable {
  let portion: LogPortion
  let vectors: UnsafeMutableBufferPointer<iovec>
  /// The forms that members share; `nil` for a portion that is sent to one member alone.
  let forms: BatchForms?

  init(_ portion: LogPortion, sharing forms: BatchForms? = nil) {
    self.portion = portion
    self.forms = forms
    let pieces = portion.pieces(from: portion.range.lowerBound)
    vectors = .allocate(capacity: pieces.count)
    for (index, piece) in pieces.enumerated() {
      let vector = iovec(iov_base: UnsafeMutableRawPointer(mutating: piece.bytes.baseAddress), iov_len: piece.range.count)
      vectors.initializeElement(at: index, to: vector)
    }
  }

  // The vectors are freed before the portion, which retains the memory that they point to.
  deinit { vectors.deallocate() }
}
