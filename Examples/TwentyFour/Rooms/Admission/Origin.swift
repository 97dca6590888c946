public import FramedTransport

/// Where a connection comes from: the unit among which a host shares its places, and that it can ban.
///
/// A host treats it as a name without a meaning. Today it is the peer's address.
public struct Origin: RawRepresentable, Hashable, Sendable, Codable {
  public let rawValue: String

  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// The origin of all connections from an address, or an IPv6 prefix.
  public init(_ block: AddressBlock) {
    self.init(rawValue: block.description)
  }
}

extension Origin: CustomStringConvertible {
  public var description: String { rawValue }
}
