import CBonjourishLinux
import _BonjourishDiscovery
import _BonjourishEventLoop
import _BonjourishInterfaces
import _BonjourishMulticastDNS

/// The sockets and the links.
extension MulticastBackend {
  func open() throws(DiscoveryError) {
    var failures: [String] = []
    for family in IPAddress.Family.allCases {
      do throws(SystemError) {
        try openSocket(family)
      } catch {
        failures.append("\(family): \(error)")
        socketFailures[family] = error
        log(LogMessage(.info, "no mDNS over \(family): \(error)", ["family": "\(family)", "error": "\(error)"]))
      }
    }
    guard !sockets.isEmpty else {
      throw DiscoveryError(
        .unavailable,
        "opening port \(MulticastEngine.port) for mDNS failed (\(failures.joined(separator: ", "))); end the program that does "
          + "not share the port, or use avahi-daemon")
    }
    // A kernel without the family will not get it.
    for (family, error) in socketFailures where error.errno != EAFNOSUPPORT { openLater(family) }
    do throws(SystemError) {
      try monitor.start(
        on: loop, changed: { [weak self] in self?.assumeIsolated { $0.interfacesChanged() } },
        failed: { [weak self] error in self?.assumeIsolated { $0.monitorFailed(error) } })
    } catch {
      monitorFailed(error)
    }
  }

  func monitorFailed(_ error: SystemError) {
    log(LogMessage(.warning, "changes of network interfaces can no longer be noticed: \(error)", ["error": "\(error)"]))
  }

  /// Opens one more socket of a family.
  @discardableResult
  private func openSocket(_ family: IPAddress.Family) throws(SystemError) -> MulticastSocket {
    let socket = try MulticastSocket(family, counting: counter(of: family))
    try socket.start(
      on: loop, received: { [weak self] arrival in self?.assumeIsolated { $0.received(arrival) } },
      failed: { [weak self] error in self?.assumeIsolated { $0.socketFailed(family, error) } })
    sockets[family, default: []].append(socket)
    return socket
  }

  /// Closes a family's links and sockets, and tries every second to open them again. The same failure is logged once.
  func socketFailed(_ family: IPAddress.Family, _ error: SystemError) {
    let isNew = socketFailures.updateValue(error, forKey: family) != error
    if isNew {
      let metadata = ["family": "\(family)", "error": "\(error)"]
      log(LogMessage(.warning, "no mDNS over \(family); trying again every second: \(error)", metadata))
    }
    let failed = sockets.removeValue(forKey: family)
    for socket in failed ?? [] { socket.stop() }
    // Lists the machine's interfaces, so not every second.
    if isNew || failed != nil { refreshLinks() }
    openLater(family)
  }

  /// Opens a family's socket in a second.
  private func openLater(_ family: IPAddress.Family) {
    reopenTimers[family]?.cancel()
    reopenTimers[family] = loop.schedule(after: .seconds(1)) { [weak self] in
      self?.assumeIsolated { $0.reopen(family) }
    }
  }

  func reopen(_ family: IPAddress.Family) {
    reopenTimers.removeValue(forKey: family)?.cancel()
    do throws(SystemError) {
      try openSocket(family)
      socketFailures[family] = nil
      refreshLinks()
    } catch {
      socketFailed(family, error)
    }
  }

  /// Ends all links and starts them again, with new sockets: what waits in the old ones is dropped.
  func restart() {
    // The engine does what is overdue with the first event. Nothing of that may be sent.
    memberships = [:]
    for (link, interface) in links { end(link, on: interface) }
    for family in sockets.keys {
      for socket in sockets[family]! { socket.stop() }
      sockets[family] = []
      do throws(SystemError) {
        try openSocket(family)
      } catch {
        socketFailed(family, error)
      }
    }
    refreshLinks()
  }

  /// Ends links and starts them again: what was heard on them is forgotten, and all names are probed for again.
  func startAgain(_ some: [MulticastLink: LocalInterface]) {
    for (link, interface) in some { end(link, on: interface) }
    refreshLinks()
  }

  /// Joins the group of a link with a socket that has room, or with a new one: Linux limits the memberships of each socket
  /// (`net.ipv4.igmp_max_memberships`, 20; `net.core.optmem_max`).
  private func join(_ link: MulticastLink, _ interface: LocalInterface) throws(SystemError) -> MulticastSocket {
    for socket in sockets[link.family] ?? [] {
      do throws(SystemError) {
        try socket.join(interface.index)
        return socket
      } catch  where error.isMembershipLimit {
        continue
      }
    }
    let socket = try openSocket(link.family)
    do throws(SystemError) {
      try socket.join(interface.index)
      return socket
    } catch {
      // A socket that has joined nothing is of no use beside others, and this is tried again and again.
      if let others = sockets[link.family], others.count > 1 {
        socket.stop()
        sockets[link.family] = others.filter { $0 !== socket }
      }
      throw error
    }
  }

  private func received(_ arrival: MulticastSocket.Arrival) {
    let origin = arrival.source.link
    // Drop datagrams of other interfaces: another process may have joined the group there.
    guard let link = numbersByIndex[origin.interface].map({ MulticastLink(interface: $0, family: origin.family) }),
      let interface = links[link]
    else { return counter(of: origin.family).counters.unusable += 1 }
    if arrival.reception == .multicast { heard(on: link) }
    guard !arrival.isTest else { return }
    let source = MulticastSource(interface.sender(arrival.source), port: arrival.source.port, link: link)
    handle(.received(arrival.bytes, from: source, to: arrival.reception), after: arrival.delay)
  }

  /// Refreshes the links once per tick, because the kernel reports one change in several messages.
  private func interfacesChanged() {
    guard !isRefreshing else { return }
    isRefreshing = true
    loop.atEndOfTick { [weak self] in
      self?.assumeIsolated { backend in
        backend.isRefreshing = false
        backend.refreshLinks()
      }
    }
  }

  /// Starts the links that operations need, and ends the others.
  func refreshLinks() {
    let (wanted, usable) = chooseLinks()
    // An interface that was made again is another link, even if nobody saw that it was gone.
    for (link, interface) in links where usable[link]?.index != interface.index { end(link, on: interface) }
    tellScopes()
    let unneeded = links.filter { wanted[$0.key] == nil }
    // Where something was published, its goodbyes are sent first.
    if !unneeded.isEmpty { handle(.flush) }
    for (link, interface) in unneeded { end(link, on: interface) }
    for (link, interface) in wanted.sorted(by: {
      ($0.key.interface, $0.key.family.rawValue) < ($1.key.interface, $1.key.family.rawValue)
    }) {
      guard let known = links[link] else {
        begin(link, on: interface)
        continue
      }
      guard known != interface else { continue }
      links[link] = interface
      handle(.mtuChanged(link, bytes: interface.mtu))
      handle(.linkChanged(link, addresses: interface.addresses))
    }
    refusals = refusals.filter { wanted[$0.key] != nil }
    testIdleLinks()
    tellReach()
  }

  private func begin(_ link: MulticastLink, on interface: LocalInterface) {
    do throws(SystemError) {
      memberships[link] = try join(link, interface)
    } catch {
      guard refusals.updateValue(error, forKey: link) != error else { return }
      return logFailure(.warning, "no mDNS", interface.name, link.family, error)
    }
    refusals[link] = nil
    links[link] = interface
    logLink(.info, "mDNS", interface.name, link.family)
    handle(.linkUp(link, addresses: interface.addresses))
    handle(.mtuChanged(link, bytes: interface.mtu))
  }

  private func end(_ link: MulticastLink, on interface: LocalInterface) {
    memberships.removeValue(forKey: link)?.leave(interface.index)
    muteLinks.remove(link)
    forgetEchoes(of: link)
    logLink(.info, "mDNS has ended", interface.name, link.family)
    handle(.linkDown(link))
    // Last, for the engine reports what is lost with the link.
    links[link] = nil
  }
}
