/// What to publish, under which name, and where.
package struct Registration: Hashable, Sendable {
  package enum Content: Hashable, Sendable {
    case service(ServiceContent)
    /// The addresses of a host. The registration's name is the first label of the host's name.
    case host([IPAddress])
    /// Records of any names. The registration's name is the first label of the first one, for messages only.
    case records([CustomRecord])
  }

  /// What is published of a service besides its name.
  package struct ServiceContent: Hashable, Sendable {
    package var type: ServiceType
    package var subtypes: Set<ServiceSubtype>
    package var port: UInt16
    package var txt: TXTRecord
    /// The host that offers the service; nil for this one.
    package var host: DomainName?

    /// The sorted names of the subtypes, without the domain.
    package var subtypeNames: [String] { subtypes.map { $0.name(of: type) }.sorted() }
  }

  package var name: InstanceName
  package var domain: DomainName
  package var content: Content
  package var interfaces: InterfaceSelection
  package var conflictPolicy: ConflictPolicy
  /// Who publishes it in a directory; nil for a publisher that nobody succeeds.
  package var succession: Succession?
  /// Whether the name of the service has a ``RandomSuffix``, so that its records are published as shared ones.
  package private(set) var isAssured = false

  /// A service.
  package init(
    _ name: InstanceName, type: ServiceType, subtypes: Set<ServiceSubtype> = [], domain: DomainName, port: UInt16,
    txt: TXTRecord, host: DomainName? = nil, interfaces: InterfaceSelection = .all,
    onConflict conflictPolicy: ConflictPolicy = .rename
  ) {
    self.name = name
    self.domain = domain
    content = .service(ServiceContent(type: type, subtypes: subtypes, port: port, txt: txt, host: host))
    self.interfaces = interfaces
    self.conflictPolicy = conflictPolicy
  }

  /// The addresses of a host; nil if its name is not a label and a domain.
  package init?(
    host: DomainName, addresses: [IPAddress], interfaces: InterfaceSelection = .all, onConflict conflictPolicy: ConflictPolicy
  ) {
    guard let (label, domain) = host.firstLabelAndRest, let name = InstanceName(received: label) else { return nil }
    self.name = name
    self.domain = domain
    content = .host(addresses)
    self.interfaces = interfaces
    self.conflictPolicy = conflictPolicy
  }

  /// Records of any names; nil if there is none. A conflict about a unique one is a failure.
  package init?(records: [CustomRecord], interfaces: InterfaceSelection = .all) {
    guard let first = records.first else { return nil }
    name = first.name.firstLabelAndRest.flatMap { InstanceName(received: $0.label) } ?? "records"
    domain = first.name.firstLabelAndRest?.rest ?? .local
    content = .records(records)
    self.interfaces = interfaces
    conflictPolicy = .fail
  }

  /// The service; nil for other content.
  package var service: ServiceContent? {
    switch content {
    case .service(let service): service
    case .host, .records: nil
    }
  }

  /// The name of the host; nil for other content.
  package var hostName: DomainName? {
    switch content {
    case .host: DomainName(label: name.text, in: domain)
    case .service, .records: nil
    }
  }

  /// Whether the content refers to this host, so that its addresses must be published too.
  package var needsThisHost: Bool { service.map { $0.host == nil } ?? false }

  /// What is being done, for messages.
  package var action: String {
    switch content {
    case .service(let service): "publishing \"\(name)\" as \(service.type)"
    case .host: "publishing the host name \"\(hostName?.description ?? name.description)\""
    case .records(let records): "publishing records of \"\(records[0].name)\""
    }
  }

  /// The reason for a failure when another host has the name.
  package var nameTaken: DiscoveryError {
    let reason =
      switch content {
      case .service: "another host has a service with this name; choose another name, or allow alternatives"
      case .host: "another host has this name, with other addresses; choose another name"
      case .records: "another host has records of a name that was to be unique; choose another name, or share it"
      }
    return DiscoveryError(.nameTaken, "\(action): \(reason)")
  }

  /// The name to try when the current one is taken.
  func alternativeName(step: Int) -> InstanceName {
    switch content {
    case .service: name.alternative(step: step)
    case .host, .records: name.alternative(step: step, style: .host)
    }
  }

  /// Returns the same with another name.
  package func renamed(to name: InstanceName) -> Registration {
    var copy = self
    copy.name = name
    copy.isAssured = false
    return copy
  }

  /// Returns the same service with a name that nobody else can have.
  ///
  /// - Parameter suffix: A ``RandomSuffix``.
  package func assured(by suffix: String) -> Registration {
    var copy = renamed(to: name.alternative(suffix: suffix))
    copy.isAssured = true
    return copy
  }

  /// Returns the same service with another TXT record.
  package func replacing(txt: TXTRecord) -> Registration {
    guard var service else { return self }
    service.txt = txt
    var copy = self
    copy.content = .service(service)
    return copy
  }
}
