#if Avahi
package import _BonjourishDiscovery
import _BonjourishEventLoop

/// Looking for the daemon, and waiting for its calls, never longer than they may take.
extension AvahiBackend {
  /// The longest time to look for the daemon at the start. One that does not answer by then hangs, or its bus does.
  package static let connectionLimit: Duration = .seconds(4)

  /// The time without progress after which calls are no longer waited for.
  static let drainLimit: Duration = .seconds(1)

  /// Starts to look for the daemon, which goes on until ``close()``, and returns when the daemon has been found. Call it once.
  ///
  /// - Parameter limit: The longest time to wait. A call that hangs then goes on, on the thread of calls alone.
  /// - Throws: ``DiscoveryError`` with code `unavailable` when there is no bus, no daemon on it, or one of them does not answer; code
  ///   `cancelled` when the task is cancelled.
  package nonisolated func connect(within limit: Duration = AvahiBackend.connectionLimit) async throws(DiscoveryError) {
    let action = "looking for avahi-daemon"
    let outcome = Observed<Result<Void, AvahiError>?>(nil)
    @Sendable func end(_ result: Result<Void, AvahiError>) { outcome.change { $0 = $0 ?? result } }
    home.execute { [home] in
      _ = home.schedule(after: limit) { end(.failure(.hangs)) }
    }
    perform { backend in
      backend.watch()
      end(backend.findDaemon())
    }
    guard let result = await outcome.take({ $0 }) else {
      throw DiscoveryError(.cancelled, "\(action): the task was cancelled")
    }
    do throws(AvahiError) { try result.get() } catch { throw error.during(action) }
  }

  package nonisolated func drain() async {
    await withCheckedContinuation { continuation in
      let drain = PendingDrain(of: line, on: home, continuation)
      home.execute { drain.start() }
      // Uses the commands' queue. A plain call of the actor would not wait for them when the caller runs on this loop too.
      // Then the events of these commands are handled.
      perform { backend in backend.home.execute { drain.end() } }
    }
  }

  package nonisolated func close() async {
    closeSoon()
    await drain()
  }

  /// Frees all resources as soon as the call that may be going on has ended.
  package nonisolated func closeSoon() { perform { $0.free() } }
}

/// A task that waits until calls have been made, unless they hang. Confined to its loop, which is not the one of the calls.
///
/// Sendable: only its loop uses it.
private final class PendingDrain: @unchecked Sendable {
  private let line: BusLine
  private let loop: EventLoop
  private var continuation: CheckedContinuation<Void, Never>?
  private var timer: LoopTimer?
  /// The progress of the line at the last look, and since when it has been the same.
  private var progress: UInt64 = 0
  private var since = LoopTime.now

  /// The time between two looks.
  private static let interval: Duration = .milliseconds(200)

  init(of line: BusLine, on loop: EventLoop, _ continuation: CheckedContinuation<Void, Never>) {
    self.line = line
    self.loop = loop
    self.continuation = continuation
  }

  func start() {
    progress = line.progress
    since = .now
    look()
  }

  private func look() {
    guard continuation != nil else { return }
    let former = progress
    progress = line.progress
    if progress != former { since = .now }
    if LoopTime.now - since >= AvahiBackend.drainLimit { line.noteVain(at: progress) }
    // A call that was waited for in vain is not waited for again: a program that ends may drain several times.
    guard !line.isVain(at: progress) else { return end() }
    timer = loop.schedule(after: Self.interval) { [self] in look() }
  }

  func end() {
    timer?.cancel()
    continuation?.resume()
    continuation = nil
  }
}
#endif
