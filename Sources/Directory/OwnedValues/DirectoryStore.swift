import DirectoryProtocol
import Discovery
import EventLoop

/// The owned values of one program in a bucket of their own: carries out what the machine asks for.
///
/// Sendable: it is used on the module's loop only; the library's threads hand their messages to the loop.
final class DirectoryStore: @unchecked Sendable {
  private let bucket: Bucket
  private let configuration: OwnedValues.Configuration
  private let settings: DirectorySettings
  private let loop: EventLoop
  private let changes: ChangeBox
  private let log: @Sendable (LogMessage) -> Void
  private weak var line: DirectoryLine?
  private var machine: Ownership
  private var subscription: NATSSubscription?
  private var timer: LoopTimer?
  private var retry: LoopTimer?
  private var isPreparing = false
  /// Whether the machine has begun, so that the bucket was there.
  private var hasBegun = false
  /// What was told last.
  private var state: OwnedValues.State?
  /// As for the bucket of the records.
  private var concurrentCreations = 0

  private static let retryDelay: Duration = .seconds(2)

  init(
    _ configuration: OwnedValues.Configuration, _ bucket: Bucket, _ settings: DirectorySettings, on loop: EventLoop,
    _ changes: ChangeBox, log: @escaping @Sendable (LogMessage) -> Void
  ) {
    self.configuration = configuration
    self.bucket = bucket
    self.settings = settings
    self.loop = loop
    self.changes = changes
    self.log = log
    machine = Ownership(
      owner: .random(in: 1 ... .max), in: settings.region, of: bucket, timing: configuration.timing,
      limits: configuration.limits)
  }

  // MARK: - The connection

  func connect(_ line: DirectoryLine) {
    // The bucket of services may have been looked at again, over the same connection.
    guard self.line !== line else { return }
    self.line = line
    changes.setPayload(line.maximumPayload)
    // A bucket that was there is looked at again only if nobody answers for it: an owner has no time to lose.
    if hasBegun { run(machine.start(at: .now)) } else { prepare() }
  }

  func disconnect(_ error: DiscoveryError) {
    guard line != nil else { return }
    line = nil
    subscription = nil
    isPreparing = false
    retry?.cancel()
    run(machine.disconnect(JetStreamFailure(code: 0, kind: 0, text: error.message), at: .now))
  }

  /// Gives everything up. What does that is written, but not sent yet.
  func stop() {
    run(machine.end(at: .now))
    timer?.cancel()
    retry?.cancel()
    subscription = nil
    line = nil
    changes.finish()
  }

  func perform(_ body: (inout Ownership) -> [Ownership.Effect]) { run(body(&machine)) }

  // MARK: - The bucket

  private func prepare() {
    guard !isPreparing, line != nil else { return }
    isPreparing = true
    // A user may lack the permission to ask; then the bucket is assumed to exist.
    retry?.cancel()
    retry = loop.schedule(after: DirectoryBackend.bucketPatience) { [weak self] in self?.begin() }
    ask([], bucket.infoRequest) { store, answer in
      switch answer {
      case .refused(let failure) where failure.code == 404 && store.settings.createsBucket: store.create()
      case .refused(let failure) where failure.isNotPermitted: store.begin()
      case .refused(let failure): store.fail(failure)
      case .done(let info) where info["config"]?["allow_direct"]?.bool != true:
        store.fail(
          JetStreamFailure(code: 400, kind: 0, text: "it does not allow direct reads; set allow_direct of its stream"))
      case .done, .stored: store.begin()
      }
    }
  }

  private func create(limitsWatches: Bool = true) {
    let request = bucket.settings(
      replicas: settings.replicas, maximumByteCount: Int64(configuration.maximumTotal),
      maximumValueSize: configuration.maximumByteCount, storage: .file, limitsWatches: limitsWatches)
    ask(request, bucket.creationRequest) { store, answer in
      switch answer {
      case .refused(let failure) where failure.isLimitOfWatches && limitsWatches: store.create(limitsWatches: false)
      case .refused(let failure) where failure.overlaps && store.concurrentCreations < DirectoryBackend.mostConcurrentCreations:
        store.concurrentCreations += 1
        store.prepare(after: DirectoryBackend.creationTime)
      case .refused(let failure) where !failure.isOtherStream: store.fail(failure.makingBucket)
      case .refused, .done, .stored: store.begin()
      }
    }
  }

  private func begin() {
    guard isPreparing else { return }
    retry?.cancel()
    isPreparing = false
    concurrentCreations = 0
    hasBegun = true
    run(machine.start(at: .now))
  }

  private func fail(_ failure: JetStreamFailure) {
    guard isPreparing else { return }
    // While a cluster elects a leader it refuses, too: the machine tells when that takes too long.
    if !hasBegun || failure.code != 503 { tell(failure) }
    prepare(after: Self.retryDelay)
  }

  private func tell(_ failure: JetStreamFailure) {
    let error = failure.during("keeping values in bucket \(bucket.name) of the directory")
    tell(.unavailable(failure.isFull ? DiscoveryError(.limitReached, error.message) : error))
  }

  private func tell(_ state: OwnedValues.State) {
    guard state != self.state else { return }
    self.state = state
    switch state {
    case .available: log(LogMessage(.info, "bucket \(bucket.name) of the directory can be used"))
    case .unavailable(let error): log(LogMessage(.warning, error.message))
    }
    configuration.stateChanged(state)
  }

  private func prepare(after delay: Duration) {
    retry?.cancel()
    retry = loop.schedule(after: delay) { [weak self] in
      self?.isPreparing = false
      self?.prepare()
    }
  }

  private func ask(
    _ data: [UInt8], _ subject: String, headers: [(name: String, value: String)] = [],
    _ answered: @escaping (DirectoryStore, JetStreamAnswer) -> Void
  ) {
    // What cannot be written is like what is not answered.
    guard let line else { return }
    try? line.request(data, to: subject, headers: headers) { [weak self, weak line] message in
      guard let self, let line, line === self.line else { return }
      answered(self, JetStreamAnswer(message))
    }
  }

  // MARK: - The machine

  private func run(_ effects: [Ownership.Effect]) {
    for effect in effects {
      switch effect {
      case .list(let number): list(number)
      case .goOn(let subject): try? line?.tell([], to: subject)
      case .put(let number, let key, let bytes, let owner, let expected): put(number, key, bytes, owner, expected)
      case .read(let number, let key): read(number, key)
      case .delete(let key, let expected): try? line?.delete(bucket.subject(key), expected: expected)
      case .changed(let name, let state): changes.set(name, OwnedValues.Change(name, state))
      case .orphaned(let name, let bytes): changes.offer(OwnedValues.Orphan(name: name, bytes: bytes))
      case .renew(let number, let key, let lease): renew(number, key, lease)
      case .unusable(let failure): tell(failure)
      case .usable: tell(.available)
      case .missing: prepare()
      }
    }
    changes.keepOffers { machine.offers($0) }
    timer?.cancel()
    timer = machine.nextDeadline.map { deadline in
      loop.schedule(at: deadline) { [weak self] in
        guard let self else { return }
        run(machine.advance(to: .now))
      }
    }
  }

  private func put(_ number: UInt64, _ key: String, _ bytes: [UInt8], _ owner: Ownership.Owner, _ expected: UInt64?) {
    var headers = [(name: DirectoryMessage.owner, value: owner.digits)]
    if let expected { headers.append((DirectoryMessage.expectedSequence, "\(expected)")) }
    ask(bytes, bucket.subject(key), headers: headers) { store, answer in
      store.run(store.machine.answered(number, answer, at: .now))
    }
  }

  private func renew(_ number: UInt64, _ key: String, _ lease: Duration) {
    let headers = [(DirectoryMessage.owner, machine.owner.digits), (DirectoryMessage.lease, Ownership.text(lease))]
    ask([], bucket.subject(key), headers: headers) { store, answer in
      store.run(store.machine.answered(number, answer, at: .now))
    }
  }

  private func read(_ number: UInt64, _ key: String) {
    guard let line else { return }
    try? line.request([], to: bucket.readRequest(key)) { [weak self, weak line] message in
      guard let self, let line, line === self.line else { return }
      run(machine.found(number, Ownership.Reading(DirectAnswer(message)), at: .now))
    }
  }

  /// Subscribes to a new subject, and asks for a consumer that delivers there. Releasing the former subscription ends its consumer.
  private func list(_ listing: UInt64) {
    subscription = nil
    guard let line else { return }
    let subject = line.newSubject()
    do throws(NATSFailure) {
      subscription = try line.subscribe(subject) { [weak self] messages in
        guard let self else { return }
        for message in messages { run(machine.received(message, listing, at: .now)) }
      }
    } catch {
      // The machine asks again when no answer has come.
      return
    }
    ask(bucket.watch(machine.pattern, deliverTo: subject, headersOnly: true), bucket.watchRequest) { store, answer in
      store.run(store.machine.listed(listing, answer, at: .now))
    }
  }
}
