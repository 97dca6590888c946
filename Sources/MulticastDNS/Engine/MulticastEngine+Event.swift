extension MulticastEngine {
  /// Names a question of the caller's; the caller chooses it and does not use it twice at a time.
  package struct QueryID: Hashable, Sendable {
    package let rawValue: UInt64

    package init(_ rawValue: UInt64) {
      self.rawValue = rawValue
    }
  }

  /// Names a group of published records; the caller chooses it and does not use it twice at a time.
  package struct RegistrationID: Hashable, Sendable {
    package let rawValue: UInt64

    package init(_ rawValue: UInt64) {
      self.rawValue = rawValue
    }
  }

  /// To whom a received datagram was sent.
  package enum Reception: Hashable, Sendable {
    /// 224.0.0.251 or FF02::FB.
    case multicast
    /// An address of this host alone.
    case unicast
  }

  /// What happened, or what is wanted.
  package enum Event: Sendable {
    /// A link can be used. What is published is probed for and announced there, what is asked is asked there.
    ///
    /// - Parameter addresses: Those of the *interface*, of both families: records of both are told on each of its links
    ///   (RFC 6762 §6.2, §20).
    case linkUp(MulticastLink, addresses: [InterfaceAddress])
    /// The addresses of a link's interface are others now. For a link that was cut off meanwhile, say `linkDown` and
    /// `linkUp`: what is published is then probed for again.
    case linkChanged(MulticastLink, addresses: [InterfaceAddress])
    /// A link is gone, and with it all that was known of it.
    case linkDown(MulticastLink)
    /// A datagram came in, our own that the kernel looped back among them.
    case received([UInt8], from: MulticastSource, to: Reception)
    /// A datagram came in from another host, and its message has been read already.
    case heard(DNSMessage, from: MulticastSource, to: Reception)
    /// Time passed: to be said no later than ``MulticastEngine/nextDeadline``.
    case timePassed
    /// The records of a name and type (or of any type) are wanted until ``endAsking(_:)``.
    ///
    /// - Parameter interface: The only interface to ask on; nil for all.
    case ask(QueryID, DNSName, DNSType, interface: UInt32?)
    /// Harmless when the question is unknown.
    case endAsking(QueryID)
    /// What these records say turned out wrong: they go within ten seconds unless somebody confirms them (RFC 6762 §10.4).
    ///
    /// - Parameter data: The one record in doubt; nil for all of the name and type.
    case reconfirm(DNSName, DNSType, DNSData?)
    /// Records to be told on a link, or on all, until ``withdraw(_:)``.
    case publish(RegistrationID, [PublishedRecord], interface: UInt32?)
    /// What is told from now on instead. A unique name that was not probed for before is.
    case update(RegistrationID, [PublishedRecord])
    /// The records are no more, and the network is told. Harmless when the registration is unknown.
    case withdraw(RegistrationID)
    /// The name of this host: its addresses are published under it. When another host has it, the next of `name-2`,
    /// `name-3`, … that is free is taken.
    case setHostName(DNSName)
    /// Sends at once the goodbyes that wait a few milliseconds for others to share a datagram with.
    case flush
    /// Says goodbye for all that is published; nothing but `linkDown` may follow.
    case shutDown
  }
}
