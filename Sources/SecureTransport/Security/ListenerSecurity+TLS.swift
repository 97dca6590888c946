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
    let proof = TLSLayer.Proof.guarded(passcodes, service: service, admitsOthers: admitsOthers)
    return ListenerSecurity(TLSLayer(.server, proof, .anyKey, identity: identity))
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
