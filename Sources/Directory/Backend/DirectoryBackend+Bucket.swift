import DirectoryProtocol
import Discovery
import EventLoop

/// The bucket, which is looked at after each connection, and made if there is none.
extension DirectoryBackend {
  /// The time to wait for what is told about the bucket. A user may lack the permission to ask; then it is assumed to exist.
  static let bucketPatience: Duration = .seconds(3)
  /// The time that another program needs to make the bucket, and how often it is waited for. After that, there is another stream with
  /// the bucket's subjects.
  static let creationTime: Duration = .milliseconds(200)
  static let mostConcurrentCreations = 5
  /// The shortest time between two attempts to allow more watches.
  static let raisingInterval: Duration = .seconds(10)
  /// The most that all records take, in bytes.
  static let bucketSize: Int64 = 128 << 20

  func prepare() {
    if case .online = condition {} else { condition = .preparing }
    patience?.cancel()
    patience = loop.schedule(after: Self.bucketPatience) { [weak self] in self?.assumeIsolated { $0.goOnline() } }
    ask([], settings.bucket.infoRequest) { backend, answer in
      switch answer {
      case .refused(let failure) where failure.code == 404 && backend.settings.createsBucket: backend.createBucket()
      case .refused(let failure) where failure.isNotPermitted: backend.goOnline()
      case .refused(let failure): backend.bucketFailed(failure)
      case .done(let info): backend.check(info)
      case .stored: break
      }
    }
  }

  /// - Parameter limitsWatches: Whether the bucket says how many may watch it. An account may allow fewer than that; then its limit counts.
  func createBucket(limitsWatches: Bool = true) {
    let request = settings.bucket.settings(
      replicas: settings.replicas, maximumByteCount: Self.bucketSize, limitsWatches: limitsWatches)
    ask(request, settings.bucket.creationRequest) { backend, answer in
      switch answer {
      case .refused(let failure) where failure.isLimitOfWatches && limitsWatches: backend.createBucket(limitsWatches: false)
      case .refused(let failure) where failure.overlaps && backend.concurrentCreations < Self.mostConcurrentCreations:
        backend.concurrentCreations += 1
        backend.prepare(after: Self.creationTime)
      case .refused(let failure) where !failure.isOtherStream: backend.bucketFailed(failure.makingBucket)
      case .refused, .done, .stored: backend.goOnline()
      }
    }
  }

  func check(_ info: JSONValue) {
    guard info["config"]?["allow_direct"]?.bool == true else {
      return bucketFailed(
        JetStreamFailure(code: 0, kind: 0, text: "its bucket does not allow direct reads; set allow_direct of its stream"))
    }
    let age = info["config"]?["max_age"]?.integer ?? 0
    if age <= 0 || age > 2 * 60_000_000_000 {
      log(LogMessage(.warning, "the directory keeps names of services that are gone: set max_age of its bucket to 60 s"))
    }
    goOnline()
  }

  func bucketFailed(_ failure: JetStreamFailure) {
    let reason = failure.code == 503 ? "JetStream is not enabled for this user" : failure.text
    goOffline("bucket \(settings.bucket.name): \(reason)", .warning, keepsConnection: true)
    prepare(after: Self.retryDelay)
  }

  /// Looks at the bucket again, because nobody answers for it.
  func bucketIsMissing() {
    guard case .online = condition else { return }
    prepare(after: .seconds(1))
  }

  /// Gives the bucket a limit of its own if it has none, as those of before have: newer servers put a small one in its place. Watches
  /// that were refused ask again by themselves.
  func raiseLimitOfWatches() {
    guard settings.createsBucket, limitRaised.map({ $0 + Self.raisingInterval <= .now }) ?? true else { return }
    limitRaised = .now
    ask([], settings.bucket.infoRequest) { backend, answer in
      guard case .done(let info) = answer, let request = backend.settings.bucket.withLimitOfWatches(info["config"]) else {
        return
      }
      backend.ask(request, backend.settings.bucket.updateRequest) { backend, answer in
        guard case .refused(let failure) = answer else { return }
        backend.log(LogMessage(.warning, "allowing more watches of bucket \(backend.settings.bucket.name): \(failure.text)"))
      }
    }
  }

  private func prepare(after delay: Duration) {
    retry?.cancel()
    retry = loop.schedule(after: delay) { [weak self] in self?.assumeIsolated { $0.prepare() } }
  }

  func ask(
    _ data: [UInt8], _ subject: String, _ answered: @escaping @Sendable (isolated DirectoryBackend, JetStreamAnswer) -> Void
  ) {
    let current = generation
    // What cannot be written is like what is not answered.
    try? line?.request(data, to: subject) { [weak self] message in
      self?.assumeIsolated { backend in
        guard backend.generation == current, !backend.isClosed else { return }
        answered(backend, JetStreamAnswer(message))
      }
    }
  }
}

extension JetStreamFailure {
  /// The failure to make a bucket, with what is to be done.
  var makingBucket: JetStreamFailure {
    if isNotPermitted {
      let text = "there is none, and \(text); have its operator make it, or give this user the permission"
      return JetStreamFailure(code: code, kind: kind, text: text)
    }
    guard isShortOfStorage else { return self }
    let text = "it cannot be made: \(text); make it smaller, or raise max_memory or max_file of the account at the server"
    return JetStreamFailure(code: code, kind: kind, text: text)
  }
}
