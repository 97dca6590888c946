import CBonjourishNATS
import FramedTransport
import Testing
import _BonjourishDiscovery

@testable import BonjourishDirectory
@testable import _BonjourishDirectoryProtocol

/// What programs are told of failures of the library, the server and the relay.
@Suite struct FailureTests {
  private static let user = "its server refuses this user (%); check the user's name and password, token, key or certificate"
  private static let certificate = "its server's certificate is refused (%); check the authority and the name in the URL"

  @Test(
    arguments: [
      (NATS_NO_SERVER, "(conn.c:1): x", "no server answers there", .unavailable, "%"),
      (NATS_CONNECTION_AUTH_FAILED, "(conn.c:1): Authorization Violation", "Authorization Violation", .notPermitted, user),
      (NATS_NOT_PERMITTED, "no", "no", .notPermitted, user),
      (NATS_ERR, "tlsv1 alert unknown ca", "tlsv1 alert unknown ca", .notPermitted, user),
      (NATS_SSL_ERROR, "TLSV13 ALERT CERTIFICATE REQUIRED", "TLSV13 ALERT CERTIFICATE REQUIRED", .notPermitted, user),
      (NATS_SSL_ERROR, "an alert", "an alert", .unavailable, "%"),
      (NATS_SSL_ERROR, "error: certificate verify failed", "error: certificate verify failed", .untrusted, certificate),
      (NATS_SSL_ERROR, "SSL: 18:self-signed", "SSL: 18:self-signed", .untrusted, certificate),
      (NATS_SSL_ERROR, "SSL: wrong version", "SSL: wrong version", .unavailable, "%"),
      (NATS_ERR, "certificate verify failed", "certificate verify failed", .unavailable, "%"),
      (
        NATS_ERR, "Expected 'PONG', got ''", "Expected 'PONG', got ''", .unavailable,
        "its server has ended the connection at the beginning; if it wants certificates, check this program's"
      ),
      (NATS_TIMEOUT, "", "Timeout", .unavailable, "%"),
    ] as [(natsStatus, String, String, DiscoveryError.Code, String)])
  func `a failure of a connection has a code, and says what to do`(
    status: natsStatus, words: String, reason: String, code: DiscoveryError.Code, advice: String
  ) {
    let failure = NATSFailure(status, words)
    #expect(failure.description == reason && failure.code == code)
    #expect(failure.advice == advice.replacing("%", with: reason))
    #expect(failure.underlyingError as? NATSFailure == failure)
    // Of the program's own files.
    #expect(failure.ofConfiguration.code == .invalidDirectory && failure.ofConfiguration.advice == reason)
  }

  @Test(
    arguments: [
      (403, 0, .notPermitted), (400, 10_054, .refused), (400, 10_071, .unavailable), (503, 0, .unavailable),
      (400, 10_026, .unavailable),
    ] as [(Int, Int, DiscoveryError.Code)])
  func `a failure of JetStream is one of an operation`(code: Int, kind: Int, expected: DiscoveryError.Code) {
    let error = JetStreamFailure(code: code, kind: kind, text: "words").during("publishing")
    #expect(error.code == expected && error.message == "publishing: words")
    #expect(error.underlyingError as? JetStreamFailure != nil)
  }

  @Test(
    arguments: [
      (.refused, true, .refused, "Connecting by the relay failed: nobody accepts there"),
      (.refused, false, .refused, "The relayed connection failed: nobody accepts there"),
      (.reset, true, .refused, "Connecting by the relay failed: the other program gave it up; try again"),
      (.reset, false, .reset, "The relayed connection was broken by the other program"),
      (.broken, true, .reset, "Connecting by the relay was broken by the other program"),
      (.silent, true, .timedOut, "Connecting by the relay has ended: nothing came from the other program for 24.0 seconds"),
      (.silent, false, .timedOut, "The relayed connection has ended: nothing came from the other program for 24.0 seconds"),
    ] as [(RelayLink.End, Bool, TransportError.Code, String)])
  func `the end of a relayed connection is told in words`(
    end: RelayLink.End, isDialling: Bool, code: TransportError.Code, text: String
  ) {
    let error = TransportError(end, dialling: isDialling)
    #expect(error.code == code && error.message.hasPrefix(text), "\(error.message)")
  }

  @Test func `metrics count what watches have counted, each where it belongs`() {
    var counters = Watch.Counters()
    (counters.messages, counters.renewals, counters.crowdedOut, counters.listings) = (1, 2, 3, 4)
    counters.flaws = [.notJSON: 5, .port: 6]
    var metrics = DirectoryMetrics()
    for _ in 0..<2 { metrics.add(counters) }
    #expect(metrics.messages == 2 && metrics.renewals == 4 && metrics.crowdedOut == 6 && metrics.listings == 8)
    #expect(metrics.malformed == 22)
  }
}
