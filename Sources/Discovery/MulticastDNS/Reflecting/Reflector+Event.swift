package import _BonjourishDiscovery

extension Reflector {
  /// An event or a command. The numbers of interfaces are the caller's: one keeps its number when it comes and goes.
  package enum Event: Sendable {
    /// A link can be used, or has other addresses than before.
    ///
    /// - Parameters:
    ///   - addresses: The addresses of the interface.
    ///   - mtu: The MTU of the interface in bytes.
    case linkUp(MulticastLink, addresses: [InterfaceAddress], mtu: Int)
    case linkDown(MulticastLink)
    /// Replaces the addresses of this machine, on all interfaces. What comes from them does not cross.
    case setHostAddresses(Set<IPAddress>)
    /// A datagram was sent to the group, by another host or by this one.
    case heard([UInt8], from: MulticastSource)
    /// Time has passed. Send it at ``Reflector/nextDeadline``, unless another event comes first.
    case timePassed
  }

  /// An action for the caller. Effects are carried out in order.
  package enum Effect: Hashable, Sendable {
    /// Send a datagram from port 5353 with an IP TTL or hop limit of 255 (RFC 6762 §11).
    case send([UInt8], on: MulticastLink, to: MulticastEngine.Destination)
    /// Something crosses, or does not; only if ``Reflector/isTelling`` is set.
    case note(Note)
  }

  /// A question or a record, and what becomes of it.
  package struct Note: Hashable, Sendable {
    package enum Subject: Hashable, Sendable {
      case question(DNSQuestion)
      case record(DNSRecord)
    }

    /// The way of the services: a question goes the other way.
    package let direction: ReflectionRules.Direction
    package let subject: Subject
    /// The rule that keeps it back; nil if it crosses.
    package let keptBy: ReflectionRule?
  }
}
