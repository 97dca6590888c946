/// The secret of a user's NKEY, an Ed25519 key of NATS, and the texts of both.
///
/// A text is base 32 (RFC 4648, without padding) of a prefix, 32 bytes, and a checksum of both: CRC-16 with the polynomial 0x1021, the low
/// byte first. The prefix of a public key says what it is for; that of a seed has two bytes, S and the same.
package struct NKeySeed: Sendable {
  /// The seed of the Ed25519 key, 32 bytes.
  package let bytes: [UInt8]

  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
  private static let user: UInt8 = 20 << 3
  private static let seed: UInt8 = 18 << 3
  private static let size = 58

  /// Finds the first seed of a user in a file, which may have other lines.
  ///
  /// - Returns: Nil if there is none.
  package init?(file: [UInt8]) {
    for line in file.split(whereSeparator: { $0 <= 0x20 }) where line.count == Self.size {
      if let seed = NKeySeed(Array(line)) {
        self = seed
        return
      }
    }
    return nil
  }

  private init?(_ text: [UInt8]) {
    guard let whole = Self.decode(text), whole.count == 36 else { return nil }
    let (key, checksum) = (whole.dropLast(2), whole.suffix(2))
    guard Self.checksum(Array(key)) == Array(checksum), whole[0] == Self.seed | Self.user >> 5,
      whole[1] == (Self.user & 31) << 3
    else { return nil }
    bytes = Array(key.dropFirst(2))
  }

  /// The text of a user's public key.
  ///
  /// - Parameter key: The 32 bytes of the Ed25519 key.
  package static func publicText(_ key: [UInt8]) -> String {
    let bytes = [user] + key
    return encode(bytes + checksum(bytes))
  }

  private static func decode(_ text: [UInt8]) -> [UInt8]? {
    var (bytes, rest, count) = ([UInt8](), UInt32(0), 0)
    for letter in text {
      guard let value = alphabet.firstIndex(of: letter) else { return nil }
      rest = (rest << 5 | UInt32(value)) & 0xFFFF
      count += 5
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: rest >> count))
      }
    }
    return bytes
  }

  private static func encode(_ bytes: [UInt8]) -> String {
    var (text, rest, count) = ([UInt8](), UInt32(0), 0)
    for byte in bytes {
      rest = (rest << 8 | UInt32(byte)) & 0xFFFF
      count += 8
      while count >= 5 {
        count -= 5
        text.append(alphabet[Int(rest >> count & 31)])
      }
    }
    if count > 0 { text.append(alphabet[Int(rest << (5 - count) & 31)]) }
    return String(decoding: text, as: UTF8.self)
  }

  private static func checksum(_ bytes: [UInt8]) -> [UInt8] {
    var checksum: UInt16 = 0
    for byte in bytes {
      checksum ^= UInt16(byte) << 8
      for _ in 0..<8 { checksum = checksum & 0x8000 == 0 ? checksum << 1 : checksum << 1 ^ 0x1021 }
    }
    return [UInt8(truncatingIfNeeded: checksum), UInt8(checksum >> 8)]
  }
}
