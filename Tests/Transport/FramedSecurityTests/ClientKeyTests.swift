import CFramedOpenSSL
import FramedTransport
import TestSupport
import Testing
import TransportTestSupport

@testable import FramedSecurity

/// What kinds of keys a listener takes from clients, and when it refuses the others.
@Suite(.timeLimit(.minutes(2))) struct ClientKeyTests {
  private let identity: Identity

  init() throws {
    identity = try Identity.ephemeral()
  }

  /// An exponent as long as the number, of which the check of a signature takes longest.
  private static let hugeExponent = "0x" + String(repeating: "c0ffee", count: 127) + "c0ff01"

  static let accepted = [["EC", "ec_paramgen_curve:P-256"], ["ED25519"]]
  static let refused = [
    ["RSA", "rsa_keygen_bits:2048"], ["RSA", "rsa_keygen_bits:3072", "rsa_keygen_pubexp:\(hugeExponent)"],
    ["EC", "ec_paramgen_curve:P-384"], ["ED448"],
  ]

  /// Makes an identity with openssl, of a key of its own.
  private func identity(_ kind: [String]) throws -> Identity { try Identity.made(kind, in: TemporaryFolder()) }

  /// A handshake of a client with a key; how it ended for the server, and the key that it knows then.
  ///
  /// - Parameters:
  ///   - isPolite: Whether the client keeps to the signatures that the server asks for, as the library does.
  ///   - recordCount: The number of records that the server reads of what the client says after it has seen the server's key.
  private func handshake(
    with client: Identity, isPolite: Bool, records recordCount: Int = .max
  ) throws -> (outcome: TLSSession.Outcome, key: KeyFingerprint?) {
    let context = try TLSContext(.server, identity: identity, protocolNames: ["test"])
    if !isPolite {
      // The server says that it takes all, so that the client shows its key.
      var all = Array("RSA-PSS+SHA256:ECDSA+SHA384:ed448\0".utf8)
      #expect(SSL_CTX_ctrl(context.pointer, SSL_CTRL_SET_CLIENT_SIGALGS_LIST, 0, &all) == 1)
    }
    let left = try #require(TLSSession(try TLSContext(.client, identity: client, protocolNames: ["test"])))
    let right = try #require(TLSSession(context))
    left.decideOnKey = { _ in true }
    right.decideOnKey = { _ in true }
    func carry(_ from: TLSSession, _ to: TLSSession) -> TLSSession.Outcome {
      let bytes = from.output
      from.output = []
      return bytes.withUnsafeBytes { bytes in
        to.input = bytes
        defer { to.input = UnsafeRawBufferPointer(start: nil, count: 0) }
        return to.handshake()
      }
    }
    #expect(left.handshake() == .wantsInput)
    #expect(carry(left, right) == .wantsInput)
    #expect(carry(right, left) == .done)
    right.recordsLeft = recordCount
    return (carry(left, right), right.peerKey)
  }

  @Test(arguments: accepted) func `P-256 and Ed25519 keys are accepted`(kind: [String]) throws {
    let own = try identity(kind)
    let (outcome, key) = try handshake(with: own, isPolite: true)
    #expect(outcome == .done && key == own.fingerprint && own.key.isOfClient)
  }

  @Test(arguments: refused) func `other keys are refused before a signature is checked`(kind: [String]) throws {
    let own = try identity(kind)
    #expect(!own.key.isOfClient)
    // The first record has the certificate, the second its signature: the server has not seen it.
    #expect(try handshake(with: own, isPolite: false, records: 1).outcome == .failed(.certificateRefused))
    // Whoever keeps to what the server asks for shows no key.
    let (outcome, key) = try handshake(with: own, isPolite: true)
    #expect(outcome == .done && key == nil)
  }

  @Test func `a client that can show only such a key is told so`() async throws {
    let own = try identity(["RSA", "rsa_keygen_bits:2048"])
    try await withListener(.encrypted(identity)) { listener in
      for client in [ConnectionSecurity.anyKey(identity: own), .passcode("1", identity: own)] {
        #expect(await listener.refusal(client)?.code == .unusableKey)
      }
    }
    // A server of plain TLS may have any key, and may take any.
    try await withListener(.certificate(own)) { listener in
      #expect(await listener.refusal(.certificate(pinned: own.fingerprint, identity: own)) == nil)
    }
    try await withListener(.encrypted(own)) { listener in
      #expect(await listener.refusal(.pinned(own.fingerprint)) == nil)
    }
  }
}
