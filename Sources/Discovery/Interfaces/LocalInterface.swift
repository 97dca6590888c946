import CBonjourishLinux
package import _BonjourishDiscovery
import _BonjourishEventLoop

/// An interface of this machine, with what discovery needs to know of it.
package struct LocalInterface: Hashable, Sendable {
  package let index: UInt32
  package let name: String
  package let kind: InterfaceState.Kind
  package var readiness = InterfaceState.Readiness.ready
  /// The MTU in bytes.
  package let mtu: Int
  /// The addresses that are usable now.
  package var addresses: [InterfaceAddress] = []

  package var isLoopback: Bool { kind == .loopback }

  /// The interface for the choice of interfaces.
  ///
  /// - Parameter families: The families that this process can use.
  package func state(over families: some Collection<IPAddress.Family>) -> InterfaceState {
    InterfaceState(NetworkInterface(index: index, name: name), kind, Set(families.filter(hasAddress)), readiness)
  }

  package func hasAddress(_ family: IPAddress.Family) -> Bool {
    addresses.contains { $0.address.family == family }
  }

  /// Returns the interface with the addresses that are published: of each family those that are preferred, or all when there are
  /// none. It is avahi-daemon's choice. With another, each of two responders on one host would take the other for another host.
  ///
  /// - Parameter preferred: The addresses that reach beyond the link and are not deprecated.
  package func publishing(_ preferred: Set<IPAddress>) -> LocalInterface {
    var chosen = self
    chosen.addresses = addresses.map { one in
      let hasPreferred = preferred.contains { $0.family == one.address.family }
      return InterfaceAddress(
        one.address, prefixLength: one.prefixLength, isPublished: !hasPreferred || preferred.contains(one.address))
    }
    return chosen
  }
}

/// What the kernel knows.
extension LocalInterface {
  /// All interfaces, with their usable addresses. While the kernel cannot be asked, because no descriptor is free, those of the last time:
  /// a machine that cannot be looked at has not lost its network.
  package static func all() -> [LocalInterface] {
    guard let entries = try? InterfaceTable.all() else { return lastRead.withLock { $0 } }
    let all = entries.map { LocalInterface($0, among: entries) }
    lastRead.withLock { $0 = all }
    return all
  }

  private static let lastRead = Locked<[LocalInterface]>([])

  /// Those that are not up, or have no carrier, have no addresses.
  package init(_ entry: InterfaceTable.Entry, among all: [InterfaceTable.Entry]) {
    self.init(
      index: entry.index, name: entry.name, kind: InterfaceState.Kind(of: entry, among: all), readiness: entry.readiness,
      mtu: entry.mtu)
    guard readiness == .ready else { return }
    var preferred: Set<IPAddress> = []
    for own in entry.addresses where !own.isTentative && !own.isDuplicate {
      guard let address = IPAddress(bytes: own.bytes) else { continue }
      addresses.append(InterfaceAddress(address, prefixLength: own.prefixLength))
      if own.isGlobal, !own.isDeprecated { preferred.insert(address) }
    }
    self = publishing(preferred)
  }
}

extension InterfaceTable.Entry {
  fileprivate var readiness: InterfaceState.Readiness {
    if flags & CInt(IFF_UP) == 0 { return .down }
    return flags & CInt(IFF_RUNNING) == 0 ? .noCarrier : .ready
  }
}
