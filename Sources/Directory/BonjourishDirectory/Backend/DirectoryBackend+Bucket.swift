import _BonjourishBase
import _BonjourishDirectoryProtocol
import _BonjourishDiscovery
import _BonjourishEventLoop

/// The bucket, which is looked at after each connection, and made if there is none.
extension DirectoryBackend {
  /// The most that all records take, in bytes.
  static let bucketSize: Int64 = 128 << 20

  /// Carries out what the machine of the bucket asks for.
  func run(_ effects: [BucketPreparation.Effect]) {
    let bucket = settings.bucket
    for effect in effects {
      switch effect {
      case .look(let number):
        if case .online = condition {} else { condition = .preparing }
        ask([], bucket.infoRequest, number)
      case .create(let number, let limitsWatches):
        let request = bucket.settings(
          replicas: settings.replicas, maximumByteCount: Self.bucketSize, limitsWatches: limitsWatches)
        ask(request, bucket.creationRequest, number)
      case .update(let number, let request): ask(request, bucket.updateRequest, number)
      case .ready(let config):
        if let config { checkAge(config) }
        goOnline()
      case .failed(let failure):
        let reason = failure.code == 503 ? "JetStream is not enabled for this user" : failure.text
        goOffline("bucket \(bucket.name): \(reason)", .warning, keepsConnection: true, because: failure)
      case .notRaised(let failure):
        log(LogMessage(.warning, "allowing more watches of bucket \(bucket.name): \(failure.text)"))
      }
    }
    setDeadline()
  }

  private func checkAge(_ config: JSONValue) {
    let age = config["max_age"]?.integer ?? 0
    guard age <= 0 || age > 2 * 60_000_000_000 else { return }
    log(LogMessage(.warning, "the directory keeps names of services that are gone: set max_age of its bucket to 60 s"))
  }

  private func ask(_ data: [UInt8], _ subject: String, _ number: UInt64) {
    let current = generation
    // What cannot be written is like what is not answered.
    try? line?.request(data, to: subject) { [weak self] message in
      self?.assumeIsolated { backend in
        guard backend.generation == current, !backend.isClosed else { return }
        backend.run(backend.preparation.answered(number, JetStreamAnswer(message), at: .now))
      }
    }
  }
}
