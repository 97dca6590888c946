import Testing
import _BonjourishBusProtocol
import _BonjourishDiscovery
import _BonjourishMulticastDNS

@testable import _BonjourishDaemonMachine

/// What groups refuse, and with which error; and what the flags of an entry do.
@Suite struct EntryRefusalTests {
  private var bench = Bench()
  private let group: String
  private static let long = String(repeating: "x", count: 64)

  init() { group = bench.make("EntryGroupNew", []) }

  private mutating func add(_ member: String, flags: UInt32 = 0, interface: Int32 = -1, _ values: [BusValue]) -> String {
    let answer = bench.call(member, group, [.int32(interface), .int32(-1), .uint32(flags)] + values)
    return answer?.errorName.map { String($0.dropFirst("org.freedesktop.Avahi.".count)) } ?? ""
  }

  /// The records that are published when the group is committed.
  private mutating func commit() -> [PublishedRecord] {
    bench.call("Commit", of: "EntryGroup", at: group)
    guard case .publish(_, let records, _)? = bench.effects.last else { return [] }
    return records
  }

  private static func service(
    _ name: String = "Ada", _ type: String = "_http._tcp", _ domain: String = "", host: String = "", strings: [BusValue] = []
  ) -> [BusValue] {
    [.text(name), .text(type), .text(domain), .text(host), .uint16(80), .array(of: "ay", strings)]
  }

  @Test(arguments: [
    ("", "_http._tcp", "", "", "InvalidServiceNameError"), (long, "_http._tcp", "", "", "InvalidServiceNameError"),
    ("Ada", "http._tcp", "", "", "InvalidServiceTypeError"), ("Ada", "_x._sub._http._tcp", "", "", "InvalidServiceTypeError"),
    ("Ada", "_http._tcp", "a..b", "", "InvalidDomainNameError"), ("Ada", "_http._tcp", "", "ada", "InvalidHostNameError"),
    ("Ada", "_http._tcp", "", "a..local", "InvalidHostNameError"), (String(long.dropLast()), "_http._tcp", "", "a.local", ""),
  ])
  mutating func `a service that makes no sense is refused`(
    name: String, type: String, domain: String, host: String, error: String
  ) {
    #expect(add("AddService", Self.service(name, type, domain, host: host)) == error)
    #expect(bench.machine.entryCount == (error.isEmpty ? 1 : 0))
  }

  @Test(arguments: [
    ("", "_http._tcp", "", "_x1._sub._http._tcp", "InvalidServiceNameError"),
    ("Ada", "_http", "", "_x1._sub._http._tcp", "InvalidServiceTypeError"),
    ("Ada", "_http._tcp", "", "_http._tcp", "InvalidServiceSubtypeError"),
    ("Ada", "_http._tcp", "a..b", "_x1._sub._http._tcp", "InvalidDomainNameError"),
    ("Ada", "_http._tcp", "", "_x1._sub._http._tcp", ""),
  ])
  mutating func `a subtype that makes no sense is refused`(
    name: String, type: String, domain: String, subtype: String, error: String
  ) {
    #expect(add("AddServiceSubtype", [.text(name), .text(type), .text(domain), .text(subtype)]) == error)
  }

  @Test(arguments: [
    ("ada.local", "10.0.0", "InvalidAddressError"), ("ada.local", "fe80::1%eth0", "InvalidAddressError"),
    ("ada", "10.0.0.9", "InvalidHostNameError"), ("", "10.0.0.9", "InvalidHostNameError"), ("ada.local", "fe80::1", ""),
  ])
  mutating func `an address that makes no sense is refused`(name: String, address: String, error: String) {
    #expect(add("AddAddress", [.text(name), .text(address)]) == error)
  }

  @Test(
    arguments: [
      ("", 1, 16, [1, 65], "InvalidDomainNameError"), ("x.local", 2, 16, [1, 65], "InvalidDNSClassError"),
      ("x.local", 255, 16, [1, 65], "InvalidDNSClassError"), ("x.local", 1, 128, [1], "InvalidDNSTypeError"),
      ("x.local", 1, 127, [1], ""), ("x.local", 1, 256, [1], ""), ("x.local", 1, 255, [1], "InvalidDNSTypeError"),
      ("x.local", 1, 65_280, [], ""), ("x.local", 1, 16, [UInt8](repeating: 0, count: 65_537), "InvalidRDataError"),
      ("x.local", 1, 65_280, [UInt8](repeating: 0, count: 8_000), ""), ("x.local", 1, 5, [9], "InvalidRDataError"),
    ] as [(String, UInt16, UInt16, [UInt8], String)])
  mutating func `a record that makes no sense is refused`(
    name: String, recordClass: UInt16, type: UInt16, bytes: [UInt8], error: String
  ) {
    #expect(
      add("AddRecord", [.text(name), .uint16(recordClass), .uint16(type), .uint32(60), .bytes(bytes)]) == error)
  }

  @Test(
    arguments: [
      ("AddService", 1), ("AddServiceSubtype", 64), ("UpdateServiceTxt", 1), ("AddAddress", 32), ("AddRecord", 16),
    ] as [(String, UInt32)])
  mutating func `a flag of another kind of entry is refused`(member: String, flags: UInt32) {
    let values: [String: [BusValue]] = [
      "AddService": Self.service(),
      "AddServiceSubtype": [.text("Ada"), .text("_http._tcp"), .text(""), .text("_x1._sub._http._tcp")],
      "UpdateServiceTxt": [.text("Ada"), .text("_http._tcp"), .text(""), .array(of: "ay", [])],
      "AddAddress": [.text("ada.local"), .text("10.0.0.9")],
      "AddRecord": [.text("x.local"), .uint16(1), .uint16(16), .uint32(60), .bytes([1, 65])],
    ]
    #expect(add(member, flags: flags, values[member]!) == "InvalidFlagsError")
  }

  @Test mutating func `a service of this host follows its name, and one of another host does not`() {
    #expect(add("AddService", Self.service(host: "h1.local")) == "")
    #expect(add("AddService", Self.service("Bob", host: "bob.local")) == "")
    let target = DNSService(target: name("bob.local"), port: 80)
    #expect(
      commit().filter { $0.ownership == .unique }.map(\.content).enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
        == [.serviceOfThisHost(port: 80), .data(.srv(target))])
    // A changed text leaves the host and the port as they are.
    bench.effects = []
    #expect(add("UpdateServiceTxt", [.text("Bob"), .text("_http._tcp"), .text(""), .array(of: "ay", [.bytes([65])])]) == "")
    bench.send(.tickEnded)
    guard case .update(_, let records)? = bench.effects.last else { return #expect(Bool(false)) }
    #expect(records[5].content == .data(.srv(target)) && records[6].content == .data(.txt([1, 65])))
  }

  @Test mutating func `a service is replaced on its link only, and when it is there`() {
    let text = BusValue.bytes(Array("a".utf8))
    #expect(add("AddService", flags: 64, Self.service()) == "NotFoundError")
    #expect(add("AddService", interface: 2, Self.service()) == "")
    #expect(add("AddService", flags: 64, Self.service(strings: [text])) == "NotFoundError")
    #expect(add("AddService", flags: 64, interface: 2, Self.service(strings: [text])) == "")
    #expect(bench.machine.entryCount == 1)
    #expect(commit()[2].content == .data(.txt([1, 97])))
  }

  @Test mutating func `an address is replaced by one of its family, and has a name in reverse unless that is not wanted`() {
    func address(_ text: String, _ host: String = "ada.local") -> [BusValue] { [.text(host), .text(text)] }
    #expect(add("AddAddress", flags: 16, address("10.0.0.9")) == "")
    #expect(add("AddAddress", flags: 64 | 16, address("fe80::9")) == "NotFoundError")
    #expect(add("AddAddress", flags: 64 | 16, address("10.0.0.8", "bob.local")) == "NotFoundError")
    #expect(add("AddAddress", flags: 64 | 16, interface: 2, address("10.0.0.8")) == "NotFoundError")
    #expect(add("AddAddress", flags: 64 | 16, address("10.0.0.8")) == "")
    #expect(add("AddAddress", address("fe80::9")) == "")
    #expect(
      commit() == [
        PublishedRecord(name("ada.local"), .data(.address(IPAddress("10.0.0.8")!)), .unique),
        PublishedRecord(name("ada.local"), .data(.address(IPAddress("fe80::9")!)), .unique),
        PublishedRecord(DNSName(reverseOf: IPAddress("fe80::9")!), .data(.ptr(name("ada.local"))), .unique),
      ])
  }

  @Test mutating func `a record is replaced by one of its name and type`() {
    func record(_ name: String, _ type: UInt16, _ byte: UInt8) -> [BusValue] {
      [.text(name), .uint16(1), .uint16(type), .uint32(60), .bytes([1, byte])]
    }
    #expect(add("AddRecord", record("x.local", 16, 65)) == "")
    #expect(add("AddRecord", flags: 64, record("y.local", 16, 66)) == "NotFoundError")
    #expect(add("AddRecord", flags: 64, record("x.local", 65_280, 66)) == "NotFoundError")
    #expect(add("AddRecord", flags: 64, interface: 2, record("x.local", 16, 66)) == "NotFoundError")
    #expect(add("AddRecord", flags: 64, record("x.local", 16, 66)) == "")
    #expect(commit().map(\.content) == [.data(.txt([1, 66]))])
  }

  @Test func `services get a string that tells this daemon's, if that is configured and wanted`() {
    for (isConfigured, flags) in [(true, 0), (true, 32), (false, 0)] as [(Bool, UInt32)] {
      var settings = DaemonSettings()
      settings.addsServiceCookie = isConfigured
      var bench = Bench(settings)
      let group = bench.make("EntryGroupNew", [])
      bench.call("AddService", group, GroupTests.service(flags: flags))
      bench.call("Commit", of: "EntryGroup", at: group)
      guard case .publish(_, let records, _)? = bench.effects.last else { return #expect(Bool(false)) }
      let cookie = Array("org.freedesktop.Avahi.cookie=7".utf8)
      let text = isConfigured && flags == 0 ? [UInt8(cookie.count)] + cookie : [0]
      #expect(records[2].content == .data(.txt(text)))
    }
  }

  @Test(arguments: [true, false])
  func `programs publish nothing where that is configured, and files only if they may`(mayFiles: Bool) {
    var settings = DaemonSettings()
    (settings.disallowsUserPublishing, settings.disallowsPublishing) = (mayFiles, !mayFiles)
    settings.hostInformation = HostInformation(processor: "X86_64", system: "LINUX")
    var bench = Bench(settings)
    #expect(bench.make("EntryGroupNew", []) == "" && bench.refusal == "NotPermittedError")
    #expect(bench.machine.ownGroups.count == (mayFiles ? 1 : 0))
    var service = StaticService(name: "%h", type: "_http._tcp", port: 80)
    service.replacesWildcards = true
    bench.send(.services(["a": [service]]))
    bench.send(.hosts([StaticHost(name: "router.local", address: IPAddress("10.0.0.1")!)]))
    bench.send(.host(.established(name("h2.local"))))
    #expect(bench.publications.isEmpty == !mayFiles && bench.machine.sets.isEmpty == !mayFiles)
  }
}
