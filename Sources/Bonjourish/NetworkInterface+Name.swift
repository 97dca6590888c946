import EventLoop

extension NetworkInterface {
  /// The machine's interface of a name.
  ///
  /// - Parameter name: Such as `eth0`.
  /// - Throws: ``DiscoveryError`` with code `noSuchInterface`.
  public init(named name: String) throws(DiscoveryError) {
    guard let index = InterfaceTable.index(of: name) else {
      throw DiscoveryError(
        .noSuchInterface, "there is no network interface \"\(name)\"; `ip link` lists those there are")
    }
    self.init(index: index, name: name)
  }
}
