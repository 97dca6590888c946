import _BonjourishEventLoop
import _BonjourishInterfaces

extension NetworkInterface {
  /// Finds an interface of this machine by name.
  ///
  /// - Parameter name: The name, such as `eth0`.
  /// - Throws: ``DiscoveryError`` with code `noSuchInterface` when the machine has no such interface.
  public init(named name: String) throws(DiscoveryError) {
    guard let index = InterfaceTable.index(of: name) else {
      throw DiscoveryError(
        .noSuchInterface, "there is no network interface \"\(name)\"; run `ip link` to list the interfaces")
    }
    self.init(index: index, name: name)
  }
}

extension InterfaceSelection {
  /// Makes a selection from names and patterns on a command line; one that begins with `!` is excluded.
  ///
  /// - Parameter terms: The names and patterns, such as `eth*` and `!eth7`. Without any, the selection is ``all``.
  /// - Throws: ``DiscoveryError`` with code `noSuchInterface` when the machine has no interface of a name that is included. What a
  ///   pattern matches may come later.
  public init(parsing terms: some Sequence<String>) throws(DiscoveryError) {
    self.init(terms)
    for name in included.sorted() where InterfaceSelection.only(name).onlyName != nil { _ = try NetworkInterface(named: name) }
  }
}
