import Discovery
import EventLoop
import MulticastDNS

/// The sockets, and the links that they are used on.
extension MulticastBackend {
  func open() throws(DiscoveryError) {
    var failures: [String] = []
    for family in DNSAddress.Family.allCases {
      do throws(SystemError) {
        let socket = try MulticastSocket(family)
        try socket.start(on: loop) { [weak self] arrival in self?.assumeIsolated { $0.received(arrival) } }
        sockets[family] = socket
      } catch {
        failures.append("\(family): \(error)")
        log(LogMessage(.info, "no mDNS over \(family): \(error)"))
      }
    }
    guard !sockets.isEmpty else {
      throw DiscoveryError(
        .unavailable,
        "opening port \(MulticastEngine.port) for mDNS failed (\(failures.joined(separator: ", "))); end the program that has it "
          + "for itself, or use avahi-daemon")
    }
    do throws(SystemError) {
      try monitor.start(on: loop) { [weak self] in self?.assumeIsolated { $0.interfacesChanged() } }
    } catch {
      log(LogMessage(.warning, "changes of network interfaces will go unnoticed: \(error)"))
    }
  }

  private func received(_ arrival: MulticastSocket.Arrival) {
    // The group may be heard on an interface for another process's sake.
    guard links[arrival.source.link] != nil else { return }
    handle(.received(arrival.bytes, from: arrival.source, to: arrival.reception))
  }

  /// The kernel tells of one change in several messages.
  private func interfacesChanged() {
    guard !isRefreshing else { return }
    isRefreshing = true
    loop.atEndOfTurn { [weak self] in
      self?.assumeIsolated { backend in
        backend.isRefreshing = false
        backend.refreshLinks()
      }
    }
  }

  /// Makes sure that an interface, or all when it is nil, is in use. Most operations find it so, and looking at the machine's
  /// interfaces takes longer than all the rest.
  func use(_ interface: NetworkInterface?) {
    if !interfacesInUse.contains(interface?.index) { refreshLinks() }
  }

  /// Tells the engine which links there are, as far as anybody wants them.
  private func refreshLinks() {
    let wanted = wantedLinks()
    for link in links.keys where wanted[link] == nil {
      links[link] = nil
      muteLinks.remove(link)
      sockets[link.family]?.leave(link.interface)
      log(LogMessage(.info, "no mDNS on \(name(of: link.interface)) over \(link.family) any more"))
      handle(.linkDown(link))
    }
    for (link, interface) in wanted.sorted(by: {
      ($0.key.interface, $0.key.family.rawValue) < ($1.key.interface, $1.key.family.rawValue)
    }) {
      guard let known = links[link] else {
        begin(link, on: interface)
        continue
      }
      guard known != interface else { continue }
      links[link] = interface
      handle(.linkChanged(link, addresses: interface.addresses))
    }
  }

  private func begin(_ link: MulticastLink, on interface: LocalInterface) {
    do throws(SystemError) {
      try sockets[link.family]?.join(link.interface)
    } catch {
      return log(LogMessage(.warning, "no mDNS on \(interface.name) over \(link.family): \(error)"))
    }
    links[link] = interface
    log(LogMessage(.info, "mDNS on \(interface.name) over \(link.family)"))
    handle(.linkUp(link, addresses: interface.addresses))
  }

  private func wantedLinks() -> [MulticastLink: LocalInterface] {
    let indices = Set(operations.values.map { $0.interface?.index })
    interfacesInUse = indices
    var wanted: [MulticastLink: LocalInterface] = [:]
    for interface in InterfaceMonitor.interfaces() {
      interfaces[interface.index] = NetworkInterface(index: interface.index, name: interface.name)
      guard indices.contains(interface.index) || (interface.isForAll && indices.contains(nil)) else { continue }
      for family in sockets.keys where interface.hasAddress(family) {
        wanted[MulticastLink(interface: interface.index, family: family)] = interface
      }
    }
    return wanted
  }

  func name(of interface: UInt32) -> String { interfaces[interface]?.name ?? "interface \(interface)" }
}
