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
}
