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

  private static func services(_ name: String) -> [StaticService] {
    [StaticService(name: name, type: "_http._tcp", port: 80), StaticService(name: name, type: "_ipp._tcp", port: 80)]
  }

  @Test func `all services of a file are renamed together, whichever has the conflict`() {
    for type in ["_http._tcp", "_ipp._tcp"] {
      var bench = Bench()
      bench.send(.services(["a": Self.services("Ada")]))
      #expect(Self.names(bench.effects.last) == ["Ada._http._tcp.local", "Ada._ipp._tcp.local"])
      bench.send(.published(bench.publications[0], .conflict(name("Ada.\(type).local"))))
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

  @Test func `of two services of a file that exclude each other, the first is published`() {
    var bench = Bench()
    let file = [80, 81, 80].map { StaticService(name: "Ada", type: "_http._tcp", port: $0) }
    bench.send(.services(["a": file + Self.services("Ada").suffix(1)]))
    #expect(
      Self.names(bench.effects.last) == ["Ada._http._tcp.local", "Ada._http._tcp.local", "Ada._ipp._tcp.local"])
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
