import Bonjourish
import FramedSecurity
import FramedTransport
import Synchronization

/// The protection of a player's connections to one room: the first one finds the host's key, and all later ones insist on it.
final class HostKey: Sendable {
  private let security: PlayerSecurity
  /// The name that the key is remembered by.
  let name: String
  private let known = Mutex<KeyFingerprint?>(nil)
  /// Whether the passcode is to be proved again, because there is no seat to prove.
  private let provesAgain = Mutex(false)

  init(_ security: PlayerSecurity, of name: String) {
    self.security = security
    self.name = name
  }

  /// The protection of the next connection.
  var next: ConnectionSecurity {
    let identity = security.identity
    if let key = known.withLock({ $0 }) {
      if case .passcode(let passcode) = security.knowledge, provesAgain.withLock({ $0 }) { return proving(passcode, key) }
      return .pinned(key, identity: identity)
    }
    return switch security.knowledge {
    case .plaintext: .plaintext
    case .key: .firstUse(security.pins, name: name, identity: identity)
    // Those who know the passcode are more than the host.
    case .passcode(let passcode): proving(passcode, security.pins.key(of: name))
    case .link(let link): .pinned(link.key, identity: identity)
    }
  }

  private func proving(_ passcode: Passcode, _ key: KeyFingerprint?) -> ConnectionSecurity {
    .passcode(passcode, service: RoomHost.serviceType.description, pinned: key, identity: security.identity)
  }

  /// Whether the player has a passcode that can be proved again.
  var hasPasscode: Bool { if case .passcode = security.knowledge { true } else { false } }

  /// Lets the next connections prove the passcode again.
  func proveAgain() { provesAgain.withLock { $0 = true } }

  /// Notes a connection. Whoever has the key of a link is remembered in place of a former host.
  ///
  /// - Throws: An error of the file of known keys.
  func note(_ connection: Connection) throws(TransportError) {
    guard let key = connection.securityDetails?.peerKey else { return }
    known.withLock { $0 = $0 ?? key }
    switch security.knowledge {
    case .plaintext, .key: return
    case .passcode: try security.pins.pin(key, for: name)
    case .link:
      if let former = security.pins.key(of: name) {
        try security.pins.replace(former, with: key, for: name)
      } else {
        try security.pins.pin(key, for: name)
      }
    }
  }

  /// The invitation of the player's link.
  var invitation: Invitation? {
    if case .link(let link) = security.knowledge { link.invitation } else { nil }
  }
}
