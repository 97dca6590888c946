import CBonjourishLinux
import FramedCoding
import _BonjourishEventLoop

/// A socket that is connecting to one of the addresses.
private final class Attempt {
  let descriptor: CInt
  var socket: Socket?
  var watch: DescriptorSource?

  init(_ socket: consuming Socket) {
    descriptor = socket.descriptor
    self.socket = consume socket
  }

  func takeSocket() -> Socket? {
    watch?.cancel()
    watch = nil
    return socket.take()
  }
}

/// The time to wait before trying again when the queue of a Unix-domain socket is full.
private let queuePause = Duration.milliseconds(10)

/// Runs a race of attempts to connect, to addresses that are known or are being looked up.
///
/// Sendable: used on the loop only.
final class Connector<Connected: Sendable>: @unchecked Sendable {
  /// Makes the result of a connected socket, at once or later on the loop.
  ///
  /// Returns a closure that ends this work, if it is not done at once.
  typealias Finish = (
    consuming Socket, _ peer: SocketAddress, _ decide: @escaping (Result<Connected, TransportError>) -> Void
  ) -> (() -> Void)?

  /// The destination as text.
  private let destination: String
  /// The limits to set on the socket; `nil` for none.
  private let limits: TransportLimits?
  /// Whether strangers named the addresses, so that attempts are bounded.
  private let isBudgeted: Bool
  /// Where attempts that fail are told of.
  private let log: TransportLog?
  /// When the limit passes.
  private var deadline = ContinuousClock.now
  /// Makes the result of a socket; called on the loop.
  private let finish: Finish
  private let transportLoop: TransportLoop
  var loop: EventLoop { transportLoop.loop }

  private var race: ConnectRace
  private var attempts: [Int: Attempt] = [:]
  private var stepTimer: LoopTimer?
  /// The address that has won, until whoever answers there is accepted.
  private var chosen: Int?
  /// Incremented when attempts are dropped: those that wait for their turn are not made.
  private var round = 0
  private let answer: LoopAnswer<Connected>
  /// Whether nothing more is to be tried.
  private var isOver: Bool { race.isOver || answer.isGiven }

  /// - Parameters:
  ///   - destination: The destination as text.
  ///   - families: The families for which `take(_:of:)` will be called.
  ///   - limits: The limits to set on the socket; `nil` for none.
  ///   - isBudgeted: Whether the ``AttemptBudget`` bounds the attempts.
  ///   - log: Where attempts that fail are told of; `nil` for nowhere.
  ///   - finish: Makes the result of the socket; called on the loop, at most once.
  init(
    to destination: String, _ families: Set<SocketAddress.Family>, limits: TransportLimits?, isBudgeted: Bool = false,
    log: TransportLog? = nil, on transportLoop: TransportLoop, _ finish: @escaping Finish
  ) {
    self.destination = destination
    self.limits = limits
    self.isBudgeted = isBudgeted
    self.log = log
    self.finish = finish
    self.transportLoop = transportLoop
    race = ConnectRace(lookingUp: families)
    answer = LoopAnswer(on: transportLoop.loop)
  }

  /// Connects; ends early if the task is cancelled.
  ///
  /// - Parameter begin: Called on the loop when the caller waits.
  func connect(within limit: Duration, _ begin: @escaping @Sendable () -> Void) async throws(TransportError) -> Connected {
    let attempt = "Connecting to \(destination)"
    let reason = "no answer within \(limit.inTenths); \(TransportError.Code.timedOut.advice ?? "")"
    return try await answer.wait(
      within: limit, orThrow: TransportError(.timedOut, "\(attempt) failed: \(reason)"), attempt
    ) {
      self.deadline = .now + limit
      begin()
    }
  }

  /// Handles the result of a family's look-up.
  func take(_ addresses: Result<[SocketAddress], TransportError>, of family: SocketAddress.Family) {
    loop.assertIsCurrent()
    // Before there is anything to try.
    if race.addresses.isEmpty { answer.onFailure { self.dropAttempts() } }
    switch addresses {
    case .success(let addresses): run(.found(family, addresses))
    case .failure(let error): run(.notFound(family, error))
    }
  }

  private func run(_ event: ConnectRace.Event) {
    loop.assertIsCurrent()
    // The race may have ended by the limit or by cancellation.
    guard !answer.isGiven else { return }
    report(event)
    switch race.handle(event) {
    case .delay?:
      _ = transportLoop.loop.schedule(after: ConnectRace.delay) { self.run(.delayPassed) }
    case .attempt(let index)?:
      stepTimer?.cancel()
      stepTimer = transportLoop.loop.schedule(after: ConnectRace.step) { self.run(.stepPassed) }
      beginInTurn(index)
    case .succeed(let index)?:
      succeed(index)
    case .fail(let errors)?:
      answer.give(.failure(summary(of: errors)))
    case nil:
      break
    }
  }

  /// Tells of what the error for the app does not have, if another attempt succeeds.
  private func report(_ event: ConnectRace.Event) {
    guard let log else { return }
    switch event {
    case .failed(let index, let error), .foreign(let index, let error):
      log.report(
        .debug, "attempt \(index)", error.message, ["peer": "\(race.addresses[index])", "error": "\(error.code)"])
    case .notFound(let family, let error):
      log.report(.debug, "look-up \(family)", error.message, ["address": destination, "error": "\(error.code)"])
    case .connected(let index):
      log.report(.debug, "connected", "connected to \(race.addresses[index])", ["peer": "\(race.addresses[index])"])
    case .found, .delayPassed, .stepPassed: break
    }
  }

  /// Begins an attempt as soon as the budget of its target permits.
  private func beginInTurn(_ index: Int) {
    guard isBudgeted else { return begin(index) }
    let (address, now) = (race.addresses[index], ContinuousClock.now)
    guard let turn = AttemptBudget.shared.withLock({ $0.reserve(address, at: now, before: deadline) }) else {
      let reason = "too many attempts at this address; somebody may be announcing services there that are none"
      return run(.failed(index, TransportError(.throttled, "Connecting to \(address) was not tried: \(reason)")))
    }
    guard turn > now else { return begin(index) }
    begin(index, after: turn - now)
  }

  private func begin(_ index: Int, after time: Duration) {
    _ = transportLoop.loop.schedule(after: time) { [round] in
      if !self.isOver, self.round == round { self.begin(index) }
    }
  }

  private func begin(_ index: Int) {
    loop.assertIsCurrent()
    let address = race.addresses[index]
    guard !address.lacksInterface else {
      let reason = "a link-local address needs an interface; append it, such as %eth0"
      return run(.failed(index, TransportError(.unreachable, "Connecting to \(address) failed: \(reason)")))
    }
    do throws(SystemError) {
      let attempt = Attempt(try Socket(address.family))
      try attempt.socket!.disableNagle()
      if let limits { try attempt.socket!.setKeepAlive(limits) }
      try attempt.socket!.beginConnecting(to: address)
      attempts[index] = attempt
      attempt.watch = try transportLoop.loop.watch(attempt.descriptor, for: .writable) { _ in self.conclude(index) }
    } catch  where error.errno == EAGAIN && address.family == .unix {
      // The listener's queue is full, and no event tells when there is room again.
      begin(index, after: queuePause)
    } catch {
      attempts.removeValue(forKey: index)
      run(.failed(index, TransportError(error, "Connecting to \(address)", at: address)))
    }
  }

  /// Handles the end of an attempt.
  private func conclude(_ index: Int) {
    loop.assertIsCurrent()
    guard let attempt = attempts[index] else { return }
    // Without a listener, a socket can connect to itself if the system gives it that port. Nothing listens there.
    let reachesItself = attempt.socket!.localAddress() == race.addresses[index]
    let error = attempt.socket!.connectionError() ?? (reachesItself ? SystemError("connect", errno: ECONNREFUSED) : nil)
    if let error {
      _ = attempts.removeValue(forKey: index)?.takeSocket()
      run(.failed(index, TransportError(error, "Connecting to \(race.addresses[index])", at: race.addresses[index])))
    } else {
      run(.connected(index))
    }
  }

  private func succeed(_ index: Int) {
    loop.assertIsCurrent()
    guard let socket = attempts.removeValue(forKey: index)?.takeSocket() else { return }
    dropAttempts()
    chosen = index
    let abandon = finish(socket, race.addresses[index]) { self.settle(index, $0) }
    // The peer has answered, and still has to say more.
    if chosen == index, !answer.isGiven { answer.onFailure(abandon) }
  }

  /// Answers, or tries the other addresses if somebody else has answered at this one: nothing that is for the peer only was sent.
  private func settle(_ index: Int, _ result: Result<Connected, TransportError>) {
    loop.assertIsCurrent()
    chosen = nil
    if case .failure(let error) = result, error.code.isOfOtherPeer, !answer.isGiven {
      answer.onFailure { self.dropAttempts() }
      return run(.foreign(index, error))
    }
    answer.onFailure(nil)
    answer.give(result)
  }

  private func dropAttempts() {
    loop.assertIsCurrent()
    round += 1
    stepTimer?.cancel()
    for attempt in attempts.values { _ = attempt.takeSocket() }
    attempts = [:]
  }

  /// Returns one error for all attempts, with the most informative code: a host that refuses is at least reachable.
  ///
  /// That somebody else has answered tells more than what happened elsewhere, and may have values of its own.
  private func summary(of errors: [TransportError]) -> TransportError {
    let foreign = errors.filter(\.code.isOfOtherPeer)
    let chosen = [TransportError.Code.Permanence.otherPeer, .anybody, nil].lazy
      .compactMap { permanence in foreign.first { $0.code.permanence == permanence } }.first
    if let chosen { return chosen }
    let telling = [TransportError.Code.refused, .timedOut, .unreachable].lazy
      .compactMap { code in errors.first { $0.code == code } }.first
    let error = telling ?? errors[0]
    // Without addresses, only the look-up can be reported.
    guard errors.count > 1, !race.addresses.isEmpty else { return error }
    return TransportError(
      error.code, errno: error.errno,
      "None of \(errors.count) addresses could be reached: \(errors.map(\.message).joined(separator: ". "))")
  }
}

extension Duration {
  /// The duration rounded to tenths of a second: messages need no nanoseconds.
  fileprivate var inTenths: Duration { .milliseconds((self / .milliseconds(100)).rounded() * 100) }
}
