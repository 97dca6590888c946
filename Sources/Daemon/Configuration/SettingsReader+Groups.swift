import _BonjourishDiscovery

extension SettingsReader {
  mutating func readServer() throws(SettingsError) {
    switch entry.key {
    case "host-name":
      let label = entry.value.prefix { $0 != "." }
      guard InstanceName(received: String(label)) != nil else {
        throw wrong("host-name must have 1 to 63 bytes before its first dot, not \"\(entry.value)\"")
      }
      // With a name and the machine's ID, the first line of both counts.
      if settings.hostName == .ofMachine { settings.hostName = .named(String(label)) }
    case "host-name-from-machine-id":
      if try truth(), settings.hostName == .ofMachine { settings.hostName = .ofMachineID }
    case "domain-name":
      guard try domain(entry.value) == .local else { throw refused("names are published in the domain local only") }
    case "browse-domains":
      var domains: [DomainName] = []
      for part in entry.value.commaSeparated {
        let domain = try domain(part)
        if !domains.contains(domain) { domains.append(domain) }
      }
      settings.browseDomains = domains
    case "use-ipv4": use(.ipv4, try truth())
    case "use-ipv6": use(.ipv6, try truth())
    case "allow-interfaces": settings.allowedInterfaces = entry.value.commaSeparated
    case "deny-interfaces": settings.deniedInterfaces = entry.value.commaSeparated
    case "check-response-ttl":
      if try truth() {
        throw refused(
          "the TTL of packets is not checked; whether a packet comes from this link is, by its address (RFC 6762 section 11)")
      }
    case "use-iff-running":
      if try truth() { note("is what the daemon does anyway: an interface without a carrier is not used") }
    case "enable-dbus": try readBus()
    case "disallow-other-stacks":
      if try truth() { throw refused("port 5353 is shared with other programs, which is what RFC 6762 section 15.1 asks for") }
    case "allow-point-to-point":
      if try truth() {
        warn("is not obeyed: name the point-to-point interfaces that are to be used, and the others, in allow-interfaces")
      }
    case "cache-entries-max":
      note("is not obeyed: the cache holds 16384 records in 8 MiB, of all interfaces", isWarning: try limit() != 4_096)
    case "clients-max": settings.maximumClients = try limit()
    case "objects-per-client-max": settings.maximumObjectsPerClient = try limit()
    case "entries-per-entry-group-max": settings.maximumEntriesPerGroup = try limit()
    case "ratelimit-interval-usec": rateLimit(isDefault: try number() == 1_000_000)
    case "ratelimit-burst": rateLimit(isDefault: try number() == 1_000)
    default: throw unknownKey
    }
  }

  private mutating func use(_ family: IPAddress.Family, _ isUsed: Bool) {
    if isUsed { settings.families.insert(family) } else { settings.families.remove(family) }
  }

  private mutating func readBus() throws(SettingsError) {
    if entry.value.lowercased().hasPrefix("w") {
      settings.bus = .wanted
    } else {
      settings.bus = try truth() ? .required : .unused
    }
  }

  /// The rules of RFC 6762 bound what is sent: each record once a second, each question with twice the pause of the one before.
  private mutating func rateLimit(isDefault: Bool) {
    let reason = "is not needed: RFC 6762 section 6 bounds how often each record is sent, and section 5.2 how often is asked"
    note(reason, isWarning: !isDefault)
  }

  mutating func readPublish() throws(SettingsError) {
    switch entry.key {
    case "disable-publishing": settings.disablesPublishing = try truth()
    case "disable-user-service-publishing": settings.disablesUserPublishing = try truth()
    case "add-service-cookie": settings.addsServiceCookie = try truth()
    case "publish-addresses": settings.publishesAddresses = try truth()
    case "publish-hinfo": settings.publishesHostInformation = try truth()
    case "publish-workstation": settings.publishesWorkstation = try truth()
    case "publish-domain": settings.publishesDomain = try truth()
    case "publish-dns-servers":
      for part in entry.value.commaSeparated where IPAddress(part) == nil {
        throw wrong("\"\(part)\" in \(entry.key) is no IP address")
      }
      if !entry.value.isEmpty { warn(Self.noNameServers) }
    case "publish-resolv-conf-dns-servers":
      if try truth() { warn(Self.noNameServers) }
    case "publish-aaaa-on-ipv4":
      if try !truth() { warn("is not obeyed: both kinds of addresses are answered over IPv4 and IPv6 (RFC 6762 section 6.2)") }
    case "publish-a-on-ipv6":
      if try truth() { note("is what the daemon does anyway (RFC 6762 section 6.2)") }
    default: throw unknownKey
    }
  }

  private static let noNameServers =
    "is not obeyed: name servers are not announced; DHCP and IPv6 router advertisements do that"

  mutating func readWideArea() throws(SettingsError) {
    guard entry.key == "enable-wide-area" else { throw unknownKey }
    // Debian's file says yes, and Avahi has it off since 0.9: not worth a machine without mDNS.
    settings.enablesWideArea = try truth()
    guard settings.enablesWideArea else { return }
    warn("is not obeyed: names outside of local are looked up by the system's resolver, not by this daemon")
  }

  mutating func readReflector() throws(SettingsError) {
    switch entry.key {
    case "enable-reflector":
      if try truth() {
        throw refused(
          "the daemon is no reflector, and the networks would be apart without notice; `bonjourish reflect` is one, and runs beside "
            + "it")
      }
    case "reflect-ipv": _ = try truth()  // of no effect without the reflector
    case "reflect-filters": break
    default: throw unknownKey
    }
  }

  mutating func readLimit() throws(SettingsError) {
    guard let limit = ResourceLimit(rawValue: String(entry.key.dropFirst(7))), entry.key.hasPrefix("rlimit-") else {
      throw unknownKey
    }
    let value = entry.value == "-1" ? UInt64.max : try number()  // as avahi-daemon reads it: no limit
    guard value >= limit.minimum else { return warn("is not obeyed: the daemon needs at least \(limit.minimum)") }
    settings.resourceLimits[limit] = value
  }
}
