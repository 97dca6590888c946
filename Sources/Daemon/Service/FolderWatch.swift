import CBonjourishLinux
package import _BonjourishEventLoop

/// Notices that files in folders are written, made, moved or removed (inotify(7)). Confined to its loop.
///
/// It also notices a folder that is made or removed, if the folder in which it lies is watched, too.
package final class FolderWatch {
  /// The time without changes after which a change is passed on: an editor or a package makes several.
  package static let quiet = Duration.milliseconds(100)
  /// The longest time for which a change is held back.
  package static let longest = Duration.seconds(1)

  private let folders: [String]
  private let loop: EventLoop
  private let changed: () -> Void
  private let descriptor: OwnedDescriptor
  private var watch: DescriptorSource?
  private var timer: LoopTimer?
  /// When the change that is held back is passed on, whatever follows.
  private var latest = LoopTime.never
  /// Why a folder that is there cannot be watched; nil if all are.
  package private(set) var failure: SystemError?

  /// Begins to watch. A folder that does not exist is watched once it does, see ``watchFolders()``.
  ///
  /// - Parameters:
  ///   - folders: The paths.
  ///   - loop: The loop of the caller.
  ///   - changed: Called after changes, on the loop, until ``stop()``.
  /// - Throws: ``SystemError`` when the user has too many watches (`EMFILE`).
  package init(_ folders: [String], on loop: EventLoop, _ changed: @escaping () -> Void) throws(SystemError) {
    self.folders = folders
    self.loop = loop
    self.changed = changed
    descriptor = OwnedDescriptor(try systemCall("inotify_init1") { inotify_init1(CInt(IN_CLOEXEC | IN_NONBLOCK)) })
    watchFolders()
    watch = try loop.watch(descriptor.number, for: .readable) { [weak self] _ in self?.read() }
  }

  /// Watches the folders that exist, also those that were made since.
  package func watchFolders() {
    failure = nil
    let mask = IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF
    for folder in folders {
      do throws(SystemError) {
        try systemCall("inotify_add_watch") {
          inotify_add_watch(descriptor.number, folder, UInt32(mask) | UInt32(IN_ONLYDIR))
        }
      } catch {
        // A folder that is not there, or may not be read, has nothing to publish; SIGHUP tries again.
        if ![ENOENT, ENOTDIR, EACCES].contains(error.errno) { failure = failure ?? error }
      }
    }
  }

  /// Ends the watch; `changed` is not called again.
  package func stop() {
    watch?.cancel()
    watch = nil
    timer?.cancel()
    timer = nil
  }

  /// Reads all events. What they say does not matter: everything is read again.
  private func read() {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    var hasChanged = false
    while let count = try? systemCall("read", { CBonjourishLinux.read(descriptor.number, &buffer, buffer.count) }), count > 0 {
      hasChanged = true
    }
    guard hasChanged else { return }
    let now = LoopTime.now
    if timer == nil { latest = now + Self.longest }
    timer?.cancel()
    timer = loop.schedule(at: min(now + Self.quiet, latest)) { [weak self] in
      guard let self else { return }
      timer = nil
      watchFolders()
      changed()
    }
  }
}
