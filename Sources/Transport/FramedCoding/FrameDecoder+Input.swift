/// Input of a decoder. Bytes after an error are dropped.
extension FrameDecoder {
  /// Appends received bytes.
  @inlinable
  public mutating func append(contentsOf bytes: some Collection<UInt8>) {
    guard failed == nil else { return }
    dropTakenBytes()
    storage.append(contentsOf: bytes)
  }

  /// Appends received bytes.
  @inlinable
  public mutating func append(_ bytes: Span<UInt8>) {
    guard failed == nil else { return }
    append(upTo: bytes.count) { output in
      for index in bytes.indices { output.append(bytes[index]) }
    }
  }

  /// Appends received bytes that a closure writes in place.
  ///
  /// - Parameters:
  ///   - count: The most bytes that the closure may write.
  ///   - initializer: Writes any number of bytes, up to `count`. They are appended even if it then throws.
  @inlinable
  public mutating func append<Failure>(
    upTo count: Int, initializingWith initializer: (inout OutputSpan<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    dropTakenBytes()
    try storage.append(addingCapacity: count, initializingWith: initializer)
    if failed != nil { storage = [] }
  }

  /// Makes the memory of taken frames available for new bytes.
  @usableFromInline
  mutating func dropTakenBytes() {
    guard position > 0 else { return }
    if position == storage.count {
      storage.removeAll(keepingCapacity: true)
    } else {
      storage.removeSubrange(..<position)
    }
    position = 0
  }
}

/// A change of the permitted body size.
extension FrameDecoder {
  /// Sets the largest accepted body in bytes, at most what the format permits.
  ///
  /// It applies to frames whose length has not been read yet: those after the next one.
  package mutating func permit(maximumBodySize: Int) {
    // A limit above what a length of fixed width can announce does no harm.
    let permitted = layout.map { min($0.layout.maximumBodySize, .max - $0.layout.overhead) } ?? .max
    self.maximumBodySize = UInt64(min(maximumBodySize, permitted))
  }
}

/// Heartbeats.
extension FrameDecoder {
  /// Drops empty frames up to the first one with a body.
  ///
  /// Does not throw: taking the next frame throws the error.
  package mutating func dropEmptyFrames() {
    if layout == nil {
      while bufferedByteCount >= headerSize, (try? bodySize()) == 0 { position += headerSize }
    } else {
      while let frame = (try? scan()) ?? nil, frame.fields.isEmpty, frame.body.isEmpty { _ = try? nextScannedBody() }
    }
  }
}

/// Memory that many decoders share, each while it holds bytes.
extension FrameDecoder {
  /// The capacity of the decoder's memory in bytes.
  package var storageCapacity: Int { storage.capacity }

  /// Replaces the decoder's memory, and returns the old.
  ///
  /// - Parameter other: The new memory. Its content is replaced by the bytes that were not taken yet.
  package mutating func exchangeStorage(for other: consuming [UInt8]) -> [UInt8] {
    if !other.isEmpty { other.removeAll(keepingCapacity: true) }
    if position < storage.count { other.append(contentsOf: storage[position...]) }
    position = 0
    swap(&storage, &other)
    return other
  }
}
