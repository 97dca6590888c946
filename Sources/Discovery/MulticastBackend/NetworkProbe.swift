package import _BonjourishDiscovery
package import _BonjourishEventLoop
package import _BonjourishInterfaces
import _BonjourishMulticastDNS

/// Finds out whether mDNS passes on this machine's interfaces, for a backend that leaves the sending to another process. Confined
/// to the loop.
///
/// It tests each link with datagrams that stay on this machine, when it is started, after changes of the interfaces, when it is
/// told to, and every eight seconds. Its sockets are open only while it tests.
package final class NetworkProbe {
  private let loop: EventLoop
  private let changed: () -> Void
  private let allInterfaces: () -> [LocalInterface]
  private let monitor: InterfaceMonitor
  private let origin = ContinuousClock.now
  private var isRefreshing = false
  private var interfaces: [LocalInterface] = []
  private(set) var sockets: [IPAddress.Family: MulticastSocket] = [:]
  /// The links by the kernel's indices.
  private var echoes: [MulticastLink: EchoCheck] = [:]
  private lazy var deadline = LoopDeadline(on: loop) { [weak self] in self?.advance() }
  private var nextTest: LoopTimer?
  private var lastTest: ContinuousClock.Instant?
  /// Whether there are more links than one socket can have memberships, which is all that avahi-daemon has.
  private var exceedsMemberships = false
  /// A question that the daemon answers with the addresses of this host; nil while nothing of this host is published.
  package var reminder: () -> [UInt8]? = { nil }
  /// How often the daemon is still asked.
  private var reminders = 0

  /// The time for which a result is believed.
  private static let validity: Duration = .seconds(5)
  /// The interval of the tests while nothing happens.
  private static let interval: Duration = .seconds(8)
  /// How often the daemon is asked after a change, and the interval, which is shorter than the second after which what it announces
  /// on one interface takes the place of what it announced on another. Its last announcement comes after five seconds.
  private static let reminderCount = 8
  private static let reminderInterval: Duration = .milliseconds(900)

  /// - Parameters:
  ///   - loop: The loop of the probe.
  ///   - allInterfaces: Returns the interfaces of this machine.
  ///   - changed: Called when the result may have changed.
  /// - Throws: ``SystemError`` when changes of the interfaces cannot be watched.
  package init(
    on loop: EventLoop, allInterfaces: @escaping () -> [LocalInterface], changed: @escaping () -> Void
  ) throws(SystemError) {
    self.loop = loop
    self.allInterfaces = allInterfaces
    self.changed = changed
    monitor = try InterfaceMonitor()
    try monitor.start(on: loop, changed: { [weak self] in self?.interfacesChanged() }, failed: { _ in })
    interfaces = allInterfaces()
    test()
  }

  package func stop() {
    monitor.stop()
    deadline.cancel()
    nextTest?.cancel()
    closeSockets()
  }

  /// The reason why nobody is reached on selected interfaces; nil if somebody may be.
  package func outage(on selection: InterfaceSelection) -> NetworkOutage? {
    let own = selection.links(among: states)
    guard let first = own.min(by: { $0.source < $1.source }) else { return .nothingUsable(of: selection) }
    // What cannot be tested is not known.
    let faults = own.compactMap { echoes[MulticastLink(interface: $0.index, family: $0.family)] }.map(\.fault)
    guard !faults.isEmpty, faults.allSatisfy({ $0 != nil }) else { return nil }
    return faults[0]?.outage(of: first.source.name)
  }

  private var states: [InterfaceState] { interfaces.map { $0.state(over: IPAddress.Family.allCases) } }

  /// Where operations with these interfaces reach the network.
  package func reach(of selection: InterfaceSelection) -> Reach {
    let loopback = Set(interfaces.filter(\.isLoopback).map(\.index))
    var reach = Reach(of: selection, among: states, usesTunnels: true) { link in
      if loopback.contains(link.index) { return .works }
      return echoes[MulticastLink(interface: link.index, family: link.family)]?.reach ?? .unproven
    }
    if exceedsMemberships { reach.causes.append(.daemonLimit) }
    return reach
  }

  /// Tests the links again, unless that was done a moment ago.
  package func refresh() {
    if let lastTest, lastTest + Self.validity > .now { return }
    test()
  }

  func interfacesChanged() {
    guard !isRefreshing else { return }
    isRefreshing = true
    loop.atEndOfTick { [weak self] in
      guard let self else { return }
      isRefreshing = false
      let former = interfaces
      interfaces = allInterfaces()
      guard interfaces != former else { return }
      if Self.areSeveral(former + interfaces) { reminders = Self.reminderCount }
      test()
      changed()
    }
  }

  // MARK: - Reminding

  /// Whether there are several interfaces that may be in one network. What is announced on one of them takes the place of what others
  /// know of another there (RFC 6762 §10.2), and stays known when its interface is gone. The daemon announces the host's addresses
  /// once on each and does nothing about that. But it tells them to all when it is asked, also by this machine alone.
  static func areSeveral(_ interfaces: [LocalInterface]) -> Bool {
    Set(interfaces.filter { !$0.isLoopback && !$0.addresses.isEmpty }.map(\.name)).count > 1
  }

  /// A question about a service of this host, which is answered with the addresses of the host too (RFC 6763 §12.2); nil for others.
  package static func reminder(of registration: Registration) -> [UInt8]? {
    guard registration.needsThisHost, let service = registration.service,
      let name = try? ServiceInstance(registration.name, type: service.type, domain: registration.domain).dnsName()
    else { return nil }
    var message = DNSMessage(isResponse: false)
    message.questions = [DNSQuestion(name, .srv)]
    return message.written()
  }

  // MARK: - Testing

  private var now: Duration { origin.duration(to: .now) }

  /// Starts a test of each link. A link that is known as faulty stays so until something is heard.
  private func test() {
    lastTest = .now
    let question = reminders > 0 ? reminder() : nil
    reminders = question == nil ? 0 : reminders - 1
    nextTest?.cancel()
    nextTest = loop.schedule(after: reminders > 0 ? Self.reminderInterval : Self.interval) { [weak self] in self?.test() }
    // What the loopback interface loses matters to nobody.
    let links = interfaces.filter { !$0.isLoopback }.flatMap { interface in
      IPAddress.Family.allCases.filter(interface.hasAddress).map { MulticastLink(interface: interface.index, family: $0) }
    }
    echoes = echoes.filter { links.contains($0.key) }
    let exceeded = exceedsMemberships
    exceedsMemberships = false
    for link in links where join(link) { send(on: link, question ?? MulticastSocket.testBytes) }
    setTimer()
    if exceedsMemberships != exceeded { changed() }
  }

  /// Joins the group of a link. What cannot be joined, for instance because another program does not share the port, is not tested.
  private func join(_ link: MulticastLink) -> Bool {
    do throws(SystemError) {
      if sockets[link.family] == nil {
        let socket = try MulticastSocket(link.family)
        try socket.start(
          on: loop, received: { [weak self] in self?.received($0) }, failed: { [weak self] _ in self?.giveUp() })
        sockets[link.family] = socket
      }
      try sockets[link.family]?.join(link.interface)
      return true
    } catch {
      if error.isMembershipLimit { exceedsMemberships = true }
      return false
    }
  }

  private func send(on link: MulticastLink, _ bytes: [UInt8] = MulticastSocket.testBytes) {
    guard let socket = sockets[link.family] else { return }
    do throws(SystemError) {
      try socket.test(on: link.interface, isLoopback: false, with: bytes)
      echoes[link, default: EchoCheck()].sent(nil, at: now)
    } catch {
      echoes[link, default: EchoCheck()].sent(error, at: now)
    }
  }

  private func received(_ arrival: MulticastSocket.Arrival) {
    let link = arrival.source.link
    guard arrival.reception == .multicast, let check = echoes[link], check.nextDeadline != nil else { return }
    echoes[link]!.heard()
    setTimer()
    if !check.isProven { changed() }
  }

  private func advance() {
    var isFaulty = false
    for link in echoes.keys {
      let former = echoes[link]!.fault
      if echoes[link]!.advance(to: now) { send(on: link) }
      if echoes[link]!.fault != former { isFaulty = true }
    }
    setTimer()
    if isFaulty { changed() }
  }

  private func setTimer() {
    let next = echoes.values.compactMap(\.nextDeadline).min()
    deadline.set(next.map { origin + $0 })
    if next == nil { closeSockets() }
  }

  /// Believes that the network works, because it cannot be tested.
  private func giveUp() {
    echoes = [:]
    setTimer()
    changed()
  }

  private func closeSockets() {
    for socket in sockets.values { socket.stop() }
    sockets = [:]
  }
}
