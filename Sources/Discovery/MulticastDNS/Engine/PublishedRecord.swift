/// A record to publish.
package struct PublishedRecord: Hashable, Sendable {
  package enum Ownership: Hashable, Sendable {
    /// No other host may have records of this name. The name is probed for and defended (RFC 6762 §8, §9).
    case unique
    /// Other hosts may have records of this name too, such as the PTR records of a service type.
    case shared
  }

  package enum Content: Hashable, Sendable {
    case data(DNSData)
    /// An SRV record whose target is this host's current name: see ``MulticastEngine/Event/setHostName(_:in:)``.
    case serviceOfThisHost(port: UInt16)
  }

  package let name: DNSName
  package let content: Content
  package let ownership: Ownership
  /// The time to live in seconds; nil for that of the type (RFC 6762 §10).
  package var timeToLive: UInt32?
  /// Of a unique record: whether other hosts are asked before whether they have the name (RFC 6762 §8.1).
  package var isProbed = true
  /// Whether it is announced, and not only given to those who ask.
  package var isAnnounced = true

  package init(_ name: DNSName, _ content: Content, _ ownership: Ownership) {
    self.name = name
    self.content = content
    self.ownership = ownership
  }
}
