import _BonjourishDirectoryProtocol
import _BonjourishDiscovery
import _BonjourishEventLoop

/// A claim of one key: carries out what its machine asks for.
///
/// Sendable: it is used on the module's loop only; the library's threads hand their messages to the loop.
final class DirectoryClaim: @unchecked Sendable {
  enum Event {
    case held, taken, reachable, ended
    case interrupted(JetStreamFailure)
    case failed(JetStreamFailure)
  }

  private let key: DirectoryKey
  private let succession: Succession
  private let bucket: Bucket
  private let relayPrefix: String
  private let line: DirectoryLine
  private let loop: EventLoop
  private let handler: (DirectoryClaim, Event) -> Void
  private(set) var machine: Claim
  private lazy var deadline = LoopDeadline(on: loop) { [weak self] in
    guard let self else { return }
    run(machine.advance(to: .now))
  }
  private var isCancelled = false
  /// Where a program that is asked answers.
  private var answers: NATSSubscription?

  init(
    _ key: DirectoryKey, _ value: [UInt8], _ succession: Succession, _ settings: DirectorySettings, _ line: DirectoryLine,
    on loop: EventLoop, _ handler: @escaping (DirectoryClaim, Event) -> Void
  ) {
    self.key = key
    self.succession = succession
    bucket = settings.bucket
    relayPrefix = settings.relayPrefix
    self.line = line
    self.loop = loop
    self.handler = handler
    machine = Claim(value, succession, lease: bucket.lease, seed: .random(in: .min ... .max))
  }

  func start() { run(machine.start(at: .now)) }

  func update(_ value: [UInt8]) { run(machine.update(value, at: .now)) }

  func bucketReturned() { run(machine.bucketReturned(at: .now)) }

  func leave() { run(machine.leave()) }

  /// Ends the claim, and leaves the key as it is.
  func cancel() {
    isCancelled = true
    deadline.cancel()
    answers = nil
  }

  private func run(_ effects: [Claim.Effect]) {
    for effect in effects where !isCancelled {
      switch effect {
      case .put(let number, let value, let expected): put(number, value, expected)
      case .read(let number): read(number)
      case .ask(let number, let program): ask(number, program)
      case .delete(let expected): try? line.delete(bucket.subject(key.text), expected: expected)
      case .held: handler(self, .held)
      case .taken: handler(self, .taken)
      case .interrupted(let failure): handler(self, .interrupted(failure))
      case .reachable: handler(self, .reachable)
      case .failed(let failure): handler(self, .failed(failure))
      case .ended: handler(self, .ended)
      }
    }
    if !machine.isAsking { answers = nil }
    if !isCancelled { deadline.set(machine.nextDeadline) }
  }

  // A message that cannot be written is like one that is not answered.

  private func put(_ number: UInt64, _ value: [UInt8], _ expected: UInt64) {
    let headers = [(DirectoryMessage.expectedSequence, "\(expected)")]
    try? line.request(value, to: bucket.subject(key.text), headers: headers) { [weak self] message in
      guard let self, !isCancelled else { return }
      run(machine.answered(number, JetStreamAnswer(message), at: .now))
    }
  }

  private func read(_ number: UInt64) {
    try? line.request([], to: bucket.readRequest(key.text)) { [weak self] message in
      guard let self, !isCancelled else { return }
      run(machine.found(number, Claim.Reading(DirectAnswer(message)), at: .now))
    }
  }

  /// Asks for a relayed connection that nobody accepts: to the number of this publisher, which the other program does not have. A program
  /// that is there refuses it; otherwise the server says that nobody listens.
  private func ask(_ number: UInt64, _ program: RelayNumber) {
    let own = RelayNumber.random()
    let dial = RelayMessage(.dial, isFromDialer: true, of: .random(), offset: succession.publisher, address: own)
    answers = try? line.subscribe("\(relayPrefix).\(own.text).m") { [weak self] _ in self?.heard(number, .here) }
    try? line.request(dial.bytes(), to: "\(relayPrefix).\(program.text).dial") { [weak self] message in
      if message.status == 503 { self?.heard(number, .gone) }
    }
  }

  private func heard(_ number: UInt64, _ presence: Claim.Presence) {
    guard !isCancelled else { return }
    run(machine.heard(number, presence, at: .now))
  }
}
