import Bonjourish
public import FramedSecurity
import FramedTransport
import FramedWebSockets

/// Who is at the other end of a connection, as far as the connection tells.
public struct Peer: Hashable, Sendable {
  /// The peer's address.
  public let address: Origin
  /// The key that the peer has proved to have; nil for none.
  public let key: KeyFingerprint?
  /// Whether the peer may come in without a further proof: the room asks for no passcode, or the peer has proved it.
  public var isTrusted: Bool
  /// A value that nobody knows but the two ends of the connection; empty if it is not encrypted.
  public let binding: [UInt8]
  /// The six digits for people to compare; nil if there are none.
  public let comparison: String?
  /// Whether it is a page in a browser, over a connection that is not encrypted.
  public let isWeb: Bool

  public init(
    address: Origin, key: KeyFingerprint? = nil, isTrusted: Bool = true, binding: [UInt8] = [], comparison: String? = nil,
    isWeb: Bool = false
  ) {
    self.address = address
    self.key = key
    self.isTrusted = isTrusted
    self.binding = binding
    self.comparison = comparison
    self.isWeb = isWeb
  }

  /// What is known of a connection's peer.
  ///
  /// - Parameter asksForPasscode: Whether this side lets nobody in who has not proved its passcode.
  init(_ connection: Connection, asksForPasscode: Bool = false) {
    let details = connection.securityDetails
    self.init(
      address: Origin(connection.peerBlock), key: details?.peerKey,
      isTrusted: !asksForPasscode || details?.isPasscodeProved == true,
      binding: details?.channelBinding(for: RoomHost.serviceType.description) ?? [],
      comparison: details?.comparisonCode?.description, isWeb: connection.webDetails != nil)
  }

  /// Where the peer comes from: the units among which a host shares its places, and that it can ban.
  public var origins: [Origin] { [address] + (key.map { [Origin($0)] } ?? []) }

  /// Whether the same person is at both ends, as far as anybody can tell: by the key, or without one by the address.
  func isSame(as other: Peer) -> Bool {
    isWeb == other.isWeb && key == other.key && (key != nil || address == other.address)
  }
}
