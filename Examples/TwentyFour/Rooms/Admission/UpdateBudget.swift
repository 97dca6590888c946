/// Limits how often everyone in a room is told who came and went: at most five times within any second.
struct UpdateBudget: Sendable {
  static let limit = 5
  static let window = Duration.seconds(1)

  /// The times of the latest updates, oldest first; at most ``limit``.
  private var times: [Duration] = []

  /// The time from which an update is allowed.
  var opening: Duration { times.count < Self.limit ? .zero : times[0] + Self.window }

  mutating func use(at now: Duration) {
    times.append(now)
    if times.count > Self.limit { times.removeFirst() }
  }
}
