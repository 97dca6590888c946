public import FramedTransport

extension ConnectionSecurity {
  /// Encrypts, and proves a passcode to the peer, which must prove that it knows it, too.
  ///
  /// Nobody in between can take part, read or guess: the proof is bound to the encrypted channel. Connecting throws `wrongPasscode` if
  /// the passcodes differ, `passcodePaused` if too many wrong ones were tried, `passcodeNotAsked` if the peer asks for none.
  ///
  /// Whoever answers in place of a listener whose key is not known learns whether one guess is right from each proof, and can end the
  /// exchange then. So one value gives at most ten proofs that are not answered, in all its connections; then connecting throws
  /// `passcodeUnconfirmed`, and nothing is given. Use one value for all attempts with one passcode, as `Reconnections` do. What
  /// a listener leaves unanswered that has proved the passcode before, or proves it later, with the same key, does not count.
  ///
  /// - Parameters:
  ///   - passcode: The passcode; a string literal will do.
  ///   - service: The type of the service as text, such as `_chat._tcp`, the same on both sides. A passcode that is used for two services
  ///     cannot be proved to one with the help of the other.
  ///   - key: The fingerprint of the peer's key, if it is known from a link, for example.
  ///   - identity: The key that this side shows, P-256 or Ed25519; by default none. Another kind is the error `unusableKey`.
  public static func passcode(
    _ passcode: Passcode, service: String = "", pinned key: KeyFingerprint? = nil, identity: Identity? = nil
  ) -> ConnectionSecurity {
    ConnectionSecurity(
      TLSLayer(.client, .passcode(passcode, service: service), key.map { .pinned($0) } ?? .anyKey, identity: identity))
  }

  /// Encrypts, and proves a passcode the first time, and the own key afterwards.
  ///
  /// Once both sides have proved the passcode, the listener's key is kept, and the listener has this side's key: `passcode` with `or:` of
  /// `ListenerSecurity`. From then on this side accepts that key only, and compares it before anything else: whoever has another one gets
  /// nothing, and connecting throws `keyChanged`. No passcode is needed:
  ///
  /// ```swift
  /// func join(_ passcode: Passcode? = nil) async throws(TransportError) -> Connection {
  ///   let security = ConnectionSecurity.passcode(passcode, or: .known(hosts, name: "Ada's room"), identity: identity)
  ///   return try await Connection.connect(to: addresses, security: security)
  /// }
  /// ```
  ///
  /// If there is no passcode, and one is needed, connecting throws `passcodeRequired` for a listener that is not known yet, to which nothing
  /// is sent, and `keyForgotten` for one that no longer knows this side: ask for the passcode, and connect with it. With a passcode, it is
  /// proved to a listener that no longer knows this side, over the same connection. Other errors are those of
  /// ``passcode(_:service:pinned:identity:)``.
  ///
  /// One value can be used for all connections, as by `Reconnections`, and counts the proofs that are not answered, as above. To a listener without `or:`, or of an earlier version, the passcode is
  /// proved each time.
  ///
  /// - Parameters:
  ///   - passcode: The passcode; a string literal will do. `nil` to be let in by the key.
  ///   - service: The type of the service as text, such as `_chat._tcp`, the same on both sides.
  ///   - peer: The listener, and where its key is kept.
  ///   - identity: The key that this side shows, P-256 or Ed25519. It must stay the same: see ``Identity/stored(at:)``.
  public static func passcode(
    _ passcode: Passcode?, service: String = "", or peer: KnownPeer, identity: Identity
  ) -> ConnectionSecurity {
    ConnectionSecurity(PairingLayer(passcode, service: service, peer.store, name: peer.name, identity: identity))
  }

  /// Encrypts, and accepts the peer with this key only. Connecting throws `wrongKey` for others, before anything is asked;
  /// `passcodeRequired` if the peer with this key asks for a passcode.
  ///
  /// - Parameters:
  ///   - key: The fingerprint of the peer's key.
  ///   - identity: The key that this side shows, P-256 or Ed25519; by default none. Another kind is the error `unusableKey`.
  public static func pinned(_ key: KeyFingerprint, identity: Identity? = nil) -> ConnectionSecurity {
    ConnectionSecurity(TLSLayer(.client, .comparison, .pinned(key), identity: identity))
  }

  /// Encrypts, accepts any key at the first connection, and the same key from then on.
  ///
  /// Connecting throws `keyChanged` when the peer has another key than before. Whether somebody sat between at the first connection,
  /// two people find out by comparing ``SecurityDetails/comparisonCode``.
  ///
  /// - Parameters:
  ///   - store: The known keys. A new one is added, and its file written, before `connect` returns.
  ///   - name: The name that the key belongs to, such as a service's full name; 1–512 bytes, without control characters.
  ///   - identity: The key that this side shows, P-256 or Ed25519; by default none. Another kind is the error `unusableKey`.
  public static func firstUse(_ store: PinStore, name: String, identity: Identity? = nil) -> ConnectionSecurity {
    precondition(PinStore.isValid(name), "name must have 1 to \(PinStore.longestName) bytes and no control characters")
    return ConnectionSecurity(TLSLayer(.client, .comparison, .firstUse(store, name: name), identity: identity))
  }

  /// Encrypts with whoever answers. It keeps out those who only listen; somebody who sits between is noticed only if two people
  /// compare ``SecurityDetails/comparisonCode``.
  ///
  /// - Parameter identity: The key that this side shows, P-256 or Ed25519; by default none. Another kind is the error `unusableKey`.
  public static func anyKey(identity: Identity? = nil) -> ConnectionSecurity {
    ConnectionSecurity(TLSLayer(.client, .comparison, .anyKey, identity: identity))
  }

  /// Encrypts, and accepts a server that has a certificate of an authority for its name: TLS 1.3 as other programs speak it.
  ///
  /// Connecting throws `untrustedCertificate` for others.
  ///
  /// - Parameters:
  ///   - name: The server's host name or address, which stands in the certificate.
  ///   - authorities: The certificates of the authorities in PEM; `nil` for those that the system trusts.
  ///   - identity: The key that this side shows if the server asks for one; by default none.
  /// - Throws: `unusableKey` if there is no certificate among the authorities.
  public static func certificate(
    for name: String, authorities: String? = nil, identity: Identity? = nil
  ) throws(TransportError) -> ConnectionSecurity {
    guard let authorities else {
      return ConnectionSecurity(TLSLayer(.client, .none, .name(name, .system), identity: identity))
    }
    let certificates = Certificate.chain(pem: Array(authorities.utf8))
    guard !certificates.isEmpty else { throw TransportError(.unusableKey, "The authorities have no certificate in PEM") }
    return ConnectionSecurity(TLSLayer(.client, .none, .name(name, .only(certificates)), identity: identity))
  }

  /// Encrypts, and accepts a server with this key, whatever its certificate says: TLS 1.3 as other programs speak it.
  ///
  /// - Parameters:
  ///   - key: The fingerprint of the server's key.
  ///   - identity: The key that this side shows if the server asks for one; by default none.
  public static func certificate(pinned key: KeyFingerprint, identity: Identity? = nil) -> ConnectionSecurity {
    ConnectionSecurity(TLSLayer(.client, .none, .pinned(key), identity: identity))
  }
}
