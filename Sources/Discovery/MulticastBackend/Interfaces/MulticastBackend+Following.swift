package import _BonjourishDiscovery
import _BonjourishEventLoop
import _BonjourishInterfaces
import _BonjourishMulticastDNS

/// Those who follow where operations reach the network.
extension MulticastBackend {
  /// Those who follow the reach of one selection.
  struct ReachFollowers {
    var handlers: [OperationID: @Sendable (Reach) -> Void] = [:]
    /// The reach that they know.
    var known: Reach
  }

  package nonisolated func followReach(
    of interfaces: InterfaceSelection, as id: OperationID, _ handler: @escaping @Sendable (Reach) -> Void
  ) {
    perform { backend in
      if backend.states.isEmpty { backend.noteStates(LocalInterface.all()) }
      let reach = backend.reach(of: interfaces)
      backend.reachFollowers[interfaces, default: ReachFollowers(known: reach)].handlers[id] = handler
      handler(reach)
    }
  }

  func endFollowing(_ id: OperationID) {
    for interfaces in Array(reachFollowers.keys) where reachFollowers[interfaces]!.handlers.removeValue(forKey: id) != nil {
      if reachFollowers[interfaces]!.handlers.isEmpty { reachFollowers[interfaces] = nil }
    }
  }

  /// Tells what has changed at the end of this tick: links often change together.
  func reachMayHaveChanged() {
    guard !reachFollowers.isEmpty, !isTellingReach else { return }
    isTellingReach = true
    loop.atEndOfTick { [weak self] in self?.assumeIsolated { $0.tellFollowers() } }
  }

  private func tellFollowers() {
    isTellingReach = false
    for interfaces in Array(reachFollowers.keys) {
      let reach = reach(of: interfaces)
      guard let followers = reachFollowers[interfaces], followers.known != reach else { continue }
      reachFollowers[interfaces]!.known = reach
      for handler in followers.handlers.values { handler(reach) }
    }
  }

  func noteStates(_ all: [LocalInterface]) {
    states = all.map { $0.state(over: IPAddress.Family.allCases) }
  }

  private func reach(of interfaces: InterfaceSelection) -> Reach {
    Reach(of: interfaces, among: states) { state(of: $0) }
  }

  private func state(of link: Link) -> Reach.State {
    guard sockets[link.family] != nil else {
      return .fails(socketFailures[link.family].map { Reach.Cause(opening: $0) } ?? .noFamily)
    }
    guard let number = numbersByName[link.source.name] else { return .unproven }
    let own = MulticastLink(interface: number, family: link.family)
    if let refusal = refusals[own] { return .fails(Reach.Cause(joining: refusal)) }
    guard links[own] != nil, let echo = echoes[own] else { return .unproven }
    return echo.reach
  }
}

extension EchoCheck {
  /// The state of the link for those who follow it.
  var reach: Reach.State {
    switch fault {
    case .cannotSend(let error): .fails(Reach.Cause(sending: error))
    case .notHeard: .fails(.notHeard)
    case nil: isProven ? .works : .unproven
    }
  }
}
