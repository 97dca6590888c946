import _BonjourishDiscovery

extension ServiceTree {
  /// The services that have something in common.
  struct Group: Sendable {
    let key: String
    /// Its name, escaped for display.
    let title: String
    /// The places of its services in ``ServiceTree/slots``, in the order of the list.
    var members: [Int]
  }

  /// A row by what it is about: it stays the same while rows come and go around it.
  struct Anchor: Hashable, Sendable {
    let group: String
    /// The service; nil for the group.
    let instance: ServiceInstance?
  }

  /// A row of the list.
  enum Row: Hashable, Sendable {
    /// A group, by its place.
    case group(Int)
    /// A service: the place of its group, and its slot.
    case service(Int, slot: Int)
  }
}
