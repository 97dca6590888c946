public import FramedTransport
import _BonjourishEventLoop
import _BonjourishPrivateFiles

extension TransportError.Code {
  /// The two sides do not know the same passcode. If both people are sure of theirs, somebody else has answered.
  public static let wrongPasscode = Self(description: "wrongPasscode", permanence: .refusal)
  /// Ten proofs of the passcode were not answered with the peer's own, so somebody in the host's place may be guessing it: no more is given.
  public static let passcodeUnconfirmed = Self(description: "passcodeUnconfirmed", permanence: .otherPeer)
  /// The listener evaluates no passcodes at present, or none from this address: too many were wrong. Its host can reopen it.
  public static let passcodePaused = Self(description: "passcodePaused", permanence: .refusal)
  /// The listener asks for a passcode, and none was given. A client that knows the listener's key has compared it before.
  public static let passcodeRequired = Self(description: "passcodeRequired", permanence: .refusal)
  /// The listener no longer knows this side's key, so a passcode is needed again. It has proved its own key before.
  public static let keyForgotten = Self(description: "keyForgotten", permanence: .refusal)
  /// A passcode was given, and the listener asks for none: it cannot prove that it knows the passcode. Anybody on the network can say so, so
  /// `Reconnections` end with the tenth in a row.
  public static let passcodeNotAsked = Self(description: "passcodeNotAsked", permanence: .anybody)
  /// The peer has another key than before; `TransportError.keyChange` has both.
  public static let keyChanged = Self(description: "keyChanged", permanence: .otherPeer)
  /// The peer has another key than the expected one; `TransportError.keyChange` has both.
  public static let wrongKey = Self(description: "wrongKey", permanence: .otherPeer)
  /// The peer's certificate is not valid for its name, or no trusted authority has signed it. Anybody on the network can show one, so
  /// `Reconnections` end with the tenth in a row.
  public static let untrustedCertificate = Self(description: "untrustedCertificate", permanence: .anybody)
  /// The peer does not speak TLS at all.
  public static let notEncrypted = Self(description: "notEncrypted", isOfOtherPeer: true)
  /// The peer, or a device between, does not offer TLS 1.3.
  public static let tlsVersion = Self(description: "tlsVersion", isOfOtherPeer: true)
  /// The encrypted channel could not be established for another reason.
  public static let handshakeFailed = Self(description: "handshakeFailed", isOfOtherPeer: true)
  /// Received bytes were changed on the way, or were not sent by the peer.
  public static let tampered = Self(description: "tampered")
  /// The peer sent too many records without data, such as requests for new keys. No honest program does.
  public static let excessiveRecords = Self(description: "excessiveRecords")
  /// The stream ended without the peer's authenticated end, so bytes at its end may be missing.
  public static let unconfirmedEnd = Self(description: "unconfirmedEnd")
  /// A file or text has no key that can be used.
  public static let unusableKey = Self(description: "unusableKey", permanence: .ownFault)
  /// A file with known keys cannot be used.
  public static let unusablePins = Self(description: "unusablePins", permanence: .ownFault)
}

extension TransportError {
  /// An error of a file.
  ///
  /// - Parameter code: The code for a file that must not be used; what the system refuses has a code of its own.
  init(_ error: PrivateFileError, _ code: Code, _ action: String) {
    let code = error.errno.map { TransportError(SystemError("open", errno: $0), "").code } ?? code
    // Another program may have locked it for seconds.
    let mayPass = error.code == .unwritable && error.errno == nil
    self.init(
      code, errno: error.errno, isPermanent: mayPass ? false : nil, "\(action) failed: \(error.message)", because: error)
  }
}

extension TransportError {
  /// The keys of an error `keyChanged` or `wrongKey`; `nil` for other errors.
  public var keyChange: KeyChange? {
    guard code == .keyChanged || code == .wrongKey, details.count == 3, let known = KeyFingerprint(details[1]),
      let presented = KeyFingerprint(details[2])
    else { return nil }
    return KeyChange(name: details[0], known: known, presented: presented)
  }

  static func keyChanged(_ change: KeyChange) -> TransportError {
    TransportError(
      .keyChanged, change,
      "The key of “\(change.name)” has changed: it was \(change.known), and is \(change.presented) now. Somebody may sit between, "
        + "or the peer has lost its old key: ask its owner before you forget the old one")
  }

  static func wrongKey(_ change: KeyChange) -> TransportError {
    TransportError(
      .wrongKey, change,
      "The peer at \(change.name) has the key \(change.presented), not the expected \(change.known): it is somebody else, or "
        + "has a new key; ask its owner for the new fingerprint")
  }

  private init(_ code: Code, _ change: KeyChange, _ message: String) {
    self.init(code, message, details: [change.name, "\(change.known)", "\(change.presented)"])
  }
}
