import _BonjourishDirectoryProtocol
public import _BonjourishDiscovery

extension OwnedValues {
  /// Whether values can be kept. Later versions may add cases: a `switch` has a `default` or `@unknown default`.
  #if hasAttribute(nonexhaustive)
  @nonexhaustive
  #endif
  public enum State: Hashable, Sendable {
    /// The bucket can be read and written.
    case available
    /// It cannot, for this reason, although the directory is connected: nobody takes the values of this program over. It is tried again
    /// by itself. The code is `notPermitted` if the user lacks a permission, and `limitReached` if a bucket of this size cannot be made.
    case unavailable(DiscoveryError)
  }

  /// The bucket of the values, and its limits. All programs that use a bucket must agree on the bucket and the largest size of a value.
  public struct Configuration: Sendable {
    /// The bucket: 1–64 letters, digits, hyphens and underscores, and not that of the services.
    public var bucket = "bonjourish-matches"
    /// The time after which others may take the values of this program when it is not heard any more, 3–60 s. The program itself stops a
    /// second earlier, or a sixth of the lease if that is less.
    ///
    /// Its price: until then nobody acts for the values of a program that has died. With less than 13 s, programs stop each time that
    /// a cluster loses the leader of the bucket, because electing another takes 4–9 s. The programs of a bucket may have different leases.
    public var lease: Duration = .seconds(13)
    /// The most bytes of a value, up to 900 KiB. A server of NATS takes 1 MiB unless it is configured otherwise.
    public var maximumByteCount = 512 << 10
    /// The most bytes of all values together, if the bucket is created. The account must have so much storage in files for each replica.
    public var maximumTotal = 128 << 20
    /// The time for which a value is kept that nobody owns, 1–1,440 min.
    public var retention: Duration = .seconds(600)
    /// Called when values can be kept, and when they cannot although the directory is connected; at the beginning within ten seconds.
    /// Called on any thread. It must not block.
    public var stateChanged: @Sendable (State) -> Void = { _ in }

    /// Makes a configuration, whose values are then set.
    public init() {}

    var timing: Ownership.Timing {
      var timing = Ownership.Timing()
      (timing.lease, timing.retention) = (lease, retention)
      timing.margin = min(.seconds(1), lease / 6)
      timing.interval = timing.margin
      return timing
    }

    var limits: Ownership.Limits {
      var limits = Ownership.Limits()
      limits.valueSize = maximumByteCount
      return limits
    }

    func checked(for settings: DirectorySettings) throws(OwnedValueError) -> Bucket {
      func invalid(_ reason: String) -> OwnedValueError { OwnedValueError(.invalidConfiguration, "the values' \(reason)") }
      guard let bucket = Bucket(bucket, api: settings.bucket.api, lease: RecordLease(duration: retention)) else {
        throw invalid("bucket \"\(bucket)\" must be 1–64 letters, digits, hyphens and underscores")
      }
      guard bucket.name != settings.bucket.name else { throw invalid("bucket must not be that of the services") }
      guard Ownership.leases.contains(lease) else { throw invalid("lease must be 3–60 s") }
      guard (1...(900 << 10)).contains(maximumByteCount) else { throw invalid("largest size must be 1 byte to 900 KiB") }
      guard maximumTotal >= maximumByteCount else { throw invalid("total size must not be less than that of one") }
      guard (.seconds(60)...(.seconds(86_400))).contains(retention), retention >= lease * 10 else {
        throw invalid("retention must be 1–1,440 min, and at least ten leases")
      }
      return bucket
    }
  }
}

extension OwnedValues.State: CustomStringConvertible {
  /// The state for display, such as `available`.
  public var description: String {
    switch self {
    case .available: "available"
    case .unavailable(let error): "unavailable: \(error)"
    }
  }
}
