import FramedTransport
import TestSupport
import Testing
import TransportTestSupport

@testable import FramedSecurity

/// Which keys count as the one that is known, whatever their type and certificate.
@Suite(.timeLimit(.minutes(2))) struct PinnedKeyTests {
  static let kinds = [
    ["EC", "ec_paramgen_curve:P-256"], ["EC", "ec_paramgen_curve:P-384"], ["RSA", "rsa_keygen_bits:2048"], ["ED25519"],
  ]

  /// adb took what a comparison of two keys returned for true, and keys of different types compare as −1.
  @Test(arguments: kinds, kinds)
  func `a key is the pinned one only if it is the same, whatever the types of both (CVE-2026-0073)`(
    pinned: [String], shown: [String]
  ) async throws {
    let known = try Identity.made(pinned, in: TemporaryFolder())
    let own = try Identity.made(shown, in: TemporaryFolder())
    try await withListener(.encrypted(own)) { listener in
      let store = PinStore()
      try store.pin(known.fingerprint, for: "Ada's room")
      #expect(await listener.refusal(.pinned(known.fingerprint))?.code == .wrongKey)
      #expect(await listener.refusal(.firstUse(store, name: "Ada's room"))?.code == .keyChanged)
      #expect(await listener.refusal(.certificate(pinned: known.fingerprint)) != nil)
      #expect(listener.metrics.admitted == 0)
      #expect(store.key(of: "Ada's room") == known.fingerprint)
    }
  }

  /// The key counts and not what a certificate says of it: another certificate of the same key is no reason to refuse.
  @Test(arguments: kinds)
  func `another certificate of the pinned key is accepted, and the same name with another key is not (CVE-2026-0073)`(
    kind: [String]
  ) async throws {
    let folder = try TemporaryFolder()
    let known = try Identity.made(kind, in: folder, name: "ada")
    let again = try Identity.made(kind, in: folder, name: "bob")
    let other = try Identity.made(kind, in: TemporaryFolder(), name: "ada")
    #expect(again.fingerprint == known.fingerprint && other.fingerprint != known.fingerprint)
    try await withListener(.encrypted(again)) { listener in
      #expect(await listener.refusal(.pinned(known.fingerprint)) == nil)
    }
    try await withListener(.encrypted(other)) { listener in
      #expect(await listener.refusal(.pinned(known.fingerprint))?.code == .wrongKey)
    }
  }

  @Test func `without a key nothing is decided in favour of a peer (CVE-2026-0073)`() throws {
    for role in [TLSContext.Role.client, .server] {
      let identity = role == .server ? try Identity.ephemeral() : nil
      let session = try #require(TLSSession(try TLSContext(role, identity: identity, protocolNames: ["test"])))
      #expect(session.peerKey == nil)
      // Nobody has said how to decide.
      #expect(!session.decide(on: try Identity.ephemeral().fingerprint))
      session.decideOnKey = { _ in true }
      #expect(!session.decide(on: nil))
    }
  }
}
