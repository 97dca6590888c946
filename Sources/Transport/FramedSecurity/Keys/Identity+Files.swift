import CBonjourishLinux
import CFramedOpenSSL
public import FramedTransport
import _BonjourishEventLoop

/// Certificates that an authority's programs put into files.
extension Identity {
  /// The most bytes of a file with certificates: 16 of them have less.
  private static let largestChainFile = 128 * 1024

  /// Reads a server's certificates and their key from two files in PEM, as certbot, mkcert and openssl write them.
  ///
  /// The paths may be links. The key's file must not be readable by everybody: its owner and its group may read it. It reads the files at
  /// once, and does not notice when they change: do not call it on a connection's thread. A listener that is to notice a renewal takes the paths,
  /// `ListenerSecurity.certificate(certificateFile:privateKeyFile:)`.
  ///
  /// - Parameters:
  ///   - certificateFile: The path of the certificates: the own certificate, then those that certify it. At most 16.
  ///   - privateKeyFile: The path of the key, without a password.
  /// - Throws: `unusableKey` if a file does not exist, is no ordinary file, is too large, has no certificate or no key, or can be read by
  ///   everybody, or if the key is not the first certificate's; `notPermitted`, `outOfResources` or `system` if it cannot be read. The
  ///   message names the file, and says what to do.
  public convenience init(certificateFile: String, privateKeyFile: String) throws(TransportError) {
    let certificates = try Self.read(certificateFile, atMost: Self.largestChainFile, isSecret: false)
    let chain = Certificate.chain(pem: certificates.exposed)
    guard let certificate = chain.first, let fingerprint = certificate.fingerprint else {
      throw TransportError(
        .unusableKey,
        "\(certificateFile) has no certificate in PEM, which begins with “-----BEGIN CERTIFICATE-----”; name the file with the "
          + "certificates, such as fullchain.pem")
    }
    let content = try Self.read(privateKeyFile, atMost: Self.largestFile, isSecret: true)
    let key: PrivateKey
    do throws(OpenSSLError) {
      key = try PrivateKey(pem: content)
    } catch {
      throw TransportError(
        .unusableKey,
        "\(privateKeyFile) has no private key in PEM without a password; name the file with the key, such as privkey.pem, or remove the "
          + "password: openssl pkey -in \(privateKeyFile) -out NEW", because: error)
    }
    guard X509_check_private_key(certificate.pointer, key.pointer) == 1 else {
      ERR_clear_error()
      throw TransportError(
        .unusableKey,
        "The key in \(privateKeyFile) is not that of the first certificate in \(certificateFile); put the own certificate first, and name "
          + "the key that it was made for")
    }
    self.init(key, chain, fingerprint)
  }

  /// Reads a whole file, and wipes the copies in between.
  private static func read(_ path: String, atMost limit: Int, isSecret: Bool) throws(TransportError) -> SecretBytes {
    let file = OwnedDescriptor(
      try reading(path) { () throws(SystemError) in
        // A FIFO without a writer, and a terminal, must not stop the program.
        try systemCall("open") { linux_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0) }
      })
    var status = stat()
    try reading(path) { () throws(SystemError) in _ = try systemCall("fstat") { fstat(file.number, &status) } }
    guard Int32(status.st_mode) & Int32(S_IFMT) == Int32(S_IFREG) else {
      throw TransportError(.unusableKey, "\(path) is no ordinary file; name a file in PEM")
    }
    guard !isSecret || status.st_mode & 0o004 == 0 else {
      throw TransportError(
        .unusableKey,
        "Everybody may read the private key in \(path); if nobody has seen it, run: chmod o-r \(path), and otherwise get a new one"
      )
    }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: limit + 1, alignment: 1)
    defer {
      explicit_bzero(buffer.baseAddress!, buffer.count)
      buffer.deallocate()
    }
    var count = 0
    while count <= limit {
      let part = try reading(path) { () throws(SystemError) in
        // Within the buffer, which is not full.
        try systemCall("read") { CBonjourishLinux.read(file.number, buffer.baseAddress! + count, buffer.count - count) }
      }
      if part == 0 { return SecretBytes(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
      count += part
    }
    throw TransportError(.unusableKey, "\(path) has more than \(limit) bytes; name a file in PEM")
  }

  private static func reading<Result>(
    _ path: String, _ body: () throws(SystemError) -> Result
  ) throws(TransportError) -> Result {
    do throws(SystemError) {
      return try body()
    } catch {
      let advice =
        switch error.errno {
        case ENOENT, ENOTDIR: "check the path"
        case EACCES, EPERM: "let this program's user read it, such as by its group"
        default: "check the file and its folder"
        }
      let code = [ENOENT, ENOTDIR].contains(error.errno) ? .unusableKey : TransportError(error, "").code
      throw TransportError(
        code, errno: error.errno, "Reading \(path) failed: \(error.reason); \(advice)", because: error)
    }
  }
}
