import DirectoryProtocol

extension OwnedValues {
  /// The bucket of the values, and its limits. All programs that use a bucket must agree on them.
  public struct Configuration: Sendable {
    /// The bucket: 1–64 letters, digits, hyphens and underscores, and not that of the services.
    public var bucket = "bonjourish-matches"
    /// The time after which others may take the values of a program that is not heard any more, 3–60 s. The program itself stops a sixth
    /// of it earlier.
    public var lease: Duration = .seconds(6)
    /// The most bytes of a value, up to 900 KiB. A server of NATS takes 1 MiB unless it is configured otherwise.
    public var maximumByteCount = 512 << 10
    /// The most bytes of all values together, if the bucket is created.
    public var maximumTotal = 1 << 30
    /// The time for which a value is kept that nobody owns, 1–1,440 min.
    public var retention: Duration = .seconds(600)

    public init() {}

    var timing: Ownership.Timing {
      var timing = Ownership.Timing()
      (timing.lease, timing.margin, timing.retention) = (lease, lease / 6, retention)
      timing.interval = min(.seconds(1), lease / 6)
      return timing
    }

    var limits: Ownership.Limits {
      var limits = Ownership.Limits()
      limits.valueSize = maximumByteCount
      return limits
    }

    func checked(for settings: DirectorySettings) throws(OwnedValueError) -> Bucket {
      func invalid(_ reason: String) -> OwnedValueError { OwnedValueError(.invalidConfiguration, "the values' \(reason)") }
      guard let bucket = Bucket(bucket, api: settings.bucket.api, lease: Lease(duration: retention)) else {
        throw invalid("bucket \"\(bucket)\" must be 1–64 letters, digits, hyphens and underscores")
      }
      guard bucket.name != settings.bucket.name else { throw invalid("bucket must not be that of the services") }
      guard (.seconds(3)...(.seconds(60))).contains(lease) else { throw invalid("lease must be 3–60 s") }
      guard (1...(900 << 10)).contains(maximumByteCount) else { throw invalid("largest size must be 1 byte to 900 KiB") }
      guard maximumTotal >= maximumByteCount else { throw invalid("total size must not be less than that of one") }
      guard (.seconds(60)...(.seconds(86_400))).contains(retention), retention >= lease * 10 else {
        throw invalid("retention must be 1–1,440 min, and at least ten leases")
      }
      return bucket
    }
  }
}
