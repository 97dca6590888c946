package import _BonjourishBusProtocol
package import _BonjourishDiscovery
package import _BonjourishMulticastDNS

extension DaemonMachine {
  package enum Event: Sendable {
    /// There is a connection to the bus on which messages can be sent.
    case connected
    case disconnected
    case message(BusMessage)
    case answered(LookupID, Answer)
    case published(PublicationID, MulticastEngine.RegistrationChange)
    case host(MulticastEngine.HostNameChange)
    /// Replaces the interfaces of this machine, and the hardware addresses of those that have one, by their indices.
    case interfaces([NetworkInterface], hardware: [UInt32: [UInt8]] = [:])
    /// Looks something up for the simple socket. The token must not be in use.
    case resolve(SocketQuery, UInt64)
    /// Ends a lookup of the simple socket without an answer.
    case cancel(UInt64)
    /// Replaces the services of files, by the files' names.
    case services([String: [StaticService]])
    /// Replaces the hosts of files.
    case hosts([StaticHost])
    case timePassed
    /// The events of a tick have been handled. What was changed several times is published once.
    case tickEnded
  }

  /// What a question to the engine has brought.
  package enum Answer: Hashable, Sendable {
    /// - Parameter isOwn: Whether this daemon publishes the record.
    case added(DNSRecord, MulticastLink, isOwn: Bool)
    case removed(DNSRecord, MulticastLink)
    case cacheExhausted
    case settled
  }

  /// What the simple socket looks up.
  package enum SocketQuery: Hashable, Sendable {
    case address(ofHost: String, IPAddress.Family?)
    case name(of: IPAddress)
  }

  /// An action for the caller. Effects are carried out in order.
  package enum Effect: Hashable, Sendable {
    case send(BusMessage)
    case ask(LookupID, DNSName, DNSType, on: InterfaceSelection)
    case endAsking(LookupID)
    case publish(PublicationID, [PublishedRecord], on: InterfaceSelection)
    case update(PublicationID, [PublishedRecord])
    case withdraw(PublicationID)
    case setHostName(DNSName)
    /// The result for the simple socket; nil when there is none.
    case foundAddress(UInt64, ResolvedAddress?)
    case foundName(UInt64, ResolvedName?)
    /// The bus does not let this program be the daemon. The connection is of no use.
    case refused(String)
    /// The daemon can be called on the bus.
    case ready
    case log(LogMessage)
  }
}
