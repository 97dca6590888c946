import _BonjourishDiscovery
import _BonjourishEventLoop
import _BonjourishInterfaces

extension Bonjour {
  /// Finds the addresses of a host.
  ///
  /// It returns when the host has answered for both families, or 150 ms after its first address that is not link-local. Aliases
  /// are followed (CNAME records; the built-in engine follows up to four in a row).
  ///
  /// ```swift
  /// let addresses = try await bonjour.addresses(ofHost: "printer.local")
  /// ```
  ///
  /// - Parameters:
  ///   - host: The host's name, such as `printer.local`.
  ///   - interfaces: The interfaces to ask on.
  ///   - limit: The longest time to wait.
  /// - Returns: The addresses that this machine reaches through the interface of the answer, in the order in which to try them, at
  ///   least one: link-local and loopback addresses last. A link-local IPv6 address has a zone.
  /// - Throws: ``DiscoveryError`` with code `timedOut` when no host answers in time, `noNetwork` when the network cannot be
  ///   reached, `unavailable` when the daemon is away at the end of the limit, `cancelled`, `limitReached`, `refused`, or
  ///   `invalidDomain` for a name outside multicast DNS.
  public func addresses(
    ofHost host: DomainName, interfaces: InterfaceSelection = .all, within limit: Duration = .seconds(5)
  ) async throws(DiscoveryError) -> [IPAddress] {
    let action = "looking up the addresses of \(host)"
    let questions = [RecordType.a, .aaaa].map { RecordQuestion(.domain(host), $0, interfaces: interfaces) }
    let demand = LookupCore<HostAddress>.Demand(isElementNeeded: true) { !$0.address.isLinkLocal }
    let found = try await lookUp(questions, .addresses(filter), during: action, demand, within: limit)
    guard !found.isEmpty else {
      throw noAnswer(
        during: action, within: limit, hint: "the host may be off, or the name may be wrong: write it like printer.local")
    }
    return found.map(\.address).inOrderOfPreference
  }

  /// Finds the names of the host that has an address.
  ///
  /// It asks for PTR records in reverse mapping, which avahi-daemon and the built-in engine publish. Many other hosts do not.
  ///
  /// - Parameters:
  ///   - address: The address. The zone of a link-local IPv6 address is the only interface to ask on, unless one is given.
  ///   - interfaces: The interfaces to ask on.
  ///   - limit: The longest time to wait.
  /// - Returns: The names, at least one, sorted.
  /// - Throws: ``DiscoveryError`` like ``addresses(ofHost:interfaces:within:)``, and with code `noSuchInterface` when the machine
  ///   has no interface with the name of the address' zone.
  public func hostNames(
    of address: IPAddress, interfaces: InterfaceSelection = .all, within limit: Duration = .seconds(5)
  ) async throws(DiscoveryError) -> [DomainName] {
    let action = "looking up the name of \(address)"
    var interfaces = interfaces
    if interfaces == .all, let zone = address.zone { interfaces = .only(try NetworkInterface(zone: zone)) }
    let question = RecordQuestion(.domain(DomainName(reverseOf: address)), .ptr, interfaces: interfaces)
    let demand = LookupCore<HostName>.Demand(isElementNeeded: true) { _ in true }
    let found = try await lookUp([question], .hostNames, during: action, demand, within: limit)
    guard !found.isEmpty else {
      throw noAnswer(
        during: action, within: limit, hint: "the host may be off, or may not publish its name for its address, as many do not")
    }
    return found.map(\.id)
  }

  /// The error when nothing was found in time.
  private func noAnswer(during action: String, within limit: Duration, hint: String) -> DiscoveryError {
    if let reason = self.limit.reason {
      return DiscoveryError(.noNetwork, "\(action): no program of this machine answered within \(limit), and \(reason.message)")
    }
    return DiscoveryError(.timedOut, "\(action): no host answered within \(limit); \(hint)")
  }
}

extension NetworkInterface {
  /// Finds the interface of a zone: its name, or its index (RFC 4007 §11.2).
  fileprivate init(zone: String) throws(DiscoveryError) {
    if let index = UInt32(zone), let name = InterfaceTable.name(of: index) {
      self.init(index: index, name: name)
    } else {
      try self.init(named: zone)
    }
  }
}
