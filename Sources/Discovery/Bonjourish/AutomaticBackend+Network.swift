#if Avahi
import _BonjourishAvahiBackend
import _BonjourishDiscovery
import _BonjourishEventLoop
import _BonjourishMulticastBackend

/// Operations of avahi-daemon that do not reach the network. The daemon says nothing about that; the built-in engine itself does.
extension AutomaticBackend {
  /// Watches the network while the daemon is used, unless it is in another network than this process.
  func watchNetwork(of avahi: AvahiBackend) {
    guard !avahi.network.isForeign else {
      return log(LogMessage(.info, "avahi-daemon is in another network namespace, whose interfaces are not known here"))
    }
    do throws(SystemError) {
      let probe = try NetworkProbe(on: loop, allInterfaces: allInterfaces) { [weak self] in
        self?.assumeIsolated { $0.networkChanged() }
      }
      self.probe = probe
      outage = { [unowned probe] in probe.outage(on: $0) }
      probe.reminder = { [weak self] in
        guard let self else { return nil }
        return assumeIsolated { $0.reminder }
      }
      networkChanged()
    } catch {
      log(LogMessage(.warning, "changes of the network cannot be noticed: \(error)", ["error": "\(error)"]))
    }
  }

  /// The question about the first service of this host; nil if there is none.
  private var reminder: [UInt8]? {
    for case .publish(let registration, _) in entries.values.map(\.operation) {
      if let reminder = NetworkProbe.reminder(of: registration) { return reminder }
    }
    return nil
  }

  func ignoreNetwork() {
    probe?.stop()
    probe = nil
    outage = { _ in nil }
  }

  /// Ends the operations that reach nobody, and starts those that do again.
  func networkChanged() {
    for id in Array(entries.keys) {
      guard let entry = entries[id] else { continue }
      if let outage = outage(entry.operation.interfaces) {
        cutOff(id, outage)
      } else if entry.isCutOff {
        entries[id]!.isCutOff = false
        tellRestored(id)
        start(id)
      }
    }
    for id in Array(reachFollowers.keys) { tellReach(to: id) }
  }

  /// Somebody who follows where operations reach the network.
  struct ReachEntry {
    let interfaces: InterfaceSelection
    let handler: @Sendable (Reach) -> Void
    /// The operation's ID on the active backend.
    var inner = OperationID()
    /// What the handler knows.
    var known: Reach?
  }

  nonisolated func followReach(
    of interfaces: InterfaceSelection, as id: OperationID, _ handler: @escaping @Sendable (Reach) -> Void
  ) {
    perform { backend in
      backend.reachFollowers[id] = ReachEntry(interfaces: interfaces, handler: handler)
      backend.startFollowing(id, insteadOf: nil)
    }
  }

  /// Follows the active backend, or the network itself while the daemon is used.
  func startFollowing(_ id: OperationID, insteadOf former: (any DiscoveryBackend)?) {
    guard let follower = reachFollowers[id] else { return }
    former?.end(follower.inner)
    guard probe == nil else { return tellReach(to: id) }
    let inner = OperationID()
    reachFollowers[id]!.inner = inner
    active?.followReach(of: follower.interfaces, as: inner) { [weak self] reach in
      self?.assumeIsolated { backend in
        if backend.reachFollowers[id]?.inner == inner { backend.tell(reach, to: id) }
      }
    }
  }

  private func tellReach(to id: OperationID) {
    guard let probe, let follower = reachFollowers[id] else { return }
    tell(probe.reach(of: follower.interfaces), to: id)
  }

  private func tell(_ reach: Reach, to id: OperationID) {
    guard let follower = reachFollowers[id], follower.known != reach else { return }
    reachFollowers[id]!.known = reach
    follower.handler(reach)
  }

  /// Ends an operation at the daemon until it reaches somebody.
  func cutOff(_ id: OperationID, _ outage: NetworkOutage) {
    guard let entry = entries[id], !entry.isCutOff else { return }
    entries[id]!.isCutOff = true
    active?.end(entry.inner)
    tellInterrupted(id, outage.during(entry.operation.action))
  }
}

extension AutomaticBackend.Operation {
  var interfaces: InterfaceSelection {
    switch self {
    case .lookUp(let question, _): question.interfaces
    case .publish(let registration, _): registration.interfaces
    }
  }

  var action: String {
    switch self {
    case .lookUp(let question, _): question.action
    case .publish(let registration, _): registration.action
    }
  }
}
#endif
