import CBonjourishLinux
import _BonjourishEventLoop

/// Reports when the machine gets another name. Confined to the loop.
final class HostNameMonitor {
  private let descriptor: OwnedDescriptor
  private var watch: DescriptorSource?

  init() throws(SystemError) {
    descriptor = OwnedDescriptor(
      try systemCall("open") { linux_open("/proc/sys/kernel/hostname", O_RDONLY | O_CLOEXEC, 0) })
  }

  deinit {
    assert(watch == nil, "a host name monitor was not stopped")
  }

  /// Watches until ``stop()``.
  ///
  /// - Parameters:
  ///   - loop: The loop that calls the closure.
  ///   - changed: Called when a machine of this kernel may have got another name; ask for it.
  /// - Throws: ``SystemError`` when the loop cannot watch the name.
  func start(on loop: EventLoop, changed: @escaping () -> Void) throws(SystemError) {
    // The kernel reports each change once, as an error; the file can always be read.
    watch = try loop.watch(descriptor.number, for: []) { _ in changed() }
  }

  func stop() {
    watch?.cancel()
    watch = nil
  }
}
