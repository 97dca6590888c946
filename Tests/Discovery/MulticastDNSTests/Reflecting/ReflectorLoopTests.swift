import Testing
import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// Several reflectors, hosts that move, and hosts with an interface in each link.
@Suite struct ReflectorLoopTests {
  private let printer = ReflectedService("Label", "_ipp._tcp.local", on: "printer.local")

  enum Net: CaseIterable {
    case pair, ring, triangleOfThree, chain

    func build(_ links: ReflectedLinks, delay: Duration) {
      switch self {
      case .pair:
        links.add(.among(1, 2))
        links.add(.among(1, 2), delay: delay)
      case .ring:
        links.add(.among(1, 2))
        links.add(.among(2, 3), delay: delay)
        links.add(.among(3, 1))
      case .triangleOfThree:
        links.add(.among(1, 2, 3))
        links.add(.among(1, 2, 3), delay: delay)
        links.add(.among(1, 2, 3))
      case .chain:
        links.add(.among(1, 2))
        links.add(.among(2, 3), delay: delay)
      }
    }

    var links: [UInt32] { self == .pair ? [1, 2] : [1, 2, 3] }
    /// How often each link may get one record: once from each reflector that stands on it.
    var most: Int { self == .triangleOfThree ? 3 : 2 }
  }

  @Test(arguments: Net.allCases, [1, 40, 300])
  func `a record and a question reach every link, and then all is silent`(net: Net, milliseconds: Int) {
    let links = ReflectedLinks()
    net.build(links, delay: .milliseconds(milliseconds))
    for round in 0..<3 {
      links.clear()
      links.say([printer.pointer, printer.location], on: 1)
      links.run(for: .seconds(2))
      for link in net.links.dropFirst() {
        let count = links.records(on: link).count { $0 == printer.pointer }
        #expect((1...net.most).contains(count), "round \(round), link \(link): \(count)")
      }
      #expect(links.records(on: 1).isEmpty)
      links.clear()
      links.ask([DNSQuestion(printer.type, .ptr)], on: net.links.last!)
      links.run(for: .seconds(2))
      for link in net.links.dropLast() {
        #expect((1...net.most).contains(links.questions(on: link).count), "round \(round), link \(link)")
      }
      links.clear()
      links.run(for: .seconds(20))
      #expect(links.datagrams.isEmpty)
    }
  }

  @Test(arguments: Net.allCases)
  func `a goodbye ends what several reflectors have carried over, for good`(net: Net) {
    let links = ReflectedLinks()
    net.build(links, delay: .milliseconds(2))
    let seeker = ReflectedHost(3, on: net.links.last!, of: links)
    seeker.ask(printer.type, .ptr)
    let owner = ReflectedHost(2, on: 1, of: links, named: "printer.local")
    owner.publish(1, printer.published)
    links.run(for: .seconds(5))
    #expect(seeker.known() == [.ptr(printer.instance)])
    owner.withdraw(1)
    links.run(for: .seconds(5))
    #expect(seeker.known().isEmpty)
    links.run(for: .seconds(5000))
    #expect(seeker.known().isEmpty)
  }

  @Test func `a slow reflector beside this one keeps nothing alive`() {
    let links = ReflectedLinks()
    links.add(.among(1, 2))
    links.add(.among(1, 2), delay: .seconds(2))
    for _ in 0..<3 { links.say([printer.pointer], on: 1) }
    links.run(for: .seconds(60))
    #expect(links.records(on: 1).isEmpty)
    #expect(links.records(on: 2).count <= 3)
    links.clear()
    links.run(for: .seconds(600))
    #expect(links.datagrams.isEmpty)
  }

  /// avahi-daemon answers questions on one link from what it has heard on the other, with the whole time to live.
  @Test func `what a reflector says from its memory is not carried back`() {
    let links = ReflectedLinks()
    links.add(.among(1, 2))
    links.say(printer.records, on: 1)
    // It repeats at once what was announced, so it is known for what it is.
    links.say(printer.records, on: 2, from: 77)
    #expect(links.reflectors[0].counters.repeaters == 1)
    // The host dies, and the reflector goes on.
    for _ in 0..<40 {
      links.run(for: .seconds(30))
      links.ask([DNSQuestion(printer.type, .ptr)], on: 2)
      links.say(printer.records, on: 2, from: 77)
    }
    #expect(links.records(on: 1).isEmpty)
  }

  // MARK: - Moving

  @Test func `a service that moves to the other link is found from the old one`() {
    let links = ReflectedLinks()
    links.add(.among(1, 2))
    let owner = ReflectedHost(2, on: 1, of: links, named: "printer.local")
    owner.publish(1, printer.published)
    links.run(for: .seconds(5))
    links.remove(owner)
    links.run(for: .seconds(20))
    links.clear()
    let moved = ReflectedHost(4, on: 2, of: links, named: "printer.local")
    moved.publish(1, printer.published)
    links.run(for: .seconds(10))
    #expect(moved.conflicts.isEmpty && moved.renames.isEmpty)
    #expect(links.records(on: 1).contains { $0.data == .ptr(printer.instance) })
    #expect(links.records(on: 1).contains { $0.data == .address(moved.address) })
  }

  @Test func `a name that lives on a link is not said goodbye to from another`() {
    let links = ReflectedLinks()
    links.add(.among(1, 2))
    links.say(printer.records, on: 1)
    links.run(for: .seconds(20))
    links.clear()
    links.say([printer.pointer.goodbye, printer.location.goodbye, printer.address.goodbye], on: 2)
    #expect(links.records(on: 1).isEmpty)
  }

  // MARK: - Names

  @Test func `two services of one name are told apart by probing across the links`() {
    let links = ReflectedLinks()
    links.add(.among(1, 2, filter: ReflectionFilter("_ipp._tcp.local")))
    let first = ReflectedHost(2, on: 1, of: links, named: "one.local")
    first.publish(1, printer.published)
    links.run(for: .seconds(10))
    let second = ReflectedHost(2, on: 2, of: links, named: "two.local")
    second.publish(1, printer.published)
    links.run(for: .seconds(10))
    #expect(second.conflicts == [printer.instance])
    #expect(first.conflicts.isEmpty)
  }

  @Test func `of two that probe at the same time one gives way`() {
    let links = ReflectedLinks()
    links.add(.among(1, 2, filter: ReflectionFilter("_ipp._tcp.local")))
    let hosts = [
      ReflectedHost(2, on: 1, of: links, named: "one.local"), ReflectedHost(2, on: 2, of: links, named: "two.local"),
    ]
    for host in hosts { host.publish(1, printer.published) }
    links.run(for: .seconds(10))
    #expect(hosts.count { $0.conflicts == [printer.instance] } == 1)
  }

  // avahi/avahi#117: reflected, a host's own addresses look like those of another host with its name.
  @Test func `a host with an interface in each link keeps its name`() {
    let links = ReflectedLinks()
    links.add(.among(1, 2))
    links.add(.among(1, 2))
    let interfaces = [
      ReflectedHost(2, on: 1, of: links, named: "both.local"), ReflectedHost(2, on: 2, of: links, named: "both.local"),
    ]
    for one in interfaces { one.publish(1, ReflectedService("Disk", "_smb._tcp.local", on: "both.local").published) }
    // Their times to live are over meanwhile, and again and again somebody asks.
    for _ in 0..<3 {
      links.run(for: .seconds(200))
      for (link, other) in [(UInt32(1), 1), (2, 0)] {
        let seeker = ReflectedHost(3, on: link, of: links)
        seeker.ask("both.local", .a)
        links.run(for: .seconds(5))
        #expect(seeker.known() == [.address(interfaces[1 - other].address)])
        links.remove(seeker)
      }
    }
    for one in interfaces { #expect(one.renames.isEmpty && one.conflicts.isEmpty) }
    // Each link has the addresses of its own.
    for (link, other) in [(UInt32(1), 1), (2, 0)] {
      #expect(!links.records(on: link).contains { $0.data == .address(interfaces[other].address) })
    }
  }

  /// What a host has said for long on one link crosses when it comes into the other. It is no conflict for one that knows its addresses;
  /// another host of that name takes another.
  @Test(arguments: [true, false])
  func `a host that comes into the second link later keeps its name if it knows its addresses`(knowsItself: Bool) {
    let links = ReflectedLinks()
    links.add(.among(1, 2))
    let disk = ReflectedService("Disk", "_smb._tcp.local", on: "both.local").published
    let first = ReflectedHost(2, on: 1, of: links, named: "both.local")
    first.publish(1, disk)
    links.run(for: .seconds(60))
    links.clear()
    let addresses = Set([1, 2].map { ReflectedLinks.address(ofHost: 2, on: $0) })
    if knowsItself { first.handle(.setHostAddresses(addresses)) }
    let second = ReflectedHost(2, on: 2, of: links)
    if knowsItself { second.handle(.setHostAddresses(addresses)) }
    second.handle(.setHostName("both.local"))
    second.publish(1, disk)
    links.run(for: .seconds(60))
    #expect(links.questions(on: 1).contains { $0.name == "both.local" })
    #expect(links.records(on: 2).contains { $0.data == .address(first.address) })
    #expect(first.renames.isEmpty && first.conflicts.isEmpty)
    #expect(second.renames.isEmpty == knowsItself)
  }
}
