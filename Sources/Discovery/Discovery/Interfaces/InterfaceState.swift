/// An interface of this machine, as far as the choice of interfaces depends on it.
package struct InterfaceState: Hashable, Sendable {
  /// What an interface leads to.
  package enum Kind: Hashable, Sendable {
    /// Other machines, as far as the kernel can tell.
    case network
    /// Only containers or virtual machines of this machine.
    case inside
    /// A bridge or bond, which receives what arrives on the interface.
    case port
    /// One other machine; or it is not multicast-capable.
    case tunnel
    /// This machine.
    case loopback
  }

  /// Whether an interface can be used, apart from its addresses.
  package enum Readiness: Hashable, Sendable {
    case down, noCarrier, ready
  }

  package let interface: NetworkInterface
  package let kind: Kind
  /// The families with which it can be used: it is up, and has a carrier and an address.
  package let families: Set<IPAddress.Family>
  package let readiness: Readiness

  package init(
    _ interface: NetworkInterface, _ kind: Kind, _ families: Set<IPAddress.Family>, _ readiness: Readiness = .ready
  ) {
    self.interface = interface
    self.kind = kind
    self.families = families
    self.readiness = readiness
  }
}

/// A selection of interfaces, applied to those of this machine.
package struct InterfaceChoice: Hashable, Sendable {
  /// The reason why an interface is not used.
  package enum Omission: Hashable, Sendable {
    /// The selection does not contain it, or not the family.
    case notSelected
    /// No name includes it, and it is of this kind.
    case kind(InterfaceState.Kind)
  }

  private let selection: InterfaceSelection
  /// The kinds that are used without being named.
  private let defaults: Set<InterfaceState.Kind>
  private let kinds: [String: InterfaceState.Kind]

  /// - Parameters:
  ///   - selection: The selection.
  ///   - all: The interfaces of this machine.
  ///   - usesTunnels: Whether tunnels are used without being named, because somebody else decides about them.
  package init(_ selection: InterfaceSelection, among all: [InterfaceState], usesTunnels: Bool = false) {
    self.selection = selection
    let best: Set = selection.usesEveryKind ? [.network, .inside, .loopback] : InterfaceState.defaults(of: all)
    defaults = best.union(usesTunnels ? [.tunnel] : [])
    kinds = selection.included.isEmpty ? Dictionary(all.map { ($0.interface.name, $0.kind) }) { first, _ in first } : [:]
  }

  /// The reason why an interface is not used; nil if it is used as soon as it can be. One that is not known counts as a network.
  package func omission(of name: String, _ family: IPAddress.Family) -> Omission? {
    guard selection.contains(family), !InterfaceSelection.matches(selection.excluded, name) else { return .notSelected }
    guard selection.included.isEmpty else {
      return InterfaceSelection.matches(selection.included, name) ? nil : .notSelected
    }
    let kind = kinds[name, default: .network]
    return defaults.contains(kind) ? nil : .kind(kind)
  }
}

extension InterfaceState {
  /// The kinds that are used without being named: the best of those that can be used.
  package static func defaults(of all: [InterfaceState]) -> Set<Kind> {
    for kind in [Kind.network, .inside, .loopback] where all.contains(where: { $0.kind == kind && !$0.families.isEmpty }) {
      return [kind]
    }
    return [.network]
  }
}

extension InterfaceSelection {
  /// The links that can be used now.
  package func links(among all: [InterfaceState]) -> Set<Link> {
    let choice = InterfaceChoice(self, among: all)
    var links: Set<Link> = []
    for state in all where index == nil || index == state.interface.index {
      for family in state.families where choice.omission(of: state.interface.name, family) == nil {
        links.insert(Link(state.interface, family))
      }
    }
    return links
  }
}
