/// The types that exist for a name, from an NSEC record of the restricted form: only types below 256, in one bit map of 1–32
/// bytes (RFC 4034 §4.1.2, RFC 6762 §6.1).
package struct DNSTypeSet: Hashable, Sendable {
  /// The bit map without trailing zero bytes. The most significant bit of its first byte stands for type 0.
  package let bitmap: [UInt8]

  /// Makes a set from a bit map from the network.
  init(bitmap: some Collection<UInt8>) {
    var bytes = Array(bitmap)
    while bytes.last == 0 { bytes.removeLast() }
    self.bitmap = bytes
  }

  /// Makes a set from types; nil when a type is above 255.
  package init?(_ types: some Sequence<DNSType>) {
    var bytes: [UInt8] = []
    for type in types {
      guard type.rawValue < 256 else { return nil }
      let index = Int(type.rawValue / 8)
      while bytes.count <= index { bytes.append(0) }
      bytes[index] |= 0x80 >> (type.rawValue % 8)
    }
    bitmap = bytes
  }

  package func contains(_ type: DNSType) -> Bool {
    let index = Int(type.rawValue / 8)
    return index < bitmap.count && bitmap[index] & (0x80 >> (type.rawValue % 8)) != 0
  }
}
