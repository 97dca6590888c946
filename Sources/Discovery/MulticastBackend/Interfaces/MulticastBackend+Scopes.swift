import _BonjourishDiscovery
import _BonjourishEventLoop
import _BonjourishInterfaces
import _BonjourishMulticastDNS

/// The links that operations select.
extension MulticastBackend {
  /// Makes sure that a selection is in use. Usually it is: then the slowest step of an operation, listing the machine's interfaces,
  /// is skipped.
  ///
  /// - Parameter forHost: Whether services of this host are published there.
  func use(_ interfaces: InterfaceSelection, forHost: Bool = false) {
    if let scope = scopes[interfaces], scope.isForHost || !forHost { return }
    refreshLinks()
  }

  /// The links of a selection that are up.
  func links(of interfaces: InterfaceSelection) -> [MulticastLink: LocalInterface] {
    guard let scope = scopes[interfaces] else { return [:] }
    return links.filter { scope.links.contains($0.key) }
  }

  /// Chooses the links of each selection.
  ///
  /// - Returns: The links that any operation selects, and all that could be used, with their interfaces.
  func chooseLinks() -> (wanted: [MulticastLink: LocalInterface], usable: [MulticastLink: LocalInterface]) {
    let all = LocalInterface.all()
    let states = all.map { $0.state(over: sockets.keys) }
    number(all)
    noteStates(all)
    handle(.setHostAddresses(Set(all.flatMap { $0.addresses.map(\.address) })))
    var usable: [MulticastLink: LocalInterface] = [:]
    for (interface, state) in zip(all, states) {
      for family in state.families {
        usable[MulticastLink(interface: numbersByName[interface.name]!, family: family)] = interface
      }
    }
    let former = scopes
    scopes = [:]
    for operation in operations.values {
      let interfaces = operation.interfaces
      if scopes[interfaces] == nil {
        scopes[interfaces] = Scope(id: former[interfaces]?.id ?? nextScope())
        scopes[interfaces]!.links = Set(
          interfaces.links(among: states).map {
            MulticastLink(interface: numbersByName[$0.source.name]!, family: $0.family)
          })
      }
      if operation.needsThisHost { scopes[interfaces]!.isForHost = true }
    }
    for (interfaces, scope) in former where scopes[interfaces] == nil { handle(.setScope(scope.id, [])) }
    let wanted = scopes.values.reduce(into: Set<MulticastLink>()) { $0.formUnion($1.links) }
    return (usable.filter { wanted.contains($0.key) }, usable)
  }

  /// Tells the engine the links of all selections.
  func tellScopes() {
    let host = scopes.values.filter(\.isForHost).reduce(into: Set<MulticastLink>()) { $0.formUnion($1.links) }
    // First, because services wait for the host's name.
    handle(.setScope(Self.hostScope, host))
    for scope in scopes.values.sorted(by: { $0.id.rawValue < $1.id.rawValue }) { handle(.setScope(scope.id, scope.links)) }
  }

  private func nextScope() -> MulticastEngine.ScopeID {
    lastScope += 1
    return MulticastEngine.ScopeID(lastScope)
  }

  /// Gives each interface the number that stands for it in the engine, which belongs to its name: an interface that is made again,
  /// such as a USB adapter or a tunnel, gets another index from the kernel, but is the same for those that use it.
  private func number(_ all: [LocalInterface]) {
    let kept = Set(all.map(\.name)).union(links.values.map(\.name))
    numbersByName = numbersByName.filter { kept.contains($0.key) }
    numbersByIndex = [:]
    for interface in all {
      let number = numbersByName[interface.name] ?? (numbersByName.values.max() ?? 0) + 1
      numbersByName[interface.name] = number
      numbersByIndex[interface.index] = number
    }
  }
}
