import CBonjourishLinux
import _BonjourishBase
package import _BonjourishDiscovery
package import _BonjourishEventLoop
package import _BonjourishInterfaces
package import _BonjourishMulticastDNS

/// A datagram that was sent to the mDNS group.
package struct GroupDatagram: Sendable {
  package let bytes: [UInt8]
  /// The address of the sender; a link-local IPv6 address has a zone.
  package let source: IPAddress
  package let port: UInt16
  package let interface: NetworkInterface
  /// Whether the sender is this machine.
  package let isOwn: Bool
  /// The time that the datagram waited before it was read.
  package let delay: Duration

  package init(bytes: [UInt8], source: IPAddress, port: UInt16, interface: NetworkInterface, isOwn: Bool, delay: Duration) {
    self.bytes = bytes
    self.source = source
    self.port = port
    self.interface = interface
    self.isOwn = isOwn
    self.delay = delay
  }
}

/// Hears all that is sent to the mDNS group, and can ask one question: the tool of those who want to see datagrams. By itself it
/// answers nothing; a reflector says with it what it has to say. Confined to the loop.
///
/// It shares port 5353 with the machine's responders, and takes nothing from them: datagrams to this host alone go to them.
package final class GroupListener {
  package struct Handlers {
    package let heard: (GroupDatagram) -> Void
    /// An interface and family on which nothing can be heard, or no longer.
    package let failed: (Link, SystemError) -> Void
    /// The interfaces of this machine have changed, or been read for the first time, and these links can be heard.
    package let changed: ([LocalInterface], Set<Link>) -> Void

    package init(
      heard: @escaping (GroupDatagram) -> Void, failed: @escaping (Link, SystemError) -> Void,
      changed: @escaping ([LocalInterface], Set<Link>) -> Void = { _, _ in }
    ) {
      self.heard = heard
      self.failed = failed
      self.changed = changed
    }
  }

  /// The times between two questions (RFC 6762 §5.2).
  private static let pauses = Backoff(from: .seconds(1), to: .seconds(3_600))

  private let loop: EventLoop
  private let selection: InterfaceSelection
  private let question: [UInt8]?
  private let handlers: Handlers
  private let monitor: InterfaceMonitor
  private var sockets: [Link: MulticastSocket] = [:]
  /// The links that failed, so that each is told once.
  private var failures: Set<Link> = []
  private var ownAddresses: Set<IPAddress> = []
  private var timer: LoopTimer?
  private var askedCount = 0
  private var formerlyDropped = 0

  /// Starts to listen.
  ///
  /// - Parameters:
  ///   - interfaces: The interfaces, which are followed as they come and go.
  ///   - question: The question to ask at first, after a second, and then after twice the time as before (RFC 6762 §5.2); nil for
  ///     none.
  /// - Throws: ``SystemError`` when the changes of interfaces cannot be followed.
  package init(
    on loop: EventLoop, _ interfaces: InterfaceSelection, asking question: DNSQuestion?, _ handlers: Handlers
  ) throws(SystemError) {
    self.loop = loop
    self.handlers = handlers
    selection = interfaces
    self.question = question.map { question in
      var message = DNSMessage(isResponse: false)
      message.questions = [question]
      return message.written()
    }
    monitor = try InterfaceMonitor()
    try monitor.start(on: loop, changed: { [weak self] in self?.refresh() }, failed: { _ in })
    refresh()
    if self.question != nil { askLater() }
  }

  /// Whether there is an interface on which something can be heard.
  package var isListening: Bool { !sockets.isEmpty }

  /// The number of datagrams that were lost, because they were not read fast enough.
  package var dropped: Int { sockets.values.reduce(formerlyDropped) { $0 + $1.dropped } }

  /// Stops listening.
  package func stop() {
    timer?.cancel()
    timer = nil
    monitor.stop()
    for link in Array(sockets.keys) { close(link) }
  }

  // MARK: - Links

  private func refresh() {
    let all = LocalInterface.all()
    ownAddresses = Set(all.flatMap { $0.addresses.map(\.address) })
    let links = selection.links(among: all.map { $0.state(over: IPAddress.Family.allCases) })
    for link in Array(sockets.keys) where !links.contains(link) { close(link) }
    failures.formIntersection(links)
    for link in links.sorted(by: { ($0.index, $0.family.rawValue) < ($1.index, $1.family.rawValue) })
    where sockets[link] == nil {
      open(link)
    }
    handlers.changed(all, Set(sockets.keys))
  }

  /// Opens a socket for each link: then it can be bound to the group, and the system's limit of memberships is not met.
  private func open(_ link: Link) {
    do throws(SystemError) {
      let socket = try MulticastSocket(link.family, for: .group(link.index))
      try socket.join(link.index)
      try socket.start(
        on: loop, received: { [weak self] in self?.received($0, on: link) },
        failed: { [weak self] error in
          self?.lose(link, error)
        })
      sockets[link] = socket
      failures.remove(link)
      ask(on: link)
    } catch {
      fail(link, error)
    }
  }

  private func close(_ link: Link) {
    guard let socket = sockets.removeValue(forKey: link) else { return }
    formerlyDropped += socket.dropped
    socket.stop()
  }

  /// Ends what can no longer be heard. It is opened again when the interfaces change.
  func lose(_ link: Link, _ error: SystemError) {
    close(link)
    fail(link, error)
    handlers.changed(LocalInterface.all(), Set(sockets.keys))
  }

  private func fail(_ link: Link, _ error: SystemError) {
    if failures.insert(link).inserted { handlers.failed(link, error) }
  }

  func received(_ arrival: MulticastSocket.Arrival, on link: Link) {
    guard arrival.reception == .multicast, let interface = link.source.interface,
      arrival.source.link.interface == interface.index
    else { return }
    let source = arrival.source.address
    handlers.heard(
      GroupDatagram(
        bytes: arrival.bytes, source: source.seen(on: interface), port: arrival.source.port, interface: interface,
        // What this machine sends on the loopback interface has no source.
        isOwn: ownAddresses.contains(source) || source == .ipv4(0), delay: arrival.delay))
  }

  /// Sends a datagram on a link that can be heard.
  ///
  /// - Throws: ``SystemError``, also if the link cannot be heard; the datagram is then lost.
  package func send(_ bytes: [UInt8], on link: Link, to destination: MulticastEngine.Destination) throws(SystemError) {
    guard let socket = sockets[link] else { throw SystemError("sendto", errno: ENODEV) }
    try socket.send(bytes, on: link.index, to: destination)
  }

  // MARK: - Asking

  private func ask(on link: Link) {
    guard let question, let socket = sockets[link] else { return }
    do throws(SystemError) {
      try socket.send(question, on: link.index, to: .multicast)
    } catch {
      fail(link, error)
    }
  }

  private func askLater() {
    timer = loop.schedule(after: Self.pauses.delay(after: askedCount)) { [weak self] in
      guard let self else { return }
      for link in sockets.keys { ask(on: link) }
      askedCount += 1
      askLater()
    }
  }
}
