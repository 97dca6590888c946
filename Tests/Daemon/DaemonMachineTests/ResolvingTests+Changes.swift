import Testing
import _BonjourishBusProtocol
import _BonjourishDiscovery
import _BonjourishMulticastDNS

@testable import _BonjourishDaemonMachine

/// What resolvers tell when answers change.
extension ResolvingTests {
  @Test func `what was known before is told as such, for each record, and what is this machine's as its own`() {
    var bench = Bench()
    let group = bench.make("EntryGroupNew", [])
    bench.call("AddService", group, GroupTests.service())
    for (client, flags) in [(":1.5", 4 | 8 | 16), (":1.6", 4 | 8)] as [(String, UInt32)] {
      _ = bench.make("ServiceResolverNew", by: client, Self.question)
      for type in [DNSType.srv, .txt] { bench.answer(Self.instance, type, .cacheExhausted) }
      bench.answer(Self.instance, .srv, .added(Self.service, Bench.link, isOwn: true))
      bench.answer(Self.instance, .txt, .added(Self.text, Bench.link, isOwn: false))
      // Only the address was known before.
      bench.answer("h2.local", .a, .added(Self.address, Bench.link, isOwn: false))
      #expect(bench.takeSignals("Found").map { $0.body?.last } == [.uint32(flags | 1)])
      bench.answer("h2.local", .a, .cacheExhausted)
      let second = DNSRecord(name("h2.local"), .address(IPAddress("10.0.0.3")!), timeToLive: 120, cacheFlush: true)
      bench.answer("h2.local", .a, .added(second, Bench.link, isOwn: false))
      #expect(bench.takeSignals("Found").isEmpty)
      bench.answer("h2.local", .a, .removed(Self.address, Bench.link))
      #expect(bench.takeSignals("Found").map { $0.body?.last } == [.uint32(flags)])
    }
  }

  @Test func `a service that moves to another host is followed there`() {
    var bench = Bench()
    _ = bench.make("ServiceResolverNew", Self.question)
    answerAll(&bench)
    _ = bench.takeSignals()
    let former = bench.lookup("h2.local", .a)!
    let moved = DNSRecord(
      name(Self.instance), .srv(DNSService(target: name("h3.local"), port: 81)), timeToLive: 120, cacheFlush: true)
    bench.answer(Self.instance, .srv, .added(moved, Bench.link, isOwn: false))
    // The one that was told holds as long as it is there.
    #expect(bench.lookup("h3.local", .a) == nil)
    bench.answer(Self.instance, .srv, .removed(Self.service, Bench.link))
    #expect(bench.effects.contains(.endAsking(former)) && bench.takeSignals().isEmpty)
    // What the former host says is none of its addresses.
    bench.send(.answered(former, .added(Self.address, Bench.link, isOwn: false)))
    #expect(bench.takeSignals().isEmpty)
    for case .ask(_, let host, _, let links) in bench.effects where host == name("h3.local") { #expect(links.index == 2) }
    let address = DNSRecord(name("h3.local"), .address(IPAddress("10.0.0.3")!), timeToLive: 120, cacheFlush: true)
    bench.answer("h3.local", .a, .added(address, Bench.link, isOwn: false))
    let body = bench.takeSignals("Found").first?.body
    #expect(body?[5] == .text("h3.local") && body?[7] == .text("10.0.0.3") && body?[8] == .uint16(81))
  }

  @Test func `a service without a host has no address to ask for, and texts and addresses of other interfaces do not count`() {
    var bench = Bench()
    _ = bench.make("ServiceResolverNew", Self.question)
    let none = DNSRecord(
      name(Self.instance), .srv(DNSService(target: .root, port: 0)), timeToLive: 120, cacheFlush: true)
    bench.answer(Self.instance, .srv, .added(none, Bench.link, isOwn: false))
    #expect(bench.effects.count == 2)
    bench.answer(Self.instance, .srv, .removed(none, Bench.link))
    let elsewhere = MulticastLink(interface: 3, family: .ipv4)
    bench.answer(Self.instance, .srv, .added(Self.service, Bench.link, isOwn: false))
    bench.answer(Self.instance, .txt, .added(Self.text, elsewhere, isOwn: false))
    bench.answer("h2.local", .a, .added(Self.address, elsewhere, isOwn: false))
    #expect(bench.takeSignals().isEmpty)
    bench.answer(Self.instance, .txt, .added(Self.text, Bench.link, isOwn: false))
    #expect(bench.takeSignals().isEmpty)
    bench.answer("h2.local", .a, .added(Self.address, Bench.link, isOwn: false))
    #expect(bench.takeSignals().map(\.body) == [Self.found])
  }

  @Test func `a resolver that has lost what it had told fails five seconds later, unless it finds it again`() {
    for isBack in [true, false] {
      var bench = Bench()
      _ = bench.make("HostNameResolverNew", any + [.text("h2.local"), .int32(0), noFlags])
      bench.answer("h2.local", .a, .added(Self.address, Bench.link, isOwn: false))
      // Said once more, it is no news.
      bench.answer("h2.local", .a, .added(Self.address, Bench.link, isOwn: false))
      #expect(bench.takeSignalNames() == ["Found"])
      bench.pass(.seconds(60))
      #expect(bench.takeSignalNames() == [])
      bench.answer("h2.local", .a, .removed(Self.address, Bench.link))
      bench.pass(.seconds(4))
      if isBack { bench.answer("h2.local", .a, .added(Self.address, Bench.link, isOwn: false)) }
      bench.pass(.milliseconds(999))
      #expect(bench.takeSignalNames() == (isBack ? ["Found"] : []))
      bench.pass(.milliseconds(1))
      #expect(bench.takeSignalNames() == (isBack ? [] : ["Failure"]))
    }
  }

  @Test(
    arguments: [
      (-1, [.a, .aaaa]), (0, [.a]), (1, [.aaaa]),
    ] as [(Int32, [DNSType])])
  func `addresses of the wanted families are asked for`(family: Int32, types: [DNSType]) {
    var bench = Bench()
    _ = bench.make("HostNameResolverNew", any + [.text("h2.local"), .int32(family), noFlags])
    #expect(bench.effects.compactMap { if case .ask(_, _, let type, _) = $0 { type } else { nil } } == types)
  }

  @Test func `a name of an address stays the one that was told, while it holds`() {
    var bench = Bench()
    _ = bench.make("AddressResolverNew", any + [.text("10.0.0.2"), noFlags])
    let reverse = "2.0.0.10.in-addr.arpa"
    for host in ["h2.local", "h3.local"] {
      bench.answer(reverse, .ptr, .added(pointer(reverse, to: host), Bench.link, isOwn: false))
    }
    bench.answer(reverse, .ptr, .removed(pointer(reverse, to: "h2.local"), Bench.link))
    #expect(bench.takeSignals("Found").map { $0.body?[4] } == [.text("h2.local"), .text("h3.local")])
  }

  @Test func `a service may be resolved by its type alone, and one that makes no sense is refused`() {
    var bench = Bench()
    func make(_ name: String, _ type: String, _ domain: String, flags: UInt32 = 0) -> String? {
      _ = bench.make("ServiceResolverNew", any + [.text(name), .text(type), .text(domain), .int32(-1), .uint32(flags)])
      return bench.refusal
    }
    #expect(make("", "_http._tcp", "") == nil && bench.lookup("_http._tcp.local", .srv) != nil)
    #expect(make(String(repeating: "x", count: 64), "_http._tcp", "") == "InvalidServiceNameError")
    #expect(make("Ada", "_http._tcp", "a..b") == "InvalidDomainNameError")
    #expect(make("Ada", "_http._tcp", "", flags: 16) == "InvalidFlagsError")
  }
}
