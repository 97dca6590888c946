/// A name of the DNS: labels of bytes, the first the most particular.
///
/// Two names are equal when they differ in the case of ASCII letters only; all other bytes are compared as they are
/// (RFC 6762 §16). A label may hold any bytes; those that come from the network are UTF-8.
package struct DNSName: Sendable {
  /// The longest name, with the length byte of each label and the empty label at the end (RFC 1035 §2.3.4).
  package static let maximumBytes = 255
  /// The longest label.
  package static let maximumLabelBytes = 63

  /// Each label after its length, up to the empty one (RFC 1035 §3.1).
  let wire: [UInt8]
  /// Of the bytes without their case: names are told apart and found without being read. Another one in each process.
  private let digest: Int

  /// The name of everything, which has no labels.
  package static let root = DNSName(checkedWire: [0])

  /// Trusts that `wire` is such a name.
  init(checkedWire wire: [UInt8]) {
    self.wire = wire
    digest = Self.digest(of: wire)
  }

  /// Puts labels together.
  ///
  /// - Throws: ``DNSNameError`` when a label is empty or longer than 63 bytes, or all together need more than 255.
  package init(labels: some Sequence<some Collection<UInt8>>) throws(DNSNameError) {
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

  /// The name with one more label before it: an instance of a service type, a host in a domain.
  ///
  /// - Throws: ``DNSNameError`` as ``init(labels:)``.
  package func adding(label: String) throws(DNSNameError) -> DNSName {
    try DNSName(labels: [Array(label.utf8)] + labels)
  }

  /// The labels, the most particular first.
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

  /// The most particular label as text; nil for the root and for bytes that are not UTF-8.
  package var firstLabel: String? {
    let count = Int(wire[0])
    return count == 0 ? nil : String(validating: wire[1..<(1 + count)], as: UTF8.self)
  }

  /// The name without its most particular label; nil for the root.
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

  private static func digest(of wire: [UInt8]) -> Int {
    var hasher = Hasher()
    var word: UInt64 = 0
    var count = 0
    for byte in wire {
      word = word << 8 | UInt64(byte.asciiFolded)
      count += 1
      if count == 8 {
        hasher.combine(word)
        word = 0
        count = 0
      }
    }
    hasher.combine(word)
    return hasher.finalize()
  }
}

extension UInt8 {
  /// The byte with a capital ASCII letter made small. Length bytes of labels, at most 63, stay what they are.
  var asciiFolded: UInt8 {
    self &- 0x41 < 26 ? self | 0x20 : self
  }
}
