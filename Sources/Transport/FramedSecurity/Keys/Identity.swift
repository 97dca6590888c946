import CBonjourishLinux
import CFramedOpenSSL
public import FramedTransport
import _BonjourishPrivateFiles

/// A private key, and the certificate that goes with it: what a peer knows this side by.
///
/// The key is the identity (as in Syncthing): peers remember its ``fingerprint``, and nobody has to certify it. A server whose name a
/// certificate authority has certified brings its own certificates.
public final class Identity: Sendable {
  /// The most bytes of a key's file.
  static let largestFile = 16 * 1024

  let key: PrivateKey
  /// The own certificate, then those that certify it.
  let chain: [Certificate]

  /// The fingerprint of the public key.
  public let fingerprint: KeyFingerprint

  init(_ key: PrivateKey, _ chain: [Certificate], _ fingerprint: KeyFingerprint) {
    self.key = key
    self.chain = chain
    self.fingerprint = fingerprint
  }

  private convenience init(_ key: PrivateKey?) throws(TransportError) {
    guard let key, let certificate = key.makeCertificate(), let fingerprint = certificate.fingerprint else {
      throw Self.notCreated()
    }
    self.init(key, [certificate], fingerprint)
  }

  private static func notCreated() -> TransportError {
    let error = OpenSSLError.take()
    return TransportError(
      .outOfResources, "Creating a key failed: \(error.reason); there may be no memory left", because: error)
  }

  /// Creates an identity with a new P-256 key that exists as long as the program.
  ///
  /// - Throws: `outOfResources`.
  public static func ephemeral() throws(TransportError) -> Identity {
    try Identity(PrivateKey.generate())
  }

  /// Reads the key that is stored in a file, or creates a P-256 key and stores it there.
  ///
  /// The file has the key in PEM (PKCS #8), and only its owner may read it (0600). Of several programs that create the same file
  /// at the same time, all get the key of the first. It reads and writes the file at once: do not call it on a connection's thread.
  ///
  /// - Parameter path: The path of the file. Its folder must exist.
  /// - Throws: `unusableKey` if the file is a link or no ordinary file, is larger than 16 KiB, can be read by others, or has no
  ///   key; `notPermitted`, `outOfResources` or `system` if it cannot be read or written.
  public static func stored(at path: String) throws(TransportError) -> Identity {
    let file = PrivateFile(path, maximumSize: largestFile)
    if let identity = try read(file) { return identity }
    guard let key = PrivateKey.generate(), let pem = key.pem else {
      throw Self.notCreated()
    }
    let isNew: Bool
    do throws(PrivateFileError) {
      isNew = try pem.withBytes { bytes throws(PrivateFileError) in try file.create(bytes) }
    } catch {
      throw TransportError(error, .unusableKey, "Storing a key")
    }
    if !isNew {
      // Another program was faster.
      if let identity = try read(file) { return identity }
      throw TransportError(.unusableKey, "The key in \(path) vanished while it was read; try again")
    }
    return try Identity(key)
  }

  private static func read(_ file: PrivateFile) throws(TransportError) -> Identity? {
    let content: SecretBytes?
    do throws(PrivateFileError) {
      content = try file.readSecret { SecretBytes($0) }
    } catch {
      throw TransportError(error, .unusableKey, "Reading a key")
    }
    guard let content else { return nil }
    let key: PrivateKey
    do throws(OpenSSLError) {
      key = try PrivateKey(pem: content)
    } catch {
      throw TransportError(
        .unusableKey, "\(file.path) has no private key in PEM without a password; move the file away to get a new key",
        because: error)
    }
    return try Identity(key)
  }

  /// Creates an identity from certificates of an authority.
  ///
  /// - Parameters:
  ///   - certificateChain: PEM: the own certificate, then those that certify it. At most 16.
  ///   - privateKey: PEM, without a password.
  /// - Throws: `unusableKey` if there is no certificate or no key, or the key is not the first certificate's.
  public convenience init(certificateChain: String, privateKey: String) throws(TransportError) {
    let chain = Certificate.chain(pem: Array(certificateChain.utf8))
    guard let certificate = chain.first, let fingerprint = certificate.fingerprint else {
      throw TransportError(.unusableKey, "The certificate chain has no certificate in PEM")
    }
    let key: PrivateKey
    do throws(OpenSSLError) {
      key = try PrivateKey(pem: SecretBytes(Array(privateKey.utf8)))
    } catch {
      throw TransportError(.unusableKey, "The private key is not in PEM, or has a password", because: error)
    }
    guard X509_check_private_key(certificate.pointer, key.pointer) == 1 else {
      throw TransportError(
        .unusableKey, "The private key is not that of the first certificate; put the own certificate first",
        because: OpenSSLError.take())
    }
    self.init(key, chain, fingerprint)
  }
}

extension Identity: CustomStringConvertible {
  /// The fingerprint. Nothing of the private key.
  public var description: String { "identity \(fingerprint)" }
}
