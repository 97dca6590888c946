import CBonjourishLinux
import _BonjourishDiscovery
import _BonjourishEventLoop
import _BonjourishInterfaces
import _BonjourishMulticastBackend
import _BonjourishMulticastDNS

/// Reading the system.
extension DoctorFacts {
  /// Gathers all facts, within five seconds. Blocks its thread while it reads.
  ///
  /// - Parameters:
  ///   - loop: A loop of its own, which may be blocked.
  ///   - finished: Called once on the loop.
  static func gather(
    for request: DoctorRequest, on loop: EventLoop, finished: @escaping (DoctorFacts) -> Void
  ) {
    var facts = DoctorFacts()
    facts.request = request
    facts.machine = .current()
    facts.bus = .gather(within: .milliseconds(1_500))
    facts.readProcess()
    facts.readInterfaces()
    facts.readRoutes()
    facts.readLimits()
    facts.groupRefusal = Self.groupRefusal()
    facts.sockets = facts.readSockets()
    let probes = facts.probeAddresses()
    let drops = Self.reversePathDrops
    var questions = facts.questions
    questions.marker = try? DNSName(labels: [Array("bonjourish-\(UInt32.random(in: 0 ... .max))".utf8), Array("local".utf8)])
    let trial = facts.usesDaemon && facts.bus.answers != nil ? DaemonTrial() : nil
    questions.trial = trial?.name
    // The sockets are open when the daemon asks.
    defer { if let trial, trial.begin() { facts.trial = DaemonTrial.Result() } }
    _ = NetworkSurvey(on: loop, questions) { links in
      facts.links = links
      if facts.trial != nil { facts.trial = trial?.result() }
      facts.duplicates = probes.flatMap { $0.conflicts(besides: probes.map(\.hardware)) }
      facts.reversePathDrops = Self.reversePathDrops - drops
      facts.socketsLater = facts.readSockets(facts.sockets)
      facts.limits.drops = SystemFiles.text("/proc/net/snmp").flatMap { UDPCounters.parse($0, "RcvbufErrors") } ?? 0
      finished(facts)
    }
  }

  /// Gathers the facts of which ``containerNetwork`` follows, within 2.5 seconds; without asking the network if it is known not to be
  /// that of a container. Blocks its thread while it reads.
  ///
  /// - Parameters:
  ///   - loop: A loop of its own, which may be blocked.
  ///   - finished: Called once on the loop.
  static func gatherContainer(
    for request: DoctorRequest, on loop: EventLoop, finished: @escaping (DoctorFacts) -> Void
  ) {
    var facts = DoctorFacts()
    facts.request = request
    facts.machine = .current()
    facts.readInterfaces()
    facts.readRoutes()
    if request.backend == .avahi { facts.sockets = facts.readSockets() }
    guard facts.mayBeBehindBridge else { return finished(facts) }
    _ = NetworkSurvey(on: loop, facts.questions) { links in
      facts.links = links
      finished(facts)
    }
  }

  var questions: SurveyQuestions {
    var questions = SurveyQuestions()
    questions.interface = request.interface
    if interfaces.contains(where: { $0.isConnection && $0.isUsable }) {
      questions.leftOut = Set(interfaces.filter(\.isInside).map(\.name))
    }
    questions.hostNames = hostNames
    for interface in interfaces {
      questions.ownAddresses[interface.name] = interface.addresses.map(\.address).filter { $0.family == .ipv4 }
    }
    for (interface, hosts) in neighbours { questions.neighbours[interface] = Array(hosts.prefix(16)) }
    return questions
  }

  /// The hosts that are known, and the routers.
  private var neighbours: [String: [IPAddress]] {
    var hosts = NeighbourTable.parse(SystemFiles.text("/proc/net/arp") ?? "")
    for route in routes {
      guard let gateway = route.gateway, gateway.family == .ipv4, hosts[route.interface]?.contains(gateway) != true else {
        continue
      }
      hosts[route.interface, default: []].append(gateway)
    }
    return hosts
  }

  /// Reads of the daemon's process whether it is stopped, what its configuration is, and when it started.
  private mutating func readProcess() {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    clock.now = now.tv_sec
    // A container may see another process under this number.
    guard let process = bus.process, ProcessTable.name(of: process).map(Self.daemonNames.contains) ?? false,
      let state = ProcessTable.state(of: process)
    else { return }
    // Its command line, which may name another file, is not to be seen: the daemon writes its state there.
    bus.configuration = DaemonConfiguration(SystemFiles.text("/etc/avahi/avahi-daemon.conf") ?? "")
    bus.isStopped = state.letter == "T" || state.letter == "t"
    var file = stat()
    var sinceBoot = timespec()
    guard stat("/run/avahi-daemon/pid", &file) == 0, clock_gettime(CLOCK_BOOTTIME, &sinceBoot) == 0 else { return }
    clock.setBack = ClockFacts.setBack(
      now: now.tv_sec, sinceBoot: sinceBoot.tv_sec, startTicks: state.start, ticks: sysconf(CInt(_SC_CLK_TCK)),
      written: file.st_mtim.tv_sec)
  }

  /// Tries to find a route to the group without sending anything.
  private static func groupRefusal() -> SystemError? {
    do throws(SystemError) {
      let type = CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
      let descriptor = OwnedDescriptor(try systemCall("socket") { socket(AF_INET, type, 0) })
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = MulticastEngine.port.bigEndian
      withUnsafeMutableBytes(of: &address.sin_addr) { $0.copyBytes(from: group.bytes) }
      try systemCall("connect") {
        withUnsafePointer(to: &address) {
          connect(
            descriptor.number, UnsafeRawPointer($0).assumingMemoryBound(to: sockaddr.self),
            socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      return nil
    } catch {
      return error
    }
  }

  private static var reversePathDrops: Int {
    SystemFiles.text("/proc/net/netstat").flatMap { UDPCounters.parse($0, "IPReversePathFilter", of: "TcpExt") } ?? 0
  }

  /// Asks whether other hosts have this machine's IPv4 addresses.
  private mutating func probeAddresses() -> [AddressProbe] {
    var probes: [AddressProbe] = []
    for interface in candidates where interface.isUsable && !interface.flags.contains(.loopback) {
      do throws(SystemError) {
        if let probe = try AddressProbe(of: interface) { probes.append(probe) }
      } catch {
        guard error.errno == EPERM || error.errno == EACCES else { continue }
        unseen.append("whether another host without IPv6 has an IPv4 address of this machine: run as root")
        break
      }
    }
    return probes
  }

  private mutating func readInterfaces() {
    do throws(SystemError) {
      interfaces = try InterfaceTable.all().map(InterfaceFacts.init)
    } catch {
      unseen.append("the network interfaces: \(error)")
    }
    hasIPv6 = SystemFiles.exists("/proc/net/if_inet6") || !SystemFiles.exists("/proc/net")
    for interface in interfaces where SystemFiles.number("/proc/sys/net/ipv6/conf/\(interface.name)/disable_ipv6") == 1 {
      withoutIPv6.insert(interface.name)
    }
  }

  private mutating func readRoutes() {
    if let text = SystemFiles.text("/proc/net/route") {
      routes = Route.parse(ipv4: text)
    } else {
      unseen.append("the routes: /proc/net/route cannot be read")
    }
    routes += Route.parse(ipv6: SystemFiles.text("/proc/net/ipv6_route") ?? "")
  }

  private mutating func readLimits() {
    limits.memberships = SystemFiles.number("/proc/sys/net/ipv4/igmp_max_memberships")
    limits.receiveBuffer = SystemFiles.number("/proc/sys/net/core/rmem_max")
    var files = rlimit()
    if getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &files) == 0, files.rlim_cur < 1 << 30 {
      limits.files = Int(files.rlim_cur)
    }
  }

  /// Reads the sockets at port 5353 and the programs that have them.
  ///
  /// - Parameter known: Sockets whose programs are known.
  private mutating func readSockets(_ known: [PortSocket] = []) -> [PortSocket] {
    var sockets: [PortSocket] = []
    for (path, family) in [("/proc/net/udp", IPAddress.Family.ipv4), ("/proc/net/udp6", .ipv6)] {
      sockets += PortSocket.parse(SystemFiles.text(path) ?? "", family)
    }
    areSocketsKnown = SystemFiles.exists("/proc/net/udp")
    if known.isEmpty, !areSocketsKnown {
      unseen.append("the sockets at port 5353: /proc/net/udp cannot be read")
    }
    let inodes = Set(sockets.map(\.inode))
    let owners =
      known.isEmpty
      ? ProcessTable.owners(of: inodes)
      : Dictionary(known.compactMap { socket in socket.owner.map { (socket.inode, $0) } }) { first, _ in first }
    for index in sockets.indices { sockets[index].owner = owners[sockets[index].inode] }
    let own = Int(getpid())
    sockets.removeAll { $0.owner?.process == own }
    if known.isEmpty, sockets.contains(where: { $0.owner == nil }), !machine.isRoot {
      unseen.append("which programs of other users have port 5353: run as root, or: sudo ss -ulpn 'sport = :5353'")
    }
    return sockets
  }
}

extension Machine {
  fileprivate static func current() -> Machine {
    var machine = Machine()
    var buffer = [CChar](repeating: 0, count: 256)
    if gethostname(&buffer, 255) == 0 {
      let name = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      machine.hostName = String(name.prefix { $0 != "." })
    }
    var clues = ContainerClues()
    clues.hasDockerFile = SystemFiles.exists("/.dockerenv")
    clues.hasPodmanFile = SystemFiles.exists("/run/.containerenv")
    clues.systemd = SystemFiles.text("/run/systemd/container") ?? ""
    clues.controlGroup = SystemFiles.text("/proc/1/cgroup") ?? ""
    clues.hasKubernetes = getenv("KUBERNETES_SERVICE_HOST") != nil
    machine.container = clues.kind
    machine.packages = PackageManager(
      osRelease: SystemFiles.text("/etc/os-release") ?? SystemFiles.text("/usr/lib/os-release") ?? "")
    machine.hasSystemd = SystemFiles.exists("/run/systemd/system")
    machine.isRoot = geteuid() == 0
    let path =
      (getenv("PATH").map { String(cString: $0) } ?? "").split(separator: ":") + ["/usr/local/sbin", "/usr/sbin", "/sbin"]
    machine.missingTools = Set(
      Machine.usedTools.filter { tool in !path.contains { SystemFiles.exists("\($0)/\(tool)") } })
    machine.scripts = Set(["avahi-daemon", "dbus"].filter { SystemFiles.exists("/etc/init.d/\($0)") })
    machine.hasAvahi = ["/usr/sbin", "/usr/bin", "/usr/local/sbin", "/run/current-system/sw/bin"].contains {
      SystemFiles.exists("\($0)/avahi-daemon")
    }
    machine.hasUFW = (SystemFiles.text("/etc/ufw/ufw.conf") ?? "").split(separator: "\n").contains {
      $0.lowercased() == "enabled=yes"
    }
    return machine
  }
}

extension ClockFacts {
  /// Returns by how many seconds the clock was set back since a process started, which then wrote a file.
  ///
  /// - Parameters:
  ///   - now: The time now, in seconds since 1970.
  ///   - sinceBoot: The time since the machine started, in seconds.
  ///   - startTicks: The time from the machine's start to the process's, in clock ticks.
  ///   - ticks: The number of clock ticks in a second.
  ///   - written: The time at which the file was written, by the clock of then.
  /// - Returns: nil for numbers that make no sense.
  package static func setBack(now: Int, sinceBoot: Int, startTicks: Int, ticks: Int, written: Int) -> Int? {
    guard ticks > 0, startTicks >= 0, 0...(1 << 40) ~= now, 0...(1 << 40) ~= sinceBoot, 0...(1 << 40) ~= written,
      startTicks / ticks <= sinceBoot
    else { return nil }
    return written - (now - (sinceBoot - startTicks / ticks))
  }
}
