/// A record that we own, or one of many that share a name.
package struct PublishedRecord: Hashable, Sendable {
  package enum Ownership: Hashable, Sendable {
    /// No other host may have records of this name: it is probed for and defended (RFC 6762 §8, §9).
    case unique
    /// Other hosts have records of this name too, as with the pointers to the instances of a type.
    case shared
  }

  package enum Content: Hashable, Sendable {
    case data(DNSData)
    /// An SRV record whose target is this host, by whatever name it has: see ``MulticastEngine/Event/setHostName(_:)``.
    case serviceOfThisHost(port: UInt16)
  }

  package let name: DNSName
  package let content: Content
  package let ownership: Ownership

  package init(_ name: DNSName, _ content: Content, _ ownership: Ownership) {
    self.name = name
    self.content = content
    self.ownership = ownership
  }
}
