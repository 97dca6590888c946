/// What a browser knows of one instance.
public struct DiscoveredService: Hashable, Sendable, Identifiable {
  /// How sure it is that an instance is still there.
  public enum Presence: String, Hashable, Sendable, CaseIterable {
    /// Nothing speaks against it.
    case present
    /// Somebody said goodbye for it: it is lost in about a second unless somebody says that it is there (RFC 6762 §10.1).
    case leaving
    /// It did not answer where it should be, and the network is being asked: it is lost within ten seconds unless somebody
    /// answers (RFC 6762 §10.4).
    case suspect
  }

  public let instance: ServiceInstance
  /// The interfaces that it is seen on, in the order of their numbers.
  public var interfaces: [NetworkInterface]
  /// Where it is and what it says of itself; nil when the browser does not resolve, or nobody has answered so far.
  public var endpoint: Endpoint?
  /// Whether it may be gone soon. Without hints a browser does not tell: it is ``Presence/present`` until it is lost.
  public var presence: Presence

  public init(
    instance: ServiceInstance, interfaces: [NetworkInterface], endpoint: Endpoint? = nil, presence: Presence = .present
  ) {
    self.instance = instance
    self.interfaces = interfaces
    self.endpoint = endpoint
    self.presence = presence
  }

  public var id: ServiceInstance { instance }
}
