import FramedTransport
import _BonjourishEventLoop

/// What is said about failures: what was tried, with whom, why it failed, and what to do.
extension TLSStream {
  private var isEstablished: Bool { tlsFacts.details != nil }

  func error(_ code: TransportError.Code, _ reason: String) -> TransportError {
    TransportError(code, "Establishing an encrypted connection with \(peer) failed: \(reason)")
  }

  /// The error for what ended the session, with what the library noted behind it.
  func error(_ failure: TLSFailure) -> TransportError {
    let error = self.error(for: failure)
    guard let cause = session?.libraryError else { return error }
    return TransportError(
      error.code, errno: error.errno, isPermanent: error.isPermanent, error.message, details: error.details, because: cause)
  }

  private func error(for failure: TLSFailure) -> TransportError {
    switch failure {
    case .truncated where isEstablished:
      TransportError(
        .unconfirmedEnd,
        "Reading from \(peer) failed: the stream ended without the peer's word that it is complete; what came last may be missing"
      )
    case .truncated:
      error(
        .handshakeFailed, "the peer ended the connection instead of answering; check that it encrypts, and is not overloaded")
    case .tampered:
      TransportError(
        .tampered,
        "Reading from \(peer) failed: the received bytes are not what the peer has sent; connect over another network")
    case .excessive:
      TransportError(
        .excessiveRecords,
        "Reading from \(peer) failed: the peer sends too many records without data, such as requests for new keys: more than "
          + "\(RecordAllowance.most), and then one for each \(RecordAllowance.bytesOfRecord / 1024) KiB of data; update the other program"
      )
    case .version:
      error(.tlsVersion, "the peer, or a device between, does not offer TLS 1.3; update the other program")
    case .notEncrypted:
      error(.notEncrypted, "the peer does not encrypt; it must use the same security, or both plaintext")
    case .noCommonProtocol:
      noCommonProtocol
    case .noProtocol where layer.proof.isPasscode && layer.role == .client:
      noCommonProtocol
    case .noProtocol:
      error(.handshakeFailed, "the peer uses another kind of security; both sides must use the same")
    case .certificateRefused where layer.role == .server:
      error(.handshakeFailed, "the peer's key is neither P-256 nor Ed25519; it must use another identity, or none")
    case .certificateRefused:
      error(
        .untrustedCertificate,
        "its certificate is not accepted (\(session?.verificationProblem ?? "unknown")); check the name and the authority")
    case .other(let reason) where isEstablished:
      TransportError(.tampered, "Reading from \(peer) failed: \(reason); connect again")
    case .other(let reason):
      error(.handshakeFailed, "\(reason); check that the other program uses the same security")
    }
  }

  private var noCommonProtocol: TransportError {
    switch (layer.role, layer.proof) {
    case (.client, .comparison) where layer.knowsKey:
      error(
        .handshakeFailed,
        "the peer refused before it showed its key, so it may be anybody; check that it is the right peer, and update its program"
      )
    case (.client, .comparison):
      error(IntroductionStep.Failure.passcodeRequired)
    case (.client, .passcode), (.client, .keyOrPasscode):
      error(
        .passcodeNotAsked, "the peer asks for no passcode, so it cannot prove that it knows it; check that it is the right peer"
      )
    case (_, .none), (.server, _), (.client, .guarded):
      error(.handshakeFailed, "the peer uses another kind of security; both sides must use the same")
    }
  }

  func error(_ failure: IntroductionStep.Failure) -> TransportError {
    switch failure {
    case .wrongPasscode:
      error(.wrongPasscode, "the passcodes differ; ask for the code again, and check that it is the right peer")
    case .paused:
      error(
        .passcodePaused,
        "too many wrong passcodes were tried, from this address or by others; the host must let people in again")
    case .proofsSpent:
      error(
        .passcodeUnconfirmed,
        "\(ProofBudget.limit) proofs of the passcode were not answered with the peer's own, so somebody in the host's place may be guessing; "
          + "no more is given: find out who answers, change the passcode at the host, and connect with the new one")
    case .passcodeRequired where layer.role == .server:
      error(.passcodeRequired, "the peer gave no passcode, and its key is not known")
    case .passcodeRequired where layer.isPaired:
      error(.keyForgotten, "the peer no longer knows this side's key; ask for its passcode, and connect with that")
    case .passcodeRequired:
      error(.passcodeRequired, "the peer asks for a passcode; connect with one")
    case .unexpected:
      error(.handshakeFailed, "the peer sent a message that does not fit; update both programs")
    case .invalidShare:
      error(.tampered, "the peer sent a number that no honest program sends")
    case .brokenCommitment:
      error(.tampered, "the peer changed its part of the comparison code; somebody may sit between")
    }
  }
}

extension SystemError {
  /// The error of a read from a peer.
  func asTransportError(reading peer: SocketAddress) -> TransportError {
    TransportError(self, "Reading from \(peer)")
  }
}

extension TLSStream {
  var isInterrupted: Bool { lower.isInterrupted }
}
