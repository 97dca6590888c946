/// An implementation of multicast DNS.
///
/// Commands return at once and run in order. Handlers get one event at a time, in order, on `executor`, and are never called
/// from within a command. An operation survives temporary failures. It ends with ``end(_:)`` or the event `failed`, after which
/// its handler is not called again.
package protocol DiscoveryBackend: Sendable {
  /// The executor of the handlers. A handler may enter actors with this executor by `assumeIsolated`.
  var executor: any SerialExecutor { get }

  /// Follows the records that answer a question. Browsing is one, see ``BrowseQuery/question()``.
  func lookUp(_ question: RecordQuestion, as id: OperationID, _ handler: @escaping @Sendable (LookupEvent) -> Void)

  /// Publishes a service, a host or records until the operation is ended.
  func publish(_ registration: Registration, as id: OperationID, _ handler: @escaping @Sendable (RegistrationEvent) -> Void)

  /// Replaces the TXT record of a published service. Does nothing for other publications.
  func update(_ txt: TXTRecord, of id: OperationID)

  /// Reports that a service did not answer at its address. The backend asks the network for it again, if it can.
  func reconfirm(_ instance: ServiceInstance, interfaces: InterfaceSelection)

  /// Follows where operations with these interfaces reach the network, until the operation is ended. The handler gets the reach at
  /// first, and after each change.
  func followReach(
    of interfaces: InterfaceSelection, as id: OperationID, _ handler: @escaping @Sendable (Reach) -> Void)

  /// Ends an operation; a published service says goodbye. Does nothing when the operation has ended already.
  func end(_ id: OperationID)

  /// How long records of a name are still believed if nobody sends them again; empty if the backend does not know it.
  func remainingLifetimes(of name: DomainName) async -> [ResourceRecord.ID: Duration]

  /// What the backend has done and is doing.
  var metrics: DiscoveryMetrics { get async }

  /// Returns when all earlier commands have been carried out, or cannot be because a daemon hangs.
  func drain() async

  /// Frees all resources. No command may follow.
  func close() async
}

extension DiscoveryBackend {
  package func remainingLifetimes(of name: DomainName) async -> [ResourceRecord.ID: Duration] { [:] }
}

/// The identity of an operation of a backend.
package final class OperationID: Hashable, Sendable {
  package init() {}

  package static func == (one: OperationID, other: OperationID) -> Bool { one === other }

  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// An event of a browse: what an event of its question says about instances.
package enum BrowseEvent: Hashable, Sendable {
  /// The endpoint of an instance, before the instance appears there, and after each change.
  case described(ServiceInstance, Endpoint, DiscoverySource)
  case appeared(ServiceInstance, Link)
  case vanished(ServiceInstance, Link)
  /// A hint that an instance may be gone soon. The hint ends when the instance appears again or vanishes.
  case doubted(ServiceInstance, Link, DiscoveredService.Presence)
  /// All hosts that answer at once have answered.
  case settled
  case interrupted(DiscoveryError)
  /// Browsing has started again after an interruption. Instances that still exist appear again.
  case restored
  case failed(DiscoveryError)
}

/// An event of a lookup.
package enum LookupEvent: Hashable, Sendable {
  case added(ResourceRecord)
  case removed(ResourceRecord)
  /// A hint that a record may be gone soon. The hint ends when the record is added again or removed.
  case doubted(ResourceRecord, DiscoveredService.Presence)
  /// The endpoint of an instance, which a directory lists with the record that is added next, and after each change. The addresses are
  /// as the backend heard them.
  case described(ServiceInstance, Endpoint, DiscoverySource)
  /// The answers that the engine knew already have been reported.
  case cacheExhausted
  /// All hosts that answer at once have answered.
  case settled
  /// The network cannot be asked now.
  case interrupted(DiscoveryError)
  /// The lookup has started again after an interruption. Records that still exist are added again.
  case restarted
  case failed(DiscoveryError)
}

/// An event of a published service, host or record.
package enum RegistrationEvent: Hashable, Sendable {
  /// It is published with this name, on every link.
  case established(InstanceName)
  /// Another host has the name. The second name is tried next.
  case renamed(from: InstanceName, to: InstanceName)
  /// The engine or the network is unreachable. The service may have been established before or not.
  case interrupted(DiscoveryError)
  case failed(DiscoveryError)
}
