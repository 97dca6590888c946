import TestSupport
import Testing
import TransportTestSupport
import _BonjourishEventLoop

@testable import FramedSecurity
@testable import FramedTransport
@testable import FramedTransportTesting

/// What apps and people are told of each failure, by either side and each kind of security.
@Suite struct ErrorTextTests {
  private static let failures: [TLSFailure] = [
    .truncated, .tampered, .version, .notEncrypted, .noCommonProtocol, .noProtocol, .certificateRefused, .excessive,
    .other("no shared cipher"),
  ]
  private static let introductions: [IntroductionStep.Failure] = [
    .wrongPasscode, .paused, .proofsSpent, .passcodeRequired, .unexpected, .invalidShare, .brokenCommitment,
  ]

  @Test func `each failure has a code, a reason and what to do`() async throws {
    let identity = try Identity.ephemeral()
    let layers: [(String, (any StreamLayer)?)] = [
      ("a client that trusts any key", ConnectionSecurity.anyKey().layer),
      ("a client that knows the key", ConnectionSecurity.pinned(identity.fingerprint).layer),
      ("a client with a passcode", ConnectionSecurity.passcode("471123").layer),
      ("a listener", ListenerSecurity.encrypted(identity).layer),
      ("a listener with a passcode", ListenerSecurity.passcode("471123", identity: identity).layer),
    ]
    let peer = try #require(SocketAddress(numericHost: "192.0.2.1", port: 7))
    let transportLoop = try TransportLoop.first(1)[0]
    let text = try await Task(executorPreference: transportLoop.loop) {
      var text = ""
      for (title, layer) in layers {
        let layer = try #require(layer)
        let lower = MemoryStream(MemoryWire(.init(), on: transportLoop.loop), sending: .toServer)
        let terms = StreamTerms(.standard, .untimed, largestFrame: 65_536)
        let stream = try #require(layer.wrap(lower, peer: peer, terms: terms, on: transportLoop) as? TLSStream)
        text += "# \(title)\n"
        for failure in Self.failures { text += Self.line("\(failure)", stream.error(failure), layer) }
        for failure in Self.introductions { text += Self.line("\(failure)", stream.error(failure), layer) }
        stream.reset()
      }
      return text
    }.value
    try Transcript("security").compare(text)
  }

  private static func line(_ failure: String, _ error: TransportError, _ layer: any StreamLayer) -> String {
    let counted = layer.countedCode(for: error.code).map { "\($0)" } ?? "not counted"
    return "\(failure): \(error.code), \(error.isPermanent ? "for good" : "try again"), \(counted): \(error.message)\n"
  }
}
