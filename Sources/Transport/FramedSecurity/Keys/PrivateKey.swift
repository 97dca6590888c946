import CBonjourishLinux
import CFramedOpenSSL

/// A private key of the TLS library. It owns the library's object, which wipes the key when it is freed.
///
/// Sendable: the object does not change, and the library counts references atomically.
final class PrivateKey: @unchecked Sendable {
  let pointer: OpaquePointer

  /// Takes ownership of a key.
  private init(_ pointer: OpaquePointer) {
    self.pointer = pointer
  }

  deinit {
    EVP_PKEY_free(pointer)
  }

  /// Creates a key on the curve P-256; `nil` if there is no memory.
  static func generate() -> PrivateKey? {
    TLSLibrary.isReady ? openssl_generate_p256().map { PrivateKey($0) } : nil
  }

  /// Reads a key in PEM.
  ///
  /// - Throws: If it is none, or is encrypted.
  convenience init(pem: SecretBytes) throws(OpenSSLError) {
    let key = pem.withBytes { bytes -> OpaquePointer? in
      guard TLSLibrary.isReady, let bio = BIO_new_mem_buf(bytes, CInt(pem.count)) else { return nil }
      defer { BIO_free(bio) }
      // Without this closure the library asks the terminal for a password.
      return PEM_read_bio_PrivateKey(bio, nil, { _, _, _, _ in -1 }, nil)
    }
    guard let key else { throw .take() }
    ERR_clear_error()
    self.init(key)
  }

  /// Whether listeners accept the key from a client.
  var isOfClient: Bool { openssl_is_client_key(pointer) == 1 }

  /// The key as PKCS #8 in PEM, not encrypted; `nil` if there is no memory.
  var pem: SecretBytes? {
    guard let bio = BIO_new(BIO_s_secmem()) else { return nil }
    defer { BIO_free(bio) }
    guard PEM_write_bio_PKCS8PrivateKey(bio, pointer, nil, nil, 0, nil, nil) == 1 else { return nil }
    var bytes: UnsafeMutablePointer<CChar>?
    let count = openssl_memory(bio, &bytes)
    return bytes.map { SecretBytes(UnsafeRawBufferPointer(start: $0, count: count)) }
  }

  /// The secret number of the key (of an elliptic curve the scalar, of RSA the exponent), or the raw bytes of an Edwards curve; `nil` for
  /// any other key. The same bytes with every version of the library, unlike an encoding.
  var secret: SecretBytes? {
    var isFound = false
    let bytes = SecretBytes(count: openssl_secret_size(pointer)) { isFound = openssl_secret(pointer, $0) == 1 }
    ERR_clear_error()
    return isFound ? bytes : nil
  }

  /// A certificate that the key has signed itself. Nobody looks at its dates or its name: peers know the key.
  func makeCertificate() -> Certificate? {
    guard let pointer = X509_new() else { return nil }
    let certificate = Certificate(pointer)
    let serial = SecretBytes.random(count: 7).exposed.reduce(1 as UInt64) { $0 << 8 | UInt64($1) }
    let isMade =
      X509_set_version(pointer, 2) == 1  // version 3
      && ASN1_INTEGER_set_uint64(X509_get_serialNumber(pointer), serial) == 1
      && ASN1_TIME_set_string(X509_getm_notBefore(pointer), "20200101000000Z") == 1
      && ASN1_TIME_set_string(X509_getm_notAfter(pointer), "99991231235959Z") == 1
      && openssl_set_common_name(pointer, "bonjourish") == 1
      && X509_set_issuer_name(pointer, X509_get_subject_name(pointer)) == 1
      && X509_set_pubkey(pointer, self.pointer) == 1
      && X509_sign(pointer, self.pointer, EVP_sha256()) > 0
    return isMade ? certificate : nil
  }
}

/// A certificate of the TLS library. It owns the library's object.
///
/// Sendable: the object does not change, and the library counts references atomically.
package final class Certificate: @unchecked Sendable {
  let pointer: OpaquePointer

  /// Takes ownership of a certificate.
  init(_ pointer: OpaquePointer) {
    self.pointer = pointer
  }

  deinit {
    X509_free(pointer)
  }

  /// Reads all certificates of a text in PEM, at most 16.
  static func chain(pem: [UInt8]) -> [Certificate] {
    pem.withUnsafeBufferPointer { bytes in
      guard TLSLibrary.isReady, let bio = BIO_new_mem_buf(bytes.baseAddress, CInt(bytes.count)) else { return [] }
      defer { BIO_free(bio) }
      var chain: [Certificate] = []
      while chain.count < 16, let next = PEM_read_bio_X509(bio, nil, { _, _, _, _ in -1 }, nil) {
        chain.append(Certificate(next))
      }
      // The end of the text is an error, too.
      ERR_clear_error()
      return chain
    }
  }

  /// The fingerprint of the certified key.
  var fingerprint: KeyFingerprint? { KeyFingerprint(ofCertificate: pointer) }
}

extension KeyFingerprint {
  /// The fingerprint of the key that a certificate certifies; `nil` if it has none.
  init?(ofCertificate certificate: OpaquePointer) {
    var bytes: UnsafeMutablePointer<UInt8>?
    let count = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &bytes)
    guard count > 0, let bytes else { return nil }
    defer { CRYPTO_free(bytes, #fileID, #line) }
    self.init(ofKey: Array(UnsafeBufferPointer(start: bytes, count: Int(count))))
  }
}
