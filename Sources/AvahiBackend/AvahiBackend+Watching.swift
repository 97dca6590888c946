#if Avahi
import Discovery
import EventLoop

/// What the backend keeps an eye on beside its calls.
extension AvahiBackend {
  // MARK: - Interfaces

  /// Follows the machine's interfaces from the first operation that needs it.
  func follow(_ restriction: Restriction) {
    guard restriction.isByName, monitor == nil else { return }
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

  private func interfacesChanged() {
    for operation in operations { operation.interfacesChanged() }
  }

  private func monitorFailed(_ error: SystemError) {
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
    serverVanished(.noDaemon, .hung)
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
