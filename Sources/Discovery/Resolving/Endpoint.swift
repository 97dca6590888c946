/// Where a service is and what it says of itself: what resolving an instance gives.
///
/// It is a hint, never proof: the service may be gone by the time that someone connects.
public struct Endpoint: Hashable, Sendable {
  /// The host's name, such as `ada.local`.
  public let host: DomainName
  /// The port, at least 1.
  public let port: UInt16
  public let txt: TXTRecord
  /// All addresses of the host that were heard, those that work from everywhere first, link-local ones with their interface.
  public let addresses: [IPAddress]

  public init(host: DomainName, port: UInt16, txt: TXTRecord, addresses: [IPAddress]) {
    self.host = host
    self.port = port
    self.txt = txt
    self.addresses = addresses
  }
}
