#if Daemon
package import _BonjourishDaemonConfiguration
package import _BonjourishDiscovery
package import _BonjourishEventLoop

/// Reads service files and hosts at the start, when they change, and when it is asked to. Confined to its loop; files are read on another
/// thread.
package final class FollowedFiles {
  /// What is called on the loop.
  package struct Handlers {
    /// The service files are others: all of them, by path.
    package var services: ([String: ServiceFile]) -> Void
    /// The hosts are others: all of them.
    package var hosts: ([HostsFile.Host]) -> Void
    /// Something for the log.
    package var log: (LogMessage) -> Void

    package init(
      services: @escaping ([String: ServiceFile]) -> Void, hosts: @escaping ([HostsFile.Host]) -> Void,
      log: @escaping (LogMessage) -> Void
    ) {
      self.services = services
      self.hosts = hosts
      self.log = log
    }
  }

  private let folder: ServiceFolder
  private let loop: EventLoop
  private let handlers: Handlers
  private var watch: FolderWatch?
  private var content = ServiceFolder.Content()
  private var isReading = false
  /// Whether something has changed since the reading began.
  private var isStale = false
  private var isStopped = false

  /// Follows a folder such as `/etc/avahi`, and reads it for the first time.
  package init(_ folder: ServiceFolder, on loop: EventLoop, _ handlers: Handlers) {
    self.folder = folder
    self.loop = loop
    self.handlers = handlers
    do throws(SystemError) {
      watch = try FolderWatch([folder.path, folder.services], on: loop) { [weak self] in
        self?.handlers.log(LogMessage(.info, "Files changed, reloading."))
        self?.read()
      }
    } catch {
      handlers.log(LogMessage(.warning, "changes of \(folder.path) are noticed after SIGHUP only (\(error))"))
    }
    read()
  }

  /// Reads the files again, and watches folders that were not there before.
  package func reload() {
    watch?.watchFolders()
    read()
  }

  /// Ends following. No handler is called again.
  package func stop() {
    isStopped = true
    watch?.stop()
    watch = nil
  }

  private func read() {
    guard !isStopped else { return }
    guard !isReading else { return isStale = true }
    (isReading, isStale) = (true, false)
    let (folder, loop) = (folder, loop)
    // Confined to the loop: the thread passes the reference on, and does not use it.
    nonisolated(unsafe) let owner = self
    startThread {
      let content = folder.read()
      loop.execute { owner.take(content) }
    }
  }

  private func take(_ new: ServiceFolder.Content) {
    isReading = false
    guard !isStopped else { return }
    defer { if isStale { read() } }
    for error in new.errors where !content.errors.contains(error) { handlers.log(LogMessage(.warning, error.description)) }
    log(new.services)
    let former = content
    content = new
    // A hosts file with an error leaves what is published as it is.
    if new.hosts == nil { content.hosts = former.hosts }
    if content.services != former.services { handlers.services(content.services) }
    if content.hosts != former.hosts { handlers.hosts(content.hosts ?? []) }
  }

  private func log(_ services: [String: ServiceFile]) {
    for path in Set(services.keys).union(content.services.keys).sorted() {
      switch (content.services[path], services[path]) {
      case (nil, _?): handlers.log(LogMessage(.info, "Loading service file \(path)."))
      case (_?, nil): handlers.log(LogMessage(.info, "Service group file \(path) vanished, removing services."))
      case (let old?, let new?):
        if old != new { handlers.log(LogMessage(.info, "Service group file \(path) changed, reloading.")) }
      case (nil, nil): break
      }
    }
  }
}
#endif
