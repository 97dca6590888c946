package import _BonjourishDiscovery

/// What `avahi-daemon.conf` says (avahi-daemon.conf(5) of Avahi 0.8), with Avahi's defaults.
package struct AvahiSettings: Hashable, Sendable {
  /// Whether the daemon uses the system bus.
  package enum Bus: Hashable, Sendable {
    /// It does, is ready when programs can call it there, and ends if another program has its name (`yes`).
    case required
    /// It does, and serves without while there is none, or another program has its name (`warn`).
    case wanted
    /// It does not (`no`).
    case unused
  }

  /// Where the host's name comes from.
  package enum HostName: Hashable, Sendable {
    /// The name of the machine, without its domain.
    case ofMachine
    /// `/etc/machine-id`.
    case ofMachineID
    /// The first label that is configured.
    case named(String)
  }

  /// Something that the file asks for and the daemon does not do, or does in another way. It is logged at the start.
  package struct Remark: Hashable, Sendable {
    /// Whether the file asks for what the daemon does not do. Otherwise it asks for what the daemon does by itself.
    package let isWarning: Bool
    /// The file, the line, the key and the reason.
    package let text: String
  }

  // MARK: [server]

  /// `host-name`, `host-name-from-machine-id`.
  package var hostName = HostName.ofMachine
  /// `browse-domains`.
  package var browseDomains: [DomainName] = []
  /// `use-ipv4`, `use-ipv6`.
  package var families: Set<IPAddress.Family> = [.ipv4, .ipv6]
  /// `allow-interfaces`; empty for all that are neither loopback nor point-to-point.
  package var allowedInterfaces: [String] = []
  /// `deny-interfaces`, which has precedence.
  package var deniedInterfaces: [String] = []
  /// `enable-dbus`.
  package var bus = Bus.required
  /// `clients-max`; nil for the daemon's own limit, as are 0 and no line.
  package var maximumClients: Int?
  /// `objects-per-client-max`; nil for the daemon's own limit.
  package var maximumObjectsPerClient: Int?
  /// `entries-per-entry-group-max`; nil for the daemon's own limit.
  package var maximumEntriesPerGroup: Int?

  // MARK: [wide-area]

  /// `enable-wide-area`: programs that publish a name outside of `local` mean unicast DNS, unless they say otherwise.
  package var enablesWideArea = false

  // MARK: [publish]

  /// `disable-publishing`: nothing is published, not even addresses.
  package var disablesPublishing = false
  /// `disable-user-service-publishing`: programs publish nothing.
  package var disablesUserPublishing = false
  /// `add-service-cookie`.
  package var addsServiceCookie = false
  /// `publish-addresses`.
  package var publishesAddresses = true
  /// `publish-hinfo`: everybody is told the machine's processor and system.
  package var publishesHostInformation = false
  /// `publish-workstation`: everybody is told the hardware addresses of the machine's interfaces.
  package var publishesWorkstation = false
  /// `publish-domain`. Without effect: the domain is `local`, which everybody browses.
  package var publishesDomain = true

  // MARK: [rlimits]

  /// `rlimit-…`.
  package var resourceLimits: [ResourceLimit: UInt64] = [:]

  /// What is not obeyed, in the order of the file.
  package var remarks: [Remark] = []

  /// The settings without a file.
  package init() {}

  /// The interfaces and address families that are used.
  package var interfaces: InterfaceSelection {
    InterfaceSelection(
      included: Set(allowedInterfaces), excluded: Set(deniedInterfaces), families: families.count == 2 ? [] : families)
  }
}

/// A limit of the process (setrlimit(2)).
package enum ResourceLimit: String, Hashable, Sendable, CaseIterable {
  case addressSpace = "as"
  case core
  case data
  case fileSize = "fsize"
  case openFiles = "nofile"
  case stack
  case processes = "nproc"

  /// The least value with which the daemon runs; what is less is not obeyed. The defaults of Avahi before 0.8 are for a program of one
  /// thread with memory that it never returns.
  package var minimum: UInt64 {
    switch self {
    case .addressSpace: 1 << 30
    case .data: 128 << 20
    case .openFiles: 256
    case .stack: 256 << 10
    case .processes: 32
    case .core, .fileSize: 0
    }
  }
}
