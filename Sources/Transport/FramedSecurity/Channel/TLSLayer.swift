import FramedTransport
import _BonjourishEventLoop

/// Puts TLS over streams: the settings of one `ConnectionSecurity` or `ListenerSecurity`.
final class TLSLayer: StreamLayer {
  /// What follows the handshake before the first frame.
  enum Proof: Sendable {
    /// Nothing: plain TLS, as other programs speak it.
    case none
    /// A code for people to compare.
    case comparison
    /// The client's passcode.
    case passcode(Passcode, service: String)
    /// The listener's passcode; and which clients may come without one.
    case guarded(PasscodeGuard, service: String, admits: Others)

    /// Which clients a listener with a passcode lets in that give none.
    enum Others: Sendable {
      case nobody
      case everybody
      /// Those with a key for which the closure returns true.
      case keys(@Sendable (KeyFingerprint) -> Bool)
    }

    /// The application protocol (RFC 7301), so that two sides that expect different things notice it in the handshake.
    var protocolName: String? {
      switch self {
      case .none: nil
      case .comparison: "bonjourish/1"
      case .passcode, .guarded: Self.passcodeProtocol
      }
    }

    /// Whether a passcode is proved.
    var isPasscode: Bool {
      switch self {
      case .passcode, .guarded: true
      case .none, .comparison: false
      }
    }

    /// What is accepted in its place.
    var alternative: Proof? {
      switch self {
      case .guarded(_, _, .everybody), .guarded(_, _, .keys): .comparison
      case .none, .comparison, .passcode, .guarded(_, _, .nobody): nil
      }
    }

    /// The protocols that a client offers.
    ///
    /// Without a passcode it offers to prove one, too: so a listener that insists on it can go on with the handshake, and the client
    /// compares its key before it asks for a passcode.
    fileprivate var offeredNames: [String] {
      let own = [protocolName].compactMap(\.self)
      return if case .comparison = self { own + [Self.passcodeProtocol] } else { own }
    }

    fileprivate static let passcodeProtocol = "bonjourish-passcode/1"
  }

  /// Which key of the peer is accepted.
  enum Trust: Sendable {
    case anyKey
    case pinned(KeyFingerprint)
    case firstUse(PinStore, name: String)
    /// A certificate of an authority for this host name or address.
    case name(String, TLSContext.Authorities)
  }

  let role: TLSContext.Role
  let proof: Proof
  let trust: Trust
  let identity: Identity?
  let context: Result<TLSContext, TransportError>

  init(_ role: TLSContext.Role, _ proof: Proof, _ trust: Trust, identity: Identity?) {
    self.role = role
    self.proof = proof
    self.trust = trust
    self.identity = identity
    let protocolIsOwn = proof.protocolName != nil
    var authorities: TLSContext.Authorities?
    if case .name(_, let some) = trust { authorities = some }
    context = Result { () throws(TransportError) in
      // Others are not shown, because listeners do not take them.
      if role == .client, protocolIsOwn, let identity, !identity.key.isOfClient {
        throw TransportError(
          .unusableKey,
          "The key \(identity.fingerprint) cannot be shown to a listener, which accepts P-256 and Ed25519 keys; use another identity"
        )
      }
      if role == .client, identity == nil, authorities == nil, let shared = Self.shared(proof.offeredNames) { return shared }
      let names =
        role == .client ? proof.offeredNames : [proof.protocolName, proof.alternative?.protocolName].compactMap(\.self)
      return try TLSContext(role, identity: identity, protocolNames: names, authorities: authorities)
    }
  }

  var acceptsOneKeyOnly: Bool { if case .pinned = trust { true } else { false } }

  private static let contexts = Locked<[[String]: TLSContext]>([:])

  /// The context of all clients without a key of their own: making one takes as long as a handshake.
  private static func shared(_ protocolNames: [String]) -> TLSContext? {
    contexts.withLock { contexts in
      if let context = contexts[protocolNames] { return context }
      let context = try? TLSContext(.client, identity: nil, protocolNames: protocolNames)
      contexts[protocolNames] = context
      return context
    }
  }

  func wrap(
    _ stream: any ByteStream, peer: SocketAddress, terms: StreamTerms, on transportLoop: TransportLoop
  ) -> any LayeredStream {
    TLSStream(over: stream, self, peer: peer, on: transportLoop)
  }

  func confirm(_ facts: [any Sendable]) throws(TransportError) {
    let own = facts.lazy.compactMap { $0 as? TLSFacts }.first
    guard case .firstUse(let store, let name) = trust, let key = own?.details?.peerKey else { return }
    try store.pin(key, for: name)
  }

  func countedCode(for code: TransportError.Code) -> TransportError.Code? {
    switch code {
    case .notEncrypted, .wrongPasscode, .passcodePaused: code
    case .handshakeFailed, .tlsVersion, .tampered, .excessiveRecords, .passcodeRequired: .handshakeFailed
    default: nil
    }
  }

  /// Decides on the key that the peer claims during the handshake.
  ///
  /// - Returns: The reason for refusing it.
  func objection(to key: KeyFingerprint, of peer: SocketAddress) -> TransportError? {
    switch trust {
    case .anyKey, .name:
      return nil
    case .pinned(let expected):
      return key == expected ? nil : .wrongKey(KeyChange(name: "\(peer)", known: expected, presented: key))
    case .firstUse(let store, let name):
      guard let known = store.key(of: name), known != key else { return nil }
      return .keyChanged(KeyChange(name: name, known: known, presented: key))
    }
  }

  /// Whether a client knows which key the peer must have.
  var knowsKey: Bool {
    switch trust {
    case .pinned: true
    case .firstUse(let store, let name): store.key(of: name) != nil
    case .anyKey, .name: false
    }
  }

  /// Whether a client without a passcode has been asked for one.
  func isAskedForPasscode(_ protocolName: [UInt8]) -> Bool {
    guard case (.client, .comparison) = (role, proof) else { return false }
    return protocolName.elementsEqual(Proof.passcodeProtocol.utf8)
  }

  /// What follows the handshake if it has agreed on a protocol; `nil` if the protocol is another.
  func proof(for protocolName: [UInt8]) -> Proof? {
    [proof, proof.alternative].compactMap(\.self).first { Array(($0.protocolName ?? "").utf8) == protocolName }
  }

  /// The exchange after the handshake; `nil` for none.
  ///
  /// - Parameter key: The key that the peer has proved to have; `nil` for none.
  func introduction(
    _ proof: Proof, _ binding: ChannelBinding, with peer: SocketAddress, key: KeyFingerprint?
  ) -> (any Introduction)? {
    if case (.comparison, .guarded(_, _, .keys(let isKnown))) = (proof, self.proof), key.map(isKnown) != true {
      return PasscodeDemand()
    }
    return switch (proof, role) {
    case (.none, _): nil
    case (.comparison, .client): ComparisonInitiator(binding)
    case (.comparison, .server): ComparisonResponder(binding)
    case (.passcode(let passcode, let service), _):
      PasscodeInitiator(passcode, PasscodeContext(binding, service: service))
    case (.guarded(let passcodes, let service, _), _):
      PasscodeResponder(passcodes, peer: peer, key: key, PasscodeContext(binding, service: service))
    }
  }
}
