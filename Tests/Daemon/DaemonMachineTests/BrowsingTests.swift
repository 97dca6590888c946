import Testing
import _BonjourishBusProtocol
import _BonjourishDiscovery
import _BonjourishMulticastDNS

@testable import _BonjourishDaemonMachine

/// Browsers: what they ask, and the signals that they send, in the order that clients rely on.
@Suite struct BrowsingTests {
  @Test func `a service browser tells each link, with its flags`() {
    var bench = Bench()
    let path = bench.make("ServiceBrowserNew", any + [.text("_http._tcp"), .text(""), noFlags])
    #expect(path == "/Client0/ServiceBrowser1")
    let ada = pointer("_http._tcp.local", to: "Ada's pages._http._tcp.local")
    bench.answer("_http._tcp.local", .ptr, .added(ada, Bench.link, isOwn: false))
    bench.answer("_http._tcp.local", .ptr, .cacheExhausted)
    bench.answer("_http._tcp.local", .ptr, .added(ada, Bench.link6, isOwn: false))
    bench.answer("_http._tcp.local", .ptr, .settled)
    bench.answer("_http._tcp.local", .ptr, .removed(ada, Bench.link))
    let signals = bench.takeSignals()
    #expect(signals.map(\.member) == ["ItemNew", "CacheExhausted", "ItemNew", "AllForNow", "ItemRemove"])
    #expect(signals.allSatisfy { $0.path == path && $0.destination == ":1.5" })
    let texts: [BusValue] = [.text("Ada's pages"), .text("_http._tcp"), .text("local")]
    // Multicast, from the cache.
    #expect(signals[0].body == [.int32(2), .int32(0)] + texts + [.uint32(5)])
    #expect(signals[2].body == [.int32(2), .int32(1)] + texts + [.uint32(4)])
    #expect(signals[4].body == [.int32(2), .int32(0)] + texts + [.uint32(4)])
  }

  @Test func `objects begin ten milliseconds after the call, so that calls in a row are answered before the first signal`() {
    var bench = Bench()
    let types = ["_ipp._tcp", "_ipps._tcp", "_printer._tcp"]
    let paths = types.map { type in
      defer { bench.pass(.milliseconds(3)) }
      return bench.prepare("ServiceBrowserNew", any + [.text(type), .text(""), noFlags])
    }
    #expect(paths == (1...3).map { "/Client0/ServiceBrowser\($0)" } && bench.effects == [] && bench.messages == [])
    #expect(bench.machine.nextDeadline == .milliseconds(10))
    bench.pass(.milliseconds(1))
    #expect(bench.effects.count == 1 && bench.lookup("_ipp._tcp.local", .ptr) != nil)
    bench.call("Free", of: "ServiceBrowser", at: paths[1])
    bench.pass(.milliseconds(6))
    #expect(bench.effects.count == 2 && bench.lookup("_printer._tcp.local", .ptr) != nil)
  }

  @Test func `all for now comes once, a second after the browser began if the engine still waits for answers`() {
    var bench = Bench()
    let path = bench.make("ServiceBrowserNew", any + [.text("_http._tcp"), .text(""), noFlags])
    bench.answer("_http._tcp.local", .ptr, .cacheExhausted)
    bench.pass(.milliseconds(999))
    #expect(bench.takeSignalNames() == ["CacheExhausted"])
    bench.pass(.milliseconds(1))
    let signals = bench.takeSignals()
    #expect(signals.map(\.member) == ["AllForNow"] && signals.map(\.path) == [path])
    bench.answer("_http._tcp.local", .ptr, .settled)
    #expect(bench.takeSignalNames() == [] && bench.machine.nextDeadline == nil)
    // One that has it all at once.
    _ = bench.make("RecordBrowserNew", any + [.text("h1.local"), .uint16(1), .uint16(1), noFlags])
    bench.answer("h1.local", .a, .settled)
    #expect(bench.takeSignalNames() == ["AllForNow"])
    bench.pass(.seconds(1))
    #expect(bench.takeSignalNames() == [])
  }

  @Test func `a service of this machine is local, and the client's own for the client that published it`() {
    var bench = Bench()
    let group = bench.make("EntryGroupNew", [])
    bench.call(
      "AddService", of: "EntryGroup", at: group, by: ":1.5", .int32(-1), .int32(-1), noFlags, .text("Ada"), .text("_http._tcp"),
      .text(""), .text(""), .uint16(80), .array(of: "ay", []))
    for (client, flags) in [(":1.5", 4 | 1 | 8 | 16), (":1.6", 4 | 1 | 8)] as [(String, UInt32)] {
      _ = bench.make("ServiceBrowserNew", by: client, any + [.text("_http._tcp"), .text(""), noFlags])
      let record = pointer("_http._tcp.local", to: "Ada._http._tcp.local")
      bench.answer("_http._tcp.local", .ptr, .added(record, Bench.link, isOwn: true))
      #expect(bench.takeSignals("ItemNew").last?.body?.last == .uint32(flags))
    }
  }

  @Test func `the objects of Server2 ask nothing before they are started, and are started once`() {
    var bench = Bench()
    let values = any + [.text("_http._tcp"), .text(""), noFlags]
    var call = BusMessage.call(
      "ServiceBrowserPrepare", of: "org.freedesktop.Avahi.Server2", at: "/", in: DaemonMachine.name, values)
    (call.serial, call.sender) = (9, ":1.5")
    bench.send(.message(call))
    #expect(bench.messages.last?.body == [.path("/Client0/ServiceBrowser1")])
    #expect(bench.effects == [])
    for _ in 0..<2 { bench.call("Start", of: "ServiceBrowser", at: "/Client0/ServiceBrowser1") }
    #expect(bench.effects.count == 1)
  }

  @Test func `Server2 makes objects that are started at once, too, as in avahi-daemon`() {
    var bench = Bench()
    let path = bench.call(
      "ServiceBrowserNew", of: "Server2", any[0], any[1], .text("_http._tcp"), .text(""), noFlags)?.body
    #expect(path == [.path("/Client0/ServiceBrowser1")])
    bench.pass(DaemonMachine.startDelay)
    #expect(bench.lookup("_http._tcp.local", .ptr) != nil)
  }

  @Test func `types and subtypes are browsed`() {
    var bench = Bench()
    _ = bench.make("ServiceTypeBrowserNew", any + [.text(""), noFlags])
    bench.answer(
      "_services._dns-sd._udp.local", .ptr,
      .added(pointer("_services._dns-sd._udp.local", to: "_ipp._tcp.local"), Bench.link, isOwn: false))
    #expect(bench.takeSignals().last?.body == [.int32(2), .int32(0), .text("_ipp._tcp"), .text("local"), .uint32(5)])
    _ = bench.make("ServiceBrowserNew", any + [.text("_printer._sub._http._tcp"), .text("local"), noFlags])
    #expect(bench.lookup("_printer._sub._http._tcp.local", .ptr) != nil)
  }

  @Test func `domains are browsed, those that are configured at once`() {
    var settings = DaemonSettings()
    settings.browseDomains = ["example.com"]
    var bench = Bench(settings)
    _ = bench.make("DomainBrowserNew", any + [.text(""), .int32(0), noFlags])
    #expect(bench.takeSignals().first?.body == [.int32(-1), .int32(-1), .text("example.com"), .uint32(32)])
    bench.answer(
      "b._dns-sd._udp.local", .ptr,
      .added(pointer("b._dns-sd._udp.local", to: "office.local"), Bench.link, isOwn: false))
    #expect(bench.takeSignals().first?.body == [.int32(2), .int32(0), .text("office.local"), .uint32(5)])
  }

  @Test func `records of any type are browsed as on the wire`() {
    var bench = Bench()
    _ = bench.make("RecordBrowserNew", any + [.text("x.local"), .uint16(1), .uint16(65_280), noFlags])
    let type = DNSType(rawValue: 65_280)
    let record = DNSRecord(name("x.local"), .other(type, [1, 2]), timeToLive: 120, cacheFlush: true)
    bench.answer("x.local", type, .added(record, Bench.link, isOwn: false))
    // Its owner says it again.
    bench.answer("x.local", type, .added(record, Bench.link, isOwn: false))
    let signals = bench.takeSignals()
    #expect(signals.count == 1)
    #expect(
      signals.first?.body
        == [.int32(2), .int32(0), .text("x.local"), .uint16(1), .uint16(65_280), .bytes([1, 2]), .uint32(5)])
  }

  private func every(_ selection: InterfaceSelection, _ index: UInt32? = nil) -> InterfaceSelection {
    var selection = selection
    selection.usesEveryKind = true
    selection.index = index
    return selection
  }

  @Test(arguments: [["eth*"], []] as [Set<String>])
  func `an interface of a client is one of those that the daemon uses, whatever its name is and when it comes`(
    _ allowed: Set<String>
  ) {
    var settings = DaemonSettings()
    settings.interfaces.included = allowed
    var bench = Bench(settings)
    func links(of index: Int32, among all: [(UInt32, String, InterfaceState.Kind)]) -> [String] {
      _ = bench.make(
        "ServiceBrowserNew", [.int32(index), .int32(0), .text("_http._tcp"), .text(""), noFlags])
      guard case .ask(_, _, _, let selection)? = bench.effects.last else { return [] }
      return selection.links(
        among: all.map { InterfaceState(NetworkInterface(index: $0.0, name: $0.1), $0.2, [.ipv4]) }
      ).map(\.source.name)
    }
    #expect(links(of: 2, among: [(2, "eth0", .network), (3, "eth1", .network)]) == ["eth0"])
    #expect(links(of: 2, among: [(2, "eth7", .network)]) == ["eth7"])
    #expect(links(of: 4, among: [(4, "eth4", .network)]) == ["eth4"])
    // A client's wish does not include what the daemon leaves out.
    #expect(links(of: 5, among: [(5, "tun0", .tunnel)]) == [] && links(of: 6, among: [(6, "veth1", .port)]) == [])
    #expect(links(of: 7, among: [(7, "wlan0", .network)]) == (allowed.isEmpty ? ["wlan0"] : []))
  }

  @Test func `an interface and a family restrict what is asked`() {
    var bench = Bench()
    for (interface, family, expected) in [
      (2, 0, every(.all.over(.ipv4), 2)), (-1, 1, every(.all.over(.ipv6))), (0, -1, every(.all)), (9, -1, every(.all, 9)),
    ] as [(Int32, Int32, InterfaceSelection)] {
      _ = bench.make(
        "ServiceBrowserNew", [.int32(interface), .int32(family), .text("_http._tcp"), .text(""), noFlags])
      guard case .ask(_, _, _, let selection)? = bench.effects.last else { return #expect(Bool(false)) }
      #expect(selection == expected)
    }
  }

  @Test(arguments: [
    ("_http._tcp", "", -2, 0, 0, "InvalidInterfaceError"), ("_http._tcp", "", -1, 2, 0, "InvalidInterfaceProtocolError"),
    ("http", "", -1, -1, 0, "InvalidServiceTypeError"), ("_http._sctp", "", -1, -1, 0, "InvalidServiceTypeError"),
    ("_http._tcp", "a..b", -1, -1, 0, "InvalidDomainNameError"), ("_http._tcp", "", -1, -1, 4, "InvalidFlagsError"),
    ("_http._tcp", "", -1, -1, 3, "InvalidFlagsError"), ("_http._tcp", "", -1, -1, 1, "NotSupportedError"),
  ])
  func `a browser that makes no sense is refused`(
    _ type: String, _ domain: String, _ interface: Int32, _ family: Int32, _ flags: UInt32, _ error: String
  ) {
    var bench = Bench()
    let answer = bench.call(
      "ServiceBrowserNew", .int32(interface), .int32(family), .text(type), .text(domain), .uint32(flags))
    #expect(answer?.errorName == "org.freedesktop.Avahi.\(error)")
    #expect(bench.effects == [] && bench.machine.objectCount == 0)
  }

  @Test func `a family that the daemon does not use is not asked over`() {
    var settings = DaemonSettings()
    settings.interfaces.families = [.ipv4]
    var bench = Bench(settings)
    for (family, expected) in [(0, settings.interfaces), (1, .directoryOnly), (-1, settings.interfaces)]
      as [(Int32, InterfaceSelection)]
    {
      _ = bench.make("ServiceBrowserNew", [.int32(-1), .int32(family), .text("_http._tcp"), .text(""), noFlags])
      guard case .ask(_, _, _, let selection)? = bench.effects.last else { return #expect(Bool(false)) }
      #expect(selection == expected)
    }
  }

  @Test func `lists of domains have the numbers of clients`() {
    var settings = DaemonSettings()
    settings.browseDomains = ["example.com"]
    var bench = Bench(settings)
    for (number, label) in ["b", "db", "r", "dr", "lb"].enumerated() {
      _ = bench.make("DomainBrowserNew", any + [.text("example.org"), .int32(Int32(number)), noFlags])
      #expect(bench.lookup("\(label)._dns-sd._udp.example.org", .ptr) != nil)
      // Those that are configured are for browsing.
      #expect(bench.takeSignals("ItemNew").count == (number == 0 ? 1 : 0))
    }
    for number in [-1, 5] as [Int32] {
      #expect(bench.make("DomainBrowserNew", any + [.text(""), .int32(number), noFlags]) == "")
      #expect(bench.refusal == "InvalidFlagsError")
    }
  }

  @Test(
    arguments: [
      ("x.local", 1, 1, ""), ("x.local", 255, 1, ""), ("x.local", 2, 1, "InvalidDNSClassError"),
      ("x.local", 1, 0, "InvalidDNSTypeError"), ("x.local", 1, 41, "InvalidDNSTypeError"), ("", 1, 1, "InvalidDomainNameError"),
    ] as [(String, UInt16, UInt16, String)])
  func `a browser of records that makes no sense is refused`(
    _ name: String, _ recordClass: UInt16, _ type: UInt16, _ error: String
  ) {
    var bench = Bench()
    _ = bench.make("RecordBrowserNew", any + [.text(name), .uint16(recordClass), .uint16(type), noFlags])
    #expect((bench.refusal ?? "") == error)
  }

  @Test func `records of this machine are local, and of every type if any is asked for`() {
    var bench = Bench()
    let any16 = DNSType.any.rawValue
    _ = bench.make("RecordBrowserNew", any + [.text("h1.local"), .uint16(1), .uint16(any16), noFlags])
    let records = [
      DNSRecord(name("h1.local"), .address(.ipv4(1)), timeToLive: 120, cacheFlush: true),
      DNSRecord(name("h1.local"), .txt([1, 65]), timeToLive: 120, cacheFlush: false),
    ]
    for record in records + records { bench.answer("h1.local", .any, .added(record, Bench.link, isOwn: true)) }
    let signals = bench.takeSignals("ItemNew")
    // A record that others may have, too, comes again when it is removed and added.
    #expect(signals.map { $0.body?[4] } == [.uint16(1), .uint16(16), .uint16(16)])
    #expect(signals[0].body?.last == .uint32(4 | 1 | 8))
    bench.answer("h1.local", .any, .removed(records[0], Bench.link))
    bench.answer("h1.local", .any, .added(records[0], Bench.link6, isOwn: false))
    bench.answer("h1.local", .any, .added(records[0], Bench.link, isOwn: false))
    let again = bench.takeSignals()
    #expect(again.map(\.member) == ["ItemRemove", "ItemNew", "ItemNew"])
    #expect(again[0].body?.last == .uint32(4) && again[1].body?.last == .uint32(5))
  }

  @Test func `an answer of another type, and one that is no service, is not told`() {
    var bench = Bench()
    _ = bench.make("ServiceBrowserNew", any + [.text("_http._tcp"), .text(""), noFlags])
    let alias = DNSRecord(name("_http._tcp.local"), .cname(name("x.local")), timeToLive: 120)
    for record in [alias, pointer("_http._tcp.local", to: "x.local")] {
      bench.answer("_http._tcp.local", .ptr, .added(record, Bench.link, isOwn: false))
    }
    #expect(bench.takeSignals().isEmpty)
  }

  @Test func `a freed browser asks no more and tells nothing`() throws {
    var bench = Bench()
    let path = bench.make("ServiceBrowserNew", any + [.text("_http._tcp"), .text(""), noFlags])
    let id = try #require(bench.lookup("_http._tcp.local", .ptr))
    #expect(bench.call("Free", of: "ServiceBrowser", at: path)?.kind == .answer)
    #expect(bench.effects.last == .endAsking(id))
    bench.send(.answered(id, .settled))
    #expect(bench.messages == [])
    #expect(bench.call("Free", of: "ServiceBrowser", at: path)?.kind == .error)
  }
}
