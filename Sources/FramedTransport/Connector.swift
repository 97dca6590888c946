import EventLoop
import Framing
import Glibc

/// Runs a race of attempts to connect, to addresses that are known or that are told of as they are found.
///
/// Sendable: used on the loop only.
final class Connector: @unchecked Sendable {
  /// A socket on its way to one of the addresses.
  private final class Attempt {
    let descriptor: CInt
    var socket: Socket?
    var watch: DescriptorWatch?

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

  /// How long to wait for a place in the queue of a Unix-domain socket.
  private static let queuePause = Duration.milliseconds(10)

  /// What is to be reached, in words.
  private let destination: String
  private let format: FrameFormat
  private let limits: TransportLimits
  private let home: TransportLoop
  var loop: EventLoop { home.loop }

  private var race: ConnectRace
  private var attempts: [Int: Attempt] = [:]
  private var stepTimer: LoopTimer?
  private var limitTimer: LoopTimer?
  /// Behind a lock rather than handed to the caller as he is resumed: the thread sanitizer does not see that anything goes that way
  /// when he is resumed before he waits.
  private let result = Locked<Result<Connection, TransportError>?>(nil)
  private var caller: CheckedContinuation<Void, Never>?
  private var isDecided: Bool { result.withLock { $0 != nil } }

  /// - Parameters:
  ///   - destination: What is to be reached, in words.
  ///   - families: Those for which there will be a call of `take(_:of:)`.
  init(
    to destination: String, _ families: Set<SocketAddress.Family>, format: FrameFormat, limits: TransportLimits,
    on home: TransportLoop
  ) {
    self.destination = destination
    self.format = format
    self.limits = limits
    self.home = home
    race = ConnectRace(lookingUp: families)
  }

  /// Connects, and resumes the caller when it is decided.
  func start(within limit: Duration, _ caller: CheckedContinuation<Void, Never>) {
    if isDecided { return caller.resume() }
    self.caller = caller
    limitTimer = home.loop.schedule(after: limit) {
      let reason = "no answer within \(limit.inTenths); \(TransportError.Code.timedOut.advice ?? "")"
      self.finish(.failure(TransportError(.timedOut, "\(self.attempt) failed: \(reason)")))
    }
  }

  /// The addresses of a family, or why there are none.
  func take(_ addresses: Result<[SocketAddress], TransportError>, of family: SocketAddress.Family) {
    switch addresses {
    case .success(let addresses): run(.found(family, addresses))
    case .failure(let error): run(.notFound(family, error))
    }
  }

  func cancel() {
    finish(.failure(.cancelled(attempt)))
  }

  /// What is tried, in words.
  private var attempt: String {
    "Connecting to \(destination)"
  }

  private func run(_ event: ConnectRace.Event) {
    // It may be over by the limit or by cancellation.
    guard !isDecided else { return }
    switch race.handle(event) {
    case .delay?:
      _ = home.loop.schedule(after: ConnectRace.delay) { self.run(.delayPassed) }
    case .attempt(let index)?:
      stepTimer?.cancel()
      stepTimer = home.loop.schedule(after: ConnectRace.step) { self.run(.stepPassed) }
      begin(index)
    case .succeed(let index)?:
      succeed(index)
    case .fail(let errors)?:
      finish(.failure(summary(of: errors)))
    case nil:
      break
    }
  }

  private func begin(_ index: Int) {
    let address = race.addresses[index]
    guard !address.lacksInterface else {
      let reason = "it is valid on one link only; write the interface behind it, such as %eth0"
      return run(.failed(index, TransportError(.unreachable, "Connecting to \(address) failed: \(reason)")))
    }
    do throws(SystemError) {
      let attempt = Attempt(try Socket(address.family))
      try attempt.socket!.disableNagle()
      try attempt.socket!.watchPeer(limits)
      try attempt.socket!.beginConnecting(to: address)
      attempts[index] = attempt
      attempt.watch = try home.loop.watch(attempt.descriptor, for: .writable) { _ in self.decide(index) }
    } catch  where error.errno == EAGAIN && address.family == .unix {
      // As many wait there as may, and the system tells nobody when there are fewer.
      _ = home.loop.schedule(after: Self.queuePause) {
        if !self.isDecided { self.begin(index) }
      }
    } catch {
      attempts.removeValue(forKey: index)
      run(.failed(index, TransportError(error, "Connecting to \(address)", at: address)))
    }
  }

  /// The system has an answer for an attempt.
  private func decide(_ index: Int) {
    guard let attempt = attempts[index] else { return }
    // Two ports of one machine can meet each other: without a listener, a connection to oneself is one to nobody.
    let reachesItself = attempt.socket!.localAddress() == race.addresses[index]
    let error = attempt.socket!.connectionError() ?? (reachesItself ? SystemError("connect", errno: ECONNREFUSED) : nil)
    if let error {
      _ = attempt.takeSocket()
      attempts.removeValue(forKey: index)
      run(.failed(index, TransportError(error, "Connecting to \(race.addresses[index])", at: race.addresses[index])))
    } else {
      run(.connected(index))
    }
  }

  private func succeed(_ index: Int) {
    guard let socket = attempts.removeValue(forKey: index)?.takeSocket() else { return }
    let peer = race.addresses[index]
    let local = socket.localAddress() ?? peer
    let credentials = socket.peerCredentials()
    let channel = Channel(socket, peer: peer, terms: ChannelTerms(format, limits), on: home)
    channel.start()
    finish(.success(Connection(channel, local: local, credentials)))
  }

  private func finish(_ result: Result<Connection, TransportError>) {
    guard !isDecided else { return }
    self.result.withLock { $0 = result }
    stepTimer?.cancel()
    limitTimer?.cancel()
    for attempt in attempts.values { _ = attempt.takeSocket() }
    attempts = [:]
    caller?.resume()
    caller = nil
  }

  /// What has been decided; to be called when the caller has been resumed.
  func conclusion() throws(TransportError) -> Connection {
    guard let result = result.withLock({ $0 }) else { preconditionFailure("nothing has been decided") }
    return try result.get()
  }

  /// One error for all: of the reasons the one that tells most, for a host that refuses is at least there.
  private func summary(of errors: [TransportError]) -> TransportError {
    let telling = [TransportError.Code.refused, .timedOut, .unreachable].lazy
      .compactMap { code in errors.first { $0.code == code } }.first
    let error = telling ?? errors[0]
    // Without addresses all that can be told of is the look-up.
    guard errors.count > 1, !race.addresses.isEmpty else { return error }
    return TransportError(
      error.code, errno: error.errno,
      "None of \(errors.count) addresses could be reached: \(errors.map(\.description).joined(separator: ". "))")
  }
}

extension Duration {
  /// The duration to the tenth of a second: what is left of a limit need not be told to the nanosecond.
  fileprivate var inTenths: Duration { .milliseconds((self / .milliseconds(100)).rounded() * 100) }
}
