package import _BonjourishDiscovery

extension MulticastEngine {
  /// The ID of a question. The caller chooses it, and must not use it for two questions at once.
  package struct QueryID: Hashable, Sendable {
    package let rawValue: UInt64

    package init(_ rawValue: UInt64) {
      self.rawValue = rawValue
    }
  }

  /// The ID of a group of published records. The caller chooses it, and must not use it for two groups at once.
  package struct RegistrationID: Hashable, Sendable {
    package let rawValue: UInt64

    package init(_ rawValue: UInt64) {
      self.rawValue = rawValue
    }
  }

  /// The ID of a set of links that operations use. The caller chooses it.
  package struct ScopeID: Hashable, Sendable {
    package let rawValue: UInt32

    package init(_ rawValue: UInt32) {
      self.rawValue = rawValue
    }
  }

  /// The kind of address that a received datagram was sent to.
  package enum Reception: Hashable, Sendable {
    /// 224.0.0.251 or FF02::FB.
    case multicast
    /// An address of this host.
    case unicast
  }

  /// An event or a command.
  package enum Event: Sendable {
    /// A link can be used. The records of its scopes are probed for and announced there, and their questions are asked there.
    ///
    /// - Parameter addresses: The addresses of the *interface*, of both families: records of both are published on each of its
    ///   links (RFC 6762 §6.2, §20).
    case linkUp(MulticastLink, addresses: [InterfaceAddress])
    /// The addresses of a link's interface have changed. For a link that was disconnected in between, send `linkDown` and
    /// `linkUp`: all records are then probed for again.
    case linkChanged(MulticastLink, addresses: [InterfaceAddress])
    /// The MTU of a link's interface in bytes; 1,500 unless sent. Records are packed into datagrams that fit into it, if it is
    /// smaller than that (RFC 6762 §17).
    case mtuChanged(MulticastLink, bytes: Int)
    /// A link is gone. All records known there are removed.
    case linkDown(MulticastLink)
    /// Replaces the addresses of this host. Those of links are known anyway; these are of other interfaces, which other processes of
    /// this host may use on the same network. Whatever comes from them is not from another host.
    case setHostAddresses(Set<IPAddress>)
    /// Replaces the links of a scope, which need not be up. Before this event a scope has none. On the links that it gains, what is
    /// in it begins; on those that it loses, it ends: with goodbyes, and with `removed` for known answers.
    case setScope(ScopeID, Set<MulticastLink>)
    /// A datagram was received, possibly one of our own that the kernel looped back.
    case received([UInt8], from: MulticastSource, to: Reception)
    /// The parsed message of a datagram from another host.
    case heard(DNSMessage, from: MulticastSource, to: Reception)
    /// Time has passed. Send it at ``MulticastEngine/nextDeadline``, unless another event comes first.
    case timePassed
    /// Asks for the records of a name and type (or of any type) until ``endAsking(_:)``. For addresses, the aliases of the name and
    /// the addresses of what they stand for are answers too.
    ///
    /// - Parameter in: The links to ask on; nil for all.
    case ask(QueryID, DNSName, DNSType, in: ScopeID? = nil)
    /// Ends a question. Does nothing when the question is unknown.
    case endAsking(QueryID)
    /// Reports that records turned out wrong. They are removed within ten seconds unless confirmed (RFC 6762 §10.4).
    ///
    /// - Parameters:
    ///   - data: The one record in doubt; nil for all of the name and type.
    ///   - in: The links that it was seen on; nil for all.
    case reconfirm(DNSName, DNSType, DNSData?, in: ScopeID? = nil)
    /// Publishes records until ``withdraw(_:)``.
    ///
    /// - Parameters:
    ///   - in: The links to publish on; nil for all.
    ///   - sharingNames: Whether its unique names may be the host's, and those of others that share names. Whoever publishes them has
    ///     made sure that their records agree. Without it, registrations with the same name must differ in their interfaces.
    case publish(RegistrationID, [PublishedRecord], in: ScopeID? = nil, sharingNames: Bool = false)
    /// Replaces the records of a registration. A new unique name is probed for.
    case update(RegistrationID, [PublishedRecord])
    /// Withdraws the records with goodbyes. Does nothing when the registration is unknown.
    case withdraw(RegistrationID)
    /// Publishes the addresses of this host under a name. When another host has it, the next free one of `name-2`, `name-3`
    /// and so on is taken.
    ///
    /// - Parameters:
    ///   - in: The links to publish them on, which must include those of all services of this host; nil for all.
    ///   - withAddresses: Whether there are addresses at all. Without them the name is not probed for either: it only is what
    ///     services point to.
    case setHostName(DNSName, in: ScopeID? = nil, withAddresses: Bool = true)
    /// Sends waiting goodbyes at once. They wait a few milliseconds to share a datagram with others.
    case flush
    /// Withdraws all records with goodbyes. Only `linkDown` may follow.
    case shutDown
  }
}
