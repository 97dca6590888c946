import Bonjourish

/// A service type on the network, and how many services of it there are.
struct CountedType: Hashable, Sendable {
  let found: DiscoveredServiceType
  /// The number of services; nil if they are not counted.
  let instances: Int?
}

/// Counts the services of each type for `types`: what is found goes in, and what is to be told comes out.
///
/// A type is told when its services have been counted for the first time, so that no number grows before the reader's eyes.
struct TypeCounts {
  enum Event: Equatable {
    case found(CountedType)
    case updated(CountedType)
    case lost(CountedType)
    /// All types have been found and counted that answer at once.
    case settled
    case interrupted(DiscoveryError)
    case restored
  }

  private struct Entry {
    enum Counting {
      /// It is not counted yet, or never if there are too many types.
      case awaited
      case begun
      case settled
      /// It cannot be counted.
      case failed
    }

    var found: DiscoveredServiceType
    var services: Set<ServiceInstance> = []
    var counting: Counting
    /// What was told last.
    var reported: CountedType?

    var counted: CountedType {
      let isCounted = counting == .begun || counting == .settled
      return CountedType(found: found, instances: isCounted ? services.count : nil)
    }
  }

  /// The domain in which services are counted.
  private let domain: DomainName
  /// The largest number of types that are counted.
  private let limit: Int
  private var entries: [DiscoveredServiceType.ID: Entry] = [:]
  private var isSearchSettled = false
  private var isSettled = false
  /// The reasons why something may be missing; nil stands for the search for types.
  private var outages: [ServiceType?: DiscoveryError] = [:]

  init(in domain: DomainName, limit: Int = FollowedTypes.limit) {
    (self.domain, self.limit) = (domain, limit)
  }

  /// Why something may be missing; nil if nothing is known to be.
  var outage: DiscoveryError? { outages.values.first }

  /// All types that are there, counted as far as they are, by name.
  var all: [CountedType] { sorted.map(\.counted) }

  private var sorted: [Entry] {
    entries.values.sorted { ("\($0.found.type)", $0.found.domain.text) < ("\($1.found.type)", $1.found.domain.text) }
  }

  // MARK: - What happens

  /// Takes a change of the search for types.
  mutating func search(_ change: DiscoveryChange<DiscoveredServiceType>) -> [Event] {
    switch change {
    case .found(let found), .updated(let found):
      if entries[found.id] == nil {
        entries[found.id] = Entry(found: found, counting: found.domain == domain ? .awaited : .failed)
        isSettled = false
      }
      entries[found.id]?.found = found
      return tell(found.id) + settle()
    case .lost(let lost):
      let reported = entries.removeValue(forKey: lost.id)?.reported
      return (reported.map { [.lost($0)] } ?? []) + restore(lost.type) + settle()
    case .settled:
      isSearchSettled = true
      return settle()
    case .interrupted(let error): return interrupt(error, nil)
    case .restored: return restore(nil)
    }
  }

  /// Notes that the services of a type are counted from now on.
  mutating func begin(_ type: ServiceType) {
    entries[id(of: type)]?.counting = .begun
  }

  /// Takes a change of the services of a type.
  mutating func count(_ change: BrowseChange, of type: ServiceType) -> [Event] {
    let id = id(of: type)
    switch change {
    case .found(let service): entries[id]?.services.insert(service.instance)
    case .lost(let service): entries[id]?.services.remove(service.instance)
    case .updated: break
    case .settled: if entries[id]?.counting == .begun { entries[id]?.counting = .settled }
    case .interrupted(let error): return interrupt(error, type)
    case .restored: return restore(type)
    }
    return tell(id) + settle()
  }

  /// Notes that a type is counted no longer.
  mutating func end(_ type: ServiceType) -> [Event] {
    let id = id(of: type)
    // A type that came back meanwhile is counted anew.
    if entries[id]?.counting != .awaited { entries[id]?.counting = .failed }
    return tell(id) + restore(type) + settle()
  }

  /// Tells the types that have not been counted to the end.
  mutating func finish() -> [Event] { sorted.flatMap { tell($0.found.id, early: true) } }

  // MARK: - What is told

  private func id(of type: ServiceType) -> DiscoveredServiceType.ID {
    DiscoveredServiceType(type, domain: domain, interfaces: []).id
  }

  /// Tells a type if it has been counted and is not as it was told.
  private mutating func tell(_ id: DiscoveredServiceType.ID, early: Bool = false) -> [Event] {
    guard let entry = entries[id], entry.reported != nil || early || entry.counting == .settled || entry.counting == .failed
    else {
      return []
    }
    let counted = entry.counted
    guard counted != entry.reported else { return [] }
    entries[id]?.reported = counted
    return [entry.reported == nil ? .found(counted) : .updated(counted)]
  }

  /// Tells once that all is counted. Types for which there was no place do not keep others waiting.
  private mutating func settle() -> [Event] {
    let (awaited, begun) = (entries.values.count { $0.counting == .awaited }, entries.values.count { $0.counting == .begun })
    let followed = entries.values.count { $0.counting == .settled } + begun
    guard isSearchSettled, !isSettled, begun == 0, awaited == 0 || followed >= limit else { return [] }
    isSettled = true
    return finish() + [.settled]
  }

  private mutating func interrupt(_ error: DiscoveryError, _ type: ServiceType?) -> [Event] {
    let isFirst = outages.isEmpty
    outages[type] = error
    return isFirst ? [.interrupted(error)] : []
  }

  private mutating func restore(_ type: ServiceType?) -> [Event] {
    guard outages.removeValue(forKey: type) != nil, outages.isEmpty else { return [] }
    return [.restored]
  }
}
