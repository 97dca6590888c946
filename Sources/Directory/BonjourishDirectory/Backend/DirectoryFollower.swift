import _BonjourishDirectoryProtocol
import _BonjourishDiscovery
import _BonjourishEventLoop

/// What follows all records of a type, or of one shard of it, by a watch.
typealias DirectoryWatch = DirectoryFollower<Watch>

/// What follows one record, by reading its key again and again.
typealias DirectoryReader = DirectoryFollower<KeyReader>

/// What follows records of a directory, and the operations that use it.
///
/// Sendable: it is used on the module's loop only; the library's threads hand their messages to the loop.
final class DirectoryFollower<Machine: RecordFollower>: DirectoryLineUser, @unchecked Sendable {
  private let settings: DirectorySettings
  private weak var line: DirectoryLine?
  private(set) var machine: Machine
  /// What it does, as errors tell it.
  private let action: String
  /// Asks the directory by the request of this number.
  private let ask: (DirectoryFollower, UInt64) -> Void
  private var browsers: [OperationID: DirectoryUser] = [:]
  /// The lookups by their keys: one who resolves all that it lists has thousands, and each record concerns few of them.
  private var lookups: [DirectoryKey: [OperationID: DirectoryUser]] = [:]
  private var keys: [OperationID: DirectoryKey] = [:]
  private var interruption: DiscoveryError?
  /// Why the connection is lost.
  private var loss: DiscoveryError?
  private var subscription: NATSSubscription?
  private let loop: EventLoop
  private lazy var deadline = LoopDeadline(on: loop) { [weak self] in
    guard let self else { return }
    run(machine.advance(to: .now))
  }
  /// Called when nobody answers for the bucket.
  private let missing: () -> Void
  /// Called when the bucket allows no more watches.
  private let full: () -> Void

  private init(
    _ machine: Machine, _ settings: DirectorySettings, on loop: EventLoop, during action: String, missing: @escaping () -> Void,
    full: @escaping () -> Void = {}, ask: @escaping (DirectoryFollower, UInt64) -> Void
  ) {
    self.machine = machine
    self.settings = settings
    self.loop = loop
    self.action = action
    self.missing = missing
    self.full = full
    self.ask = ask
  }

  var isUnused: Bool { browsers.isEmpty && lookups.isEmpty }

  private var users: [DirectoryUser] { Array(browsers.values) + lookups.values.flatMap(\.values) }

  // MARK: - Operations

  /// Adds an operation, and reports to it what is known already.
  func add(_ user: DirectoryUser, as id: OperationID) {
    if let interruption { user.interrupt(interruption) }
    if let key = user.key {
      lookups[key, default: [:]][id] = user
      keys[id] = key
      if let record = machine.record(key) { user.change(from: nil, to: record, in: settings.region) }
    } else {
      browsers[id] = user
      for record in machine.records { user.change(from: nil, to: record, in: settings.region) }
    }
    if machine.isSettled { user.settle() }
  }

  func remove(_ id: OperationID) -> Bool {
    guard let key = keys.removeValue(forKey: id) else { return browsers.removeValue(forKey: id) != nil }
    lookups[key]?[id] = nil
    if lookups[key]?.isEmpty == true { lookups[key] = nil }
    return true
  }

  func count(in metrics: inout DiscoveryMetrics) {
    metrics.browsers += browsers.count
    metrics.lookups += keys.count
    metrics.directory.watches += 1
    metrics.directory.records += machine.records.count
    metrics.directory.add(machine.counters)
  }

  // MARK: - The machine

  func connect(_ line: DirectoryLine) {
    self.line = line
    loss = nil
    run(machine.start(at: .now))
  }

  func disconnect(_ error: DiscoveryError) {
    line = nil
    subscription = nil
    loss = error
    run(machine.disconnect(JetStreamFailure(code: 0, kind: 0, text: error.message), at: .now))
  }

  func stop() {
    deadline.cancel()
    subscription = nil
    line = nil
    (browsers, lookups, keys) = ([:], [:], [:])
  }

  private func run(_ effects: [Watch.Effect]) {
    carryOut(effects)
    deadline.set(machine.nextDeadline)
  }

  private func carryOut(_ effects: [Watch.Effect]) {
    for effect in effects {
      switch effect {
      case .list(let number), .read(let number): ask(self, number)
      case .goOn(let subject): try? line?.publish([], to: subject)
      case .appeared(let record): change(from: nil, to: record)
      case .changed(let former, let record): change(from: former, to: record)
      case .vanished(let record): change(from: record, to: nil)
      case .settled: for user in users { user.settle() }
      case .full: full()
      case .interrupted(let failure):
        let error = loss ?? failure.during(action)
        interruption = error
        for user in users { user.interrupt(error) }
        if failure.isMissing { missing() }
      case .restored:
        interruption = nil
        for user in users { user.restore() }
        for record in machine.records { change(from: nil, to: record) }
      }
    }
  }

  private func change(from former: DirectoryRecord?, to record: DirectoryRecord?) {
    for user in browsers.values { user.change(from: former, to: record, in: settings.region) }
    guard !lookups.isEmpty, let key = (record ?? former)?.key(in: settings.region) else { return }
    for user in (lookups[key] ?? [:]).values { user.change(from: former, to: record, in: settings.region) }
  }
}

extension DirectoryFollower<Watch> {
  /// - Parameters:
  ///   - number: The number of the watch, for its subjects.
  ///   - missing: Called when nobody answers for the bucket.
  ///   - full: Called when the bucket allows no more watches.
  convenience init(
    _ type: ServiceType, number: UInt64, _ settings: DirectorySettings, on loop: EventLoop, limits: Watch.Limits,
    missing: @escaping () -> Void, full: @escaping () -> Void
  ) {
    let machine = Watch(settings.bucket, region: settings.region, allowsLoopback: settings.allowsLoopback, limits: limits)
    let pattern = DirectoryKey.all(of: type, in: settings.region, shard: settings.shard)
    self.init(machine, settings, on: loop, during: "following the directory", missing: missing, full: full) {
      $0.list(pattern, number, $1)
    }
  }

  /// Whether a lookup of a key of its type can be answered from this watch.
  func covers(_ key: DirectoryKey) -> Bool {
    settings.shard.map { $0 == key.shard } ?? true && (machine.counters.crowdedOut == 0 || machine.record(key) != nil)
  }

  /// Subscribes to a new subject, and asks for a consumer that delivers there. Releasing the former subscription ends its consumer.
  private func list(_ pattern: String, _ number: UInt64, _ listing: UInt64) {
    subscription = nil
    guard let line else { return }
    let subject = line.subject(number, listing)
    do throws(NATSFailure) {
      subscription = try line.subscribe(subject) { [weak self] messages in
        guard let self else { return }
        let now = ContinuousClock.now
        for message in messages { carryOut(machine.received(message, listing, at: now)) }
        deadline.set(machine.nextDeadline)
      }
      try line.request(settings.bucket.watch(pattern, deliverTo: subject), to: settings.bucket.watchRequest) {
        [weak self] message in
        guard let self else { return }
        run(machine.answered(listing, JetStreamAnswer(message), at: .now))
      }
    } catch {
      // The machine asks again when no answer has come.
      subscription = nil
    }
  }
}

extension DirectoryFollower<KeyReader> {
  /// - Parameter missing: Called when nobody answers for the bucket.
  convenience init(_ key: DirectoryKey, _ settings: DirectorySettings, on loop: EventLoop, missing: @escaping () -> Void) {
    let machine = KeyReader(key, lease: settings.bucket.lease, allowsLoopback: settings.allowsLoopback)
    self.init(machine, settings, on: loop, during: "reading the directory", missing: missing) { $0.read(key, $1) }
  }

  private func read(_ key: DirectoryKey, _ number: UInt64) {
    // The machine asks again when no answer has come.
    try? line?.request([], to: settings.bucket.readRequest(key.text)) { [weak self] message in
      guard let self else { return }
      run(machine.answered(number, DirectAnswer(message), at: .now))
    }
  }
}
