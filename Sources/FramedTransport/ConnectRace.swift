/// Which of a host's addresses to try when, and which of them wins (RFC 8305, "Happy Eyeballs").
///
/// The next address is tried as soon as one has failed, or when none has answered for a step; the families take turns; the first
/// that answers wins. When addresses are still being looked up, each family is tried as soon as it is known; only IPv4 waits a
/// moment for IPv6, so that it is not preferred for the speed of a name server.
struct ConnectRace {
  typealias Family = SocketAddress.Family

  enum Event {
    /// The look-up of a family has ended with these addresses.
    case found(Family, [SocketAddress])
    /// The look-up of a family has ended without any.
    case notFound(Family, TransportError)
    /// IPv4 has waited long enough.
    case delayPassed
    /// A step has passed without an answer.
    case stepPassed
    case connected(Int)
    case failed(Int, TransportError)
  }

  enum Action: Equatable {
    /// Try this address, and say `stepPassed` after a step, counted anew.
    case attempt(Int)
    /// Say `delayPassed` after the delay.
    case delay
    /// Take this connection, and drop the others.
    case succeed(Int)
    /// None can be reached, for these reasons.
    case fail([TransportError])
  }

  /// The time between two attempts: the Connection Attempt Delay of RFC 8305, section 5.
  static let step = Duration.milliseconds(250)

  /// How long IPv4 waits for IPv6: the Resolution Delay of RFC 8305, section 3.
  static let delay = Duration.milliseconds(50)

  /// Those that are known, in the order in which they became so.
  private(set) var addresses: [SocketAddress] = []

  private var untried: [Int] = []
  private var lastFamily: Family?
  private var sought: Set<Family>
  private var underWay = 0
  /// Whether the next address is to be tried as soon as there is one.
  private var isDue = false
  private var lookUpFailures: [TransportError] = []
  private var failures: [TransportError] = []
  private var isOver = false

  /// A race of the addresses of some families, which are being looked up, or known and told of with `found` at once.
  init(lookingUp families: Set<Family>) {
    precondition(!families.isEmpty, "A race needs somebody who runs")
    sought = families
  }

  mutating func handle(_ event: Event) -> Action? {
    guard !isOver else { return nil }
    switch event {
    case .found(let family, let found):
      sought.remove(family)
      add(found, family)
      if isDue || (lastFamily == nil && !mustWait) { return attemptNext() }
      return lastFamily == nil ? .delay : nil
    case .notFound(let family, let error):
      sought.remove(family)
      lookUpFailures.append(error)
      return lastFamily == nil || isDue ? attemptNext() : nil
    case .delayPassed:
      return lastFamily == nil ? attemptNext() : nil
    case .stepPassed:
      return attemptNext()
    case .connected(let index):
      isOver = true
      return .succeed(index)
    case .failed(_, let error):
      underWay -= 1
      failures.append(error)
      return attemptNext()
    }
  }

  private mutating func add(_ found: [SocketAddress], _ family: Family) {
    let known = addresses.count
    for address in found where !addresses.contains(address) { addresses.append(address) }
    // As long as nobody runs, IPv6 is to go first.
    let place = lastFamily == nil && family == .ipv6 ? 0 : untried.count
    untried.insert(contentsOf: known..<addresses.count, at: place)
  }

  /// Whether all that is known is IPv4, and IPv6 may come.
  private var mustWait: Bool { sought.contains(.ipv6) && !addresses.contains { $0.family == .ipv6 } }

  /// Tries the next of another family than the last, or of the same when there is none; ends the race when there is nobody left.
  private mutating func attemptNext() -> Action? {
    let place = untried.firstIndex { addresses[$0].family != lastFamily } ?? untried.indices.first
    guard let place else {
      isDue = true
      guard underWay == 0, sought.isEmpty else { return nil }
      isOver = true
      return .fail(failures.isEmpty ? lookUpFailures : failures)
    }
    isDue = false
    let index = untried.remove(at: place)
    lastFamily = addresses[index].family
    underWay += 1
    return .attempt(index)
  }
}
