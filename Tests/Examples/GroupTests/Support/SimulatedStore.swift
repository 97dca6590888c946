import DirectoryModel
import _BonjourishDirectoryProtocol

/// What `DirectoryStore` and `OwnedValues` do in a program: carries out what ``Ownership`` asks for, and merges the changes for one reader.
final class SimulatedStore {
  enum Change: Hashable {
    case changed(String, Ownership.State)
    case orphaned(String, [UInt8])
  }

  private let timeline: Timeline
  private let process: Process
  private let bucket: Bucket
  let link: DirectoryLink
  private(set) var machine: Ownership
  private var preparation: BucketPreparation
  private let inbox: String
  private var subscription: String?
  private var lastNumber = 0
  private var waiting: [String: (DirectoryMessage) -> Void] = [:]
  private var timer: Timeline.Entry?

  // What the reader has not taken yet.
  private var changes: [String: Ownership.State] = [:]
  private var order: [String] = []
  private var offers: [(name: String, bytes: [UInt8])] = []
  private var isReading = false

  /// Called on the connections' thread with one change after the other.
  var changed: (Change) -> Void = { _ in }

  init(
    _ timeline: Timeline, _ process: Process, _ network: DirectoryNetwork, _ bucket: Bucket, owner: UInt64,
    timing: Ownership.Timing
  ) {
    (self.timeline, self.process, self.bucket) = (timeline, process, bucket)
    link = DirectoryLink(network, process)
    machine = Ownership(owner: owner, in: Region("world")!, of: bucket, timing: timing)
    preparation = BucketPreparation(bucket, .ofValues)
    inbox = "_INBOX.\(owner.digits)"
    link.connected = { [unowned self] in connected() }
    link.disconnected = { [unowned self] in disconnected() }
    link.received = { [unowned self] in received($0) }
  }

  // MARK: - The program's side

  /// Passes a command from the connections' thread.
  func perform(_ body: @escaping (inout Ownership, ContinuousClock.Instant) -> [Ownership.Effect]) {
    process.post(to: .directory) { [self] in run(body(&machine, timeline.instant)) }
  }

  /// Gives everything up.
  func end() {
    process.run(on: .directory) { [self] in
      run(machine.end(at: timeline.instant))
      preparation.disconnected()
      timeline.cancel(timer)
      timer = nil
      link.close()
    }
  }

  // MARK: - The connection

  private func connected() {
    subscription = nil
    waiting = [:]
    link.send { [inbox] model, client, now in model.subscribe(client, to: "\(inbox).r.*", at: now) }
    run(preparation.connected(at: timeline.instant))
  }

  private func disconnected() {
    subscription = nil
    preparation.disconnected()
    waiting = [:]
    run(machine.disconnect(JetStreamFailure(code: 0, kind: 0, text: "lost"), at: timeline.instant))
  }

  private func run(_ effects: [BucketPreparation.Effect]) {
    for effect in effects {
      switch effect {
      case .look(let number): prepare([], bucket.infoRequest, number)
      case .create(let number, let limitsWatches):
        let settings = bucket.settings(
          replicas: 3, maximumByteCount: 1 << 30, maximumValueSize: 512 << 10, storage: .file, limitsWatches: limitsWatches)
        prepare(settings, bucket.creationRequest, number)
      case .ready: run(machine.start(at: timeline.instant))
      case .failed(let failure): run(machine.bucketFailed(failure, at: timeline.instant))
      case .update, .notRaised: break
      }
    }
    wakeInTime()
  }

  private func prepare(_ data: [UInt8], _ subject: String, _ number: UInt64) {
    ask(data, subject) { [self] in run(preparation.answered(number, $0, at: timeline.instant)) }
  }

  private func wakeInTime() {
    timeline.cancel(timer)
    timer = [machine.nextDeadline, preparation.nextDeadline].compactMap(\.self).min().map { deadline in
      process.at(timeline.duration(deadline), on: .directory) { [self] in
        run(preparation.advance(to: timeline.instant))
        run(machine.advance(to: timeline.instant))
      }
    }
  }

  private func ask(
    _ data: [UInt8], _ subject: String, headers: [String: String] = [:], _ answered: @escaping (JetStreamAnswer) -> Void
  ) {
    request(data, subject, headers) { answered(JetStreamAnswer($0)) }
  }

  private func request(
    _ data: [UInt8], _ subject: String, _ headers: [String: String] = [:], _ answered: @escaping (DirectoryMessage) -> Void
  ) {
    guard link.isConnected else { return }
    lastNumber += 1
    let reply = "\(inbox).r.\(lastNumber)"
    waiting[reply] = answered
    link.send { $0.publish(.init(data, to: subject, reply: reply, headers: headers), from: $1, at: $2) }
  }

  private func tell(_ subject: String, headers: [String: String] = [:]) {
    link.send { $0.publish(.init(to: subject, headers: headers), from: $1, at: $2) }
  }

  private func received(_ sent: DirectoryModel.Sent) {
    if let answered = waiting.removeValue(forKey: sent.message.subject) { return answered(sent.message) }
    guard sent.subscription == subscription, let dot = sent.subscription.lastIndex(of: "."),
      let number = UInt64(sent.subscription[sent.subscription.index(after: dot)...])
    else { return }
    run(machine.received(sent.message, number, at: timeline.instant))
  }

  // MARK: - The machine

  private func run(_ effects: [Ownership.Effect]) {
    for effect in effects {
      switch effect {
      case .list(let number): list(number)
      case .goOn(let subject): tell(subject)
      case .put(let number, let key, let bytes, let owner, let expected):
        var headers = [DirectoryMessage.owner: owner.digits]
        headers[DirectoryMessage.expectedSequence] = expected.map { "\($0)" }
        ask(bytes, bucket.subject(key), headers: headers) { [self] in run(machine.answered(number, $0, at: timeline.instant)) }
      case .read(let number, let key):
        request([], bucket.readRequest(key)) { [self] message in
          run(machine.found(number, Ownership.Reading(DirectAnswer(message)), at: timeline.instant))
        }
      case .delete(let key, let expected):
        var headers = [DirectoryMessage.operation: "DEL"]
        headers[DirectoryMessage.expectedSequence] = expected.map { "\($0)" }
        tell(bucket.subject(key), headers: headers)
      case .changed(let name, let state):
        if changes.updateValue(state, forKey: name) == nil { order.append(name) }
      case .orphaned(let name, let bytes):
        offers.removeAll { $0.name == name }
        offers.append((name, bytes))
      case .renew(let number, let key, let lease):
        let headers = [DirectoryMessage.owner: machine.owner.digits, DirectoryMessage.lease: Ownership.text(lease)]
        ask([], bucket.subject(key), headers: headers) { [self] in run(machine.answered(number, $0, at: timeline.instant)) }
      case .usable, .unusable: break
      case .missing: run(preparation.missing(at: timeline.instant))
      }
    }
    offers.removeAll { !machine.offers($0.name) }
    read()
    wakeInTime()
  }

  private func list(_ number: UInt64) {
    if let former = subscription {
      link.send { model, client, now in
        model.unsubscribe(client, from: former, at: now)
        return []
      }
    }
    let subject = "\(inbox).v.\(number)"
    subscription = subject
    link.send { $0.subscribe($1, to: subject, at: $2) }
    ask(bucket.watch(machine.pattern, deliverTo: subject, headersOnly: true), bucket.watchRequest) { [self] answer in
      run(machine.listed(number, answer, at: timeline.instant))
    }
  }

  /// Hands the changes to the reader, one after the other.
  private func read(isNext: Bool = false) {
    guard !isReading, !order.isEmpty || !offers.isEmpty else { return }
    isReading = true
    process.post(to: .connections, within: isNext ? 100 : 3_000) { [self] in
      isReading = false
      if !order.isEmpty {
        let name = order.removeFirst()
        changed(.changed(name, changes.removeValue(forKey: name)!))
      } else if !offers.isEmpty {
        let offer = offers.removeFirst()
        changed(.orphaned(offer.name, offer.bytes))
      }
      read(isNext: true)
    }
  }
}
