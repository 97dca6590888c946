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
  /// Why changes are not noticed.
  private var watchFailure: SystemError?
  private var content = ServiceFolder.Content()
  private var isReading = false
  /// Whether something has changed since the reading began.
  private var isStale = false
  private var isStopped = false
  /// Whether all is to be passed on, changed or not, because it was asked for.
  private var isAskedFor = false
  /// Runs when something could not be read for now.
  private var retry: LoopTimer?
  /// The time after which that is read again.
  private static let retryInterval = Duration.seconds(1)

  /// Follows a folder such as `/etc/avahi`, and reads it for the first time.
  package init(_ folder: ServiceFolder, on loop: EventLoop, _ handlers: Handlers) {
    self.folder = folder
    self.loop = loop
    self.handlers = handlers
    do throws(SystemError) {
      watch = try FolderWatch([folder.path, folder.services], on: loop) { [weak self] in
        self?.handlers.log(LogMessage(.info, "Files changed, reloading."))
        self?.noteWatch(self?.watch?.failure)
        self?.read()
      }
      noteWatch(watch?.failure)
    } catch {
      noteWatch(error)
    }
    read()
  }

  /// Tells once that changes are not noticed, such as when the user has too many watches.
  private func noteWatch(_ failure: SystemError?) {
    if let failure, watchFailure == nil {
      handlers.log(LogMessage(.warning, "changes of \(folder.path) are noticed after SIGHUP only (\(failure))"))
    }
    watchFailure = failure
  }

  /// Reads the files again, watches folders that were not there before, and passes on what is there: what could not be published is tried
  /// again.
  package func reload() {
    isAskedFor = true
    if let watch {
      watch.watchFolders()
      noteWatch(watch.failure)
    }
    read()
  }

  /// Ends following. No handler is called again.
  package func stop() {
    isStopped = true
    retry?.cancel()
    retry = nil
    watch?.stop()
    watch = nil
  }

  private func read() {
    guard !isStopped else { return }
    guard !isReading else { return isStale = true }
    (isReading, isStale) = (true, false)
    retry?.cancel()
    retry = nil
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
    var new = new
    if new.isIncomplete {
      // What is published stays, until more is known.
      for (path, file) in content.services where new.isUnknown(path, in: folder.services) { new.services[path] = file }
      retry = loop.schedule(after: Self.retryInterval) { [weak self] in
        self?.retry = nil
        self?.read()
      }
    }
    for error in new.errors where !content.errors.contains(error) { handlers.log(LogMessage(.warning, error.description)) }
    log(new)
    let former = content
    content = new
    // A hosts file with an error leaves what is published as it is.
    if new.hosts == nil { content.hosts = former.hosts }
    if isAskedFor || content.services != former.services { handlers.services(content.services) }
    if isAskedFor || content.hosts != former.hosts { handlers.hosts(content.hosts ?? []) }
    isAskedFor = false
  }

  private func log(_ new: ServiceFolder.Content) {
    for path in Set(new.services.keys).union(content.services.keys).sorted() {
      switch (content.services[path], new.services[path]) {
      case (nil, _?): handlers.log(LogMessage(.info, "Loading service file \(path)."))
      case (_?, nil):
        let reason = new.errors.contains { $0.path == path } ? "cannot be used" : "vanished"
        handlers.log(LogMessage(.info, "Service group file \(path) \(reason), removing services."))
      case (let old?, let new?):
        if old != new { handlers.log(LogMessage(.info, "Service group file \(path) changed, reloading.")) }
      case (nil, nil): break
      }
    }
  }
}
#endif
