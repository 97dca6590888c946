/// A reason why mDNS does not reach the network.
package enum NetworkOutage: Hashable, Sendable {
  /// No interface is up with a carrier, an address and multicast.
  case noInterface
  /// The only interface that an operation may use is gone, is down, or has no address.
  case unusableInterface(String)
  /// None of the interfaces that an operation may use can be used.
  case noneSelected(InterfaceSelection)
  /// The system does not let the engine use any interface.
  case refused(interface: String, reason: String)
  /// The system or its firewall does not let anything be sent.
  case cannotSend(interface: String, reason: String)
  /// What is sent does not come back, as multicast does, so what others send does not arrive either.
  case notHeard(interface: String)

  /// The outage of an operation whose interfaces cannot be used.
  package static func nothingUsable(of interfaces: InterfaceSelection) -> NetworkOutage {
    if interfaces == .all { return .noInterface }
    return interfaces.onlyName.map { .unusableInterface($0) } ?? .noneSelected(interfaces)
  }

  /// The reason and the remedy, as a part of a sentence.
  package var explanation: String {
    switch self {
    case .noInterface:
      "no network interface can be used: none is up with a carrier, an address and multicast; connect this machine to a network"
    case .unusableInterface(let name):
      "the network interface \"\(name)\" is gone, is down, or has no carrier or address; it is used again when that has changed"
    case .noneSelected(let interfaces):
      "none of the network interfaces that were chosen (\(interfaces)) is up with a carrier and an address; they are used when "
        + "that has changed"
    case .refused(let name, let reason):
      "mDNS cannot be used on \(name) (\(reason)); see the log for other interfaces"
    case .cannotSend(let name, let reason):
      "nothing can be sent on \(name) (\(reason)); let the firewall and the routing table allow multicast to UDP port 5353"
    case .notHeard(let name):
      "what is sent on \(name) to UDP port 5353 is not received there, so a firewall may drop it; let it allow this port"
    }
  }

  /// The outage as the reason why only services of this machine can be found.
  ///
  /// - Parameter isBesideDirectory: Whether services are also found in a directory, of which this says nothing.
  package func limitation(besideDirectory isBesideDirectory: Bool = false) -> DiscoveryError {
    let scope = isBesideDirectory ? "outside the directory, " : ""
    return DiscoveryError(.noNetwork, "\(scope)only services of this machine can be found: \(explanation)")
  }

  /// The outage as an error.
  ///
  /// - Parameter action: The action that fails, such as `browsing _http._tcp`.
  package func during(_ action: String) -> DiscoveryError {
    DiscoveryError(.noNetwork, "\(action): \(explanation)")
  }
}
