package import _BonjourishDiscovery

/// What is configured.
package struct DaemonSettings: Hashable, Sendable {
  /// The first label of the host's name; nil for that of the machine.
  package var hostName: String?
  /// Where the daemon publishes. The configuration has no other, so that ``publishesDomain`` has no effect.
  package var domain = "local"
  /// The interfaces and families to use at all.
  package var interfaces = InterfaceSelection.all
  /// What a browser for domains is told at once.
  package var browseDomains: [String] = []
  /// Whether programs may publish nothing; files may.
  package var disallowsUserPublishing = false
  /// Whether nothing at all is published.
  package var disallowsPublishing = false
  /// Whether the host's addresses are published.
  package var publishesAddresses = true
  /// Whether the domain is listed among those to browse (RFC 6763 §11).
  package var publishesDomain = false
  /// What is told of the machine under its name; nil for nothing.
  package var hostInformation: HostInformation?
  /// Whether programs may publish names outside of `local` without saying that they mean multicast DNS.
  package var publishesOtherDomains = true
  /// Whether each interface is listed as a workstation, with its hardware address.
  package var publishesWorkstation = false
  /// Whether services get a TXT string by which this daemon's are told from others.
  package var addsServiceCookie = false
  package var limits = DaemonLimits()
  package var usesBus = true
  /// Whether it is ready only when programs can call it on the bus.
  package var needsBus = true
  /// Whether names of hosts are resolved by the system's library, too.
  package var hasNameService = false

  package init() { interfaces.usesEveryKind = true }
}

/// The contents of a HINFO record (RFC 1035 §3.3.2).
package struct HostInformation: Hashable, Sendable {
  /// Such as `X86_64`.
  package var processor: String
  /// Such as `LINUX`.
  package var system: String

  package init(processor: String, system: String) { (self.processor, self.system) = (processor, system) }
}

/// How much programs may have.
package struct DaemonLimits: Hashable, Sendable {
  /// The number of programs that have objects, or had some and are still on the bus.
  package var clients = 4_096
  /// The number of objects of all programs.
  package var objects = 200_000
  package var objectsPerClient = 100_000
  /// The number of entries of all groups.
  package var entries = 400_000
  package var entriesPerGroup = 100_000
  /// The number of interfaces and families that a group may name.
  package var linksPerGroup = 256
  /// The number of unique records of a name and type.
  package var uniqueRecordsPerSet = 256
  /// The number of calls of a program that are not answered yet.
  package var callsPerClient = 4_096
  /// The bytes of records that a program may publish.
  package var bytesPerClient = 64 << 20
  /// The bytes of records that all programs may publish.
  package var bytes = 256 << 20
  /// About the bytes of calls that may wait until the users of their programs are known.
  package var bytesHeld = 16 << 20
  /// The bytes that may be on their way to a program that does not say that it reads.
  package var bytesUnread = 16 << 20
  /// The bytes that may be on their way to all those together.
  package var bytesUnreadInAll = 48 << 20

  package init() {}
}
