#if Avahi
import _BonjourishInterfaces
import CBonjourishAvahi.Common
import _BonjourishDiscovery
import _BonjourishEventLoop

/// The interfaces that an operation is restricted to.
///
/// An operation on one interface asks Avahi for that one. It is known by its name: an interface that is made again, such as a USB
/// adapter or a tunnel, gets another index from the kernel. Any other operation asks Avahi for all, and leaves out what is found on
/// the others.
struct Restriction {
  private let interfaces: InterfaceSelection
  private let name: String?
  private var choice: InterfaceChoice
  /// Avahi's index of the interface, as of the last ``refresh(_:)``; its value for any interface when there may be several; nil
  /// when the interface does not exist.
  private(set) var index: AvahiIfIndex?
  /// Where to publish, as of the last ``refresh(_:)``: all interfaces at once if none is to be left out. None when no interface exists.
  private(set) var places: Set<Place> = []

  /// An interface and the families that Avahi is asked to publish on.
  struct Place: Hashable {
    let interface: AvahiIfIndex
    let family: AvahiProtocol

    static let anyInterface = AvahiIfIndex(AVAHI_IF_UNSPEC)
  }

  /// - Parameter all: The interfaces of this machine.
  init(to interfaces: InterfaceSelection, among all: [InterfaceState]) {
    self.interfaces = interfaces
    name = interfaces.onlyName
    choice = InterfaceChoice(interfaces, among: all, usesTunnels: true)
    refresh(all)
  }

  /// Avahi's value for the address families.
  var family: AvahiProtocol {
    switch interfaces.families {
    case [.ipv4]: AvahiProtocol(AVAHI_PROTO_INET)
    case [.ipv6]: AvahiProtocol(AVAHI_PROTO_INET6)
    default: AvahiProtocol(AVAHI_PROTO_UNSPEC)
    }
  }

  /// Whether what is found on a link counts.
  func contains(_ link: Link) -> Bool { choice.omission(of: link.source.name, link.family) == nil }

  /// Notes the interfaces of this machine.
  ///
  /// - Returns: Whether Avahi must be asked for another index.
  @discardableResult
  mutating func refresh(_ all: [InterfaceState]) -> Bool {
    choice = InterfaceChoice(interfaces, among: all, usesTunnels: true)
    let former = index
    if let name {
      index = InterfaceTable.index(of: name).flatMap(AvahiIfIndex.init(exactly:))
    } else {
      index = Place.anyInterface
    }
    places = places(among: all)
    return index != former
  }

  /// Whether what is published must be registered anew, with an interruption, because its places have changed. Avahi does not let one
  /// client publish the same both on all interfaces and on one.
  func mustStartAgain(after former: Set<Place>) -> Bool {
    name != nil || former.isEmpty || places.isEmpty
      || former.union(places).contains { $0.interface == Place.anyInterface }
  }

  private func places(among all: [InterfaceState]) -> Set<Place> {
    guard name == nil else { return Set([index].compactMap(\.self).map { Place(interface: $0, family: family) }) }
    // Whether they are up does not matter: Avahi publishes there when they are.
    let families = interfaces.families.isEmpty ? Set(IPAddress.Family.allCases) : interfaces.families
    let (used, unused) = all.reduce(into: ([InterfaceState](), [InterfaceState]())) { lists, state in
      let isUsed = families.contains { choice.omission(of: state.interface.name, $0) == nil }
      if isUsed { lists.0.append(state) } else { lists.1.append(state) }
    }
    // What is published on the loopback interface beside others disturbs nobody.
    let isWhole = interfaces.included.isEmpty && interfaces.excluded.isEmpty && unused.allSatisfy { $0.kind == .loopback }
    if isWhole { return [Place(interface: Place.anyInterface, family: family)] }
    return Set(
      used.compactMap { AvahiIfIndex(exactly: $0.interface.index) }.map { Place(interface: $0, family: family) })
  }

  /// The reason for an interruption while the interface does not exist, or after it was made again.
  func interruption(of action: String) -> DiscoveryError {
    guard name != nil else {
      return DiscoveryError(
        .unavailable,
        places.isEmpty
          ? "\(action): \(NetworkOutage.nothingUsable(of: interfaces).explanation)"
          : "\(action): other network interfaces can be used now")
    }
    let state = index == nil ? "is gone; it is used again when it is back" : "was made again"
    return DiscoveryError(.unavailable, "\(action): the network interface \"\(name ?? "")\" \(state)")
  }
}
#endif
