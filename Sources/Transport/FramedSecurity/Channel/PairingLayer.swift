import FramedTransport
import _BonjourishEventLoop

/// TLS of a client for one listener: with a passcode as long as the listener's key is not known, and with the own key afterwards.
///
/// Which it is, is decided when a connection begins, and holds for that connection: a key that is forgotten or pinned meanwhile makes no
/// connection accept a key that it would not have accepted.
final class PairingLayer: StreamLayer, TLSSettings {
  private let store: PinStore
  private let name: String
  private let identity: Identity
  private let passcode: (Passcode, service: String)?
  /// For a listener whose key is not known.
  private let first: TLSLayer
  /// For a listener with this key.
  private let paired = Locked<(key: KeyFingerprint, layer: TLSLayer)?>(nil)

  init(_ passcode: Passcode?, service: String, _ store: PinStore, name: String, identity: Identity) {
    self.store = store
    self.name = name
    self.identity = identity
    self.passcode = passcode.map { ($0, service) }
    first =
      if let passcode {
        TLSLayer(.client, .passcode(passcode, service: service), .anyKey, identity: identity)
      } else {
        TLSLayer(
          failing: TransportError(
            .passcodeRequired,
            "Nothing was sent to “\(name)”, because its key is not known yet; ask for its passcode, and connect with that"))
      }
  }

  /// The settings of a connection that begins now.
  var present: TLSLayer {
    guard let key = store.lastKey(of: name) else { return first }
    return paired.withLock { paired in
      if let paired, paired.key == key { return paired.layer }
      let proof: TLSLayer.Proof = passcode.map { .keyOrPasscode($0, service: $1) } ?? .comparison
      let layer = TLSLayer(.client, proof, .paired(key, name: name), identity: identity)
      paired = (key, layer)
      return layer
    }
  }

  var update: SettingsUpdate? { store.update }

  var acceptsOneKeyOnly: Bool { store.lastKey(of: name) != nil }

  func wrap(
    _ stream: any ByteStream, peer: SocketAddress, terms: StreamTerms, on transportLoop: TransportLoop
  ) -> any LayeredStream {
    TLSStream(over: stream, self, peer: peer, log: terms.log, on: transportLoop)
  }

  func confirm(_ facts: [any Sendable], _ done: @escaping @Sendable (TransportError?) -> Void) {
    guard let details = TLSFacts.details(in: facts), details.isPasscodeProved, let key = details.peerKey else {
      return done(nil)
    }
    store.keep(key, for: name, done)
  }
}
