public import _BonjourishDiscovery

extension Bonjour {
  /// A service to publish.
  public struct Service: Hashable, Sendable {
    /// The requested name.
    public var name: InstanceName
    /// The type, such as `_http._tcp`.
    public var type: ServiceType
    /// The subtypes, such as `_printer`.
    public var subtypes: Set<ServiceSubtype>
    /// The domain, usually `local`, which is the only domain of the built-in engine.
    public var domain: DomainName
    /// The port that the service listens on, 1–65,535.
    public var port: UInt16
    /// The TXT record.
    public var txt: TXTRecord
    /// The host that offers the service; nil for this machine.
    public var host: Host?
    /// What happens when another host has the name.
    public var conflictPolicy: ConflictPolicy
    /// Who publishes the service in a directory, and whose record it replaces there; nil for a service that nobody goes on with
    /// elsewhere. On the local network it has no meaning.
    public var succession: Succession?

    /// Makes a service. It is checked when it is published.
    ///
    /// - Parameters:
    ///   - name: The requested name.
    ///   - type: The type of the service, such as `_http._tcp`.
    ///   - subtypes: The subtypes of the service, such as `_printer`.
    ///   - domain: The domain, usually `local`, which is the only domain of the built-in engine.
    ///   - port: The port that the service listens on, 1–65,535.
    ///   - txt: The TXT record of the service.
    ///   - host: The host that offers the service; nil for this machine.
    ///   - conflictPolicy: What happens when another host has the name.
    public init(
      _ name: InstanceName, type: ServiceType, subtypes: Set<ServiceSubtype> = [], domain: DomainName = .local, port: UInt16,
      txt: TXTRecord = TXTRecord(), host: Host? = nil, onConflict conflictPolicy: ConflictPolicy = .rename
    ) {
      self.name = name
      self.type = type
      self.subtypes = subtypes
      self.domain = domain
      self.port = port
      self.txt = txt
      self.host = host
      self.conflictPolicy = conflictPolicy
    }
  }

  /// Another host than this machine, whose services are published.
  public struct Host: Hashable, Sendable {
    /// The name of the host, such as `printer.local`.
    public var name: DomainName
    /// The addresses to publish for the name. Empty if the host, or a server of its domain, answers for its name itself.
    public var addresses: [IPAddress]

    /// Makes a host.
    ///
    /// - Parameters:
    ///   - name: The name of the host, such as `printer.local`.
    ///   - addresses: The addresses to publish for the name. Empty if the host, or a server of its domain, answers for its name
    ///     itself.
    public init(_ name: DomainName, addresses: [IPAddress] = []) {
      self.name = name
      self.addresses = addresses
    }
  }
}

extension Bonjour.Service {
  /// - Throws: ``DiscoveryError`` when the service cannot be published on any engine.
  func registration(on interfaces: InterfaceSelection, remembered: InstanceName?) throws(DiscoveryError) -> Registration {
    guard port != 0 else {
      throw DiscoveryError(
        .invalidPort, "publishing \"\(name)\": port 0 is not a valid port; give the port that the service listens on")
    }
    try type.checkForPublishing()
    try txt.checkSize()
    var registration = Registration(
      remembered ?? name, type: type, subtypes: subtypes, domain: domain, port: port, txt: txt, host: host?.name,
      interfaces: interfaces, onConflict: conflictPolicy)
    registration.succession = succession
    return registration
  }

  var instance: ServiceInstance { ServiceInstance(name, type: type, domain: domain) }
}
