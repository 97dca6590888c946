import FramedSecurity
public import Rooms
public import _BonjourishConsole

extension PlayerInvocation {
  /// The option of a host. A player has another one.
  public static let hostPasscode = Option.optional(
    "passcode", "CODE", .secret(),
    Phrases.Options.hostPasscode)

  /// The protection of a host.
  ///
  /// - Parameter passcode: The passcode, or `auto`; nil to let everybody in.
  /// - Throws: ``Failure`` with exit code 64 if the passcode cannot be used, or 74 if the user's key cannot be used.
  public func protection(passcode: String?) throws(Failure) -> HostProtection {
    try HostProtection(passcode: passcode, isInsecure: isInsecure, diagnostics)
  }

  /// Takes the passcode of the room to join.
  ///
  /// - Throws: ``Failure`` with exit code 64 if it cannot be used.
  public mutating func give(passcode text: String) throws(Failure) {
    guard let passcode = Passcode(text: text) else { throw Failure(.usage, Phrases.badPasscode) }
    self.passcode = passcode
  }

  /// Reads a link to a room; nil if the text is a room's name.
  ///
  /// - Throws: ``Failure`` with exit code 64 if it is an incomplete link.
  public func link(_ text: String) throws(Failure) -> RoomLink? {
    guard RoomLink.isLink(text) else { return nil }
    guard let link = RoomLink(text) else { throw Failure(.usage, Phrases.badLink) }
    return link
  }

  /// Whether a room has a free place, and the player has what it asks for; as far as its advertisement tells.
  func canEnter(_ room: DiscoveredRoom) -> Bool {
    guard room.advertisement.hasRoom else { return false }
    return switch room.advertisement.lock {
    case .open: passcode == nil
    case .passcode: passcode != nil
    case .none: isInsecure
    }
  }
}

extension HostProtection {
  /// The protection that the command line asks for.
  ///
  /// - Parameters:
  ///   - passcode: The passcode, or `auto`; nil to let everybody in.
  ///   - isInsecure: Whether nothing is to be encrypted.
  /// - Throws: ``Failure`` with exit code 64 if the passcode cannot be used, or 74 if the user's key cannot be used.
  public init(passcode: String?, isInsecure: Bool, _ diagnostics: Diagnostics) throws(Failure) {
    guard !isInsecure else {
      guard passcode == nil else { throw Failure(.usage, Phrases.passcodeOfInsecureRoom) }
      self = .plaintext
      return
    }
    let identity = try StateFolder.identity(diagnostics)
    switch passcode {
    case nil: self = .open(identity)
    case "auto": self = .passcode(nil, identity)
    case let text?:
      guard let passcode = Passcode(text: text) else { throw Failure(.usage, Phrases.badPasscode) }
      self = .passcode(passcode, identity)
    }
  }
}
