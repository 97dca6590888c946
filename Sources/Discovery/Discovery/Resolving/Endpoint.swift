/// The host, port, addresses and TXT record of a service: the result of resolving an instance.
///
/// It is a hint, not a proof: the service may be gone before the app connects.
public struct Endpoint: Hashable, Sendable {
  /// The host's name, such as `ada.local`.
  public let host: DomainName
  /// The port, at least 1.
  public let port: UInt16
  /// The TXT record of the service.
  public let txt: TXTRecord
  /// All known addresses of the host that this machine reaches through the interface of the answer, in the order in which to try
  /// them: link-local and loopback addresses last. A link-local IPv6 address has a zone.
  public let addresses: [IPAddress]

  /// Makes an endpoint like one from resolving, for previews and tests.
  ///
  /// - Parameters:
  ///   - host: The host's name.
  ///   - port: The port, at least 1.
  ///   - txt: The TXT record.
  ///   - addresses: The addresses, in the order in which to try them.
  public init(host: DomainName, port: UInt16, txt: TXTRecord, addresses: [IPAddress]) {
    self.host = host
    self.port = port
    self.txt = txt
    self.addresses = addresses
  }
}

extension Endpoint: CustomStringConvertible {
  /// The host, the port and the addresses for display, such as `ada.local:8080 (192.168.1.7)`.
  public var description: String {
    "\(host):\(port)" + (addresses.isEmpty ? "" : " (\(addresses.map(\.description).joined(separator: ", ")))")
  }
}
