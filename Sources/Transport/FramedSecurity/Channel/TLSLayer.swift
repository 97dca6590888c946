import FramedTransport
import _BonjourishEventLoop

/// Puts TLS over streams: the settings of one `ConnectionSecurity` or `ListenerSecurity`.
final class TLSLayer: StreamLayer, TLSSettings {
  let role: TLSContext.Role
  let proof: Proof
  let trust: Trust
  let identity: Identity?
  let context: Result<TLSContext, TransportError>
  /// The proofs of a client's passcode.
  private let proofs = ProofCount()

  init(_ role: TLSContext.Role, _ proof: Proof, _ trust: Trust, identity: Identity?) {
    self.role = role
    self.proof = proof
    self.trust = trust
    self.identity = identity
    let names = proof.protocolNames(of: role)
    var authorities: TLSContext.Authorities?
    if case .name(_, let some) = trust { authorities = some }
    context = Result { () throws(TransportError) in
      // Others are not shown, because listeners do not take them.
      if role == .client, !names.isEmpty, let identity, !identity.key.isOfClient {
        throw TransportError(
          .unusableKey,
          "The key \(identity.fingerprint) cannot be shown to a listener, which accepts P-256 and Ed25519 keys; use another identity"
        )
      }
      if role == .client, identity == nil, authorities == nil, let shared = Self.shared(names) { return shared }
      return try TLSContext(role, identity: identity, protocolNames: names, authorities: authorities)
    }
  }

  /// Settings of a client with which every attempt fails, and nothing is sent.
  init(failing error: TransportError) {
    (role, proof, trust, identity, context) = (.client, .comparison, .anyKey, nil, .failure(error))
  }

  var acceptsOneKeyOnly: Bool {
    switch trust {
    case .pinned, .paired: true
    case .anyKey, .firstUse, .name: false
    }
  }

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
    TLSStream(over: stream, self, peer: peer, log: terms.log, on: transportLoop)
  }

  var present: TLSLayer { self }

  var update: SettingsUpdate? {
    if case .firstUse(let store, _) = trust { return store.update }
    return proof.knownKeys?.update
  }

  func confirm(_ facts: [any Sendable], _ done: @escaping @Sendable (TransportError?) -> Void) {
    guard case .firstUse(let store, let name) = trust, let key = TLSFacts.details(in: facts)?.peerKey else { return done(nil) }
    store.keep(key, for: name, done)
  }

  func prepareToDeliver(_ facts: [any Sendable], _ done: @escaping @Sendable () -> Void) {
    guard let keys = proof.knownKeys, let details = TLSFacts.details(in: facts), details.isPasscodeProved,
      let key = details.peerKey
    else { return done() }
    keys.learn(key, done)
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
    case .paired(let expected, let name):
      return key == expected ? nil : .keyChanged(KeyChange(name: name, known: expected, presented: key))
    case .firstUse(let store, let name):
      guard let known = store.lastKey(of: name), known != key else { return nil }
      return .keyChanged(KeyChange(name: name, known: known, presented: key))
    }
  }

  /// Whether a client knows which key the peer must have.
  var knowsKey: Bool {
    switch trust {
    case .pinned, .paired: true
    case .firstUse(let store, let name): store.lastKey(of: name) != nil
    case .anyKey, .name: false
    }
  }

  /// Whether a client may prove its passcode to whoever has a key; `nil` if the client knew that key before: nobody else has it.
  private func allowance(_ key: KeyFingerprint?) -> ProofAllowance? {
    guard !knowsKey, let key else { return nil }
    return ProofAllowance(count: proofs, key: key)
  }

  /// Whether a client and the listener have proved the same passcode before.
  var isPaired: Bool { if case .paired = trust { true } else { false } }

  /// Whether a client without a passcode has been asked for one.
  func isAskedForPasscode(_ protocolName: [UInt8]) -> Bool {
    guard case (.client, .comparison) = (role, proof) else { return false }
    return protocolName.elementsEqual(TLSExchange.passcode.rawValue.utf8)
  }

  /// What follows the handshake if it has agreed on a protocol; `nil` if this side does not accept that one.
  func exchange(for protocolName: [UInt8]) -> TLSExchange? {
    proof.exchanges.first { protocolName.elementsEqual($0.rawValue.utf8) }
  }

  /// The exchange of messages after the handshake; `nil` for none.
  ///
  /// - Parameters:
  ///   - exchange: One that this side accepts.
  ///   - key: The key that the peer has proved to have; `nil` for none.
  func introduction(
    _ exchange: TLSExchange, _ binding: ChannelBinding, with peer: SocketAddress, key: KeyFingerprint?
  ) -> (any Introduction)? {
    let isKnown = proof.knownKeys.map { $0.contains(key) }
    switch (exchange, proof) {
    case (.none, _):
      return nil
    case (.comparison, _):
      if role == .client { return ComparisonInitiator(binding) }
      return isKnown == false ? PasscodeDemand() : ComparisonResponder(binding)
    case (.passcode, .passcode(let passcode, let service)), (.passcode, .keyOrPasscode(let passcode, let service)):
      return PasscodeInitiator(passcode, PasscodeContext(binding, service: service), allowance: allowance(key))
    case (.keyOrPasscode, .keyOrPasscode(let passcode, let service)):
      return KnownKeyInitiator(binding, PasscodeInitiator(passcode, PasscodeContext(binding, service: service)))
    case (_, .guarded(let passcodes, let service, _)):
      let context = PasscodeContext(binding, service: service)
      let asking = PasscodeResponder(passcodes, peer: peer, key: key, isKnown: isKnown == true, context)
      return exchange == .passcode ? asking : KnownKeyResponder(binding, isKnown: isKnown == true, asking)
    case (.passcode, .none), (.passcode, .comparison), (.keyOrPasscode, .none), (.keyOrPasscode, .comparison),
      (.keyOrPasscode, .passcode):
      preconditionFailure("exchange must be one that this side accepts")
    }
  }
}
