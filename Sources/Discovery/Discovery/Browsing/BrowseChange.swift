/// A change of what is followed: of a browser's list of services, or of what a ``Lookup`` has found.
///
/// No case will be added: whoever applies all changes in order has the current list, and that must stay true of the programs of today.
public enum DiscoveryChange<Element: Identifiable & Hashable & Sendable>: Hashable, Sendable {
  /// A new element.
  case found(Element)
  /// A known element has changed: of a service the links, the endpoint, ``DiscoveredService/isOwn`` or, with hints,
  /// ``DiscoveredService/presence``. ``DiscoveredService/differences(from:)`` tells which.
  case updated(Element)
  /// An element is gone. The value is its last known state.
  case lost(Element)
  /// All hosts that answer at once have answered. More elements may be found later.
  ///
  /// The built-in engine asks again after 1, 3 and 7 seconds, and settles when a repeated question brings nothing new: on most
  /// networks after 1.4 s, and where datagrams are lost after at most 7.4 s.
  case settled
  /// The engine is unreachable, or the network cannot be reached (``DiscoveryError/Code/noNetwork``). Found elements stay for
  /// five seconds, in case it comes back or another engine takes over.
  case interrupted(DiscoveryError)
  /// The engine or the network is back, or another engine has taken over. Elements that it does not see within five seconds are
  /// lost, before the next ``settled``.
  case restored
}

extension DiscoveryChange: CustomStringConvertible {
  /// The change for display, such as `found Ada's game._http._tcp.local on eth0`.
  public var description: String {
    switch self {
    case .found(let element): "found \(element)"
    case .updated(let element): "updated \(element)"
    case .lost(let element): "lost \(element)"
    case .settled: "settled"
    case .interrupted(let error): "interrupted: \(error)"
    case .restored: "restored"
    }
  }
}

/// A change of a browser's list of services.
public typealias BrowseChange = DiscoveryChange<DiscoveredService>

/// The state of a browser at one time.
public struct BrowseSnapshot: Hashable, Sendable {
  /// The services, sorted by name.
  public var services: [DiscoveredService]
  /// Whether all hosts that answer at once have answered.
  public var isSettled: Bool
  /// The reason why the engine or the network is unreachable; nil when it is reachable.
  public var interruption: DiscoveryError?

  /// Makes a snapshot like one of a browser, for previews and tests.
  ///
  /// - Parameters:
  ///   - services: The services, sorted by name.
  ///   - isSettled: Whether all hosts that answer at once have answered.
  ///   - interruption: The reason why the engine or the network is unreachable; nil when it is reachable.
  public init(services: [DiscoveredService] = [], isSettled: Bool = false, interruption: DiscoveryError? = nil) {
    self.services = services
    self.isSettled = isSettled
    self.interruption = interruption
  }
}
