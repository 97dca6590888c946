/// The type, domain and interfaces to browse. A backend is asked a question for the PTR records that list the instances.
package struct BrowseQuery: Hashable, Sendable {
  package let type: ServiceType
  /// The only subtype to browse for; nil for all services of the type.
  package let subtype: ServiceSubtype?
  package let domain: DomainName
  package let interfaces: InterfaceSelection
  /// Whether a backend that lists instances with their endpoints tells these, too.
  package let wantsEndpoints: Bool

  package init(
    _ type: ServiceType, subtype: ServiceSubtype? = nil, domain: DomainName, interfaces: InterfaceSelection = .all,
    wantsEndpoints: Bool = false
  ) {
    self.type = type
    self.subtype = subtype
    self.domain = domain
    self.interfaces = interfaces
    self.wantsEndpoints = wantsEndpoints
  }

  /// The type without the domain: `_http._tcp`, or `_printer._sub._http._tcp`.
  package var typeName: String { subtype?.name(of: type) ?? type.dnsText }

  /// The question for the PTR records that list the instances.
  ///
  /// - Throws: ``DiscoveryError`` with code `invalidDomain` when their name is too long.
  package func question() throws(DiscoveryError) -> RecordQuestion {
    RecordQuestion(.domain(try DomainName("\(typeName).\(domain.text)")), .ptr, interfaces: interfaces, for: self)
  }

  /// Converts an event of that question; nil for one that says nothing about an instance.
  package func event(_ event: LookupEvent) -> BrowseEvent? {
    switch event {
    case .added(let record): instance(in: record).map { .appeared($0, record.link) }
    case .removed(let record): instance(in: record).map { .vanished($0, record.link) }
    case .doubted(let record, let presence): instance(in: record).map { .doubted($0, record.link, presence) }
    case .described(let instance, let endpoint, let source): .described(instance, endpoint, source)
    case .cacheExhausted: nil
    case .settled: .settled
    case .interrupted(let error): .interrupted(error)
    case .restarted: .restored
    case .failed(let error): .failed(error)
    }
  }

  private func instance(in record: ResourceRecord) -> ServiceInstance? {
    guard case .pointer(let target) = record.data, let instance = ServiceInstance(fullName: target), instance.type == type,
      // What was heard by multicast is of the local network only.
      instance.domain == domain || domain != .local
    else { return nil }
    // In the case of the query.
    return ServiceInstance(instance.name, type: type, domain: instance.domain == domain ? domain : instance.domain)
  }
}
