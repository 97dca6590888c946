/// Why discovery could not do what it was asked: what was tried, on what, why it failed, and what to do about it.
public struct DiscoveryError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of a failure; kinds may be added, so a `switch` over them needs a `default`.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// A service type breaks RFC 6763 §7 or RFC 6335 §5.1.
    public static let invalidServiceType = Code(description: "invalidServiceType")
    /// An instance name breaks RFC 6763 §4.1.1.
    public static let invalidInstanceName = Code(description: "invalidInstanceName")
    /// A key or value breaks RFC 6763 §6.
    public static let invalidTXTRecord = Code(description: "invalidTXTRecord")
    /// A port that nothing can listen on.
    public static let invalidPort = Code(description: "invalidPort")
    /// A domain name breaks RFC 1035 §2.3.4, or is outside `local`, where the built-in engine must not look.
    public static let invalidDomain = Code(description: "invalidDomain")
    /// The machine has no network interface of this name.
    public static let noSuchInterface = Code(description: "noSuchInterface")
    /// Nobody is there to do the work: avahi-daemon is out of reach, and the built-in engine not to be used or without a port.
    public static let unavailable = Code(description: "unavailable")
    /// Nobody answered within the time given.
    public static let timedOut = Code(description: "timedOut")
    /// The engine has no room for another service, browser or query.
    public static let limitReached = Code(description: "limitReached")
    /// The engine refused, for a reason that ``DiscoveryError/message`` gives.
    public static let refused = Code(description: "refused")
    /// The task was cancelled while it waited.
    public static let cancelled = Code(description: "cancelled")
  }

  public let code: Code
  /// A sentence for a person. It may quote the network: to people show the error's ``description``.
  public let message: String

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The message with everything escaped that would control a terminal, reorder a line or not show.
  public var description: String { message.visible }
}
