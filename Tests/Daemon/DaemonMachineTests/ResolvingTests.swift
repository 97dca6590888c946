import Testing
import _BonjourishBusProtocol
import _BonjourishDiscovery
import _BonjourishMulticastDNS

@testable import _BonjourishDaemonMachine

/// Resolvers of objects, of calls and of the simple socket.
@Suite struct ResolvingTests {
  @Test func `a true address is told after many that were made up`() {
    var bench = Bench()
    _ = bench.make("HostNameResolverNew", any + [.text("h2.local"), .int32(0), noFlags])
    func record(_ number: UInt32) -> DNSRecord {
      DNSRecord(name("h2.local"), .address(.ipv4(0x0A00_0000 + number)), timeToLive: 120)
    }
    for number in 1...300 as ClosedRange<UInt32> {
      bench.answer("h2.local", .a, .added(record(number), Bench.link, isOwn: false))
    }
    _ = bench.takeSignals()
    for number in 1...299 as ClosedRange<UInt32> { bench.answer("h2.local", .a, .removed(record(number), Bench.link)) }
    #expect(bench.takeSignals("Found").last?.body?[4] == .text("10.0.1.44"))
  }

  static let instance = "Ada._http._tcp.local"
  static let service = DNSRecord(
    name(instance), .srv(DNSService(target: name("h2.local"), port: 80)), timeToLive: 120, cacheFlush: true)
  static let text = DNSRecord(name(instance), .txt([3, 97, 61, 49, 3, 98, 61, 50]), timeToLive: 4500, cacheFlush: true)
  static let address = DNSRecord(name("h2.local"), .address(IPAddress("10.0.0.2")!), timeToLive: 120, cacheFlush: true)
  static let question = any + [.text("Ada"), .text("_http._tcp"), .text("local"), .int32(-1), noFlags]

  static let found: [BusValue] = [
    .int32(2), .int32(0), .text("Ada"), .text("_http._tcp"), .text("local"), .text("h2.local"), .int32(0), .text("10.0.0.2"),
    .uint16(80), .array(of: "ay", [.bytes([98, 61, 50]), .bytes([97, 61, 49])]), .uint32(5),
  ]

  func answerAll(_ bench: inout Bench) {
    bench.answer(Self.instance, .srv, .added(Self.service, Bench.link, isOwn: false))
    bench.answer("h2.local", .a, .added(Self.address, Bench.link, isOwn: false))
    bench.answer(Self.instance, .txt, .added(Self.text, Bench.link, isOwn: false))
  }

  @Test func `a service is found once its three records are there, whatever comes first`() {
    var bench = Bench()
    _ = bench.make("ServiceResolverNew", Self.question)
    answerAll(&bench)
    #expect(bench.takeSignals().map(\.body) == [Self.found])
  }

  @Test func `the resolver of a service begins a millisecond after the call, and does not wait for other objects`() {
    var bench = Bench()
    _ = bench.prepare("HostNameResolverNew", any + [.text("h3.local"), .int32(0), noFlags])
    _ = bench.prepare("ServiceResolverNew", Self.question)
    #expect(bench.effects == [] && bench.machine.nextDeadline == .milliseconds(1))
    bench.pass(.milliseconds(1))
    answerAll(&bench)
    #expect(bench.takeSignals().map(\.body) == [Self.found])
    #expect(bench.lookup("h3.local", .a) == nil)
    bench.pass(.milliseconds(9))
    #expect(bench.lookup("h3.local", .a) != nil)
  }

  @Test func `a call is answered when the service is found`() {
    var bench = Bench()
    #expect(
      bench.call(
        "ResolveService", .int32(-1), .int32(-1), .text("Ada"), .text("_http._tcp"), .text("local"), .int32(-1), noFlags) == nil
    )
    answerAll(&bench)
    #expect(bench.messages.map(\.body) == [Self.found])
    #expect(bench.messages.first?.kind == .answer)
    #expect(bench.machine.objectCount == 0)
    bench.now = .seconds(6)
    bench.send(.timePassed)
    #expect(bench.messages.count == 1)
  }

  @Test func `a call is answered after five seconds without a result`() {
    var bench = Bench()
    bench.call("ResolveHostName", .int32(-1), .int32(-1), .text("h9.local"), .int32(-1), noFlags)
    #expect(bench.machine.nextDeadline == .seconds(5))
    bench.now = .seconds(5)
    bench.send(.timePassed)
    #expect(bench.messages.last?.errorName == "org.freedesktop.Avahi.TimeoutError")
    #expect(bench.machine.objectCount == 0 && bench.machine.nextDeadline == nil)
  }

  @Test func `a resolver that has failed may find the service later`() {
    var bench = Bench()
    _ = bench.make("ServiceResolverNew", Self.question)
    bench.pass(.seconds(5))
    #expect(bench.takeSignals("Failure").first?.body == [.text("org.freedesktop.Avahi.TimeoutError")])
    answerAll(&bench)
    #expect(bench.takeSignals().map(\.member) == ["Found"])
  }

  @Test func `a changed text is told when the former one is gone`() {
    var bench = Bench()
    _ = bench.make("ServiceResolverNew", Self.question)
    answerAll(&bench)
    _ = bench.takeSignals()
    let changed = DNSRecord(name(Self.instance), .txt([1, 120]), timeToLive: 4500, cacheFlush: true)
    bench.answer(Self.instance, .txt, .added(changed, Bench.link, isOwn: false))
    #expect(bench.takeSignals() == [])
    bench.answer(Self.instance, .txt, .removed(Self.text, Bench.link))
    #expect(bench.takeSignals().first?.body?[9] == .array(of: "ay", [.bytes([120])]))
  }

  @Test func `a service that is gone is a failure after five seconds, and its host is asked for no more`() {
    var bench = Bench()
    _ = bench.make("ServiceResolverNew", Self.question)
    answerAll(&bench)
    _ = bench.takeSignals()
    bench.effects = bench.effects.filter { if case .ask = $0 { true } else { false } }
    bench.now = .seconds(10)
    bench.answer(Self.instance, .srv, .removed(Self.service, Bench.link))
    #expect(bench.effects.filter { if case .endAsking = $0 { true } else { false } }.count == 2)
    bench.now = .seconds(15)
    bench.send(.timePassed)
    #expect(bench.takeSignals().map(\.member) == ["Failure"])
  }

  @Test func `without text and address the location is enough`() {
    var bench = Bench()
    _ = bench.make(
      "ServiceResolverNew", any + [.text("Ada"), .text("_http._tcp"), .text("local"), .int32(-1), .uint32(12)])
    bench.answer(Self.instance, .srv, .added(Self.service, Bench.link, isOwn: false))
    let body = bench.takeSignals().first?.body
    #expect(body?[6] == .int32(-1) && body?[7] == .text("") && body?[9] == .array(of: "ay", []))
  }

  @Test func `an address of the wanted family is found`() {
    var bench = Bench()
    _ = bench.make("HostNameResolverNew", any + [.text("h2.local"), .int32(1), noFlags])
    #expect(bench.lookup("h2.local", .a) == nil)
    let address = DNSRecord(name("h2.local"), .address(IPAddress("fe80::2")!), timeToLive: 120, cacheFlush: true)
    bench.answer("h2.local", .aaaa, .added(address, Bench.link, isOwn: false))
    #expect(
      bench.takeSignals().first?.body
        == [.int32(2), .int32(0), .text("h2.local"), .int32(1), .text("fe80::2"), .uint32(5)])
  }

  @Test func `an address of the service's link is waited for, until the hosts that answer at once have answered`() {
    for isFound in [true, false] {
      var bench = Bench()
      _ = bench.make("ServiceResolverNew", Self.question)
      bench.answer(Self.instance, .srv, .added(Self.service, Bench.link6, isOwn: false))
      bench.answer(Self.instance, .txt, .added(Self.text, Bench.link6, isOwn: false))
      bench.answer("h2.local", .a, .added(Self.address, Bench.link6, isOwn: false))
      #expect(bench.takeSignals() == [])
      let address = DNSRecord(name("h2.local"), .address(IPAddress("fe80::2")!), timeToLive: 120, cacheFlush: true)
      if isFound { bench.answer("h2.local", .aaaa, .added(address, Bench.link6, isOwn: false)) }
      for type in [DNSType.a, .aaaa] { bench.answer("h2.local", type, .settled) }
      #expect(bench.takeSignals().map { $0.body?[7] } == [.text(isFound ? "fe80::2" : "10.0.0.2")])
    }
  }

  @Test func `the loopback address of this host is found only when there is no other`() {
    let loopback = DNSRecord(name("h1.local"), .address(IPAddress("127.0.0.1")!), timeToLive: 120, cacheFlush: true)
    let other = DNSRecord(name("h1.local"), .address(IPAddress("10.0.0.1")!), timeToLive: 120, cacheFlush: true)
    for records in [[loopback, other], [loopback]] {
      var bench = Bench()
      _ = bench.make("HostNameResolverNew", any + [.text("h1.local"), .int32(0), noFlags])
      for record in records { bench.answer("h1.local", .a, .added(record, Bench.link, isOwn: true)) }
      bench.answer("h1.local", .a, .cacheExhausted)
      #expect(bench.takeSignals().map { $0.body?[4] } == [.text(records.count == 2 ? "10.0.0.1" : "127.0.0.1")])
    }
  }

  @Test func `the name of an address is found`() {
    var bench = Bench()
    _ = bench.make("AddressResolverNew", any + [.text("10.0.0.2"), noFlags])
    bench.answer(
      "2.0.0.10.in-addr.arpa", .ptr, .added(pointer("2.0.0.10.in-addr.arpa", to: "h2.local"), Bench.link, isOwn: false))
    #expect(
      bench.takeSignals().first?.body
        == [.int32(2), .int32(0), .int32(0), .text("10.0.0.2"), .text("h2.local"), .uint32(5)])
  }

  @Test func `the simple socket gets an address, a name, or nothing in time`() {
    var bench = Bench()
    bench.send(.resolve(.address(ofHost: "h2.local", .ipv4), 1))
    bench.answer("h2.local", .a, .added(Self.address, Bench.link, isOwn: false))
    let address = ResolvedAddress(interface: 2, family: .ipv4, name: "h2.local", address: IPAddress("10.0.0.2")!)
    #expect(bench.effects.last == .foundAddress(1, address))
    bench.send(.resolve(.name(of: IPAddress("10.0.0.2")!), 2))
    bench.send(.resolve(.address(ofHost: "h3.local", nil), 3))
    bench.send(.cancel(3))
    bench.now = .seconds(5)
    bench.send(.timePassed)
    #expect(bench.effects.last == .foundName(2, nil))
    bench.send(.resolve(.name(of: IPAddress("10.0.0.2")!), 4))
    bench.answer(
      "2.0.0.10.in-addr.arpa", .ptr, .added(pointer("2.0.0.10.in-addr.arpa", to: "h2.local"), Bench.link6, isOwn: false))
    #expect(bench.effects.last == .foundName(4, ResolvedName(interface: 2, family: .ipv6, name: "h2.local")))
    bench.send(.resolve(.address(ofHost: "a..b", nil), 5))
    #expect(bench.effects.last == .foundAddress(5, nil))
    bench.send(.resolve(.address(ofHost: "h4.local", nil), 6))
    bench.now = .seconds(10)
    bench.send(.timePassed)
    #expect(bench.effects.last == .foundAddress(6, nil))
    #expect(!bench.effects.contains(.foundAddress(3, nil)) && bench.machine.objectCount == 0)
  }

  @Test(
    arguments: [
      ("ResolveAddress", [.text("10.0.0.256"), noFlags], "InvalidAddressError"),
      ("ResolveAddress", [.text("10.0.0.2"), .uint32(1)], "NotSupportedError"),
      ("ResolveHostName", [.text(""), .int32(-1), noFlags], "InvalidHostNameError"),
      ("ResolveHostName", [.text("a.local"), .int32(7), noFlags], "InvalidInterfaceProtocolError"),
      (
        "ResolveService", [.text("A"), .text("_printer._sub._http._tcp"), .text(""), .int32(-1), noFlags],
        "InvalidServiceTypeError"
      ),
    ] as [(String, [BusValue], String)])
  func `a question that makes no sense is refused`(_ member: String, _ values: [BusValue], _ error: String) {
    var bench = Bench()
    var call = BusMessage.call(member, of: "org.freedesktop.Avahi.Server", at: "/", in: DaemonMachine.name, any + values)
    (call.serial, call.sender) = (9, ":1.5")
    bench.send(.message(call))
    #expect(bench.messages.last?.errorName == "org.freedesktop.Avahi.\(error)")
    #expect(bench.machine.objectCount == 0)
  }
}
