/// Decides when to try which address of a host, and which one wins (RFC 8305, "Happy Eyeballs").
///
/// The next address is tried as soon as one has failed, or when none has answered for a step. The families alternate. The first
/// address that answers wins. While addresses are looked up, each family is tried as soon as it is known. Only IPv4 waits a
/// moment for IPv6, so that a faster answer of the name server does not prefer IPv4.
///
/// An address that answers may be another peer's: somebody on the network may have added it. Then the others are tried.
struct ConnectRace {
  typealias Family = SocketAddress.Family

  enum Event {
    /// The look-up of a family has ended with these addresses.
    case found(Family, [SocketAddress])
    /// The look-up of a family has ended without addresses.
    case notFound(Family, TransportError)
    /// IPv4 has waited long enough.
    case delayPassed
    /// A step has passed without an answer.
    case stepPassed
    case connected(Int)
    case failed(Int, TransportError)
    /// Whoever has answered at the address that has won is not the right peer.
    case foreign(Int, TransportError)
  }

  enum Action: Equatable {
    /// Try this address, and restart the step timer, which ends with `stepPassed`.
    case attempt(Int)
    /// Start the delay timer, which ends with `delayPassed`.
    case delay
    /// Use this connection, and drop the others.
    case succeed(Int)
    /// No address can be reached, for these reasons.
    case fail([TransportError])
  }

  /// The time between two attempts: the Connection Attempt Delay of RFC 8305, section 5.
  static let step = Duration.milliseconds(250)

  /// The time for which IPv4 waits for IPv6: the Resolution Delay of RFC 8305, section 3.
  static let delay = Duration.milliseconds(50)

  /// The known addresses, in the order in which they were found.
  private(set) var addresses: [SocketAddress] = []

  private var untried: [Int] = []
  private var lastFamily: Family?
  private var sought: Set<Family>
  private var underWay: [Int] = []
  /// Whether to try the next address as soon as there is one.
  private var isDue = false
  private var lookUpFailures: [TransportError] = []
  private var failures: [TransportError] = []
  private(set) var isOver = false

  /// Creates a race between the addresses of some families. A `found` or `notFound` event must follow for each family.
  init(lookingUp families: Set<Family>) {
    precondition(!families.isEmpty, "families must not be empty")
    sought = families
  }

  mutating func handle(_ event: Event) -> Action? {
    if case .foreign(let index, let error) = event { return goOn(without: index, error) }
    guard !isOver else {
      note(event)
      return nil
    }
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
    case .failed(let index, let error):
      underWay.removeAll { $0 == index }
      failures.append(error)
      return attemptNext()
    case .foreign: return nil
    }
  }

  /// Keeps what was looked up after an address has won, in case that is another peer's.
  private mutating func note(_ event: Event) {
    switch event {
    case .found(let family, let found):
      sought.remove(family)
      add(found, family)
    case .notFound(let family, let error):
      sought.remove(family)
      lookUpFailures.append(error)
    case .delayPassed, .stepPassed, .connected, .failed, .foreign: break
    }
  }

  /// Goes on with the other addresses. The attempts that were dropped are made again.
  private mutating func goOn(without index: Int, _ error: TransportError) -> Action? {
    isOver = false
    untried = underWay.filter { $0 != index } + untried
    underWay = []
    failures.append(error)
    return attemptNext()
  }

  private mutating func add(_ found: [SocketAddress], _ family: Family) {
    let known = addresses.count
    for address in found where !addresses.contains(address) { addresses.append(address) }
    // Before the first attempt, IPv6 goes first.
    let place = lastFamily == nil && family == .ipv6 ? 0 : untried.count
    untried.insert(contentsOf: known..<addresses.count, at: place)
  }

  /// Whether only IPv4 addresses are known, and IPv6 is still being looked up.
  private var mustWait: Bool { sought.contains(.ipv6) && !addresses.contains { $0.family == .ipv6 } }

  /// Tries the next address, of the other family if possible; ends the race when none is left.
  private mutating func attemptNext() -> Action? {
    let place = untried.firstIndex { addresses[$0].family != lastFamily } ?? untried.indices.first
    guard let place else {
      isDue = true
      guard underWay.isEmpty, sought.isEmpty else { return nil }
      isOver = true
      return .fail(failures.isEmpty ? lookUpFailures : failures)
    }
    isDue = false
    let index = untried.remove(at: place)
    lastFamily = addresses[index].family
    underWay.append(index)
    return .attempt(index)
  }
}
