import _BonjourishDirectoryProtocol
import _BonjourishDiscovery
import _BonjourishEventLoop

/// One key of a directory that is read again and again, and the lookups that it is for.
///
/// Sendable: it is used on the module's loop only; the library's threads hand their messages to the loop.
final class DirectoryReader: @unchecked Sendable {
  private let key: DirectoryKey
  private let settings: DirectorySettings
  private let loop: EventLoop
  private weak var line: DirectoryLine?
  private(set) var machine: KeyReader
  private var users: [OperationID: DirectoryUser] = [:]
  private var interruption: DiscoveryError?
  /// Why the connection is lost.
  private var loss: DiscoveryError?
  private lazy var deadline = LoopDeadline(on: loop) { [weak self] in
    guard let self else { return }
    run(machine.advance(to: .now))
  }
  /// Called when nobody answers for the bucket.
  private let missing: () -> Void

  init(_ key: DirectoryKey, _ settings: DirectorySettings, on loop: EventLoop, missing: @escaping () -> Void) {
    self.key = key
    self.settings = settings
    self.loop = loop
    self.missing = missing
    machine = KeyReader(key, lease: settings.bucket.lease, allowsLoopback: settings.allowsLoopback)
  }

  var isUnused: Bool { users.isEmpty }

  var userCount: Int { users.count }

  /// Adds an operation, and reports to it what is known already.
  func add(_ user: DirectoryUser, as id: OperationID) {
    users[id] = user
    if let interruption { user.interrupt(interruption) }
    if let record = machine.record { user.change(from: nil, to: record, in: settings.region) }
    if machine.isSettled { user.settle() }
  }

  func remove(_ id: OperationID) -> Bool { users.removeValue(forKey: id) != nil }

  func connect(_ line: DirectoryLine) {
    self.line = line
    loss = nil
    run(machine.start(at: .now))
  }

  func disconnect(_ error: DiscoveryError) {
    line = nil
    loss = error
    run(machine.disconnect(JetStreamFailure(code: 0, kind: 0, text: error.message), at: .now))
  }

  func stop() {
    deadline.cancel()
    line = nil
    users = [:]
  }

  private func run(_ effects: [KeyReader.Effect]) {
    for effect in effects {
      switch effect {
      case .read(let number): read(number)
      case .appeared(let record): change(from: nil, to: record)
      case .changed(let former, let record): change(from: former, to: record)
      case .vanished(let record): change(from: record, to: nil)
      case .settled: for user in users.values { user.settle() }
      case .interrupted(let failure):
        let error = loss ?? failure.during("reading the directory")
        interruption = error
        for user in users.values { user.interrupt(error) }
        if failure.isMissing { missing() }
      case .restored:
        interruption = nil
        for user in users.values { user.restore() }
      }
    }
    deadline.set(machine.nextDeadline)
  }

  private func change(from former: DirectoryRecord?, to record: DirectoryRecord?) {
    for user in users.values { user.change(from: former, to: record, in: settings.region) }
  }

  private func read(_ number: UInt64) {
    // The machine asks again when no answer has come.
    try? line?.request([], to: settings.bucket.readRequest(key.text)) { [weak self] message in
      guard let self else { return }
      run(machine.answered(number, DirectAnswer(message), at: .now))
    }
  }
}
