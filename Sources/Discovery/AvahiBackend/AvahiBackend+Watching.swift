#if Avahi
import _BonjourishInterfaces
package import _BonjourishDiscovery
import _BonjourishEventLoop

/// What the backend keeps an eye on beside its calls.
extension AvahiBackend {
  // MARK: - Interfaces

  /// Follows the machine's interfaces from the first operation.
  func followInterfaces() {
    guard monitor == nil else { return }
    noteInterfaces()
    do throws(SystemError) {
      let monitor = try InterfaceMonitor()
      try monitor.start(
        on: loop, changed: { [weak self] in self?.assumeIsolated { $0.interfacesChanged() } },
        failed: { [weak self] error in self?.assumeIsolated { $0.monitorFailed(error) } })
      self.monitor = monitor
    } catch {
      monitorFailed(error)
    }
  }

  /// Tells only that nothing is known of the daemon's network. Where it is also that of this process, users look for themselves.
  package nonisolated func followReach(
    of interfaces: InterfaceSelection, as id: OperationID, _ handler: @escaping @Sendable (Reach) -> Void
  ) {
    perform { backend in backend.home.execute { handler(.ofDaemonElsewhere) } }
  }

  func interfacesChanged() {
    let former = interfaces
    noteInterfaces()
    guard interfaces != former else { return }
    for operation in operations { operation.interfacesChanged(interfaces) }
  }

  /// Those of another network namespace are not known.
  private func noteInterfaces() {
    interfaces = network.isForeign ? [] : listInterfaces()
  }

  func monitorFailed(_ error: SystemError) {
    log(LogMessage(.warning, "changes of network interfaces can no longer be noticed: \(error)", ["error": "\(error)"]))
  }

  // MARK: - Hanging

  func watch() {
    guard watchdog == nil else { return }
    let watchdog = Watchdog(on: home, line: line) { [weak self] in self?.ping() }
    self.watchdog = watchdog
    home.execute { watchdog.start() }
  }

  /// Ends a connection whose line was cut. Its client may report that itself, earlier or never.
  func noticeCut() {
    guard line.takeCut(), connection != nil else { return }
    log(LogMessage(.warning, "avahi-daemon has not answered for some time; it may hang"))
    serverVanished(.hangs, .hung)
  }

  private nonisolated func ping() {
    loop.execute {
      self.assumeIsolated { backend in
        if backend.isConnected { backend.connection?.ping() }
        backend.line.answered()
        backend.noticeCut()
      }
    }
  }
}
#endif
