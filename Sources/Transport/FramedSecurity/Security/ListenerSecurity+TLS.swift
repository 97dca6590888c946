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
  ///   - service: The type of the service, the same on both sides.
  ///   - admitsOthers: Whether clients that give no passcode are delivered, too, for an app that asks them for another proof, such as
  ///     a ``ChannelProof``. `SecurityDetails.isPasscodeProved` tells them apart.
  ///   - identity: The key that peers know the listener by.
  public static func passcode(
    _ passcodes: PasscodeGuard, service: String = "", admitsOthers: Bool = false, identity: Identity
  ) -> ListenerSecurity {
    let proof = TLSLayer.Proof.guarded(passcodes, service: service, admits: admitsOthers ? .everybody : .nobody)
    return ListenerSecurity(TLSLayer(.server, proof, .anyKey, identity: identity))
  }

  /// Encrypts, and lets those in who prove that they know a passcode, or have a key that is known: first the passcode, later the key.
  ///
  /// A client shows its key with `identity:` and comes with `pinned` of `ConnectionSecurity` the second time.
  /// Those with another key, or none, get the error `passcodeRequired`. Known ones come in while the guard pauses, too.
  /// `SecurityDetails.isPasscodeProved` tells how a connection came in.
  ///
  /// ```swift
  /// let security = ListenerSecurity.passcode(passcodes, admitsKey: store.contains, identity: identity)
  /// // For each accepted connection:
  /// if let details = connection.securityDetails, details.isPasscodeProved, let key = details.peerKey {
  ///   try store.pin(key, for: "\(key)")
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - passcodes: The passcode, and the count of wrong guesses.
  ///   - service: The type of the service, the same on both sides.
  ///   - isKnown: Called with the key that a client without a passcode has proved to have, on a thread that serves connections: it
  ///     must not block. Such as ``PinStore/contains(_:)``.
  ///   - identity: The key that peers know the listener by.
  public static func passcode(
    _ passcodes: PasscodeGuard, service: String = "", admitsKey isKnown: @escaping @Sendable (KeyFingerprint) -> Bool,
    identity: Identity
  ) -> ListenerSecurity {
    ListenerSecurity(
      TLSLayer(.server, .guarded(passcodes, service: service, admits: .keys(isKnown)), .anyKey, identity: identity))
  }

  /// Encrypts, and lets those in who prove that they know a passcode; pauses after ten wrong guesses until the listener is closed.
  ///
  /// - Parameters:
  ///   - passcode: The passcode; a string literal will do.
  ///   - service: The type of the service, the same on both sides.
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
}
