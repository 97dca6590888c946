import DirectoryProtocol
import EventLoop

/// A claim of one key: carries out what its machine asks for. Confined to the module's loop.
final class DirectoryClaim {
  enum Event {
    case held, taken, reachable, ended
    case interrupted(JetStreamFailure)
    case failed(JetStreamFailure)
  }

  private let key: DirectoryKey
  private let owner: DirectoryRecord.Owner
  private let bucket: Bucket
  private let line: DirectoryLine
  private let loop: EventLoop
  private let told: (DirectoryClaim, Event) -> Void
  private(set) var machine: Claim
  private var timer: LoopTimer?
  private var isCancelled = false

  init(
    _ key: DirectoryKey, _ value: [UInt8], owner: DirectoryRecord.Owner, after predecessor: DirectoryRecord.Owner?,
    _ bucket: Bucket, _ line: DirectoryLine,
    on loop: EventLoop, _ told: @escaping (DirectoryClaim, Event) -> Void
  ) {
    self.key = key
    self.owner = owner
    self.bucket = bucket
    self.line = line
    self.loop = loop
    self.told = told
    machine = Claim(value, owner: owner, after: predecessor, lease: bucket.lease, seed: .random(in: .min ... .max))
  }

  func start() { run(machine.start(at: .now)) }

  func update(_ value: [UInt8]) { run(machine.update(value, at: .now)) }

  func leave() { run(machine.leave()) }

  /// Ends the claim, and leaves the key as it is.
  func cancel() {
    isCancelled = true
    timer?.cancel()
  }

  private func run(_ effects: [Claim.Effect]) {
    for effect in effects where !isCancelled {
      switch effect {
      case .put(let number, let value, let expected): put(number, value, expected)
      case .read(let number): read(number)
      case .delete(let expected): try? line.delete(bucket.subject(key.text), expected: expected)
      case .held: told(self, .held)
      case .taken: told(self, .taken)
      case .interrupted(let failure): told(self, .interrupted(failure))
      case .reachable: told(self, .reachable)
      case .failed(let failure): told(self, .failed(failure))
      case .ended: told(self, .ended)
      }
    }
    setTimer()
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

  private func setTimer() {
    timer?.cancel()
    guard !isCancelled else { return }
    timer = machine.nextDeadline.map { deadline in
      loop.schedule(at: deadline) { [weak self] in
        guard let self else { return }
        run(machine.advance(to: .now))
      }
    }
  }
}
