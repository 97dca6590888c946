import _BonjourishBase

/// A failure of discovery. Its message says what was tried, on what, why it failed, and what to do.
public struct DiscoveryError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure. Later versions may add kinds, so a `switch` needs a `default`.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The name of the kind, such as `timedOut`.
    public let description: String

    /// A service type or subtype breaks RFC 6763 §7, or one to publish breaks RFC 6335 §5.1.
    public static let invalidServiceType = Code(description: "invalidServiceType")
    /// An instance name breaks RFC 6763 §4.1.1.
    public static let invalidInstanceName = Code(description: "invalidInstanceName")
    /// A TXT key or value breaks RFC 6763 §6, or the record is too large.
    public static let invalidTXTRecord = Code(description: "invalidTXTRecord")
    /// The port is 0.
    public static let invalidPort = Code(description: "invalidPort")
    /// A domain name breaks RFC 1035 §2.3.4, or is outside `local`, the only domain of the built-in engine.
    public static let invalidDomain = Code(description: "invalidDomain")
    /// A text is not the name of a record type.
    public static let invalidRecordType = Code(description: "invalidRecordType")
    /// A custom record cannot be published.
    public static let invalidRecord = Code(description: "invalidRecord")
    /// Another host has the name, and it was not to be replaced by an alternative.
    public static let nameTaken = Code(description: "nameTaken")
    /// The machine has no network interface of this name.
    public static let noSuchInterface = Code(description: "noSuchInterface")
    /// The environment variable `BONJOURISH_BACKEND` names no backend.
    public static let invalidBackend = Code(description: "invalidBackend")
    /// A directory cannot be used as it is configured: its servers, region, bucket, credentials or context are invalid.
    public static let invalidDirectory = Code(description: "invalidDirectory")
    /// No engine can be used: avahi-daemon is unreachable, and the built-in engine was not chosen or cannot use port 5353.
    public static let unavailable = Code(description: "unavailable")
    /// The network cannot be reached: no interface can be used, or a firewall or the routing table drops multicast DNS.
    public static let noNetwork = Code(description: "noNetwork")
    /// No host answered within the time limit, or the engine did not confirm a name.
    public static let timedOut = Code(description: "timedOut")
    /// The engine's limit for services, browsers or queries is reached.
    public static let limitReached = Code(description: "limitReached")
    /// A directory does not let this program in, or does not let it do this: its credentials or its permissions there are wrong.
    public static let notPermitted = Code(description: "notPermitted")
    /// A directory's server has a certificate that cannot be trusted.
    public static let untrusted = Code(description: "untrusted")
    /// The engine refused. ``DiscoveryError/message`` gives the reason.
    public static let refused = Code(description: "refused")
    /// The task was cancelled while it waited.
    public static let cancelled = Code(description: "cancelled")
  }

  /// The kind of failure.
  public let code: Code
  /// The message, unescaped. It may quote text from the network, so display ``description`` instead.
  public let message: String
  private let cause: Underlying

  package init(_ code: Code, _ message: String, because underlyingError: (any Error)? = nil) {
    self.code = code
    self.message = message
    cause = Underlying(error: underlyingError)
  }

  /// The error behind this one, such as that of a system call, or the reason of an interruption that lasted too long; nil if there is
  /// none. ``message`` tells it, too. It counts for nothing when errors are compared.
  public var underlyingError: (any Error)? { cause.error }

  /// The message for display: characters that control a terminal, reorder text or are invisible are escaped.
  public var description: String { message.escapedForDisplay }
}

/// The error behind another, which all are equal.
private struct Underlying: Hashable, Sendable {
  let error: (any Error)?

  static func == (one: Self, other: Self) -> Bool { true }

  func hash(into hasher: inout Hasher) {}
}
