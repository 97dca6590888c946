import EventLoop

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
