package import _BonjourishDiscovery

/// A service from a file, published while it is listed.
package struct StaticService: Hashable, Sendable {
  package var name: String
  /// Whether `%h` in the name stands for the host's name.
  package var replacesWildcards = false
  /// The type, such as `_http._tcp`.
  package var type: String
  /// The subtypes, such as `_printer._sub._http._tcp`.
  package var subtypes: [String] = []
  /// The domain; nil for the daemon's.
  package var domain: String?
  /// The host; nil for this one.
  package var host: String?
  package var port: UInt16
  package var txt: [[UInt8]] = []
  /// The families; an empty set means both.
  package var families: Set<IPAddress.Family> = []

  package init(name: String, type: String, port: UInt16) {
    (self.name, self.type, self.port) = (name, type, port)
  }
}

/// A host from a file, published while it is listed.
package struct StaticHost: Hashable, Sendable {
  package var name: String
  package var address: IPAddress

  package init(name: String, address: IPAddress) {
    (self.name, self.address) = (name, address)
  }
}

/// The address of a host name.
package struct ResolvedAddress: Hashable, Sendable {
  /// The kernel's index of the interface that it was seen on.
  package let interface: Int32
  /// The family of the link that it was seen on.
  package let family: IPAddress.Family
  package let name: String
  package let address: IPAddress
}

/// The name of an address.
package struct ResolvedName: Hashable, Sendable {
  package let interface: Int32
  package let family: IPAddress.Family
  package let name: String
}
