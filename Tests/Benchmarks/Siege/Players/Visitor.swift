import FramedTransport
import Synchronization

/// Somebody who comes every half second from an address of their own, as a guest with a link does, and goes. Nobody else is behind that
/// address, so that it shows whether strangers can keep a visitor out. (With the passcode they can: they use up the guesses.)
final class Visitor: Sendable {
  /// What has happened since the last report.
  struct Report {
    /// How often the visitor was let in.
    var visits = 0
    /// How often not.
    var turnedAway = 0
    var longestVisit = Duration.zero
  }

  private static let pause = Duration.milliseconds(500)

  private let host: BesiegedHost
  private let state = Mutex(Report())

  /// - Parameter host: At an address that is not that of the other players.
  init(at host: BesiegedHost) {
    self.host = host
  }

  /// Comes again and again, until the task is cancelled.
  func run() async {
    while !Task.isCancelled {
      let began = ContinuousClock.now
      do {
        let connection = try await host.connect(nil)
        state.withLock { state in
          state.visits += 1
          state.longestVisit = max(state.longestVisit, .now - began)
        }
        await connection.close()
      } catch {
        state.withLock { $0.turnedAway += 1 }
      }
      try? await Task.sleep(for: Self.pause)
    }
  }

  /// What has happened since the last report.
  func report() -> Report {
    state.withLock { state in
      defer { state = Report() }
      return state
    }
  }
}
