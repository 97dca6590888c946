import _BonjourishEventLoop

/// The peer's notifications, handled one after another.
extension RequestCore {
  func startNotifying() {
    guard notifier == nil else { return }
    notifier = Task {
      while let message = notifications.popFirst() {
        if notifications.count <= limits.notified / 2 { reader.wake() }
        await handlers.notified(message, self)
      }
      notifier = nil
    }
  }

  func waitForRoom() async {
    await reader.wait { !isOver && notifications.count >= limits.notified }
  }
}
