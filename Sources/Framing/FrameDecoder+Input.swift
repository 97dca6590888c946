/// How bytes come into a decoder. What comes after an error is dropped.
extension FrameDecoder {
  /// Adds bytes to the end of what has come.
  @inlinable
  public mutating func append(contentsOf bytes: some Collection<UInt8>) {
    guard failure == nil else { return }
    dropTakenBytes()
    storage.append(contentsOf: bytes)
  }

  /// Adds bytes to the end of what has come.
  @inlinable
  public mutating func append(_ bytes: Span<UInt8>) {
    guard failure == nil else { return }
    append(upTo: bytes.count) { output in
      for index in bytes.indices { output.append(bytes[index]) }
    }
  }

  /// Lets a closure write bytes to the end of what has come, in place.
  ///
  /// - Parameters:
  ///   - count: The most bytes that the closure may write.
  ///   - initializer: Writes what there is, perhaps nothing. What it wrote counts even if it then throws.
  @inlinable
  public mutating func append<Failure>(
    upTo count: Int, initializingWith initializer: (inout OutputSpan<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    dropTakenBytes()
    try storage.append(addingCapacity: count, initializingWith: initializer)
    if failure != nil { storage = [] }
  }

  /// Gives the place of frames that were taken back to bytes that are to come.
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

/// A peer that may send more, or less, from now on.
extension FrameDecoder {
  /// Sets the largest body that is accepted, in bytes; what the format permits is not exceeded.
  ///
  /// It concerns frames whose length has not been looked at yet: those behind the next one.
  package mutating func permit(maximumBodySize: Int) {
    self.maximumBodySize = UInt64(min(maximumBodySize, format.largestBodySize))
  }
}

/// Memory that many decoders share, each while it has something to decode.
extension FrameDecoder {
  /// How many bytes the decoder's memory can hold.
  package var storageCapacity: Int { storage.capacity }

  /// Goes on in other memory, and hands out the old.
  ///
  /// - Parameter other: Its contents are replaced by the bytes that were not taken yet.
  package mutating func exchangeStorage(for other: consuming [UInt8]) -> [UInt8] {
    if !other.isEmpty { other.removeAll(keepingCapacity: true) }
    if position < storage.count { other.append(contentsOf: storage[position...]) }
    position = 0
    swap(&storage, &other)
    return other
  }
}
