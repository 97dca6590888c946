#if Avahi
import AvahiBackend
import Discovery
import EventLoop
import MulticastBackend

/// Operations of avahi-daemon that do not reach the network. The daemon says nothing about that; the built-in engine itself does.
extension AutomaticBackend {
  /// Watches the network while the daemon is used, unless it is in another network than this process.
  func watchNetwork(of avahi: AvahiBackend) {
    guard !avahi.network.isForeign else {
      return log(LogMessage(.info, "avahi-daemon is in another network namespace, whose interfaces are not known here"))
    }
    do throws(SystemError) {
      let probe = try NetworkProbe(on: loop) { [weak self] in self?.assumeIsolated { $0.networkChanged() } }
      self.probe = probe
      outage = { [unowned probe] in probe.outage(on: $0) }
      networkChanged()
    } catch {
      log(LogMessage(.warning, "changes of the network cannot be noticed: \(error)", ["error": "\(error)"]))
    }
  }

  func ignoreNetwork() {
    probe?.stop()
    probe = nil
    outage = { _ in nil }
    if isLimited { limited(nil) }
    isLimited = false
  }

  /// Ends the operations that reach nobody, and starts those that do again.
  func networkChanged() {
    for id in Array(entries.keys) {
      guard let entry = entries[id] else { continue }
      if let outage = outage(entry.operation.interface) {
        cutOff(id, outage)
      } else if entry.isCutOff {
        entries[id]!.isCutOff = false
        tellRestored(id)
        start(id)
      }
    }
    guard let probe, probe.isLimited != isLimited else { return }
    isLimited = probe.isLimited
    limited(isLimited ? NetworkOutage.noInterface.limitation : nil)
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
  var interface: NetworkInterface? {
    switch self {
    case .browse(let query, _): query.interface
    case .lookUp(let question, _): question.interface
    case .publish(let registration, _): registration.interface
    }
  }

  var action: String {
    switch self {
    case .browse(let query, _): "browsing \(query.typeName)"
    case .lookUp(let question, _): question.action
    case .publish(let registration, _): registration.action
    }
  }
}
#endif
