import FramedSecurity

/// The secret that lets one page into a room with a passcode, in the fragment of the address that a phone scans.
public struct AdmissionToken: Sendable {
  private let token: AccessToken

  init(_ token: AccessToken) {
    self.token = token
  }

  /// Makes one that nobody can guess.
  static func random() -> AdmissionToken { AdmissionToken(.random()) }

  /// 26 letters and digits.
  public var text: String { token.text }

  /// Whether a page has shown this token; takes as long whether it differs early or late.
  func isShown(by shown: AccessToken) -> Bool { shown == token }
}

extension AdmissionToken: Hashable {
  public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

extension AdmissionToken: CustomStringConvertible, CustomReflectable {
  /// Says that it is a token, and not which.
  public var description: String { "an admission token" }

  /// Shows nothing of the token.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
