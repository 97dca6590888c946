import CFramedOpenSSL

/// One TLS connection without I/O: encrypted bytes are given to it and taken from it.
///
/// It owns the library's object. Confined to one thread. Dynamic exclusivity checks are off because the library calls back while a
/// method runs, and because every read and write uses these variables.
package final class TLSSession {
  package enum Outcome: Equatable {
    case done
    /// More encrypted bytes are needed.
    case wantsInput
    /// The output must be taken first.
    case wantsRoom
    /// The peer has ended its side, with `close_notify`.
    case ended
    case failed(TLSFailure)
  }

  /// The most plain bytes in a record (RFC 8446, section 5.1).
  static let recordSize = 16 * 1024

  /// The number of bytes of output from which the library must wait. A peer that asks for new keys again and again and reads nothing
  /// cannot fill the memory.
  private static let mostOutput = 256 * 1024

  /// The encrypted bytes to be read; valid during a call only.
  @exclusivity(unchecked) package var input = UnsafeRawBufferPointer(start: nil, count: 0)
  /// Whether no bytes follow the input.
  @exclusivity(unchecked) package var hasInputEnded = false
  /// The encrypted bytes to be sent.
  @exclusivity(unchecked) package var output: [UInt8] = []
  /// The records that may still be read. With none left, the library is given no more input.
  @exclusivity(unchecked) package var recordsLeft = Int.max
  /// The records without data that the peer may still send.
  @exclusivity(unchecked) private var allowance = RecordAllowance()
  @exclusivity(unchecked) private var isEstablished = false
  /// What the library noted when it gave up.
  package private(set) var libraryError: OpenSSLError?
  /// Decides on the key that the peer claims; called during the handshake.
  package var decideOnKey: (KeyFingerprint) -> Bool = { _ in false }

  let ssl: OpaquePointer
  private let context: TLSContext

  /// - Returns: `nil` if there is no memory.
  package init?(_ context: TLSContext, serverName: String? = nil) {
    guard let ssl = SSL_new(context.pointer) else { return nil }
    guard let bio = BIO_new(Self.method) else { SSL_free(ssl); return nil }
    self.ssl = ssl
    self.context = context
    let this = Unmanaged.passUnretained(self).toOpaque()
    BIO_set_data(bio, this)
    BIO_set_init(bio, 1)
    // The library owns the BIO from now on, for both directions.
    SSL_set_bio(ssl, bio, bio)
    SSL_set_ex_data(ssl, 0, this)
    if context.role == .client { SSL_set_connect_state(ssl) } else { SSL_set_accept_state(ssl) }
    if let serverName { expect(serverName) }
  }

  deinit {
    SSL_free(ssl)
  }

  /// The session of a library's object; `nil` for foreign ones.
  static func of(_ ssl: OpaquePointer) -> TLSSession? {
    SSL_get_ex_data(ssl, 0).map { Unmanaged<TLSSession>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Requires that the server's certificate is for a host name or an address.
  private func expect(_ name: String) {
    SSL_set_hostflags(ssl, CUnsignedInt(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
    if X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), name) == 1 { return }
    _ = SSL_set1_host(ssl, name)
    _ = openssl_set_server_name(ssl, name)
  }

  var isServer: Bool { context.role == .server }

  func decide(on key: KeyFingerprint?) -> Bool { key.map { decideOnKey($0) } ?? false }

  // MARK: - Bytes

  /// Goes on with the handshake.
  package func handshake() -> Outcome {
    ERR_clear_error()
    let result = SSL_do_handshake(ssl)
    guard result == 1 else { return outcome(of: result) }
    isEstablished = true
    return .done
  }

  /// Reads plain bytes until there is no more room or no more input.
  ///
  /// - Parameter count: Is increased by the number of bytes written.
  /// - Returns: `done` when the room is full.
  package func read(into room: UnsafeMutableRawBufferPointer, _ count: inout Int) -> Outcome {
    while count < room.count {
      ERR_clear_error()
      var size = 0
      let result = SSL_read_ex(ssl, room.baseAddress! + count, room.count - count, &size)
      guard result == 1 else { return outcome(of: result) }
      count += size
      allowance.receive(size)
    }
    return .done
  }

  /// Whether there are plain bytes that were decrypted and not read.
  var hasPlainBytes: Bool { SSL_pending(ssl) > 0 }

  /// Writes plain bytes, at most a record.
  package func write(_ bytes: UnsafeRawBufferPointer) -> Outcome {
    ERR_clear_error()
    var size = 0
    let result = SSL_write_ex(ssl, bytes.baseAddress, bytes.count, &size)
    return result == 1 ? .done : outcome(of: result)
  }

  /// Writes the authenticated end of this side. Reading goes on.
  package func finishWriting() {
    _ = SSL_shutdown(ssl)
    // What it may have noted is not the next error.
    ERR_clear_error()
  }

  private func outcome(of result: CInt) -> Outcome {
    if allowance.isExceeded {
      ERR_clear_error()
      return .failed(.excessive)
    }
    return switch SSL_get_error(ssl, result) {
    case SSL_ERROR_WANT_READ: .wantsInput
    case SSL_ERROR_WANT_WRITE: .wantsRoom
    case SSL_ERROR_ZERO_RETURN: .ended
    case SSL_ERROR_SSL: .failed(TLSFailure.take(&libraryError))
    // The BIO makes no system calls: only the end of the input.
    case SSL_ERROR_SYSCALL: .failed(.truncated)
    default: .failed(.other("the TLS library waits for something that was not asked for"))
    }
  }

  /// Notes a record that was received.
  ///
  /// - Parameter kind: What is encrypted in it (RFC 8446, section 5.1).
  func note(recordOf kind: UInt8) {
    recordsLeft -= 1
    // Of alerts the library has its own bound, and the peer's orderly end is one.
    if isEstablished, kind == UInt8(SSL3_RT_HANDSHAKE) { allowance.take() }
  }

  // MARK: - What was agreed

  /// The application protocol that both sides have agreed on; empty for none.
  var applicationProtocol: [UInt8] {
    var name: UnsafePointer<UInt8>?
    var size: CUnsignedInt = 0
    SSL_get0_alpn_selected(ssl, &name, &size)
    return Array(UnsafeBufferPointer(start: name, count: Int(size)))
  }

  /// The key that the peer has proved to have; `nil` if it has shown none.
  var peerKey: KeyFingerprint? { SSL_get0_peer_certificate(ssl).flatMap { KeyFingerprint(ofCertificate: $0) } }

  /// Why the peer's certificate was not accepted.
  var verificationProblem: String { String(cString: X509_verify_cert_error_string(SSL_get_verify_result(ssl))) }

  /// The secret that both ends share (RFC 8446, section 7.5); `nil` if there is no memory.
  func exportBinding() -> ChannelBinding? {
    let label = "EXPORTER-bonjourish-channel-binding"
    var isDone = false
    let secret = SecretBytes(count: ChannelBinding.byteCount) { target in
      isDone =
        SSL_export_keying_material(ssl, target, ChannelBinding.byteCount, label, label.utf8.count, nil, 0, 0) == 1
    }
    return isDone ? ChannelBinding(secret) : nil
  }

  // MARK: - The library's view of input and output

  /// The functions by which the library reads and writes; made once and never freed.
  private nonisolated(unsafe) static let method: OpaquePointer? = {
    guard let method = BIO_meth_new(BIO_get_new_index() | CInt(BIO_TYPE_SOURCE_SINK), "bonjourish") else { return nil }
    BIO_meth_set_read_ex(method) { bio, bytes, count, read in
      guard let bio, let session = of(bio: bio), let bytes, let read else { return 0 }
      return session.give(to: bytes, count, read, bio)
    }
    BIO_meth_set_write_ex(method) { bio, bytes, count, written in
      guard let bio, let session = of(bio: bio), let bytes, let written else { return 0 }
      return session.take(UnsafeRawBufferPointer(start: bytes, count: count), written, bio)
    }
    BIO_meth_set_ctrl(method) { bio, command, _, _ in
      switch command {
      case BIO_CTRL_FLUSH: 1
      case BIO_CTRL_EOF: bio.flatMap { of(bio: $0) }?.isAtEnd == true ? 1 : 0
      default: 0
      }
    }
    return method
  }()

  private static func of(bio: OpaquePointer) -> TLSSession? {
    BIO_get_data(bio).map { Unmanaged<TLSSession>.fromOpaque($0).takeUnretainedValue() }
  }

  private var isAtEnd: Bool { hasInputEnded && input.isEmpty }

  private func give(
    to bytes: UnsafeMutablePointer<CChar>, _ count: Int, _ read: UnsafeMutablePointer<Int>, _ bio: OpaquePointer
  )
    -> CInt
  {
    openssl_clear_retry(bio)
    let size = recordsLeft > 0 && !allowance.isExceeded ? min(count, input.count) : 0
    read.pointee = size
    guard size > 0, let start = input.baseAddress else {
      if !isAtEnd { openssl_retry_reading(bio) }
      return 0
    }
    UnsafeMutableRawPointer(bytes).copyMemory(from: start, byteCount: size)
    input = UnsafeRawBufferPointer(rebasing: input[size...])
    return 1
  }

  private func take(_ bytes: UnsafeRawBufferPointer, _ written: UnsafeMutablePointer<Int>, _ bio: OpaquePointer) -> CInt {
    openssl_clear_retry(bio)
    guard output.count < Self.mostOutput else {
      written.pointee = 0
      openssl_retry_writing(bio)
      return 0
    }
    output.append(contentsOf: bytes)
    written.pointee = bytes.count
    return 1
  }
}
