import EventLoop
import FramedTransport

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
    /// The listener's passcode; and whether clients may come without one.
    case guarded(PasscodeGuard, service: String, admitsOthers: Bool)

    /// The application protocol (RFC 7301), so that two sides that expect different things notice it in the handshake.
    var protocolName: String? {
      switch self {
      case .none: nil
      case .comparison: "bonjourish/1"
      case .passcode, .guarded: "bonjourish-passcode/1"
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
      if case .guarded(_, _, admitsOthers: true) = self { .comparison } else { nil }
    }
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
    var authorities: TLSContext.Authorities?
    if case .name(_, let some) = trust { authorities = some }
    context = Result { () throws(TransportError) in
      if role == .client, identity == nil, authorities == nil, let shared = Self.shared(proof.protocolName) { return shared }
      let names = [proof.protocolName, proof.alternative?.protocolName].compactMap(\.self)
      return try TLSContext(role, identity: identity, protocolNames: names, authorities: authorities)
    }
  }

  var acceptsOneKeyOnly: Bool { if case .pinned = trust { true } else { false } }

  private static let contexts = Locked<[String: TLSContext]>([:])

  /// The context of all clients without a key of their own: making one takes as long as a handshake.
  private static func shared(_ protocolName: String?) -> TLSContext? {
    contexts.withLock { contexts in
      if let context = contexts[protocolName ?? ""] { return context }
      let context = try? TLSContext(.client, identity: nil, protocolNames: [protocolName].compactMap(\.self))
      contexts[protocolName ?? ""] = context
      return context
    }
  }

  func wrap(
    _ stream: any ByteStream, peer: SocketAddress, terms: StreamTerms, on transportLoop: TransportLoop
  ) -> any LayeredStream {
    TLSStream(over: stream, self, peer: peer, on: transportLoop)
  }

  func confirm(_ facts: any Sendable) throws(TransportError) {
    guard case .firstUse(let store, let name) = trust, let key = (facts as? TLSFacts)?.details?.peerKey else { return }
    try store.pin(key, for: name)
  }

  func failure(for code: TransportError.Code) -> LayerFailure? {
    switch code {
    case .notEncrypted: .notEncrypted
    case .handshakeFailed, .tlsVersion, .tampered: .handshakeFailed
    case .wrongPasscode: .wrongPasscode
    case .passcodePaused: .passcodePaused
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

  /// What follows the handshake if it has agreed on a protocol; `nil` if the protocol is another.
  func proof(for protocolName: [UInt8]) -> Proof? {
    [proof, proof.alternative].compactMap(\.self).first { Array(($0.protocolName ?? "").utf8) == protocolName }
  }

  /// The exchange after the handshake; `nil` for none.
  func introduction(_ proof: Proof, _ binding: ChannelBinding, with peer: SocketAddress) -> (any Introduction)? {
    switch (proof, role) {
    case (.none, _): nil
    case (.comparison, .client): ComparisonInitiator(binding)
    case (.comparison, .server): ComparisonResponder(binding)
    case (.passcode(let passcode, let service), _):
      PasscodeInitiator(passcode, PasscodeContext(binding, service: service))
    case (.guarded(let passcodes, let service, _), _):
      PasscodeResponder(passcodes, peer: peer, PasscodeContext(binding, service: service))
    }
  }
}
