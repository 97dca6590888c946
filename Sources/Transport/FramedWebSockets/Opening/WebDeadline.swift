/// How long a request and its handler may take, so that the answer leaves before the connection has been pending for too long.
///
/// One value for both: what the head has taken, and encryption before it, the handler does not have.
struct WebDeadline: Sendable {
  typealias Instant = ContinuousClock.Instant

  /// The longest time that is kept for sending an answer.
  private static let longestReserve = Duration.seconds(1)

  private let end: Instant?
  private let reserve: Duration

  /// - Parameters:
  ///   - limit: The longest time for the connection to be pending; `nil` for no limit.
  ///   - start: When it began.
  init(pendingFor limit: Duration?, since start: Instant) {
    end = limit.map { start + $0 }
    reserve = limit.map { min(Self.longestReserve, $0 / 5) } ?? .zero
  }

  /// The time for a step that has a limit of its own. A fifth of the time for being pending is kept for the answer, at most a second, and half of
  /// what is left to those who come late.
  func time(within limit: Duration, at now: Instant) -> Duration {
    guard let end else { return limit }
    let left = max(.zero, end - now)
    return min(limit, left - min(reserve, left / 2))
  }
}
