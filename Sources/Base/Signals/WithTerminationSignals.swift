/// Runs a body, and cancels it when the process is asked to end.
///
/// Cancelling lets the scopes of the body end in order: services send goodbyes, connections are closed, files are written.
///
/// ```swift
/// let outcome = try await withTerminationSignals {
///   try await bonjour.withPublishedService(named: "Ada's pages", type: "_http._tcp", port: 8080) { _ in
///     try await Task.sleep(for: .seconds(3_600))
///   }
/// }
/// if case .terminated(let signal) = outcome { print("ended by \(signal)") }
/// ```
///
/// The first signal cancels the body's task, and this function returns when the body has ended. A second signal ends the process
/// at once, as it would without this function. On return, the signals have their former effect.
///
/// - Parameters:
///   - signals: The signals to handle. A signal that the process ignores, such as SIGHUP under `nohup`, stays ignored.
///   - body: Runs in a child task. Its result or error is dropped if a signal arrived.
/// - Returns: The body's result, or the first signal that arrived.
/// - Throws: The body's error, if no signal arrived.
public func withTerminationSignals<Result: Sendable>(
  _ signals: Set<TerminationSignal> = [.interrupt, .terminate], _ body: @escaping @Sendable () async throws -> Result
) async throws -> TerminationOutcome<Result> {
  let (received, continuation) = AsyncStream.makeStream(of: Void.self)
  let numbers = signals.map(\.number).filter { !SignalWatch.isIgnored($0) }
  let watch = SignalWatch(for: Set(numbers)) { number, isFirst in
    if isFirst { continuation.finish() } else { SignalWatch.endProcess(by: number) }
  }
  let ending = await withTaskGroup(of: Swift.Result<Result, any Error>?.self) { group in
    group.addTask {
      do { return .success(try await body()) } catch { return .failure(error) }
    }
    group.addTask {
      for await _ in received {}
      return nil
    }
    // After a signal, and when the caller is cancelled, wait for the body to end.
    var ending: Swift.Result<Result, any Error>?
    while ending == nil, let next = await group.next() {
      group.cancelAll()
      ending = next
    }
    return ending
  }
  watch.stop()
  // A signal that arrived after the body had ended counts too: otherwise it would be lost.
  if let number = watch.first { return .terminated(TerminationSignal(number: number)) }
  return .finished(try ending!.get())
}
