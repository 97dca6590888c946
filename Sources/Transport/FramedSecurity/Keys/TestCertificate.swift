import CFramedOpenSSL
public import FramedTransport

/// A certificate that only its own key has signed, for tests of `https` and `wss`: made when the test runs, and stored nowhere.
///
/// ```swift
/// let certificate = try TestCertificate()
/// let server = ListenerSecurity.certificate(try certificate.identity())
/// let client = try ConnectionSecurity.certificate(for: "localhost", authorities: certificate.certificate)
/// ```
/// Browsers warn of it, unless it is added to the authorities that they trust.
public struct TestCertificate: Sendable {
  /// The certificate in PEM. It is also the authority to trust.
  public let certificate: String

  /// The private key in PEM (PKCS #8), without a password.
  public let privateKey: String

  /// Makes a key and a certificate, which is valid from an hour ago until a day from now.
  ///
  /// - Parameter names: The host names and the IP addresses that it is for, 1–16, without commas and control characters.
  /// - Throws: `outOfResources`; `invalidAddress` if there are none or too many, or one is neither a name nor an address.
  public init(for names: [String] = ["localhost", "127.0.0.1", "::1"]) throws(TransportError) {
    let isName = { (name: String) in
      (1...253).contains(name.utf8.count)
        && name.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "\\") }
    }
    guard (1...16).contains(names.count), names.allSatisfy(isName) else {
      throw TransportError(
        .invalidAddress, "Making a certificate failed: give 1 to 16 host names or addresses, without commas and blanks")
    }
    let others = names.map { SocketAddress(numericHost: $0, port: 1) == nil ? "DNS:\($0)" : "IP:\($0)" }
    guard let key = PrivateKey.generate(), let made = key.makeCertificate(for: others.joined(separator: ",")),
      let certificate = made.pem, let pem = key.pem
    else {
      throw TransportError(
        .outOfResources, "Making a certificate failed; there may be no memory left", because: OpenSSLError.take())
    }
    self.certificate = certificate
    privateKey = String(decoding: pem.exposed, as: UTF8.self)
  }

  /// The identity of a server with this certificate.
  ///
  /// - Throws: `outOfResources`.
  public func identity() throws(TransportError) -> Identity {
    try Identity(certificateChain: certificate, privateKey: privateKey)
  }
}

extension PrivateKey {
  /// A certificate for a server that the key has signed itself, valid from an hour ago for a day.
  ///
  /// - Parameter names: The names as an extension has them, such as `DNS:localhost,IP:127.0.0.1`.
  fileprivate func makeCertificate(for names: String) -> Certificate? {
    guard let pointer = X509_new() else { return nil }
    let certificate = Certificate(pointer)
    let serial = SecretBytes.random(count: 7).exposed.reduce(1 as UInt64) { $0 << 8 | UInt64($1) }
    let isMade =
      X509_set_version(pointer, 2) == 1  // version 3
      && ASN1_INTEGER_set_uint64(X509_get_serialNumber(pointer), serial) == 1
      && X509_gmtime_adj(X509_getm_notBefore(pointer), -3_600) != nil
      && X509_gmtime_adj(X509_getm_notAfter(pointer), 86_400) != nil
      && openssl_set_common_name(pointer, "Certificate for tests") == 1
      && X509_set_issuer_name(pointer, X509_get_subject_name(pointer)) == 1
      && X509_set_pubkey(pointer, self.pointer) == 1
      // What OpenSSL's strict checks ask for (RFC 5280, section 4.2.1).
      && openssl_add_extension(pointer, NID_subject_alt_name, names) == 1
      && openssl_add_extension(pointer, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") == 1
      && openssl_add_extension(pointer, NID_key_usage, "critical,digitalSignature,keyCertSign") == 1
      && openssl_add_extension(pointer, NID_ext_key_usage, "serverAuth") == 1
      && openssl_add_extension(pointer, NID_subject_key_identifier, "hash") == 1
      && X509_sign(pointer, self.pointer, EVP_sha256()) > 0
    return isMade ? certificate : nil
  }
}

extension Certificate {
  /// The certificate in PEM; `nil` if there is no memory.
  fileprivate var pem: String? {
    guard let bio = BIO_new(BIO_s_mem()) else { return nil }
    defer { BIO_free(bio) }
    guard PEM_write_bio_X509(bio, pointer) == 1 else { return nil }
    var bytes: UnsafeMutablePointer<CChar>?
    let count = openssl_memory(bio, &bytes)
    return bytes.map { String(decoding: UnsafeRawBufferPointer(start: $0, count: count), as: UTF8.self) }
  }
}
