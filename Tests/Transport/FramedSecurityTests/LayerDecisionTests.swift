import FramedTransport
import Testing

@testable import FramedSecurity

/// Which key is accepted while the handshake is under way, before anything of the app is sent.
@Suite struct LayerDecisionTests {
  private let peer = SocketAddress(numericHost: "192.0.2.1", port: 7)!

  @Test func `a key is refused during the handshake if it is not the pinned or the known one`() throws {
    let (one, other) = (try Identity.ephemeral().fingerprint, try Identity.ephemeral().fingerprint)
    let store = PinStore()
    let firstUse = TLSLayer(.client, .comparison, .firstUse(store, name: "a"), identity: nil)
    #expect(firstUse.objection(to: one, of: peer) == nil)
    try store.pin(one, for: "a")
    #expect(firstUse.objection(to: one, of: peer) == nil)
    #expect(firstUse.objection(to: other, of: peer)?.code == .keyChanged)
    let pinned = TLSLayer(.client, .comparison, .pinned(one), identity: nil)
    #expect(pinned.objection(to: one, of: peer) == nil)
    #expect(pinned.objection(to: other, of: peer)?.code == .wrongKey)
    #expect(TLSLayer(.client, .comparison, .anyKey, identity: nil).objection(to: other, of: peer) == nil)
  }

  @Test(arguments: [
    (TransportError.Code.notEncrypted, true), (.tlsVersion, true), (.handshakeFailed, true), (.wrongKey, true),
    (.keyChanged, true), (.passcodeNotAsked, true), (.untrustedCertificate, true), (.passcodeUnconfirmed, true),
    (.wrongPasscode, false), (.passcodePaused, false), (.passcodeRequired, false), (.keyForgotten, false), (.tampered, false),
    (.excessiveRecords, false), (.unusableKey, false), (.unusablePins, false),
  ])
  func `another address is tried after what another peer than the host may have caused`(
    code: TransportError.Code, isOfOtherPeer: Bool
  ) {
    #expect(code.isOfOtherPeer == isOfOtherPeer)
  }
}
