package import _BonjourishDiscovery
package import _BonjourishEventLoop
package import _BonjourishInterfaces
package import _BonjourishMulticastDNS

/// Runs a ``Reflector`` between interfaces of this machine, which it follows as they come and go. Confined to the loop.
///
/// In the rules, the numbers of the interfaces are their places in the list, from 1.
package final class ReflectorLoop {
  package struct Handlers {
    /// A question or a record crosses, or does not.
    package let noted: (Reflector.Note) -> Void
    /// Something is wrong, and the reflector goes on.
    package let warned: (String) -> Void
    /// These interfaces can be used now, in the order of the list; also called at the start.
    package let usable: ([String]) -> Void

    package init(
      noted: @escaping (Reflector.Note) -> Void, warned: @escaping (String) -> Void, usable: @escaping ([String]) -> Void
    ) {
      self.noted = noted
      self.warned = warned
      self.usable = usable
    }
  }

  private let loop: EventLoop
  private let names: [String]
  private let isDry: Bool
  private let handlers: Handlers
  private let origin = ContinuousClock.now
  private var reflector: Reflector
  private var listener: GroupListener?
  private lazy var deadline = LoopDeadline(on: loop) { [weak self] in self?.handle(.timePassed) }
  /// The links that are up, with what the reflector knows of them.
  private var links: [MulticastLink: (link: Link, interface: LocalInterface)] = [:]
  private var usable: [String]?
  private var isWarnedOfOneNetwork = false
  /// The links on which the last datagram could not be sent.
  private var mute: Set<MulticastLink> = []

  /// Starts to reflect.
  ///
  /// - Parameters:
  ///   - names: The names of the interfaces.
  ///   - family: The only address family; nil for both.
  ///   - isDry: Whether nothing is sent.
  ///   - isTelling: Whether `noted` is called.
  /// - Throws: ``SystemError`` when the changes of interfaces cannot be followed.
  package init(
    on loop: EventLoop, between names: [String], over family: IPAddress.Family? = nil, _ rules: ReflectionRules,
    isDry: Bool = false, isTelling: Bool = false, _ handlers: Handlers
  ) throws(SystemError) {
    (self.loop, self.names, self.isDry, self.handlers) = (loop, names, isDry, handlers)
    reflector = Reflector(rules)
    reflector.isTelling = isTelling
    let selection = InterfaceSelection(included: Set(names))
    listener = try GroupListener(
      on: loop, family.map { selection.over($0) } ?? selection, asking: nil,
      GroupListener.Handlers(
        heard: { [weak self] in self?.heard($0) },
        failed: { [handlers] link, error in handlers.warned("mDNS on \(link): \(error)") },
        changed: { [weak self] in self?.changed($0, $1) }))
  }

  package var counters: ReflectionCounters { reflector.counters }

  /// The number of datagrams that were lost, because they were not read fast enough.
  package var dropped: Int { listener?.dropped ?? 0 }

  /// Ends. Nothing is said: what was reflected lives on at its owner's, and is gone on the other link when its time is over.
  package func stop() {
    deadline.cancel()
    listener?.stop()
    listener = nil
  }

  // MARK: - Interfaces

  private func number(of name: String) -> UInt32? { names.firstIndex(of: name).map { UInt32($0) + 1 } }

  private func changed(_ interfaces: [LocalInterface], _ heard: Set<Link>) {
    handle(.setHostAddresses(Set(interfaces.flatMap { $0.addresses.map(\.address) })))
    var current: [MulticastLink: (link: Link, interface: LocalInterface)] = [:]
    for link in heard {
      guard let interface = interfaces.first(where: { $0.index == link.index }), let number = number(of: interface.name) else {
        continue
      }
      current[MulticastLink(interface: number, family: link.family)] = (link, interface)
    }
    for link in links.keys where current[link] == nil { handle(.linkDown(link)) }
    for (link, new) in current where links[link]?.interface != new.interface {
      handle(.linkUp(link, addresses: new.interface.addresses, mtu: new.interface.mtu))
    }
    links = current
    mute.formIntersection(current.keys)
    if let shared = Self.sharedNetwork(of: names, among: interfaces) { warnOfOneNetwork(shared.0, shared.1) }
    let usable = names.filter { name in links.values.contains { $0.interface.name == name } }
    if usable != self.usable { handlers.usable(usable) }
    self.usable = usable
  }

  /// Checks what is to be reflected between, as it is now.
  ///
  /// - Throws: ``DiscoveryError`` with code `noSuchInterface` when there are not two interfaces, one is not there, is the loopback
  ///   interface, or two are in one network.
  package static func check(_ names: [String]) throws(DiscoveryError) {
    func refusal(_ text: String) -> DiscoveryError { DiscoveryError(.noSuchInterface, text) }
    guard names.count > 1 else {
      throw refusal("services are reflected between two interfaces or more; name them, such as eth0,eth1")
    }
    if let twice = names.enumerated().first(where: { names[..<$0.offset].contains($0.element) })?.element {
      throw refusal("the interface \(twice) is named twice; name it once")
    }
    let all = LocalInterface.all()
    for name in names {
      guard let interface = all.first(where: { $0.name == name }) else {
        throw refusal("this machine has no interface \(name); `ip link` lists those that it has")
      }
      guard !interface.isLoopback else {
        throw refusal(
          "\(name) leads to this machine alone, whose programs speak on the other interfaces themselves; leave it out")
      }
    }
    if let (one, other) = sharedNetwork(of: names, among: all) {
      throw refusal(
        "\(one) and \(other) are in one network, whose hosts see each other's services anyway; leave one of them out")
    }
  }

  /// Two of the interfaces that are in one network, so that there is nothing to reflect; nil if there are none.
  package static func sharedNetwork(of names: [String], among interfaces: [LocalInterface]) -> (String, String)? {
    let chosen = names.compactMap { name in interfaces.first { $0.name == name } }
    for (place, one) in chosen.enumerated() {
      for other in chosen[(place + 1)...] {
        let isShared = one.addresses.contains { address in
          !address.address.isLinkLocal
            && other.addresses.contains {
              !$0.address.isLinkLocal && $0.prefixLength == address.prefixLength
                && $0.address.shares($0.prefixLength, bitsWith: address.address)
            }
        }
        if isShared { return (one.name, other.name) }
      }
    }
    return nil
  }

  private func warnOfOneNetwork(_ one: String, _ other: String) {
    guard !isWarnedOfOneNetwork else { return }
    isWarnedOfOneNetwork = true
    handlers.warned(
      "\(one) and \(other) are in one network, whose hosts see each other's services anyway; leave one of them out")
  }

  // MARK: - Datagrams

  private func heard(_ datagram: GroupDatagram) {
    guard let number = number(of: datagram.interface.name) else { return }
    let link = MulticastLink(interface: number, family: datagram.source.family)
    if datagram.isOwn { checkSource(of: datagram) }
    handle(.heard(datagram.bytes, from: MulticastSource(datagram.source.withoutZone, port: datagram.port, link: link)))
  }

  /// What this machine has sent on one interface and hears on another has come through the network.
  private func checkSource(of datagram: GroupDatagram) {
    let source = datagram.source.withoutZone
    guard !source.isLinkLocal, datagram.port == MulticastEngine.port,
      !links.values.contains(where: { $0.interface.name == datagram.interface.name && $0.interface.has(source) }),
      let sender = links.values.first(where: { $0.interface.has(source) })
    else { return }
    warnOfOneNetwork(sender.interface.name, datagram.interface.name)
  }

  private func handle(_ event: Reflector.Event) {
    for effect in reflector.handle(event, at: origin.duration(to: .now)) {
      switch effect {
      case .send(let bytes, let link, let destination): send(bytes, on: link, to: destination)
      case .note(let note): handlers.noted(note)
      }
    }
    deadline.set(reflector.nextDeadline.map { origin + $0 })
  }

  private func send(_ bytes: [UInt8], on link: MulticastLink, to destination: MulticastEngine.Destination) {
    guard !isDry, let known = links[link] else { return }
    do throws(SystemError) {
      try listener?.send(bytes, on: known.link, to: destination)
      if case .multicast = destination { mute.remove(link) }
    } catch {
      if case .multicast = destination, mute.insert(link).inserted {
        handlers.warned("sending on \(known.link): \(error)")
      }
    }
  }
}

extension LocalInterface {
  fileprivate func has(_ address: IPAddress) -> Bool { addresses.contains { $0.address == address } }
}

extension IPAddress {
  /// The address as the kernel gives it, without the interface.
  fileprivate var withoutZone: IPAddress { seen(on: nil) }
}
