import Testing
import _BonjourishBusProtocol
import _BonjourishDiscovery
import _BonjourishMulticastDNS

@testable import _BonjourishDaemonMachine

/// What is published from files.
@Suite struct FileTests {
  @Test func `services and hosts of files are published, changed, renamed and withdrawn`() throws {
    var bench = Bench()
    var service = StaticService(name: "%h pages", type: "_http._tcp", port: 80)
    service.replacesWildcards = true
    let other = StaticService(name: "Other", type: "_ipp._tcp", port: 631)
    bench.send(.services(["a": [service], "b": [other]]))
    bench.send(.hosts([StaticHost(name: "router.local", address: IPAddress("10.0.0.1")!)]))
    #expect(bench.publications.count == 3)
    bench.send(.host(.renamed(from: name("h1.local"), to: name("h1-2.local"))))
    guard case .publish(let id, let records, _)? = bench.effects.last else { return #expect(Bool(false)) }
    #expect(records[1].name == name("h1-2 pages._http._tcp.local") && bench.withdrawals == [bench.publications[0]])
    bench.send(.published(id, .conflict(records[1].name)))
    guard case .publish(_, let next, _)? = bench.effects.last else { return #expect(Bool(false)) }
    #expect(next[1].name == name("h1-2 pages #2._http._tcp.local"))
    bench.effects = []
    bench.send(.services(["b": [other]]))
    #expect(bench.withdrawals.count == 1 && bench.publications == [])
    bench.send(.hosts([]))
    #expect(bench.withdrawals.count == 2)
  }

  /// The names of the instances that a publication has.
  private static func names(_ effect: DaemonMachine.Effect?) -> [String] {
    guard case .publish(_, let records, _)? = effect else { return [] }
    return records.filter { if case .serviceOfThisHost = $0.content { true } else { false } }.map { "\($0.name)" }
  }

  /// What was logged.
  private static func log(_ bench: Bench) -> [String] {
    bench.effects.compactMap { if case .log(let message) = $0 { "\(message.level) \(message.text)" } else { nil } }
  }

  private static func services(_ name: String) -> [StaticService] {
    [StaticService(name: name, type: "_http._tcp", port: 80), StaticService(name: name, type: "_ipp._tcp", port: 80)]
  }

  @Test func `all services of a file are renamed together, whichever has the conflict`() {
    for type in ["_http._tcp", "_ipp._tcp"] {
      var bench = Bench()
      bench.send(.services(["a": Self.services("Ada")]))
      #expect(Self.names(bench.effects.last) == ["Ada._http._tcp.local", "Ada._ipp._tcp.local"])
      bench.send(.published(bench.publications[0], .conflict(name("Ada.\(type).local"))))
      #expect(Self.log(bench) == ["info the name of a service of a is taken; trying Ada #2"])
      #expect(bench.withdrawals == [bench.publications[0]])
      #expect(Self.names(bench.effects.last) == ["Ada #2._http._tcp.local", "Ada #2._ipp._tcp.local"])
      bench.send(.published(bench.publications[1], .conflict(name("Ada #2.\(type).local"))))
      #expect(Self.names(bench.effects.last) == ["Ada #3._http._tcp.local", "Ada #3._ipp._tcp.local"])
      bench.send(.services([:]))
      #expect(bench.withdrawals == bench.publications && bench.machine.groups.isEmpty && bench.machine.sets.isEmpty)
    }
  }

  @Test func `two services of a file with the same type and port, in two families, are both renamed`() {
    var services = Self.services("Ada").prefix(1) + Self.services("Ada").prefix(1)
    (services[0].families, services[1].families) = ([.ipv4], [.ipv6])
    var bench = Bench()
    bench.send(.services(["a": Array(services)]))
    #expect(bench.publications.count == 2)
    bench.send(.published(bench.publications[1], .conflict(name("Ada._http._tcp.local"))))
    #expect(Set(bench.withdrawals) == Set(bench.publications.prefix(2)))
    #expect(bench.effects.suffix(2).flatMap(Self.names) == ["Ada #2._http._tcp.local", "Ada #2._http._tcp.local"])
    #expect(bench.machine.groups.count == 1)
  }

  @Test func `a service that is not valid keeps no other of its file from being published`() {
    var services = Self.services("Ada")
    services[0].type = "http"
    var bench = Bench()
    bench.send(.services(["a": services]))
    #expect(Self.names(bench.effects.last) == ["Ada._ipp._tcp.local"])
    let reason = "The service type is not valid; it is like _http._tcp"
    #expect(Self.log(bench) == ["warning the service Ada (http) of a is not published: \(reason)"])
  }

  @Test func `a service of a file is published with its subtypes, domain, host, text and family`() {
    var service = StaticService(name: "%h and %h", type: "_ipp._tcp", port: 631)
    service.subtypes = ["_color._sub._ipp._tcp"]
    (service.domain, service.host, service.txt, service.families) = ("example.com", "p.local", [[97]], [.ipv6])
    var bench = Bench()
    bench.send(.services(["a": [service]]))
    guard case .publish(_, let records, let links)? = bench.effects.last else { return #expect(Bool(false)) }
    // The wildcard stays, because it is not meant.
    let (type, instance) = (name("_ipp._tcp.example.com"), name("%h and %h._ipp._tcp.example.com"))
    #expect(
      records == [
        PublishedRecord(type, .data(.ptr(instance)), .shared),
        PublishedRecord(instance, .data(.srv(DNSService(target: name("p.local"), port: 631))), .unique),
        PublishedRecord(instance, .data(.txt([1, 97])), .unique),
        PublishedRecord(name("_services._dns-sd._udp.example.com"), .data(.ptr(type)), .shared),
        PublishedRecord(name("_color._sub._ipp._tcp.example.com"), .data(.ptr(instance)), .shared),
      ])
    #expect(links == DaemonSettings().interfaces.over(.ipv6))
    service.replacesWildcards = true
    service.families = [.ipv4, .ipv6]
    bench.send(.services(["a": [service]]))
    #expect(bench.withdrawals.count == 1)
    guard case .publish(_, let changed, let everywhere)? = bench.effects.last else { return #expect(Bool(false)) }
    #expect(changed[1].name == name("h1 and h1._ipp._tcp.example.com") && everywhere == DaemonSettings().interfaces)
  }

  @Test func `a host of a file has its addresses and their names, and one that cannot be is told`() {
    var bench = Bench()
    let addresses = ["10.0.0.1", "2001:db8::1"].map { IPAddress($0)! }
    bench.send(
      .hosts(
        addresses.map { StaticHost(name: "router.local", address: $0) } + [StaticHost(name: "a..b", address: addresses[0])]))
    guard case .publish(let id, let records, let links)? = bench.effects.last else { return #expect(Bool(false)) }
    #expect(
      records
        == addresses.flatMap { address in
          [
            PublishedRecord(name("router.local"), .data(.address(address)), .unique),
            PublishedRecord(DNSName(reverseOf: address), .data(.ptr(name("router.local"))), .unique),
          ]
        })
    #expect(links == DaemonSettings().interfaces)
    #expect(Self.log(bench) == ["warning the host a..b of the file of hosts is not published"])
    bench.send(.published(id, .conflict(name("router.local"))))
    #expect(
      Self.log(bench).last
        == "warning another host has the name router.local; router.local of the file of hosts is not published")
  }

  @Test func `a file without a free name is tried again when the files are loaded again`() {
    var bench = Bench()
    let group = bench.make("EntryGroupNew", [])
    for number in 1...100 {
      let answer = bench.call("AddService", group, GroupTests.service(number == 1 ? "Ada" : "Ada #\(number)"))
      #expect(answer?.kind == .answer)
    }
    func warnings() -> Int {
      bench.effects.count { if case .log(let message) = $0 { message.level == .warning } else { false } }
    }
    let file = [StaticService(name: "Ada", type: "_http._tcp", port: 7)]
    bench.send(.services(["a": file]))
    #expect(bench.publications.isEmpty && bench.machine.groups.count == 1 && warnings() == 1)
    #expect(Self.log(bench).last == "warning a is not published until the files are loaded again: all names are taken")
    bench.send(.services(["a": file, "b": Self.services("Bob")]))
    #expect(bench.publications.count == 1 && warnings() == 2)
    bench.call("Reset", of: "EntryGroup", at: group)
    bench.effects = []
    bench.send(.services(["a": file, "b": Self.services("Bob")]))
    #expect(bench.effects.flatMap(Self.names) == ["Ada._http._tcp.local"])
    // What is published stays.
    bench.effects = []
    bench.send(.services(["a": file, "b": Self.services("Bob")]))
    #expect(bench.effects.isEmpty)
  }

  @Test func `a file gets the hundredth name if it is the first one that is free`() {
    var bench = Bench()
    let group = bench.make("EntryGroupNew", [])
    for number in 1...99 { bench.call("AddService", group, GroupTests.service(number == 1 ? "Ada" : "Ada #\(number)")) }
    bench.send(.services(["a": [StaticService(name: "Ada", type: "_http._tcp", port: 7)]]))
    #expect(Self.names(bench.effects.last) == ["Ada #100._http._tcp.local"])
    #expect(Self.log(bench).count == 99 && Self.log(bench).last == "info the name of a service of a is taken; trying Ada #100")
  }

  @Test func `of two services of a file that exclude each other, the first is published`() {
    var bench = Bench()
    let file = [80, 81, 80].map { StaticService(name: "Ada", type: "_http._tcp", port: $0) }
    bench.send(.services(["a": file + Self.services("Ada").suffix(1)]))
    #expect(
      Self.names(bench.effects.last) == ["Ada._http._tcp.local", "Ada._http._tcp.local", "Ada._ipp._tcp.local"])
    #expect(
      Self.log(bench) == [
        "warning the service Ada (_http._tcp) of a is not published: another one of the file has its name and type"
      ])
    #expect(bench.effects.count == 2)
  }

  @Test func `a host that another host has is free for programs, and tried again when the files are loaded again`() throws {
    let hosts = ["router.local", "printer.local"].map { StaticHost(name: $0, address: IPAddress("10.0.0.1")!) }
    var bench = Bench()
    bench.send(.hosts(hosts))
    // The hosts in their order: printer.local is the first.
    let id = try #require(bench.publications.last)
    bench.send(.published(id, .conflict(name("router.local"))))
    #expect(bench.withdrawals == [id])
    let group = bench.make("EntryGroupNew", [])
    func add() -> String? {
      bench.call(
        "AddRecord", group,
        any + [.uint32(1), .text("router.local"), .uint16(1), .uint16(1), .uint32(60), .bytes([10, 0, 0, 9])])?.errorName
    }
    #expect(add() == nil)
    bench.send(.hosts(hosts))
    #expect(bench.publications.count == 2)
    bench.call("Reset", of: "EntryGroup", at: group)
    bench.send(.hosts(hosts))
    #expect(bench.publications.count == 3 && bench.withdrawals.count == 1)
    #expect(add() == "org.freedesktop.Avahi.CollisionError")
    bench.send(.hosts([hosts[1]]))
    #expect(bench.withdrawals.count == 2 && bench.machine.hosts.keys.sorted() == ["printer.local"])
  }
}
