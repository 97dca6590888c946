import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// What happens to the hosts.
extension Simulation {
  /// Has all sorts of things happen in the storm.
  func planStorm() {
    if mix.isCut {
      plan(.seconds(8)) { [unowned self] in cut() }
      plan(.seconds(18)) { [unowned self] in
        for index in network.group.indices { network.group[index] = 0 }
        tell("whole again")
      }
    }
    plan(.seconds(20)) { [unowned self] in loseHosts() }
    for _ in 0..<mix.disturbances {
      plan(.milliseconds(Int.random(in: 3000...18_000, using: &random))) { [unowned self] in _ = disturb() }
    }
  }

  /// Cuts the network in two; on both sides services with one name appear.
  private func cut() {
    for index in network.group.indices { network.group[index] = Int.random(in: 0...1, using: &random) }
    for side in 0...1 {
      guard let index = network.group.firstIndex(of: side) else { continue }
      residents[index].publish("Contested")
    }
    tell("cut")
  }

  /// Some hosts say goodbye, some just vanish; the last stays.
  private func loseHosts() {
    for resident in residents.dropLast() where random.chance(mix.departure) {
      let isPolite = Bool.random(using: &random)
      for service in resident.services { mayRemain(service.claimed) }
      if isPolite { resident.host.do(.shutDown) }
      resident.host.isUp = false
      tell("host \(resident.host.index) \(isPolite ? "goes" : "vanishes")")
      network.run(for: .milliseconds(Int.random(in: 0...20, using: &random)))
    }
    residents.removeAll { !$0.host.isUp }
  }

  /// Has something happen to a host that is awake. It is over after the time that is returned, at most eleven seconds.
  func disturb() -> Duration {
    let awake = residents.filter { $0.host.isUp && $0.host.backlog == nil }
    guard let resident = awake.randomElement(using: &random),
      let interface = resident.host.interfaces.filter(\.isPluggedIn).randomElement(using: &random)
    else { return .zero }
    let short: Duration = .milliseconds(Int.random(in: 1500...4000, using: &random))
    switch Int.random(in: 0..<12, using: &random) {
    case 0: return unplug(resident, interface, for: short)
    case 1: return loseFamily(resident, interface, for: short)
    case 2: return addAddress(resident, interface)
    case 3: return renumber(resident, interface)
    case 4: return putToSleep(resident, for: short)
    case 5: return putToSleep(resident, for: short + .seconds(5))
    case 6: return usurp(resident, for: short + .seconds(7))
    case 7: return update(resident)
    case 8: return exchange(resident)
    case 9: return restart(resident, after: short)
    case 10: return add()
    default: return leave(resident)
    }
  }

  private func unplug(_ resident: Resident, _ interface: VirtualInterface, for time: Duration) -> Duration {
    tell("host \(resident.host.index) has interface \(interface.number) unplugged for \(time)")
    mayRemain(resident.names)
    resident.change(interface.number) { $0.isPluggedIn = false }
    later(resident, time) { $0.change(interface.number) { $0.isPluggedIn = true } }
    return time
  }

  /// Takes all addresses of a family away for a while, if there is another.
  private func loseFamily(_ resident: Resident, _ interface: VirtualInterface, for time: Duration) -> Duration {
    guard interface.links.count == 2 else { return addAddress(resident, interface) }
    let family = IPAddress.Family.allCases.randomElement(using: &random)!
    let addresses = interface.addresses.filter { $0.address.family == family }
    tell("host \(resident.host.index) is without \(family) on interface \(interface.number) for \(time)")
    mayRemain(resident.names)
    resident.change(interface.number) { $0.addresses.removeAll { $0.address.family == family } }
    later(resident, time) {
      $0.change(interface.number) { $0.addresses += addresses }
    }
    return time
  }

  /// Adds an IPv4 address, or removes the one that was added.
  private func addAddress(_ resident: Resident, _ interface: VirtualInterface) -> Duration {
    let added = InterfaceAddress.ipv4(0x8001 + resident.host.index, on: interface.segment)
    let isThere = interface.addresses.contains(added)
    guard isThere || interface.source(.ipv4) != nil else { return renumber(resident, interface) }
    tell("host \(resident.host.index) \(isThere ? "loses" : "gets") \(added.address) on interface \(interface.number)")
    resident.change(interface.number) {
      if isThere { $0.addresses.removeAll { $0 == added } } else { $0.addresses.append(added) }
    }
    renewAddresses(of: resident)
    return .zero
  }

  /// Replaces a global IPv6 address by one of another network: the new one comes before the old one goes, or both at once.
  private func renumber(_ resident: Resident, _ interface: VirtualInterface) -> Duration {
    let old = interface.addresses.filter { $0.address.family == .ipv6 && !$0.address.isLinkLocal }
    guard !old.isEmpty else { return update(resident) }
    let network = Int.random(in: 1...0xFFFF, using: &random)
    let new = InterfaceAddress.global(resident.host.index + 1, on: interface.segment, network: network)
    let gap: Duration = Bool.random(using: &random) ? .zero : .milliseconds(Int.random(in: 10...2000, using: &random))
    tell("host \(resident.host.index) gets \(new.address) on interface \(interface.number), and loses the former after \(gap)")
    resident.change(interface.number) {
      $0.addresses.append(new)
      if gap == .zero { $0.addresses.removeAll { old.contains($0) } }
    }
    if gap > .zero {
      later(resident, gap) { $0.change(interface.number) { $0.addresses.removeAll { old.contains($0) } } }
    }
    renewAddresses(of: resident)
    return gap
  }

  private func renewAddresses(of resident: Resident) {
    guard network.now >= Self.storm, let name = resident.hostName else { return }
    for type in [DNSType.a, .aaaa] { fresh.insert(Hearing.Subject(name: name, type: type)) }
  }

  private func putToSleep(_ resident: Resident, for time: Duration) -> Duration {
    let isOfMachine = Bool.random(using: &random)
    tell("\(isOfMachine ? "host" : "the process on host") \(resident.host.index) sleeps for \(time)")
    mayRemain(resident.names)
    resident.host.fallAsleep(isOfMachine: isOfMachine)
    later(resident, time) { [unowned self] resident in
      tell("host \(resident.host.index) wakes up")
      resident.wakeUp()
    }
    return time
  }

  /// While a host sleeps, another one publishes a service with the name of one of its services.
  private func usurp(_ resident: Resident, for time: Duration) -> Duration {
    let others = residents.filter { other in
      other !== resident && other.host.backlog == nil
        && other.host.media.contains { medium in resident.host.media.contains { $0.medium == medium.medium } }
    }
    // What several want may have an owner where the sleeper is not.
    let names = resident.services.filter { !isDisputed($0) }.compactMap(\.established)
    guard let name = names.randomElement(using: &random), let other = others.randomElement(using: &random)
    else { return putToSleep(resident, for: time) }
    disputed.insert(name)
    for (type, life) in [(DNSType.srv, 121), (.txt, 4501)] {
      outlived[Hearing.Subject(name: Self.instance(name), type: type)] = network.now + time + .seconds(life)
    }
    later(other, .seconds(1)) { [unowned self] other in
      guard other.host.backlog == nil else { return }
      tell("host \(other.host.index) takes \"\(name)\"")
      let service = other.publish(name)
      if network.now >= Self.storm { successors.append(service) }
    }
    return putToSleep(resident, for: time)
  }

  /// Has the process of a host crash, and start once more with the same services.
  private func restart(_ resident: Resident, after time: Duration) -> Duration {
    // The process gives the services the names that it is told to give them, and does not know what became of them.
    guard !resident.services.contains(where: isDisputed), resident.host.index >= mix.clones else { return update(resident) }
    tell("host \(resident.host.index) crashes, and is \(network.hosts.count) after \(time)")
    mayRemain(resident.names)
    resident.host.isUp = false
    residents.removeAll { $0 === resident }
    plan(network.now + time) { [unowned self] in
      let new = Resident(network.addHost(resident.host.interfaces), on: network, isWatched: true)
      if let name = resident.hostName { new.claim(name) }
      for subject in resident.asked.keys.sorted(by: { "\($0)" < "\($1)" }) { new.ask(subject) }
      for service in resident.services { new.publish(service.name) }
      residents.insert(new, at: 0)
    }
    return time
  }

  /// Adds a host.
  private func add() -> Duration {
    let number = network.hosts.count
    tell("host \(number) comes")
    let new = Resident(network.addHost(mix.interfaces(of: number, &random)), on: network, isWatched: true)
    new.claim(DNSName(literal: "host-\(number).local"))
    new.ask(Self.browsed)
    new.publish("\(number)-0")
    residents.insert(new, at: 0)
    return .zero
  }

  /// Has a host go with a goodbye.
  private func leave(_ resident: Resident) -> Duration {
    guard residents.count > 2, resident !== residents.last, network.now >= Self.storm else { return add() }
    tell("host \(resident.host.index) goes")
    resident.host.do(.shutDown)
    resident.host.isUp = false
    residents.removeAll { $0 === resident }
    return .zero
  }

  /// Changes the TXT record of a service.
  private func update(_ resident: Resident) -> Duration {
    guard let service = resident.services.filter({ $0.established != nil }).randomElement(using: &random) else { return .zero }
    let value = Int.random(in: 1...Int(Int32.max), using: &random)
    tell("host \(resident.host.index) updates \"\(service.name)\" to \(value)")
    service.update(value)
    if network.now >= Self.storm { fresh.insert(Hearing.Subject(name: Self.instance(service.name), type: .txt)) }
    return .zero
  }

  /// Ends a service, and publishes another.
  private func exchange(_ resident: Resident) -> Duration {
    guard let service = resident.services.filter({ $0.established != nil }).randomElement(using: &random) else { return .zero }
    let name = "\(resident.host.index) after \(network.now.microseconds)"
    tell("host \(resident.host.index) publishes \"\(name)\" in place of \"\(service.name)\"")
    // In a storm, goodbyes may be lost.
    if network.now < Self.storm { mayRemain(service.claimed) }
    resident.withdraw(service)
    resident.publish(name)
    return .zero
  }

  /// Has a host of a small network sleep for longer than its addresses live.
  func sleepLong() {
    guard random.chance(0.5), let resident = residents.randomElement(using: &random) else { return }
    let time: Duration = .seconds(Int.random(in: 100...300, using: &random))
    let wait = usurp(resident, for: time)
    pass(until: network.now + wait + .seconds(6))
    check()
  }

  private func later(_ resident: Resident, _ time: Duration, _ body: @escaping (Resident) -> Void) {
    plan(network.now + time) { if resident.host.isUp { body(resident) } }
  }
}
