/// What two sides agree on in the handshake that follows it (RFC 7301), so that those who expect different things notice it there.
enum TLSExchange: String, Sendable {
  /// Nothing: plain TLS, as other programs speak it.
  case none = ""
  /// A code for people to compare.
  case comparison = "bonjourish/1"
  /// The client proves the listener's passcode.
  case passcode = "bonjourish-passcode/1"
  /// The listener knows the client's key, or asks for its passcode. Listeners of earlier versions do not take it, and choose `passcode`.
  case keyOrPasscode = "bonjourish-known/1"
}

extension TLSLayer {
  /// What follows the handshake before the first frame.
  enum Proof: Sendable {
    /// Nothing: plain TLS.
    case none
    /// A code for people to compare.
    case comparison
    /// The client's passcode.
    case passcode(Passcode, service: String)
    /// The client's key, if the listener knows it, and otherwise its passcode. Only for a listener whose key is known.
    case keyOrPasscode(Passcode, service: String)
    /// The listener's passcode; and which clients may come without one.
    case guarded(PasscodeGuard, service: String, admits: Others)

    /// Which clients a listener with a passcode lets in that give none.
    enum Others: Sendable {
      case nobody
      case everybody
      case known(KnownKeys)
    }

    /// Whether a passcode is proved, perhaps.
    var isPasscode: Bool {
      switch self {
      case .passcode, .keyOrPasscode, .guarded: true
      case .none, .comparison: false
      }
    }

    /// What this side accepts; a client's first choice first.
    var exchanges: [TLSExchange] {
      switch self {
      case .none: [.none]
      case .comparison: [.comparison]
      case .passcode: [.passcode]
      case .keyOrPasscode: [.keyOrPasscode, .passcode]
      case .guarded(_, _, .nobody): [.passcode]
      case .guarded(_, _, .everybody): [.passcode, .comparison]
      case .guarded(_, _, .known): [.passcode, .comparison, .keyOrPasscode]
      }
    }

    /// The names of the protocols.
    ///
    /// A client without a passcode offers to prove one, too: so a listener that insists on it can go on with the handshake, and the
    /// client compares its key before it asks for a passcode.
    func protocolNames(of role: TLSContext.Role) -> [String] {
      let own = exchanges.filter { $0 != .none }.map(\.rawValue)
      return if case (.client, .comparison) = (role, self) { own + [TLSExchange.passcode.rawValue] } else { own }
    }

    /// The keys that do in place of a passcode; `nil` if none does.
    var knownKeys: KnownKeys? { if case .guarded(_, _, .known(let keys)) = self { keys } else { nil } }
  }

  /// Which key of the peer is accepted.
  enum Trust: Sendable {
    case anyKey
    case pinned(KeyFingerprint)
    case firstUse(PinStore, name: String)
    /// The key of a listener that knows this side's key, too, as both have proved the same passcode before.
    case paired(KeyFingerprint, name: String)
    /// A certificate of an authority for this host name or address.
    case name(String, TLSContext.Authorities)
  }
}
