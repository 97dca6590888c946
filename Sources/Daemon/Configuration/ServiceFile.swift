package import _BonjourishDiscovery

/// What one `*.service` file publishes: services that share a name (avahi.service(5)).
package struct ServiceFile: Hashable, Sendable {
  /// One service.
  package struct Service: Hashable, Sendable {
    /// Such as `_http._tcp`. It is not checked: who publishes it does that.
    package var type = ""
    /// Such as `_printer._sub._http._tcp`.
    package var subtypes: [String] = []
    /// The domain; nil for the daemon's.
    package var domain: String?
    /// The full name of the host that offers the service; nil for this one.
    package var host: String?
    /// The port; 0 if the file has none.
    package var port: UInt16 = 0
    /// The strings of the TXT record, in the order of the file.
    package var txt: [[UInt8]] = []
    /// The address families over which it is published; empty for both.
    package var families: Set<IPAddress.Family> = []

    package init() {}
  }

  /// The name of all services.
  package var name = ""
  /// Whether `%h` in the name stands for the host's name.
  package var replacesWildcards = false
  /// The services, at least one.
  package var services: [Service] = []
}
