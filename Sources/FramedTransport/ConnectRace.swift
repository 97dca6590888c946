/// Which of a host's addresses to try when, and which of them wins (RFC 8305, "Happy Eyeballs").
///
/// The next address is tried as soon as one has failed, or when none has answered for a step; the first that answers wins.
struct ConnectRace {
  enum Event {
    case begin
    /// A step has passed without an answer.
    case stepPassed
    case connected(Int)
    case failed(Int, TransportError)
  }

  enum Action: Equatable {
    /// Try this address, and say `stepPassed` after a step, counted anew.
    case attempt(Int)
    /// Take this connection, and drop the others.
    case succeed(Int)
    /// None can be reached, for these reasons.
    case fail([TransportError])
  }

  /// The time between two attempts: the Connection Attempt Delay of RFC 8305, section 5.
  static let step = Duration.milliseconds(250)

  private let count: Int
  private var tried = 0
  private var failures: [TransportError] = []
  private var isOver = false

  /// A race of so many addresses, at least one.
  init(count: Int) {
    precondition(count > 0, "A race needs somebody who runs")
    self.count = count
  }

  mutating func handle(_ event: Event) -> Action? {
    guard !isOver else { return nil }
    switch event {
    case .begin, .stepPassed:
      return attemptNext()
    case .connected(let index):
      isOver = true
      return .succeed(index)
    case .failed(_, let error):
      failures.append(error)
      if let next = attemptNext() { return next }
      guard failures.count == count else { return nil }
      isOver = true
      return .fail(failures)
    }
  }

  private mutating func attemptNext() -> Action? {
    guard tried < count else { return nil }
    defer { tried += 1 }
    return .attempt(tried)
  }

  /// The order in which to try addresses: without repetitions, the families in turn, beginning with that of the first
  /// (RFC 8305, section 4).
  static func order(_ addresses: [SocketAddress]) -> [SocketAddress] {
    var seen: Set<SocketAddress> = []
    let different = addresses.filter { seen.insert($0).inserted }
    let first = different.filter { $0.family == different[0].family }
    let second = different.filter { $0.family != different[0].family }
    var ordered: [SocketAddress] = []
    for index in 0..<max(first.count, second.count) {
      ordered += first.dropFirst(index).prefix(1)
      ordered += second.dropFirst(index).prefix(1)
    }
    return ordered
  }
}
