/// An instance that a browser has found.
public struct DiscoveredService: Hashable, Sendable, Identifiable {
  /// A hint that an instance may be gone soon. Later versions may add cases: a `switch` has a `default` or `@unknown default`.
  #if hasAttribute(nonexhaustive)
  @nonexhaustive
  #endif
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
  /// The host, port, addresses and TXT record; nil when the browser does not resolve, or no host has answered yet with an
  /// address that this machine reaches through the interface of the answer.
  public var endpoint: Endpoint?
  /// Whether the instance may be gone soon. Always ``Presence/present`` for a browser without hints.
  public var presence: Presence
  /// Whether the same `Bonjour` publishes a service of this name. Names are unique on a link (RFC 6762 §9).
  ///
  /// It stays true after the service is withdrawn, until the browser loses it.
  public var isOwn: Bool
  /// The addresses that its host tells, if this machine reaches none of them through the interface of the answer; see ``AddressFilter``.
  package var refusedAddresses: [IPAddress] = []

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

  /// Why it has no endpoint after it was asked for, in a few words.
  package var absence: String { refusedAddresses.isEmpty ? "does not answer" : "no way to its addresses" }

  /// Whether another state of it differs in the address families over which it is seen on its interfaces, and in nothing else.
  package func differsInFamilies(from other: DiscoveredService) -> Bool {
    var copy = self
    copy.links = other.links
    return copy == other && links != other.links && sources == other.sources
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

extension DiscoveredService: CustomStringConvertible {
  /// The full name, where it is seen and what is known of it for display, such as `Ada's game._http._tcp.local on eth0`.
  public var description: String {
    let places = sources.map(\.description).joined(separator: ", ")
    return "\(instance)" + (places.isEmpty ? "" : " on \(places)") + (endpoint.map { " at \($0)" } ?? "")
      + (presence == .present ? "" : ", \(presence.rawValue)") + (isOwn ? ", own" : "")
  }
}

extension DiscoveredService {
  /// What differs between two states of one service.
  public struct Differences: OptionSet, Hashable, Sendable {
    /// The kinds of differences as bits, whose meaning may change from version to version.
    public let rawValue: Int

    /// Makes a set of kinds.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The interfaces, directories or address families that it is seen on.
    public static let links = Self(rawValue: 1 << 0)
    /// The host, the port or the addresses, or whether they are known.
    public static let place = Self(rawValue: 1 << 1)
    /// The TXT record, or whether it is known.
    public static let txt = Self(rawValue: 1 << 2)
    /// Whether it may be gone soon.
    public static let presence = Self(rawValue: 1 << 3)
    /// Whether this program publishes it.
    public static let ownership = Self(rawValue: 1 << 4)
  }

  /// What differs from an earlier state of the service: of ``DiscoveryChange/updated(_:)``, what was updated.
  ///
  /// ```swift
  /// case .updated(let service):
  ///   if let former = shown.updateValue(service, forKey: service.instance), service.differences(from: former).contains(.txt) {
  ///     …
  ///   }
  /// ```
  ///
  /// - Parameter former: The state that the program knew before, which may be older than the one before this: a slow reader of changes
  ///   gets several of them as one.
  public func differences(from former: DiscoveredService) -> Differences {
    var differences: Differences = []
    if links != former.links { differences.insert(.links) }
    if endpoint?.host != former.endpoint?.host || endpoint?.port != former.endpoint?.port
      || endpoint?.addresses != former.endpoint?.addresses
    {
      differences.insert(.place)
    }
    if endpoint?.txt != former.endpoint?.txt { differences.insert(.txt) }
    if presence != former.presence { differences.insert(.presence) }
    if isOwn != former.isOwn { differences.insert(.ownership) }
    return differences
  }
}

extension DiscoveredService.Differences: CustomStringConvertible {
  /// The kinds, such as `links, txt`.
  public var description: String {
    let names: [(Self, String)] = [
      (.links, "links"), (.place, "place"), (.txt, "txt"), (.presence, "presence"), (.ownership, "ownership"),
    ]
    return names.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
  }
}
