public import FramedTransport

extension ListenerSecurity {
  /// Encrypts, and lets everybody in. Peers use `pinned`, `firstUse` or `anyKey` of `ConnectionSecurity`.
  ///
  /// A client's key, if it shows one, is in ``SecurityDetails/peerKey``.
  ///
  /// - Parameter identity: The key that peers know the listener by.
  public static func encrypted(_ identity: Identity) -> ListenerSecurity {
    ListenerSecurity(TLSLayer(.server, .comparison, .anyKey, identity: identity))
  }

  /// Encrypts, and lets those in who prove that they know a passcode.
  ///
  /// A connection is delivered once both sides have proved it. Until then it is pending.
  ///
  /// - Parameters:
  ///   - passcodes: The passcode, and the count of wrong guesses.
  ///   - service: The type of the service as text, such as `_chat._tcp`, the same on both sides.
  ///   - admitsOthers: Whether clients that give no passcode are delivered, too, for an app that asks them for another proof, such as
  ///     a ``ChannelProof``. `SecurityDetails.isPasscodeProved` tells them apart.
  ///   - identity: The key that peers know the listener by.
  public static func passcode(
    _ passcodes: PasscodeGuard, service: String = "", admitsOthers: Bool = false, identity: Identity
  ) -> ListenerSecurity {
    let proof = TLSLayer.Proof.guarded(passcodes, service: service, admits: admitsOthers ? .everybody : .nobody)
    return ListenerSecurity(TLSLayer(.server, proof, .anyKey, identity: identity))
  }

  /// Encrypts, and lets those in who prove that they know a passcode, or have a key that is known: the passcode the first time, the key
  /// afterwards.
  ///
  /// Clients use `passcode` with `or:` of `ConnectionSecurity`. Those that give no passcode and have another key, or none, are asked for
  /// the passcode (`keyForgotten` or `passcodeRequired`). Whoever is known comes in whatever others guess, also while the guard pauses,
  /// and after the passcode was changed. `SecurityDetails.isPasscodeProved` tells how a connection came in.
  ///
  /// ```swift
  /// let clients = try PinStore(at: "\(stateFolder)/clients")
  /// let security = ListenerSecurity.passcode(passcodes, or: .known(clients), identity: identity)
  /// ```
  ///
  /// - Parameters:
  ///   - passcodes: The passcode, and the count of wrong guesses.
  ///   - service: The type of the service as text, such as `_chat._tcp`, the same on both sides.
  ///   - keys: The keys that do in place of the passcode.
  ///   - identity: The key that peers know the listener by. It must stay the same: see ``Identity/stored(at:)``.
  public static func passcode(
    _ passcodes: PasscodeGuard, service: String = "", or keys: KnownKeys, identity: Identity
  ) -> ListenerSecurity {
    ListenerSecurity(
      TLSLayer(.server, .guarded(passcodes, service: service, admits: .known(keys)), .anyKey, identity: identity))
  }

  /// Encrypts, and lets those in who prove that they know a passcode; pauses after ten wrong guesses until the listener is closed.
  ///
  /// - Parameters:
  ///   - passcode: The passcode; a string literal will do.
  ///   - service: The type of the service as text, such as `_chat._tcp`, the same on both sides.
  ///   - identity: The key that peers know the listener by.
  public static func passcode(_ passcode: Passcode, service: String = "", identity: Identity) -> ListenerSecurity {
    .passcode(PasscodeGuard(passcode), service: service, identity: identity)
  }

  /// Encrypts with TLS 1.3 as other programs speak it, and lets everybody in.
  ///
  /// - Parameter identity: The server's certificates and key.
  public static func certificate(_ identity: Identity) -> ListenerSecurity {
    ListenerSecurity(TLSLayer(.server, .none, .anyKey, identity: identity))
  }

  /// Encrypts with TLS 1.3 as other programs speak it, with certificates and a key in two files that are read again when they have changed, and
  /// lets everybody in.
  ///
  /// So a renewal, as by certbot, needs no restart: whenever a connection begins, the listener looks whether the files have changed, and reads them
  /// before that connection's handshake, away from the threads that serve connections. Connections that are open keep the certificates that they
  /// began with. While the files cannot be used, such as between the renewal of one and of the other, new connections get the former
  /// certificates, and the listener's log says what is wrong.
  ///
  /// ```swift
  /// let folder = "/etc/letsencrypt/live/games.example"
  /// let security = try ListenerSecurity.certificate(
  ///   certificateFile: "\(folder)/fullchain.pem", privateKeyFile: "\(folder)/privkey.pem")
  /// ```
  ///
  /// - Parameters:
  ///   - certificateFile: The path of the certificates: the own certificate, then those that certify it. At most 16.
  ///   - privateKeyFile: The path of the key, without a password.
  /// - Throws: What ``Identity/init(certificateFile:privateKeyFile:)`` throws; `unusableKey` also if the key cannot be used for TLS.
  public static func certificate(
    certificateFile: String, privateKeyFile: String
  ) throws(TransportError) -> ListenerSecurity {
    ListenerSecurity(try CertificateLayer(certificateFile: certificateFile, privateKeyFile: privateKeyFile))
  }
}
