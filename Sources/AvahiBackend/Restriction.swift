#if Avahi
import CAvahi.Common
import Discovery
import EventLoop

/// The interface that an operation is restricted to. It is known by its name: an interface that is made again, such as a USB
/// adapter or a tunnel, gets another index from the kernel.
struct Restriction {
  private let name: String?
  /// Avahi's index of the interface, as of the last ``refresh()``; its value for any interface when there is no restriction; nil
  /// when the interface does not exist.
  private(set) var index: AvahiIfIndex?

  /// - Parameter interface: The only interface; nil for all.
  init(to interface: NetworkInterface?) {
    name = interface?.name
    refresh()
  }

  /// Whether the operation has to follow the machine's interfaces.
  var isByName: Bool { name != nil }

  /// Asks the kernel for the index, and returns whether it has changed.
  @discardableResult
  mutating func refresh() -> Bool {
    let former = index
    if let name {
      index = InterfaceTable.index(of: name).flatMap(AvahiIfIndex.init(exactly:))
    } else {
      index = AvahiIfIndex(AVAHI_IF_UNSPEC)
    }
    return index != former
  }

  /// The reason for an interruption while the interface does not exist, or after it was made again.
  func interruption(of action: String) -> DiscoveryError {
    let state = index == nil ? "is gone; it is used again when it is back" : "was made again"
    return DiscoveryError(.unavailable, "\(action): the network interface \"\(name ?? "")\" \(state)")
  }
}
#endif
