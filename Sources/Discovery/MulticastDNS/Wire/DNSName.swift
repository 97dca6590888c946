/// A DNS name: labels of bytes, the most specific first.
///
/// Comparison ignores the case of ASCII letters (RFC 6762 §16). A label may hold any bytes; labels from the network are UTF-8.
package struct DNSName: Sendable {
  /// The longest name in bytes, including length bytes and the empty label at the end (RFC 1035 §2.3.4).
  package static let maximumBytes = 255
  /// The longest label in bytes.
  package static let maximumLabelBytes = 63

  /// The name in wire format: labels with length bytes, ending with the empty label (RFC 1035 §3.1).
  package let wire: [UInt8]
  /// The hash of the case-folded name, seeded per process.
  let digest: Int

  /// The root, which has no labels.
  package static let root = DNSName(checkedWire: [0])

  /// Makes a name from wire format that the caller has checked.
  init(checkedWire wire: [UInt8]) {
    self.wire = wire
    digest = Self.digest(of: wire)
  }

  /// Makes a name from labels.
  ///
  /// - Throws: ``DNSNameError`` when a label is empty or longer than 63 bytes, or the name is longer than 255 bytes.
  package init(labels: [[UInt8]]) throws(DNSNameError) {
    var wire: [UInt8] = []
    for label in labels {
      guard !label.isEmpty else { throw .emptyLabel }
      guard label.count <= Self.maximumLabelBytes else { throw .labelTooLong(bytes: label.count) }
      wire.append(UInt8(label.count))
      wire.append(contentsOf: label)
    }
    wire.append(0)
    guard wire.count <= Self.maximumBytes else { throw .tooLong(bytes: wire.count) }
    self.init(checkedWire: wire)
  }

  /// Returns the name with a label in front: an instance of a service type, a host in a domain.
  ///
  /// - Throws: ``DNSNameError`` like ``init(labels:)``.
  package func adding(label: String) throws(DNSNameError) -> DNSName {
    try DNSName(labels: [Array(label.utf8)] + labels)
  }

  /// The labels, the most specific first.
  package var labels: [[UInt8]] {
    var labels: [[UInt8]] = []
    var start = 0
    while wire[start] != 0 {
      let end = start + 1 + Int(wire[start])
      labels.append(Array(wire[(start + 1)..<end]))
      start = end
    }
    return labels
  }

  /// The name without its most specific label; nil for the root.
  package var parent: DNSName? {
    wire[0] == 0 ? nil : DNSName(checkedWire: Array(wire[(1 + Int(wire[0]))...]))
  }
}

extension DNSName: Hashable {
  package static func == (one: DNSName, other: DNSName) -> Bool {
    guard one.digest == other.digest, one.wire.count == other.wire.count else { return false }
    if one.wire == other.wire { return true }
    for index in one.wire.indices where one.wire[index].asciiFolded != other.wire[index].asciiFolded { return false }
    return true
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(digest)
  }

  /// Random numbers per process, so that no peer can choose names with the same hash.
  private static let keys = (UInt64(bitPattern: Int64(0.hashValue)) | 1, UInt64(bitPattern: Int64(1.hashValue)) | 1)

  /// Multiplies by secret numbers, because `Hasher` takes too long for a datagram with hundreds of names.
  private static func digest(of wire: [UInt8]) -> Int {
    let (first, second) = keys
    var state = first
    // Eight bytes at a time. The last word begins with bytes of the one before.
    var word: UInt64 = 0
    for index in wire.indices {
      word = word << 8 | UInt64(wire[index])
      if index % 8 == 7 { state = folded(state ^ word.asciiFolded, by: second) }
    }
    return Int(truncatingIfNeeded: folded(folded(state ^ word.asciiFolded, by: second) ^ UInt64(wire.count), by: first))
  }

  private static func folded(_ number: UInt64, by key: UInt64) -> UInt64 {
    let (high, low) = number.multipliedFullWidth(by: key)
    return high ^ low
  }
}

extension UInt8 {
  /// The byte, in lower case if it is an ASCII letter. Length bytes of labels, at most 63, do not change.
  var asciiFolded: UInt8 {
    self &- 0x41 < 26 ? self | 0x20 : self
  }
}

extension UInt64 {
  /// Eight bytes, each as ``Swift/UInt8/asciiFolded`` returns it.
  fileprivate var asciiFolded: UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let low = self & (0x7F * ones)
    // The top bit of each byte tells whether it is at least "A", and whether it is after "Z".
    let (fromA, afterZ) = (low + (0x80 - 0x41) * ones, low + (0x80 - 0x5B) * ones)
    return self | (fromA & ~afterZ & ~self & (0x80 * ones)) >> 2
  }
}
