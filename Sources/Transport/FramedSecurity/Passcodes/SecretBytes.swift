import CFramedSodium

/// Bytes that are wiped when they are no longer needed, and compared in constant time.
///
/// Sendable: the bytes are written only while the initialiser runs.
package final class SecretBytes: @unchecked Sendable {
  private let storage: UnsafeMutableRawBufferPointer

  /// The number of bytes.
  var count: Int { storage.count }

  /// Creates bytes that a closure writes; they are 0 before.
  init(count: Int, _ write: (UnsafeMutablePointer<UInt8>) -> Void) {
    Self.startLibrary()
    storage = .allocate(byteCount: max(count, 1), alignment: 16)
    storage.initializeMemory(as: UInt8.self, repeating: 0)
    write(storage.baseAddress!.assumingMemoryBound(to: UInt8.self))
  }

  /// Copies bytes; the original is the caller's to wipe.
  package convenience init(_ bytes: some Collection<UInt8>) {
    self.init(count: bytes.count) { target in
      for (index, byte) in bytes.enumerated() { target[index] = byte }
    }
  }

  /// Random bytes.
  package static func random(count: Int) -> SecretBytes {
    SecretBytes(count: count) { randombytes_buf($0, count) }
  }

  deinit {
    sodium_memzero(storage.baseAddress, storage.count)
    storage.deallocate()
  }

  /// Calls a closure with the address of the bytes, which is valid until the closure returns.
  func withBytes<Outcome>(_ body: (UnsafePointer<UInt8>) -> Outcome) -> Outcome {
    body(UnsafePointer(storage.baseAddress!.assumingMemoryBound(to: UInt8.self)))
  }

  /// Calls a closure with the bytes.
  func withBytes<Outcome, Failure>(_ body: (RawSpan) throws(Failure) -> Outcome) throws(Failure) -> Outcome {
    try body(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(storage)[..<count]).bytes)
  }

  /// A copy that is not wiped, for what is not secret any more.
  package var exposed: [UInt8] { withBytes { Array(UnsafeBufferPointer(start: $0, count: count)) } }

  /// Whether both have the same bytes; takes as long whether they differ early or late.
  func equals(_ other: SecretBytes) -> Bool {
    count == other.count && withBytes { left in other.withBytes { sodium_memcmp(left, $0, count) == 0 } }
  }

  /// Prepares the library, once.
  static func startLibrary() { precondition(isLibraryReady, "libsodium could not be started: there are no random numbers") }

  private static let isLibraryReady = sodium_init() >= 0
}
