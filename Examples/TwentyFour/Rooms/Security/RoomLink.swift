import Foundation
public import FramedSecurity

/// A link to a room: its name, the host's key, and an invitation if the room asks for a passcode.
///
/// ```
/// twentyfour:Ada's%20game?key=mfzw64tzon…&invitation=ge3dk…
/// ```
///
/// The key leaves nobody a chance to sit between, and the invitation stands for the passcode. Whoever has the link can come in.
public struct RoomLink: Hashable, Sendable, CustomStringConvertible {
  /// The room's name on the network.
  public let name: String
  public let key: KeyFingerprint
  public let invitation: Invitation?

  static let scheme = "twentyfour"

  public init(name: String, key: KeyFingerprint, invitation: Invitation?) {
    self.name = name
    self.key = key
    self.invitation = invitation
  }

  /// Whether a text is meant to be a link.
  public static func isLink(_ text: String) -> Bool { text.lowercased().hasPrefix("\(scheme):") }

  /// Reads a link; nil if it is none, or not complete.
  public init?(_ text: String) {
    guard Self.isLink(text), text.utf8.count <= 1_024, let parts = URLComponents(string: text) else { return nil }
    func value(_ name: String) -> String? { parts.queryItems?.first { $0.name.lowercased() == name }?.value }
    guard !parts.path.isEmpty, let key = value("key").flatMap({ KeyFingerprint($0) }) else { return nil }
    name = parts.path
    self.key = key
    let token = value("invitation").map { AccessToken($0) }
    // There is one, and it cannot be read.
    if case .some(nil) = token { return nil }
    invitation = token.flatMap { $0 }.map { Invitation(token: $0.text) }
  }

  public var description: String {
    var parts = URLComponents()
    parts.scheme = Self.scheme
    parts.path = name
    parts.queryItems = [URLQueryItem(name: "key", value: key.description.filter { $0 != "-" })]
    if let invitation { parts.queryItems?.append(URLQueryItem(name: "invitation", value: invitation.token)) }
    return parts.string ?? ""
  }
}
