import _BonjourishDiscovery
import _BonjourishEventLoop

/// Uses a ``NameStore`` off the discovery thread: files are slow.
package actor NameKeeper {
  private let store: NameStore
  private let log: @Sendable (LogMessage) -> Void
  /// The names that are not written yet, by the requested ones; a nil name is forgotten.
  private nonisolated let pending = Locked<[ServiceInstance: InstanceName?]>([:])
  /// The names that the store has, as far as they were read or noted.
  private nonisolated let known = Locked<[ServiceInstance: InstanceName]>([:])

  package init(_ store: NameStore, log: @escaping @Sendable (LogMessage) -> Void) {
    self.store = store
    self.log = log
  }

  /// The name that a service got after conflicts; nil if there were none.
  nonisolated func name(for requested: ServiceInstance) -> InstanceName? {
    do {
      let name = try store.load(requested)
      known.withLock { $0[requested] = name }
      return name
    } catch {
      log(LogMessage(.warning, "the name that \"\(requested.name)\" got after a conflict cannot be read: \(error)"))
      return nil
    }
  }

  /// Notes the name that a service has.
  nonisolated func note(_ name: InstanceName, for requested: ServiceInstance) {
    let kept: InstanceName? = name == requested.name ? nil : name
    let isNews = known.withLock { known in
      defer { known[requested] = kept }
      return known[requested] != kept
    }
    guard isNews else { return }
    pending.withLock { $0[requested] = .some(kept) }
    Task { await self.write() }
  }

  /// Writes what was noted.
  func write() {
    while let (requested, name) = pending.withLock({ $0.popFirst() }) {
      do {
        try store.store(name, requested)
      } catch {
        log(LogMessage(.warning, "the name that \"\(requested.name)\" got after a conflict cannot be stored: \(error)"))
      }
    }
  }
}
