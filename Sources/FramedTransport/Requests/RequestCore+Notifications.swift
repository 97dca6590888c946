import EventLoop

/// What the peer notifies of, handled one after another.
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
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if isOver || Task.isCancelled || notifications.count < limits.notified {
          continuation.resume()
        } else {
          reader.set(continuation)
        }
      }
    } onCancel: {
      Task(executorPreference: executor) { await self.wakeReader() }
    }
  }

  private func wakeReader() {
    reader.wake()
  }
}
