/// A random secret of 128 bits for a link or a QR code, in place of a passcode that people tell each other.
///
/// It is proved as a passcode is, and cannot be guessed. A link that carries it should carry the host's ``KeyFingerprint``, too.
public struct AccessToken: Sendable {
  private let secret: SecretBytes

  private static let byteCount = 16

  /// Creates a new token.
  public static func random() -> AccessToken { AccessToken(.random(count: byteCount)) }

  private init(_ secret: SecretBytes) {
    self.secret = secret
  }

  /// Reads a token's ``text``.
  ///
  /// - Returns: `nil` if the text is not a token's.
  public init?(_ text: String) {
    guard let bytes = Base32.decode(text), bytes.count == Self.byteCount else { return nil }
    secret = SecretBytes(bytes)
  }

  /// The token as 26 letters and digits, for a link.
  public var text: String { Base32.encode(secret.exposed) }

  /// The token as a passcode, for `ConnectionSecurity` and ``PasscodeGuard``.
  ///
  /// It cannot be the same as a passcode that somebody types by chance.
  public var passcode: Passcode { Passcode(text: text)! }
}

extension AccessToken: Equatable {
  /// Whether both are the same; takes as long whether they differ early or late.
  public static func == (left: AccessToken, right: AccessToken) -> Bool { left.secret.equals(right.secret) }
}

extension AccessToken: CustomStringConvertible, CustomReflectable {
  /// Says that it is a token, and not which.
  public var description: String { "an access token" }

  /// Shows nothing of the token.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
