/// Something that speaks mDNS for us.
///
/// Commands go in and events come out; nothing here waits. Commands are carried out in the order in which they were given, and
/// a handler is called in order, one event at a time, on `executor` and never from within a command. What is begun goes on,
/// across failures that can heal, until it is ended or a handler is told `failed`; a handler is not called again after that.
package protocol DiscoveryBackend: Sendable {
  /// Where handlers run. Actors that live here may be entered from a handler with `assumeIsolated`.
  var executor: any SerialExecutor { get }

  /// Looks for the instances of a type.
  func browse(_ query: BrowseQuery, as id: OperationID, _ handler: @escaping @Sendable (BrowseEvent) -> Void)

  /// Follows the records that answer a question.
  func lookUp(_ question: RecordQuestion, as id: OperationID, _ handler: @escaping @Sendable (LookupEvent) -> Void)

  /// Makes a service known, and keeps it so.
  func publish(_ registration: Registration, as id: OperationID, _ handler: @escaping @Sendable (RegistrationEvent) -> Void)

  /// Gives a published service another TXT record.
  func update(_ txt: TXTRecord, of id: OperationID)

  /// Says that a service did not answer where it should be: whoever can, finds out whether it is still there.
  func reconfirm(_ instance: ServiceInstance, on interface: NetworkInterface?)

  /// Ends an operation; a published service says goodbye. Harmless when it has ended already.
  func end(_ id: OperationID)

  /// Returns when all commands given so far have been carried out.
  func drain() async

  /// Frees everything. No command may follow.
  func close() async
}

/// Names an operation of a backend.
package final class OperationID: Hashable, Sendable {
  package init() {}

  package static func == (one: OperationID, other: OperationID) -> Bool { one === other }

  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// What to look for, and where.
package struct BrowseQuery: Hashable, Sendable {
  package let type: ServiceType
  /// The only subtype to look for; nil for all of the type.
  package let subtype: ServiceSubtype?
  package let domain: DomainName
  /// The only interface to look on; nil for all.
  package let interface: NetworkInterface?

  package init(
    _ type: ServiceType, subtype: ServiceSubtype? = nil, domain: DomainName, on interface: NetworkInterface?
  ) {
    self.type = type
    self.subtype = subtype
    self.domain = domain
    self.interface = interface
  }

  /// What is looked for, without the domain: `_http._tcp`, or `_printer._sub._http._tcp`.
  package var typeName: String { subtype?.name(of: type) ?? type.description }
}

/// What to make known, and where.
package struct Registration: Hashable, Sendable {
  package let name: InstanceName
  package let type: ServiceType
  package let subtypes: Set<ServiceSubtype>
  package let domain: DomainName
  package let port: UInt16
  package let txt: TXTRecord
  /// The only interface to publish on; nil for all.
  package let interface: NetworkInterface?

  package init(
    _ name: InstanceName, type: ServiceType, subtypes: Set<ServiceSubtype> = [], domain: DomainName, port: UInt16,
    txt: TXTRecord, on interface: NetworkInterface?
  ) {
    self.name = name
    self.type = type
    self.subtypes = subtypes
    self.domain = domain
    self.port = port
    self.txt = txt
    self.interface = interface
  }

  /// What the subtypes are called, without the domain, in an order that stays the same.
  package var subtypeNames: [String] { subtypes.map { $0.name(of: type) }.sorted() }
}

/// What a backend tells of a browse.
package enum BrowseEvent: Hashable, Sendable {
  case appeared(ServiceInstance, Link)
  case vanished(ServiceInstance, Link)
  /// A hint about one that has appeared; what is seen again, or vanishes, needs none.
  case doubted(ServiceInstance, Link, DiscoveredService.Presence)
  /// Those who answer at once have answered.
  case settled
  case interrupted(DiscoveryError)
  /// Begun anew; what is still there appears again.
  case restored
  case failed(DiscoveryError)
}

/// What a backend tells of a lookup.
package enum LookupEvent: Hashable, Sendable {
  case added(ResourceRecord)
  case removed(ResourceRecord)
  /// What the engine knew already has been told.
  case cacheExhausted
  /// Those who answer at once have answered.
  case settled
  /// Nobody can be asked for the time being.
  case interrupted(DiscoveryError)
  /// Begun anew after an interruption; what is still there is added again.
  case restarted
  case failed(DiscoveryError)
}

/// What a backend tells of a published service.
package enum RegistrationEvent: Hashable, Sendable {
  /// It is known under this name now, on every link.
  case established(InstanceName)
  /// Another host has the name, and this one is tried next.
  case renamed(from: InstanceName, to: InstanceName)
  /// The engine is out of reach, be it that the service was established or not.
  case interrupted(DiscoveryError)
  case failed(DiscoveryError)
}
