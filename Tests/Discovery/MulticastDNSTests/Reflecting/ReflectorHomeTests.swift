import Testing
import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// Where names live: hosts with an interface in each link, and reflectors that are told from them.
@Suite struct ReflectorHomeTests {
  private let printer = ReflectedService("Label", "_ipp._tcp.local", on: "printer.local")
  private let disk = ReflectedService("Disk", "_smb._tcp.local", on: "both.local")

  /// A host with an interface in each of two links, which speaks over both families. Over IPv6 it speaks from an address that it does
  /// not publish.
  private func speak(_ links: ReflectedLinks, on link: UInt32, over family: IPAddress.Family) {
    let (four, six) = (ReflectedLinks.address(ofHost: 9, on: link), ReflectedLinks.globalAddress(ofHost: 9, on: link))
    links.say(
      [disk.pointer, disk.location, disk.address(four), disk.address(six)], on: link,
      at: family == .ipv4 ? four : ReflectedLinks.localAddress(ofHost: 9 + link))
  }

  private static let voices: [(link: UInt32, family: IPAddress.Family)] = [(1, .ipv4), (1, .ipv6), (2, .ipv4), (2, .ipv6)]
  private static let orders: [[Int]] = (0..<256).map { [$0 & 3, $0 >> 2 & 3, $0 >> 4 & 3, $0 >> 6] }
    .filter { Set($0).count == 4 }

  @Test(arguments: orders)
  func `a host that speaks over both families on two links is one, in whatever order it is heard`(order: [Int]) {
    let links = ReflectedLinks()
    links.add(.among(1, 2), over: [.ipv4, .ipv6])
    for round in 0..<4 {
      links.clear()
      for place in order { speak(links, on: Self.voices[place].link, over: Self.voices[place].family) }
      links.run(for: .seconds(5))
      #expect(links.reflectors[0].counters.repeaters == 0, "round \(round)")
      guard round > 1 else { continue }
      for link in [UInt32(1), 2] { #expect(!links.records(on: link).contains { $0.name == disk.host }, "round \(round)") }
    }
    // Another host's service on the same link crosses from the one that it is said on.
    links.clear()
    links.say(printer.records, on: 2)
    #expect(links.records(on: 1).contains(printer.location))
  }

  @Test func `a host that is heard over IPv6 alone, from an address that it does not publish, is one too`() {
    let links = ReflectedLinks()
    links.add(.among(1, 2), over: [.ipv4, .ipv6])
    for round in 0..<4 {
      links.clear()
      for link in round % 2 == 0 ? [UInt32(1), 2] : [2, 1] { speak(links, on: link, over: .ipv6) }
      links.run(for: .seconds(5))
      guard round > 1 else { continue }
      for link in [UInt32(1), 2] { #expect(!links.records(on: link).contains { $0.name == disk.host }, "round \(round)") }
    }
    #expect(links.reflectors[0].counters.repeaters == 0)
  }

  // MARK: - Reflectors

  /// The host speaks, and another reflector repeats it on the second link.
  private func repeatEach(_ links: ReflectedLinks, copyFirst: Bool) {
    for place in copyFirst ? [1, 0] : [0, 1] {
      if place == 0 {
        links.say(printer.records, on: 1, at: ReflectedLinks.address(ofHost: 9, on: 1))
      } else {
        links.say(printer.records, on: 2, at: ReflectedLinks.address(ofHost: 77, on: 2))
      }
    }
  }

  /// What a service needs that is seen across the links, although a reflector repeats it.
  private func expectHome(_ links: ReflectedLinks, sourceLocation: SourceLocation = #_sourceLocation) {
    links.run(for: .seconds(15))
    links.clear()
    // The other reflector has ended.
    links.say(printer.records, on: 1, at: ReflectedLinks.address(ofHost: 9, on: 1))
    links.run(for: .milliseconds(10))
    #expect(links.records(on: 2).contains(printer.location), sourceLocation: sourceLocation)
    // And it is back, and answers from its memory.
    links.run(for: .seconds(15))
    links.clear()
    for _ in 0..<4 {
      links.say(printer.records, on: 2, at: ReflectedLinks.address(ofHost: 77, on: 2))
      links.run(for: .seconds(3))
    }
    #expect(links.records(on: 1).isEmpty, sourceLocation: sourceLocation)
  }

  @Test(arguments: [1000, 1010, 3000])
  func `a datagram that is lost beside another reflector does not make a reflector of its sender`(milliseconds: Int) {
    let links = ReflectedLinks()
    links.add(.among(1, 2))
    // Of the first, only the copy is heard.
    links.say(printer.records, on: 2, at: ReflectedLinks.address(ofHost: 77, on: 2))
    for _ in 0..<20 {
      links.run(for: .milliseconds(milliseconds - 2))
      repeatEach(links, copyFirst: false)
    }
    expectHome(links)
  }

  @Test func `a copy that is heard before the original does not make a reflector of its sender`() {
    let links = ReflectedLinks()
    links.add(.among(1, 2))
    for round in 0..<8 {
      repeatEach(links, copyFirst: round == 0)
      links.run(for: .seconds(round < 3 ? 1 : 5))
    }
    expectHome(links)
  }

  @Test func `a copy that is heard before the original once says nothing against its sender`() {
    let links = ReflectedLinks()
    links.add(.among(1, 2))
    for round in 0..<8 {
      repeatEach(links, copyFirst: round == 5)
      links.run(for: .seconds(2))
    }
    #expect(links.reflectors[0].counters.repeaters == 1)
    expectHome(links)
  }

  // MARK: - Leaving

  @Test func `a host that leaves one of its links is found from there`() {
    let links = ReflectedLinks()
    links.add(.among(1, 2))
    let interfaces = [
      ReflectedHost(2, on: 1, of: links, named: "both.local"), ReflectedHost(2, on: 2, of: links, named: "both.local"),
    ]
    for one in interfaces { one.publish(1, disk.published) }
    links.run(for: .seconds(200))
    for link in [UInt32(1), 2] {
      let seeker = ReflectedHost(link + 4, on: link, of: links)
      seeker.ask("both.local", .a)
      links.run(for: .seconds(5))
      #expect(seeker.known() == [.address(interfaces[Int(link) - 1].address)])
      links.remove(seeker)
    }
    links.remove(interfaces[0])
    links.run(for: .seconds(130))
    let seeker = ReflectedHost(3, on: 1, of: links)
    seeker.ask("both.local", .a)
    seeker.ask(disk.type, .ptr, as: 2)
    seeker.ask(disk.instance, .srv, as: 3)
    links.run(for: .seconds(10))
    #expect(seeker.known() == [.address(interfaces[1].address)])
    #expect(seeker.known(to: 2) == [.ptr(disk.instance)])
    #expect(seeker.known(to: 3) == [.srv(DNSService(target: "both.local", port: 631))])
    #expect(interfaces[1].renames.isEmpty && interfaces[1].conflicts.isEmpty)
  }

  @Test func `the goodbye of a subtype ends nothing but itself`() {
    let links = ReflectedLinks()
    links.add(.among(1, 2))
    let subtype = DNSRecord("_printer._sub._ipp._tcp.local", .ptr(printer.instance), timeToLive: 4500)
    links.say(printer.records + [subtype], on: 1)
    links.run(for: .seconds(15))
    links.say([subtype.goodbye], on: 1)
    links.run(for: .seconds(15))
    links.clear()
    links.say([printer.pointer], on: 2, from: 77)
    #expect(links.records(on: 1).isEmpty)
  }

  @Test func `of two services that had one name before the reflector came, one takes another`() {
    let links = ReflectedLinks()
    let hosts = [
      ReflectedHost(2, on: 1, of: links, named: "one.local"), ReflectedHost(2, on: 2, of: links, named: "two.local"),
    ]
    for host in hosts { host.publish(1, printer.published) }
    links.run(for: .seconds(10))
    links.add(.among(1, 2))
    for link in [UInt32(1), 2] {
      let seeker = ReflectedHost(3, on: link, of: links)
      seeker.ask(printer.type, .ptr)
      seeker.ask(printer.instance, .srv, as: 2)
    }
    links.run(for: .seconds(30))
    #expect(hosts.count { $0.conflicts == [printer.instance] } == 1)
    #expect(links.reflectors[0].counters.repeaters == 0)
    links.clear()
    links.run(for: .seconds(30))
    #expect(links.datagrams.count < 20)
  }
}
