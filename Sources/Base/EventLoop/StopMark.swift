import CBonjourishLinux

/// A descriptor that becomes readable to tell a polling thread to end. It is closed when both sides have released it.
package final class StopMark: Sendable {
  private let event: OwnedDescriptor

  package var descriptor: Int32 { event.number }

  package init() {
    do {
      event = OwnedDescriptor(try systemCall("eventfd") { eventfd(0, Int32(EFD_CLOEXEC)) })
    } catch {
      preconditionFailure("cannot create the descriptor that stops a thread: \(error)")
    }
  }

  /// Makes the descriptor readable permanently.
  package func set() { eventfd_write(descriptor, 1) }
}
