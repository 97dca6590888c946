import _BonjourishBase

/// Where something was found: on a network interface of this machine, or in a directory.
public struct DiscoverySource: Hashable, Sendable, Comparable, CustomStringConvertible {
  private enum Place: Hashable, Comparable {
    case interface(NetworkInterface)
    case directory(String)
  }

  private let place: Place

  /// Makes the source of what is seen on an interface.
  public init(_ interface: NetworkInterface) { place = .interface(interface) }

  private init(region: String) { place = .directory(region) }

  /// Makes the source of what a directory lists.
  ///
  /// - Parameter region: The part of the directory, such as `world`.
  public static func directory(_ region: String) -> Self { Self(region: region) }

  /// The interface; nil for a directory.
  public var interface: NetworkInterface? { if case .interface(let interface) = place { interface } else { nil } }

  /// The part of the directory; nil for an interface.
  public var region: String? { if case .directory(let region) = place { region } else { nil } }

  /// The name of the interface, such as `eth0`, or `directory:` and the region. No interface has a colon in its name.
  public var name: String {
    switch place {
    case .interface(let interface): interface.name
    case .directory(let region): "directory:\(region)"
    }
  }

  /// The name for display: characters that control a terminal, reorder text or are invisible are escaped.
  public var description: String { name.escapedForDisplay }

  /// Interfaces come first, by index and name; then directories, by region.
  public static func < (one: Self, other: Self) -> Bool { one.place < other.place }
}
