public import FramedTransport
import _BonjourishEventLoop

/// What an encrypted connection has established about its two sides.
public struct SecurityDetails: Sendable {
  /// The key that the peer has proved to have; `nil` for a client that has shown none.
  public let peerKey: KeyFingerprint?

  /// The key that this side has shown; `nil` for none.
  public let ownKey: KeyFingerprint?

  /// Whether both sides have proved that they know the same passcode.
  public let isPasscodeProved: Bool

  /// The six digits for people to compare; `nil` if a passcode was proved, or a certificate of an authority was asked for.
  public let comparisonCode: ComparisonCode?

  let binding: ChannelBinding

  /// A value that both ends of this connection can compute, and nobody else: 32 bytes.
  ///
  /// Somebody in between has other values. So an answer that includes it, such as the proof of an older secret, is worth nothing on
  /// another connection (RFC 9266).
  ///
  /// - Parameter purpose: Text that both sides use for one purpose only.
  public func channelBinding(for purpose: String) -> [UInt8] {
    Array(binding.value(for: "application", Array(purpose.utf8)).exposed.prefix(32))
  }
}

extension Connection {
  /// What was established about the two sides; `nil` for a connection without encryption.
  public var securityDetails: SecurityDetails? { facts(TLSFacts.self)?.details }
}

/// What a TLS stream has found out; set once, when it is established.
final class TLSFacts: Sendable {
  private let state = Locked<SecurityDetails?>(nil)

  var details: SecurityDetails? { state.withLock { $0 } }

  /// What the TLS layer of a connection has found out; `nil` if it has none, or is not established.
  static func details(in facts: [any Sendable]) -> SecurityDetails? {
    facts.lazy.compactMap { $0 as? TLSFacts }.first?.details
  }

  func set(_ details: SecurityDetails) { state.withLock { $0 = details } }
}
