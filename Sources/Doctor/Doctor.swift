package import EventLoop

/// Finds out why discovery does not work on this machine.
package enum Doctor {
  /// Examines the machine, within five seconds and without privileges.
  ///
  /// - Returns: What was found; nil if the task was cancelled before that.
  /// - Throws: ``SystemError`` when the process is out of threads or descriptors.
  package static func examine(_ request: DoctorRequest) async throws(SystemError) -> Report? {
    // A loop of its own: reading the system blocks it.
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
        loop.execute { DoctorFacts.gather(for: request, on: loop) { resume($0) } }
        if Task.isCancelled { resume(nil) }
      }
    } onCancel: {
      resume(nil)
    }
    // A cancelled examination goes on until it has its facts.
    guard let facts else { return nil }
    await loop.shutdown()
    return facts.report
  }
}
