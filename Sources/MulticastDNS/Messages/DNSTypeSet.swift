/// The types that exist for a name, as an NSEC record tells them in its restricted form: types below 256 only, in one
/// bit map of 1 to 32 bytes (RFC 4034 §4.1.2, RFC 6762 §6.1).
package struct DNSTypeSet: Hashable, Sendable {
  /// The bit map, without zero bytes at its end; the most significant bit of its first byte stands for type 0.
  package let bitmap: [UInt8]

  /// Takes a bit map from the network.
  init(bitmap: some Collection<UInt8>) {
    var bytes = Array(bitmap)
    while bytes.last == 0 { bytes.removeLast() }
    self.bitmap = bytes
  }

  /// Gathers types; one that the restricted form cannot tell of makes it nil.
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
