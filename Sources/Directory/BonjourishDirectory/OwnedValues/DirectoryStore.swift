import _BonjourishDirectoryProtocol
import _BonjourishDiscovery
import _BonjourishEventLoop

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
  private var preparation: BucketPreparation
  /// Wakes both machines when the first of them is due.
  private lazy var deadline = LoopDeadline(on: loop) { [weak self] in
    guard let self else { return }
    run(preparation.advance(to: .now))
    run(machine.advance(to: .now))
  }

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
    var policy = BucketPreparation.Policy.ofValues
    policy.createsBucket = settings.createsBucket
    preparation = BucketPreparation(bucket, policy)
  }

  // MARK: - The connection

  func connect(_ line: DirectoryLine) {
    // The bucket of services may have been looked at again, over the same connection.
    guard self.line !== line else { return }
    self.line = line
    changes.setPayload(line.maximumPayload)
    run(preparation.connected(at: .now))
  }

  func disconnect(_ error: DiscoveryError) {
    guard line != nil else { return }
    line = nil
    subscription = nil
    preparation.disconnected()
    run(machine.disconnect(JetStreamFailure(code: 0, kind: 0, text: error.message), at: .now))
  }

  /// Gives everything up. What does that is written, but not sent yet.
  func stop() {
    run(machine.end(at: .now))
    preparation.disconnected()
    deadline.cancel()
    subscription = nil
    line = nil
    changes.finish()
  }

  func perform(_ body: (inout Ownership) -> [Ownership.Effect]) { run(body(&machine)) }

  // MARK: - The bucket

  private func run(_ effects: [BucketPreparation.Effect]) {
    for effect in effects {
      switch effect {
      case .look(let number): prepare([], bucket.infoRequest, number)
      case .create(let number, let limitsWatches):
        let request = bucket.settings(
          replicas: settings.replicas, maximumByteCount: Int64(configuration.maximumTotal),
          maximumValueSize: configuration.maximumByteCount, storage: .file, limitsWatches: limitsWatches)
        prepare(request, bucket.creationRequest, number)
      case .ready: run(machine.start(at: .now))
      case .failed(let failure): run(machine.bucketFailed(failure, at: .now))
      // Nobody asks for more watches here.
      case .update, .notRaised: break
      }
    }
    setDeadline()
  }

  private func prepare(_ data: [UInt8], _ subject: String, _ number: UInt64) {
    ask(data, subject) { store, answer in store.run(store.preparation.answered(number, answer, at: .now)) }
  }

  private func setDeadline() { deadline.set([machine.nextDeadline, preparation.nextDeadline].compactMap(\.self).min()) }

  private func tell(_ state: OwnedValues.State) {
    switch state {
    case .available: log(LogMessage(.info, "bucket \(bucket.name) of the directory can be used"))
    case .unavailable(let error): log(LogMessage(.warning, error.message))
    }
    configuration.stateChanged(state)
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
      case .goOn(let subject): try? line?.publish([], to: subject)
      case .put(let number, let key, let bytes, let owner, let expected): put(number, key, bytes, owner, expected)
      case .read(let number, let key): read(number, key)
      case .delete(let key, let expected): try? line?.delete(bucket.subject(key), expected: expected)
      case .changed(let name, let state): changes.set(name, OwnedValues.Change(name, state))
      case .orphaned(let name, let bytes): changes.offer(OwnedValues.Orphan(name: name, bytes: bytes))
      case .renew(let number, let key, let lease): renew(number, key, lease)
      case .unusable(let failure):
        let error = failure.during("keeping values in bucket \(bucket.name) of the directory")
        tell(.unavailable(failure.isFull ? DiscoveryError(.limitReached, error.message, because: failure) : error))
      case .usable: tell(.available)
      case .missing: run(preparation.missing(at: .now))
      }
    }
    changes.keepOffers { machine.offers($0) }
    setDeadline()
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
