package import _BonjourishDiscovery
import _BonjourishEventLoop
import _BonjourishInterfaces

extension AddressFilter {
  /// Decides by the kernel's routes, as they are when an answer arrives, and its interfaces, as they were at most 100 ms before.
  package static let kernel = {
    let sides = Sides()
    return AddressFilter(
      route: { address in
        switch try? RouteTable.route(to: address.bytes) {
        case .local?: .here
        case .unicast(let interface)?: .out(interface)
        case .nowhere?: .nowhere
        case nil: nil
        }
      }, side: { sides.side(of: $0) })
  }()

  /// The interfaces of this machine, for all threads.
  private final class Sides: Sendable {
    private let sides = Locked(InterfaceSides())

    func side(of interface: NetworkInterface) -> Side { sides.withLock { $0.side(of: interface) } }
  }
}
