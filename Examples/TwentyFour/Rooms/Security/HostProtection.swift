import Bonjourish
public import FramedSecurity

/// How a host protects its connections.
public enum HostProtection: Sendable {
  /// Nothing is encrypted, and everybody may come in. For tests, and for programs that cannot encrypt.
  case plaintext
  /// Encrypted; everybody may come in. Players remember the key.
  case open(Identity)
  /// Encrypted; whoever comes in must prove a passcode, a seat or an ``Invitation``.
  ///
  /// Without a passcode, the host makes one of six digits. When too many were wrong, it makes another one a few times; a given
  /// passcode stays, and the host lets nobody new in, until it is reopened.
  case passcode(Passcode?, Identity)

  /// The key that players know the host by.
  public var identity: Identity? {
    switch self {
    case .plaintext: nil
    case .open(let identity), .passcode(_, let identity): identity
    }
  }

  /// Who publishes the host in a directory: a host that comes back with its key has its name again.
  ///
  /// - Parameter predecessor: The publisher before, if it is known; its record is replaced without asking.
  func succession(after predecessor: UInt64?) -> Succession {
    guard let key = identity?.fingerprint else { return Succession(publisher: .random(in: 1 ... .max), after: predecessor) }
    return Succession(identity: key.bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }, after: predecessor)
  }

  /// What is advertised.
  var lock: RoomLock {
    switch self {
    case .plaintext: .none
    case .open: .open
    case .passcode: .passcode
    }
  }
}
