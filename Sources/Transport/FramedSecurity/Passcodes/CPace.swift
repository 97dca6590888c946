import CFramedSodium

/// The mathematics of CPace with ristretto255 and SHA-512 (draft-irtf-cfrg-cpace, sections 5 to 7), without messages.
///
/// Two sides that know the same password agree on a key. Whoever does not know it learns nothing that could be searched later: each
/// guess needs a run of its own with a side that knows it.
enum CPace {
  /// The domain separator of the group.
  static let domain = Array("CPaceRistretto255".utf8)

  /// The size of a block of SHA-512 in bytes, which the generator's string fills with the password alone.
  private static let blockSize = 128

  /// A share that cannot be used: it is no element of the group, or the neutral one.
  struct InvalidShare: Error, Equatable {}

  /// The number of bytes of a share.
  static let shareSize = Int(crypto_core_ristretto255_BYTES)

  /// The number of bytes of a tag.
  static let tagSize = 64

  /// The length as LEB128.
  static func encodedLength(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = count
    repeat {
      bytes.append(UInt8(rest & 0x7F) | (rest > 0x7F ? 0x80 : 0))
      rest >>= 7
    } while rest > 0
    return bytes
  }

  /// The strings one after another, each behind its length (`lv_cat`).
  static func joined(_ strings: [UInt8]...) -> [UInt8] {
    strings.reduce(into: []) { $0 += encodedLength($1.count) + $1 }
  }

  /// The zeros between password and channel in the generator's string, so that the first block depends on the password only.
  static func paddingSize(passwordSize: Int) -> Int {
    let password = encodedLength(passwordSize).count + passwordSize
    let domain = encodedLength(Self.domain.count).count + Self.domain.count
    return max(0, blockSize - 1 - password - domain)
  }

  /// The generator of this password, channel and session, encoded (`calculate_generator`).
  ///
  /// - Parameters:
  ///   - password: The password (PRS).
  ///   - channel: The channel identifier (CI), the same on both sides.
  ///   - session: The session identifier (sid), unique.
  static func generator(password: SecretBytes, channel: [UInt8], session: [UInt8]) -> SecretBytes {
    var digest = Digest()
    digest.addWithLength(domain)
    digest.addWithLength(password)
    digest.addWithLength([UInt8](repeating: 0, count: paddingSize(passwordSize: password.count)))
    digest.addWithLength(channel)
    digest.addWithLength(session)
    let hash = digest.finish()
    return SecretBytes(count: shareSize) { target in hash.withBytes { _ = crypto_core_ristretto255_from_hash(target, $0) } }
  }

  /// A random scalar from 1 to the order of the group − 1.
  static func randomScalar() -> SecretBytes {
    SecretBytes(count: Int(crypto_core_ristretto255_SCALARBYTES)) { crypto_core_ristretto255_scalar_random($0) }
  }

  /// The product of a scalar and an element (`scalar_mult_vfy`).
  ///
  /// - Throws: `InvalidShare` if the bytes are no canonical element, or the product is the neutral element.
  static func product(_ scalar: SecretBytes, _ element: SecretBytes) throws(InvalidShare) -> SecretBytes {
    guard element.count == shareSize else { throw InvalidShare() }
    var status: CInt = -1
    let product = SecretBytes(count: shareSize) { target in
      scalar.withBytes { scalar in
        element.withBytes { element in
          guard crypto_core_ristretto255_is_valid_point(element) == 1 else { return }
          status = crypto_scalarmult_ristretto255(target, scalar, element)
        }
      }
    }
    // The library refuses the neutral element; what it left must not be it either.
    let neutral = SecretBytes(count: shareSize) { _ in }
    guard status == 0, !product.equals(neutral) else { throw InvalidShare() }
    return product
  }

  /// One side's share and the data that go with it.
  struct Contribution: Equatable {
    let share: [UInt8]
    let data: [UInt8]

    var encoded: [UInt8] { CPace.joined(share, data) }
  }

  /// The intermediate session key (ISK) of a run with an initiator and a responder, 64 bytes.
  static func sessionKey(
    secret: SecretBytes, session: [UInt8], initiator: Contribution, responder: Contribution
  ) -> SecretBytes {
    var digest = Digest()
    digest.addWithLength(domain + Array("_ISK".utf8))
    digest.addWithLength(session)
    digest.addWithLength(secret)
    digest.add(initiator.encoded)
    digest.add(responder.encoded)
    return digest.finish()
  }

  /// The proof that a side has the session key: a code over its own contribution (section 9.6, key confirmation).
  static func tag(sessionKey: SecretBytes, session: [UInt8], over contribution: Contribution) -> SecretBytes {
    var digest = Digest()
    digest.add(Array("CPaceMac".utf8))
    digest.add(session)
    digest.add(sessionKey)
    return Digest.authenticationCode(of: contribution.encoded, key: digest.finish())
  }
}
