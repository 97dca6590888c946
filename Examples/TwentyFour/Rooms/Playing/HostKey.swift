import Bonjourish
import FramedTransport
import SecureTransport
import Synchronization

/// The protection of a player's connections to one room: the first one finds the host's key, and all later ones insist on it.
final class HostKey: Sendable {
  private let security: PlayerSecurity
  /// The name that the key is remembered by.
  private let name: String
  private let known = Mutex<KeyFingerprint?>(nil)

  init(_ security: PlayerSecurity, of name: String) {
    self.security = security
    self.name = name
  }

  /// The protection of the next connection.
  var next: ConnectionSecurity {
    let identity = security.identity
    if let key = known.withLock({ $0 }) { return .pinned(key, identity: identity) }
    return switch security.knowledge {
    case .plaintext: .plaintext
    case .key: .firstUse(security.pins, name: name, identity: identity)
    case .passcode(let passcode): .passcode(passcode, service: RoomHost.serviceType.description, identity: identity)
    case .link(let link): .pinned(link.key, identity: identity)
    }
  }

  /// Notes a connection. Whoever has proved the passcode, or has the key of a link, is remembered in place of a former host.
  ///
  /// - Throws: An error of the file of known keys.
  func note(_ connection: Connection) throws(TransportError) {
    guard let key = connection.securityDetails?.peerKey else { return }
    known.withLock { $0 = $0 ?? key }
    switch security.knowledge {
    case .plaintext, .key: return
    case .passcode, .link:
      if let former = security.pins.key(of: name), former != key { try security.pins.forget(name) }
      try security.pins.pin(key, for: name)
    }
  }

  /// The invitation of the player's link.
  var invitation: Invitation? {
    if case .link(let link) = security.knowledge { link.invitation } else { nil }
  }
}
