public import FramedSecurity
public import FramedTransport

/// Where a connection comes from: a unit among which a host shares its places, and that it can ban.
///
/// A host treats it as a name without a meaning. It is the peer's address, or the key that the peer has shown.
public struct Origin: RawRepresentable, Hashable, Sendable, Codable {
  public let rawValue: String

  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// The origin of all connections from an address, or an IPv6 prefix.
  public init(_ block: AddressBlock) {
    self.init(rawValue: block.description)
  }

  /// The origin of all connections that have shown a key.
  public init(_ key: KeyFingerprint) {
    self.init(rawValue: key.description)
  }
}

extension Origin: CustomStringConvertible {
  public var description: String { rawValue }
}
