package import _BonjourishEventLoop

/// Finds out why discovery does not work on this machine.
package enum Doctor {
  /// Examines the machine, within five seconds and without privileges.
  ///
  /// - Returns: What was found; nil if the task was cancelled before that.
  /// - Throws: ``SystemError`` when the process is out of threads or descriptors.
  package static func examine(_ request: DoctorRequest) async throws(SystemError) -> Report? {
    try await gathered { loop, finished in DoctorFacts.gather(for: request, on: loop, finished: finished) }?.report
  }

  /// Finds out whether this machine is in a container's network, which multicast does not leave, within 2.5 seconds and without
  /// privileges.
  ///
  /// Nothing is sent, and it takes milliseconds, if the interfaces show that it is not.
  ///
  /// - Parameter request: With the backend that is used: a container whose bus is that of its host may use the daemon there.
  /// - Returns: The finding that ``examine(_:)`` has too; nil for another network, or if the task was cancelled.
  /// - Throws: ``SystemError`` when the process is out of threads or descriptors.
  package static func containerNetwork(_ request: DoctorRequest) async throws(SystemError) -> Finding? {
    try await gathered { loop, finished in DoctorFacts.gatherContainer(for: request, on: loop, finished: finished) }?
      .containerNetwork
  }

  /// Gathers facts on a loop of its own: reading the system blocks it.
  private static func gathered(
    _ gather: @escaping @Sendable (EventLoop, @escaping (DoctorFacts) -> Void) -> Void
  ) async throws(SystemError) -> DoctorFacts? {
    let loop = try EventLoop(name: "doctor")
    let waiting = Locked<CheckedContinuation<DoctorFacts?, Never>?>(nil)
    let resume: @Sendable (DoctorFacts?) -> Void = { facts in
      let continuation = waiting.withLock { waiting in
        defer { waiting = nil }
        return waiting
      }
      continuation?.resume(returning: facts)
    }
    let facts = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        waiting.withLock { $0 = continuation }
        loop.execute { gather(loop) { resume($0) } }
        if Task.isCancelled { resume(nil) }
      }
    } onCancel: {
      resume(nil)
    }
    // A cancelled examination goes on until it has its facts.
    guard let facts else { return nil }
    await loop.shutdown()
    return facts
  }
}
