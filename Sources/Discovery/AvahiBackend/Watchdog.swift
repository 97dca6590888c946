#if Avahi
import _BonjourishEventLoop

/// Notices that avahi-daemon hangs, and cuts the line to it. Confined to its loop, which is not the one of the calls.
///
/// Sendable: only its loop uses it.
final class Watchdog: @unchecked Sendable {
  private let loop: EventLoop
  private let line: BusLine
  private let call: () -> Void
  private var timer: LoopTimer?
  private var progress: UInt64 = 0
  /// How often in a row a call was found unanswered.
  private var misses = 0

  /// A call that takes this long hangs, longer if there are many publications. A daemon that hangs is noticed after twice this at
  /// most.
  private static let interval: Duration = .milliseconds(2_400)

  /// A look that comes later than this shows that the machine is busy, or slept, and so the daemon may have had no time either.
  private static let tolerance: Duration = .milliseconds(250)

  /// - Parameters:
  ///   - loop: The loop of the watchdog.
  ///   - line: The line that is cut.
  ///   - call: Has a call made that does not count as progress, after which ``BusLine/answered()`` is called.
  init(on loop: EventLoop, line: BusLine, call: @escaping () -> Void) {
    self.loop = loop
    self.line = line
    self.call = call
  }

  func start() {
    let due = LoopTime.now + Self.interval
    timer = loop.schedule(at: due) { [weak self] in
      self?.look(lateBy: .now - due)
      self?.start()
    }
  }

  func stop() {
    timer?.cancel()
    timer = nil
  }

  /// Cuts the line if the call of the last time was not answered, and no other call has been begun since.
  ///
  /// - Parameter delay: How much later than planned this is.
  func look(lateBy delay: Duration = .zero) {
    let former = progress
    progress = line.progress
    if line.expectAnswer() {
      misses = 0
      call()
    } else if progress != former {
      // Calls that make progress are only many.
      misses = 0
    } else if delay <= Self.tolerance {
      misses += 1
      guard misses >= line.maximumMisses else { return }
      misses = 0
      line.cut()
    }
  }
}
#endif
