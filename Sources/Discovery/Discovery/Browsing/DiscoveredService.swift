/// An instance that a browser has found.
public struct DiscoveredService: Hashable, Sendable, Identifiable {
  /// A hint that an instance may be gone soon.
  public enum Presence: String, Hashable, Sendable, CaseIterable {
    /// Nothing indicates that the instance is gone.
    case present
    /// A goodbye was received. The instance is lost in about a second unless a host announces it again (RFC 6762 §10.1).
    case leaving
    /// The instance did not answer at its address, or the records of its endpoint have expired, and the network is being asked.
    /// The instance is lost within ten seconds unless a host answers (RFC 6762 §10.4).
    case suspect
  }

  /// The name, type and domain.
  public let instance: ServiceInstance
  /// The interfaces, directories and address families that the instance is seen on, sorted: interfaces first, by index.
  public var links: [Link]
  /// The host, port, addresses and TXT record; nil when the browser does not resolve, or no host has answered yet.
  public var endpoint: Endpoint?
  /// Whether the instance may be gone soon. Always ``Presence/present`` for a browser without hints.
  public var presence: Presence
  /// Whether the same `Bonjour` publishes a service of this name. Names are unique on a link (RFC 6762 §9).
  ///
  /// It stays true after the service is withdrawn, until the browser loses it.
  public var isOwn: Bool

  /// Makes a service like one that a browser reports, for previews and tests.
  ///
  /// - Parameters:
  ///   - instance: The name, type and domain.
  ///   - links: The interfaces and address families that the instance is seen on.
  ///   - endpoint: The endpoint; nil when it is not known.
  ///   - presence: Whether the instance may be gone soon.
  ///   - isOwn: Whether this program publishes it.
  public init(
    instance: ServiceInstance, links: [Link], endpoint: Endpoint? = nil, presence: Presence = .present, isOwn: Bool = false
  ) {
    self.instance = instance
    self.links = links
    self.endpoint = endpoint
    self.presence = presence
    self.isOwn = isOwn
  }

  /// Makes a service that is seen over IPv4, like one that a browser reports, for previews and tests.
  public init(
    instance: ServiceInstance, interfaces: [NetworkInterface], endpoint: Endpoint? = nil, presence: Presence = .present,
    isOwn: Bool = false
  ) {
    self.init(
      instance: instance, links: interfaces.map { Link($0, .ipv4) }, endpoint: endpoint, presence: presence, isOwn: isOwn)
  }

  /// The interfaces and directories that the instance is seen on, sorted.
  public var sources: [DiscoverySource] { Set(links.map(\.source)).sorted() }

  /// The interfaces that the instance is seen on, sorted by index; none if only a directory lists it.
  public var interfaces: [NetworkInterface] { sources.compactMap(\.interface) }

  /// The part of the directory that lists the instance; nil if none does.
  public var region: String? { links.lazy.compactMap(\.source.region).first }

  /// The instance, which identifies the service on all interfaces.
  public var id: ServiceInstance { instance }
}
