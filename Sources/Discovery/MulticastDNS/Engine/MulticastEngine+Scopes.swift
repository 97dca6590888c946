/// The links that questions, registrations and the host's name use.
extension MulticastEngine {
  /// - Parameter scope: Nil stands for all links.
  func contains(_ link: MulticastLink, in scope: ScopeID?) -> Bool {
    scope.map { scopes[$0]?.contains(link) ?? false } ?? true
  }

  /// Whether two registrations could not have the same unique name. Others merge what they hear over IPv4 and IPv6, so an interface in
  /// common is enough.
  func overlap(_ one: Registration, _ other: Registration) -> Bool {
    if one.sharesNames, other.sharesNames { return false }
    guard let first = one.scope, let second = other.scope, first != second else { return true }
    let interfaces = Set(scopes[first, default: []].map(\.interface))
    return scopes[second, default: []].contains { interfaces.contains($0.interface) }
  }

  mutating func setScope(_ id: ScopeID, to links: Set<MulticastLink>, _ step: inout Step) {
    let former = scopes[id, default: []]
    guard links != former else { return }
    scopes[id] = links.isEmpty ? nil : links
    for index in self.links.indices {
      let link = self.links[index].link
      switch (former.contains(link), links.contains(link)) {
      case (true, false): leave(id, index, &step)
      case (false, true): enter(id, index, &step)
      case (true, true), (false, false): continue
      }
    }
  }

  /// Begins what is in a scope on a link.
  private mutating func enter(_ scope: ScopeID, _ index: Int, _ step: inout Step) {
    // Services wait for the host's name.
    if hostName?.scope == scope { claimHost(on: index, &step) }
    for id in registrationIDs(in: scope) {
      // Another registration may have the same name on the link.
      if let name = conflict(of: registrations[id]!, with: id) {
        end(id, goodbye: true, &step)
        step.effects.append(.registration(id, .conflict(name)))
      } else {
        claim(id, on: index, &step)
      }
    }
    for id in queryIDs(in: scope) { links[index].querier.ask(queries[id]!.key, for: id, &step) }
  }

  /// Ends what is in a scope on a link, which stays up for others.
  private mutating func leave(_ scope: ScopeID, _ index: Int, _ step: inout Step) {
    let link = links[index].link
    for id in registrationIDs(in: scope) {
      links[index].release(.registration(id), goodbye: true, &step)
      registrations[id]!.unestablished?.remove(link)
      tellIfEstablished(id, &step)
    }
    if hostName?.scope == scope {
      links[index].release(.host, goodbye: true, &step)
      hostName!.unestablished?.remove(link)
      tellIfHostEstablished(&step)
    }
    for id in queryIDs(in: scope) {
      links[index].querier.leave(queries[id]!.key, for: id, &step)
      queries[id]!.unsettled?.remove(link)
      tellIfSettled(id, &step)
    }
  }

  private func registrationIDs(in scope: ScopeID) -> [RegistrationID] {
    registrations.filter { $0.value.scope == scope }.keys.sorted { $0.rawValue < $1.rawValue }
  }

  private func queryIDs(in scope: ScopeID) -> [QueryID] {
    queries.filter { $0.value.scope == scope }.keys.sorted { $0.rawValue < $1.rawValue }
  }
}
