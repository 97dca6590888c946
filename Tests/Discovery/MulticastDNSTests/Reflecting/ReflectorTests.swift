import Testing
import _BonjourishDiscovery

@testable import _BonjourishMulticastDNS

/// What crosses between two links, and in which form.
@Suite struct ReflectorTests {
  private let printer = ReflectedService("Label", "_ipp._tcp.local", on: "printer.local")
  private let web = ReflectedService("Pages", "_http._tcp.local", on: "server.local")

  @Test func `a service is found and resolved on the other link, with the times to live that its host gave`() {
    let links = ReflectedLinks()
    links.add(.among(1, 2))
    let owner = ReflectedHost(2, on: 1, of: links, named: "printer.local")
    let seeker = ReflectedHost(3, on: 2, of: links)
    owner.publish(1, printer.published)
    seeker.ask(printer.type, .ptr)
    links.run(for: .seconds(5))
    #expect(seeker.known() == [.ptr(printer.instance)])
    seeker.ask(printer.instance, .srv, as: 2)
    seeker.ask("printer.local", .a, as: 3)
    links.run(for: .seconds(2))
    #expect(seeker.known(to: 2) == [.srv(DNSService(target: "printer.local", port: 631))])
    #expect(seeker.known(to: 3) == [.address(owner.address)])
    let crossed = links.records(on: 2)
    let messages = links.datagrams.filter { $0.source == owner.address }.compactMap(\.message)
    let said = Set(messages.flatMap { $0.answers + $0.additionals })
    #expect(!crossed.isEmpty && crossed.allSatisfy { said.contains($0) })
  }

  @Test func `a host that crashes is gone on the other link when it is on its own`() {
    let links = ReflectedLinks()
    links.add(.among(1, 2))
    links.add(.among(1, 2))
    let owner = ReflectedHost(2, on: 1, of: links, named: "printer.local")
    let near = ReflectedHost(3, on: 1, of: links)
    let far = ReflectedHost(3, on: 2, of: links)
    owner.publish(1, printer.published)
    near.ask(printer.instance, .srv)
    far.ask(printer.instance, .srv)
    links.run(for: .seconds(30))
    #expect(near.known().count == 1 && far.known().count == 1)
    links.remove(owner)
    links.run(for: .seconds(120))
    #expect(near.known().isEmpty && far.known().isEmpty)
    links.clear()
    links.run(for: .seconds(600))
    #expect(links.datagrams.compactMap(\.message).flatMap(\.answers).isEmpty)
  }

  @Test func `a goodbye crosses once`() {
    let links = ReflectedLinks()
    links.add(.among(1, 2))
    links.add(.among(1, 2))
    links.say(printer.records, on: 1)
    links.clear()
    for _ in 0..<5 { links.say([printer.pointer.goodbye], on: 1) }
    #expect(links.records(on: 2) == [printer.pointer.goodbye, printer.pointer.goodbye], "one of each reflector")
    #expect(links.records(on: 1).isEmpty)
    // What comes back at once may go at once.
    links.say([printer.pointer], on: 1)
    links.say([printer.pointer.goodbye], on: 1)
    #expect(links.records(on: 2).suffix(2) == [printer.pointer.goodbye, printer.pointer.goodbye])
  }

  // RFC 6762 §10.1: one may get lost, so a host may send several.
  @Test func `three goodbyes cross that are a second apart`() {
    let links = ReflectedLinks()
    links.add(.among(1, 2))
    links.add(.among(1, 2))
    links.say(printer.records, on: 1)
    links.clear()
    for count in 1...5 {
      links.say([printer.pointer.goodbye], on: 1)
      links.run(for: .milliseconds(980))
      #expect(links.records(on: 2).count == 2 * min(count, 3), "of each reflector")
    }
    #expect(links.records(on: 1).isEmpty)
    links.run(for: .seconds(600))
    #expect(links.records(on: 2).count == 6)
  }

  // RFC 6762 §6
  @Test func `a record crosses once a second, and more often while its name is probed for`() {
    let links = ReflectedLinks()
    links.add(.among(1, 2))
    for _ in 0..<20 {
      links.say([web.location], on: 1)
      links.run(for: .milliseconds(80))
    }
    #expect(links.records(on: 2).count == 2)
    links.run(for: .seconds(2))
    links.clear()
    var probe = DNSMessage(isResponse: false)
    probe.questions = [DNSQuestion(web.instance, .any)]
    probe.authorities = [DNSRecord(web.instance, .srv(DNSService(target: "other.local", port: 1)), timeToLive: 120)]
    for _ in 0..<3 {
      links.say(probe, on: 2)
      links.say([web.location], on: 1)
      links.run(for: .milliseconds(230))
    }
    #expect(links.records(on: 2).count == 3)
  }

  @Test func `a full set of records is split where it does not fit, and each part is whole`() {
    let links = ReflectedLinks()
    links.add(.among(1, 2))
    let records = (0..<60).flatMap { number in
      ReflectedService("Service number \(number)", "_http._tcp.local", on: "server.local").records
    }
    links.say(records, on: 1)
    let crossed = links.crossed(to: 2)
    #expect(Set(crossed.flatMap(\.answers)) == Set(records))
    #expect(crossed.count > 1)
    for datagram in links.datagrams where datagram.link == 2 { #expect(datagram.bytes.count <= 1440) }
  }

  // avahi/avahi#379: a pointer that led into the rest of the message was kept when the rest was not.
  @Test func `compressed names are written anew`() throws {
    let links = ReflectedLinks()
    links.add(.among(1, 2, filter: ReflectionFilter("_hap._tcp.local")))
    let service = ReflectedService("MSG100", "_hap._tcp.local", on: "mt.local")
    let denial = DNSRecord(
      service.instance, .nsec(next: service.instance, types: DNSTypeSet([.txt, .srv])!), timeToLive: 120, cacheFlush: true)
    let hostDenial = DNSRecord("mt.local", .nsec(next: "mt.local", types: DNSTypeSet([.a])!), timeToLive: 120, cacheFlush: true)
    var message = DNSMessage(isResponse: true)
    message.answers = [web.pointer, web.location, service.pointer]
    message.additionals = [web.text, service.text, service.location, service.address, denial, hostDenial]
    links.say(message, on: 1)
    let crossed = try #require(links.crossed(to: 2).first)
    #expect(links.crossed(to: 2).count == 1)
    #expect(crossed.answers == [service.pointer])
    #expect(crossed.additionals == [service.text, service.location, service.address, denial, hostDenial])
  }

  @Test func `link-local addresses stay, unless they are wanted`() {
    let addresses: [DNSRecord] = [
      .ipv4(0xA9FE_0101), .ipv6(high: 0xFE80 << 48, low: 1), .ipv4(0x0A00_0102), .ipv6(high: 0xFD00 << 48, low: 1),
    ].map { web.address($0) }
    for keeps in [false, true] {
      let links = ReflectedLinks()
      var rules = ReflectionRules.among(1, 2)
      rules.keepsLinkLocal = keeps
      links.add(rules)
      let hidden = DNSRecord(web.instance, addresses[0].data, timeToLive: 120)
      links.say(addresses + [hidden], on: 1)
      #expect(links.records(on: 2) == (keeps ? addresses : Array(addresses[2...])))
    }
  }

  @Test func `what this machine says itself does not cross`() {
    let links = ReflectedLinks()
    links.add(.among(1, 2))
    var message = DNSMessage(isResponse: true)
    message.answers = web.records
    links.send(message.written(), on: 1, from: ReflectedLinks.address(of: 0, on: 1))
    links.run(for: .seconds(1))
    #expect(links.crossed(to: 2).isEmpty)
    #expect(links.reflectors[0].counters.own == 1)
  }

  // RFC 4007 §5: another link may have the same link-local addresses.
  @Test func `who has a link-local address that this machine has on another link is another host`() {
    var reflector = Reflector(.among(1, 2))
    func address(_ interface: UInt32) -> IPAddress { .ipv6(high: 0xFE80 << 48, low: UInt64(interface)) }
    for interface in [UInt32(1), 2] {
      _ = reflector.handle(
        .linkUp(
          MulticastLink(interface: interface, family: .ipv6),
          addresses: [InterfaceAddress(address(interface), prefixLength: 64)], mtu: 1500), at: .zero)
    }
    _ = reflector.handle(.setHostAddresses([address(1), address(2)]), at: .zero)
    var message = DNSMessage(isResponse: true)
    message.answers = web.records
    func hear(from host: UInt32) -> Int {
      let link = MulticastLink(interface: 1, family: .ipv6)
      return reflector.handle(
        .heard(message.written(), from: MulticastSource(address(host), port: 5353, link: link)), at: .zero
      ).count
    }
    #expect(hear(from: 1) == 0)
    #expect(hear(from: 2) == 1)
    #expect(reflector.counters.own == 1)
  }

  @Test func `what is heard over one family is said with both that the other link has`() throws {
    var reflector = Reflector(.among(1, 2))
    let six = MulticastLink(interface: 1, family: .ipv6)
    for link in [six, MulticastLink(interface: 2, family: .ipv4), MulticastLink(interface: 2, family: .ipv6)] {
      _ = reflector.handle(.linkUp(link, addresses: [], mtu: 1500), at: .zero)
    }
    var message = DNSMessage(isResponse: true)
    message.answers = web.records
    let effects = reflector.handle(
      .heard(message.written(), from: MulticastSource(.ipv6(high: 0xFE80 << 48, low: 9), port: 5353, link: six)), at: .zero)
    let links = effects.compactMap { if case .send(_, let link, .multicast) = $0 { link } else { nil } }
    #expect(links == [MulticastLink(interface: 2, family: .ipv4), MulticastLink(interface: 2, family: .ipv6)])
    _ = reflector.handle(.linkDown(MulticastLink(interface: 2, family: .ipv4)), at: .zero)
    _ = reflector.handle(.linkDown(MulticastLink(interface: 2, family: .ipv6)), at: .zero)
    #expect(
      reflector.handle(
        .heard(message.written(), from: MulticastSource(.ipv6(high: 0xFE80 << 48, low: 9), port: 5353, link: six)),
        at: .seconds(5)
      ).isEmpty)
  }
}
