import CBonjourishLinux
import _BonjourishDiscovery
import _BonjourishEventLoop
import _BonjourishInterfaces

/// What this machine knows of its interfaces, read from the kernel at most once in 100 ms.
///
/// A stranger can send hundreds of addresses in a datagram, and reading the table costs as much as the rest of the datagram.
struct InterfaceSides {
  /// How long the table is used.
  static let lifetime = Duration.milliseconds(100)

  private let now: @Sendable () -> ContinuousClock.Instant
  private let read: @Sendable () throws(SystemError) -> [InterfaceTable.Entry]
  private var sides: [NetworkInterface: AddressFilter.Side] = [:]
  private var expiry: ContinuousClock.Instant?

  /// - Parameters:
  ///   - now: The clock.
  ///   - read: Reads the table.
  init(
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
    read: @escaping @Sendable () throws(SystemError) -> [InterfaceTable.Entry] = InterfaceTable.all
  ) {
    self.now = now
    self.read = read
  }

  /// What is known of an interface. If the table cannot be read, what was known before.
  mutating func side(of interface: NetworkInterface) -> AddressFilter.Side {
    let now = now()
    if expiry.map({ now >= $0 }) ?? true {
      expiry = now + Self.lifetime
      if let entries = try? read() {
        sides = Dictionary(
          entries.map { (NetworkInterface(index: $0.index, name: $0.name), AddressFilter.Side(of: $0)) }
        ) { first, _ in first }
      }
    }
    return sides[interface] ?? .unknown
  }
}

extension AddressFilter.Side {
  fileprivate init(of entry: InterfaceTable.Entry) {
    if entry.flags & CInt(IFF_LOOPBACK) != 0 {
      self = .loopback
    } else {
      self = .network(
        entry.addresses.compactMap { own in
          IPAddress(bytes: own.bytes).map { AddressFilter.Subnet($0, prefixLength: own.prefixLength) }
        })
    }
  }
}
