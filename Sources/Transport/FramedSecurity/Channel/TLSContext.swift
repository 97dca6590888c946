import CFramedOpenSSL
package import FramedTransport

/// The settings that many TLS sessions share. It owns the library's object.
///
/// Sendable: nothing changes after the initialiser, and the library's object is made for many threads.
package final class TLSContext: @unchecked Sendable {
  package enum Role: Sendable {
    case client
    case server
  }

  /// Certificates of authorities that may vouch for a server's name.
  package enum Authorities: Sendable {
    /// Those that the system trusts.
    case system
    /// These, and no others.
    case only([Certificate])
  }

  /// The most bytes of a peer's certificates.
  private static let mostCertificateBytes = 32 * 1024

  let pointer: OpaquePointer
  let role: Role
  /// The application protocols (RFC 7301), without one of which there is no connection; empty for none.
  let protocolNames: [[UInt8]]
  private let identity: Identity?

  /// - Parameters:
  ///   - role: The side.
  ///   - identity: The own key; a server needs one.
  ///   - protocolNames: The application protocols, without one of which there is no connection; 1–255 bytes each. A client
  ///     puts what it likes best first.
  ///   - authorities: Who may vouch for the server's name; `nil` if the sessions decide by the key.
  /// - Throws: `outOfResources`, or `unusableKey` if the library refuses the identity.
  package init(
    _ role: Role, identity: Identity?, protocolNames: [String], authorities: Authorities? = nil
  ) throws(TransportError) {
    guard TLSLibrary.isReady, let pointer = SSL_CTX_new(role == .client ? TLS_client_method() : TLS_server_method()) else {
      throw Self.failure()
    }
    self.pointer = pointer
    self.role = role
    self.identity = identity
    self.protocolNames = protocolNames.map { Array($0.utf8) }
    guard openssl_allow_tls13_only(pointer) == 1, openssl_restrict(pointer, Self.mostCertificateBytes) == 1,
      SSL_CTX_set_ciphersuites(pointer, "TLS_AES_128_GCM_SHA256:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_256_GCM_SHA384") == 1,
      openssl_set_groups(pointer, "X25519:P-256") == 1
    else { throw Self.failure() }
    if let identity { try present(identity) }
    setProtocol()
    noteRecords()
    guard role == .client || openssl_restrict_clients(pointer) == 1 else { throw Self.failure() }
    // A server asks for a certificate, and does not insist: a player's key is an offer.
    SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, nil)
    if let authorities { try trust(authorities) } else { decideByKey() }
  }

  deinit {
    SSL_CTX_free(pointer)
  }

  private static func failure() -> TransportError {
    let error = OpenSSLError.take()
    return TransportError(.outOfResources, "Preparing encryption failed: \(error.reason)", because: error)
  }

  private func present(_ identity: Identity) throws(TransportError) {
    guard let own = identity.chain.first, SSL_CTX_use_certificate(pointer, own.pointer) == 1,
      SSL_CTX_use_PrivateKey(pointer, identity.key.pointer) == 1,
      identity.chain.dropFirst().allSatisfy({ openssl_add_chain_certificate(pointer, $0.pointer) == 1 })
    else {
      let error = OpenSSLError.take()
      throw TransportError(
        .unusableKey, "The key \(identity.fingerprint) cannot be used for TLS: \(error.reason)", because: error)
    }
  }

  /// Lets the sessions count the records that they receive.
  private func noteRecords() {
    SSL_CTX_set_msg_callback(pointer) { isSent, _, what, bytes, _, ssl, _ in
      guard isSent == 0, what == SSL3_RT_INNER_CONTENT_TYPE, let ssl, let bytes else { return }
      TLSSession.of(ssl)?.note(recordOf: bytes.load(as: UInt8.self))
    }
  }

  private func setProtocol() {
    guard !protocolNames.isEmpty else { return }
    if role == .client {
      let list = protocolNames.flatMap { [UInt8($0.count)] + $0 }
      // 0 is success here.
      precondition(SSL_CTX_set_alpn_protos(pointer, list, CUnsignedInt(list.count)) == 0, "protocolNames must be valid")
    } else {
      // The sessions retain this object, and use the pointer no longer than that.
      SSL_CTX_set_alpn_select_cb(
        pointer,
        { _, chosen, chosenSize, offered, offeredSize, context in
          guard let chosen, let chosenSize, let offered, let context else { return SSL_TLSEXT_ERR_ALERT_FATAL }
          let this = Unmanaged<TLSContext>.fromOpaque(context).takeUnretainedValue()
          let list = UnsafeBufferPointer(start: offered, count: Int(offeredSize))
          guard let place = this.place(in: list) else { return SSL_TLSEXT_ERR_ALERT_FATAL }
          chosen.pointee = offered + place.lowerBound
          chosenSize.pointee = UInt8(place.count)
          return SSL_TLSEXT_ERR_OK
        }, Unmanaged.passUnretained(self).toOpaque())
    }
  }

  /// Where the first own protocol's name stands in a list of names, each behind its length.
  private func place(in list: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
    var position = 0
    while position < list.count {
      let name = position + 1..<position + 1 + Int(list[position])
      guard name.upperBound <= list.count else { return nil }
      if protocolNames.contains(where: list[name].elementsEqual) { return name }
      position = name.upperBound
    }
    return nil
  }

  private func trust(_ authorities: Authorities) throws(TransportError) {
    switch authorities {
    case .system:
      guard SSL_CTX_set_default_verify_paths(pointer) == 1 else { throw Self.failure() }
    case .only(let certificates):
      let store = SSL_CTX_get_cert_store(pointer)
      guard certificates.allSatisfy({ X509_STORE_add_cert(store, $0.pointer) == 1 }) else { throw Self.failure() }
    }
  }

  /// Lets the session decide about the peer's key. The library still checks that the peer has the private key.
  ///
  /// Of a client only keys are accepted whose signatures cost little, before the library checks one: an RSA key may have an exponent
  /// that takes four times as long as a whole handshake.
  private func decideByKey() {
    SSL_CTX_set_cert_verify_callback(
      pointer,
      { store, _ in
        guard let ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()),
          let certificate = X509_STORE_CTX_get0_cert(store), let session = TLSSession.of(OpaquePointer(ssl)),
          !session.isServer || openssl_is_client_key(X509_get0_pubkey(certificate)) == 1,
          session.decide(on: KeyFingerprint(ofCertificate: certificate))
        else {
          X509_STORE_CTX_set_error(store, X509_V_ERR_APPLICATION_VERIFICATION)
          return 0
        }
        return 1
      }, nil)
  }
}
