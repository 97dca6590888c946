import SecureTransport

/// The secret that lets one page into a room with a passcode, in the fragment of the address that a phone scans.
public struct AdmissionToken: Hashable, Sendable {
  /// The text of an `AccessToken`: 26 letters and digits.
  public let text: String

  init(text: String) {
    self.text = text
  }

  /// Makes one that nobody can guess.
  static func random() -> AdmissionToken { AdmissionToken(text: AccessToken.random().text) }

  /// Whether a page has shown this token; takes as long whether it differs early or late.
  func isShown(by text: String) -> Bool {
    guard let shown = AccessToken(text), let own = AccessToken(self.text) else { return false }
    return shown == own
  }
}

extension AdmissionToken: CustomStringConvertible, CustomReflectable {
  /// Says that it is a token, and not which.
  public var description: String { "an admission token" }

  /// Shows nothing of the token.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
