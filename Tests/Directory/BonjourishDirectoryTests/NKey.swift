import CFramedSodium
import Foundation

/// A key of NATS: an Ed25519 key whose texts say what it is for, as the programs `nk` and `nsc` make them.
struct NKey {
  /// What a key is for, as the letter that its public key begins with.
  enum Purpose: UInt8 {
    case operators = 0x70  // O
    case account = 0x00  // A
    case user = 0xA0  // U
  }

  let purpose: Purpose
  private let seedBytes: [UInt8]
  private let publicBytes: [UInt8]
  private let secretBytes: [UInt8]

  init(_ purpose: Purpose) {
    self.purpose = purpose
    seedBytes = (0..<32).map { _ in .random(in: .min ... .max) }
    var (publicBytes, secretBytes) = ([UInt8](repeating: 0, count: 32), [UInt8](repeating: 0, count: 64))
    crypto_sign_seed_keypair(&publicBytes, &secretBytes, seedBytes)
    (self.publicBytes, self.secretBytes) = (publicBytes, secretBytes)
  }

  var publicKey: String { Self.text([purpose.rawValue] + publicBytes) }

  /// The seed: S, and the letter of the purpose.
  var seed: String {
    let prefix: UInt8 = 18 << 3
    return Self.text([prefix | purpose.rawValue >> 5, (purpose.rawValue & 31) << 3] + seedBytes)
  }

  /// A JWT of NATS that this key signs: about the owner of another key, or its own.
  func token(about subject: NKey, named name: String, _ rights: [String: Any]) throws -> String {
    let header = ["typ": "JWT", "alg": "ed25519-nkey"]
    let claims: [String: Any] = [
      "jti": "test", "iat": Int(Date().timeIntervalSince1970), "iss": publicKey, "name": name, "sub": subject.publicKey,
      "nats": rights.merging(["version": 2]) { $1 },
    ]
    let text = try [header as Any, claims].map { try Self.url(JSONSerialization.data(withJSONObject: $0)) }.joined(
      separator: ".")
    var signature = [UInt8](repeating: 0, count: 64)
    crypto_sign_detached(&signature, nil, Array(text.utf8), UInt64(text.utf8.count), secretBytes)
    return text + "." + Self.url(Data(signature))
  }

  private static func url(_ data: Data) -> String {
    data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  /// Base 32 without padding, with a checksum (CRC-16/XMODEM, the low byte first).
  private static func text(_ bytes: [UInt8]) -> String {
    var checksum: UInt16 = 0
    for byte in bytes {
      checksum ^= UInt16(byte) << 8
      for _ in 0..<8 { checksum = checksum & 0x8000 == 0 ? checksum << 1 : checksum << 1 ^ 0x1021 }
    }
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
    var (text, rest, count) = ("", UInt32(0), 0)
    for byte in bytes + [UInt8(checksum & 0xFF), UInt8(checksum >> 8)] {
      rest = rest << 8 | UInt32(byte)
      count += 8
      while count >= 5 {
        count -= 5
        text.append(letters[Int(rest >> count & 31)])
      }
    }
    if count > 0 { text.append(letters[Int(rest << (5 - count) & 31)]) }
    return text
  }
}
