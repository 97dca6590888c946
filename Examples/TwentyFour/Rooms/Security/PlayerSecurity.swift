public import Bonjourish
public import FramedSecurity

/// How a player's connections are protected, and what the player has for a room.
public struct PlayerSecurity: Sendable {
  /// What the player knows of a room.
  public enum Knowledge: Sendable {
    /// The room is not encrypted, and that is accepted.
    case plaintext
    /// Nothing, or the key of an earlier visit.
    case key
    /// The room's passcode.
    case passcode(Passcode)
    /// A link.
    case link(RoomLink)
  }

  public var knowledge: Knowledge
  /// The player's own key, by which a host knows the player again; nil for none.
  public let identity: Identity?
  /// The keys of rooms that were joined before.
  public let pins: PinStore

  public init(_ knowledge: Knowledge = .key, identity: Identity?, pins: PinStore) {
    self.knowledge = knowledge
    self.identity = identity
    self.pins = pins
  }

  /// Whether nothing is encrypted.
  public var isPlaintext: Bool { if case .plaintext = knowledge { true } else { false } }

  /// The name by which a room's key is remembered in the ``pins``.
  public static func name(of instance: ServiceInstance) -> String { name(ofRoomAt: "\(instance)") }

  /// As above, of a room at an address. Without control characters, and short enough for a `PinStore`; the case of ASCII letters does
  /// not count, as in DNS (RFC 6762 §16).
  public static func name(ofRoomAt place: String) -> String {
    let scalars = place.escapedForDisplay.unicodeScalars.map {
      $0.isASCII ? Unicode.Scalar($0.properties.lowercaseMapping) ?? $0 : $0
    }
    var name = String(String.UnicodeScalarView(scalars))
    while name.utf8.count > PinStore.longestName { name.removeLast() }
    return name.isEmpty ? "?" : name
  }

  /// Nothing is encrypted.
  public static var plaintext: PlayerSecurity { PlayerSecurity(.plaintext, identity: nil, pins: PinStore()) }
}
