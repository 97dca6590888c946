import CBonjourishLinux
package import _BonjourishDiscovery
import _BonjourishEventLoop

extension InterfaceState.Kind {
  /// The drivers of what connects this machine with its own containers and virtual machines.
  private static let insideDrivers: Set = ["veth", "tun", "dummy"]
  /// The drivers of what takes in all that arrives on its members.
  private static let ownerDrivers: Set = ["bridge", "bond", "team", "openvswitch"]

  /// - Parameters:
  ///   - entry: The interface.
  ///   - all: All interfaces of this machine, for a bridge leads where its ports lead.
  package init(of entry: InterfaceTable.Entry, among all: [InterfaceTable.Entry]) {
    if entry.flags & CInt(IFF_LOOPBACK) != 0 {
      self = .loopback
    } else if let owner = entry.memberKind, Self.ownerDrivers.contains(owner) {
      self = .port
    } else if entry.flags & CInt(IFF_MULTICAST) == 0 || entry.flags & CInt(IFF_POINTOPOINT) != 0 {
      self = .tunnel
    } else {
      switch entry.kind {
      case "veth", "dummy": self = .inside
      case "bridge":
        let ports = all.lazy.filter { $0.owner == entry.index }
        self = ports.allSatisfy { $0.kind.map(Self.insideDrivers.contains) ?? false } ? .inside : .network
      default: self = .network
      }
    }
  }
}

extension InterfaceState {
  /// The interfaces of this machine.
  @Sendable package static func ofThisMachine() -> [InterfaceState] {
    LocalInterface.all().map { $0.state(over: IPAddress.Family.allCases) }
  }
}
