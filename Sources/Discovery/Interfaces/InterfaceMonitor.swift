import CBonjourishLinux
package import _BonjourishEventLoop

/// Reports when interfaces or addresses change (rtnetlink). Confined to the loop.
package final class InterfaceMonitor {
  private let descriptor: OwnedDescriptor
  private var watch: DescriptorSource?
  private var buffer = [UInt8](repeating: 0, count: 32_768)

  /// Subscribes to the kernel's notifications about links and addresses.
  package init() throws(SystemError) {
    let type = CInt(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    descriptor = OwnedDescriptor(try systemCall("socket") { socket(AF_NETLINK, type, CInt(NETLINK_ROUTE)) })
    var address = sockaddr_nl()
    address.nl_family = sa_family_t(AF_NETLINK)
    address.nl_groups = UInt32(RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR)
    let length = socklen_t(MemoryLayout<sockaddr_nl>.size)
    try systemCall("bind") {
      withUnsafePointer(to: &address) {
        bind(descriptor.number, UnsafeRawPointer($0).assumingMemoryBound(to: sockaddr.self), length)
      }
    }
  }

  deinit {
    assert(watch == nil, "an interface monitor was not stopped")
  }

  /// Watches until ``stop()``.
  ///
  /// - Parameters:
  ///   - loop: The loop that calls the closures.
  ///   - changed: Called when something may have changed; ask the kernel for the current state.
  ///   - failed: Called when changes can no longer be reported. The monitor has then stopped.
  /// - Throws: ``SystemError`` when the loop cannot watch the socket.
  package func start(
    on loop: EventLoop, changed: @escaping () -> Void, failed: @escaping (SystemError) -> Void
  ) throws(SystemError) {
    watch = try loop.watch(descriptor.number, for: .readable) { [weak self] _ in
      guard let self else { return }
      do throws(SystemError) {
        try receive()
      } catch {
        stop()
        failed(error)
      }
      changed()
    }
  }

  /// Receives the waiting messages and drops them. The kernel may lose messages, so their content cannot be relied on.
  private func receive() throws(SystemError) {
    // The limit makes sure that the tick ends. The next tick receives the rest.
    for _ in 0..<256 {
      do throws(SystemError) {
        guard try systemCall("recv", { recv(descriptor.number, &buffer, buffer.count, CInt(MSG_DONTWAIT)) }) > 0 else { return }
      } catch  where error.errno == EAGAIN {
        return
      } catch  where error.errno == ENOBUFS {
        continue
      }
    }
  }

  package func stop() {
    watch?.cancel()
    watch = nil
  }
}
