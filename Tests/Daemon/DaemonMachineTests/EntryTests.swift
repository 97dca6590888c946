import Testing
import _BonjourishBusProtocol
import _BonjourishDiscovery
import _BonjourishMulticastDNS

@testable import _BonjourishDaemonMachine

/// What groups may have, and what becomes of it when entries are replaced.
@Suite struct EntryTests {
  private static let prefix = "org.freedesktop.Avahi."

  /// Adds a TXT record; returns the error, or "" for none.
  private func add(
    _ bytes: [UInt8], to group: String, _ bench: inout Bench, flags: UInt32 = 0, by client: String = ":1.5"
  ) -> String {
    let answer = bench.call(
      "AddRecord", group, any + [.uint32(flags), .text("x.local"), .uint16(1), .uint16(16), .uint32(60), .bytes(bytes)],
      by: client)
    return answer?.errorName.map { String($0.dropFirst(Self.prefix.count)) } ?? ""
  }

  @Test func `a set of records is shared or unique`() {
    var bench = Bench()
    let group = bench.make("EntryGroupNew", [])
    #expect(add([1, 68], to: group, &bench) == "")
    #expect(add([1, 69], to: group, &bench, flags: 1) == "CollisionError")
    #expect(add([1, 69], to: group, &bench) == "")
    bench.call("Commit", of: "EntryGroup", at: group)
    // Only one of both would become unique.
    #expect(add([1, 69], to: group, &bench, flags: 65) == "CollisionError")
    #expect(add([1, 70], to: group, &bench, flags: 64) == "")
    bench.call("Free", of: "EntryGroup", at: group)
    #expect(bench.machine.sets.isEmpty && bench.machine.entryCount == 0 && bench.machine.byteCount == 0)
  }

  @Test func `records count with their size, when they are added and when they are replaced`() {
    var settings = DaemonSettings()
    settings.limits.bytesPerClient = 4_000
    var bench = Bench(settings)
    let group = bench.make("EntryGroupNew", [])
    let long = [UInt8](repeating: 0, count: 4_000)
    #expect(add(long, to: group, &bench) == "TooManyEntriesError")
    #expect(add([1, 68], to: group, &bench) == "")
    #expect(add(long, to: group, &bench, flags: 64) == "TooManyEntriesError")
    #expect(add([UInt8](repeating: 0, count: 2_000), to: group, &bench, flags: 64) == "")
    func service(_ member: String, _ strings: Int, flags: UInt32 = 0) -> String? {
      let text = BusValue.array(of: "ay", Array(repeating: .bytes([UInt8](repeating: 1, count: 250)), count: strings))
      let place = any + [.uint32(flags), .text("Ada"), .text("_http._tcp"), .text("")]
      let values = member == "AddService" ? place + [.text(""), .uint16(80), text] : place + [text]
      return bench.call(member, group, values)?.errorName
    }
    #expect(service("AddService", 0) == nil)
    for (member, flags) in [("AddService", 64), ("UpdateServiceTxt", 0)] as [(String, UInt32)] {
      #expect(service(member, 10, flags: flags) == Self.prefix + "TooManyEntriesError")
      #expect(service(member, 3, flags: flags) == nil)
    }
    // What is taken away may be used again.
    #expect(add([1, 68], to: group, &bench, flags: 64) == "")
    #expect(service("UpdateServiceTxt", 10) == nil)
    let machine = bench.machine
    #expect(machine.byteCount == machine.clients[":1.5"]?.share.bytes)
    bench.call("Reset", of: "EntryGroup", at: group)
    #expect(bench.machine.byteCount == 0 && bench.machine.clients[":1.5"]?.share.bytes == 0)
  }

  @Test func `all programs together have a limit of bytes, and files are published beyond it`() {
    var settings = DaemonSettings()
    settings.limits.bytes = 3_000
    settings.limits.entries = 3
    var bench = Bench(settings)
    let groups = [":1.5", ":1.6"].map { bench.make("EntryGroupNew", by: $0, []) }
    let text = [UInt8](repeating: 0, count: 1_500)
    #expect(add(text, to: groups[0], &bench) == "")
    #expect(add(text, to: groups[1], &bench, by: ":1.6") == "TooManyEntriesError")
    #expect(add([0], to: groups[1], &bench, by: ":1.6") == "")
    #expect(add([0], to: groups[1], &bench, by: ":1.6") == "TooManyEntriesError")
    bench.send(.services(["a": [StaticService(name: "Ada", type: "_http._tcp", port: 80)]]))
    #expect(bench.publications.count == 1)
  }

  // What avahi-daemon 0.8 with Debian's configuration answers, and without it.
  @Test(arguments: [true, false])
  func `names outside of the domains of multicast DNS are published if a program means it`(isWideAreaOn: Bool) {
    var settings = DaemonSettings()
    settings.publishesOtherDomains = !isWideAreaOn
    var bench = Bench(settings)
    let group = bench.make("EntryGroupNew", [])
    func call(_ member: String, _ flags: UInt32, _ values: [BusValue]) -> String? {
      bench.call(member, group, any + [.uint32(flags)] + values)?.errorName.map { String($0.dropFirst(Self.prefix.count)) }
    }
    let text: [BusValue] = [.uint16(1), .uint16(16), .uint32(60), .bytes([1, 65])]
    for name in ["X.LOCAL", "1.0.254.169.in-addr.arpa", "7.1.0.0.8.e.f.ip6.arpa", "1.b.e.f.ip6.arpa"] {
      #expect(call("AddRecord", 0, [.text(name)] + text) == nil)
    }
    let domain: [BusValue] = [.text("Ada"), .text("_http._tcp"), .text("example.com")]
    let others: [(String, [BusValue])] =
      ["x.example.com", "arpa", "local.example", "4.3.2.10.in-addr.arpa", "f.e.f.ip6.arpa"].map {
        ("AddRecord", [.text($0)] + text)
      } + [
        ("AddService", domain + [.text(""), .uint16(80), .array(of: "ay", [])]),
        ("AddServiceSubtype", domain + [.text("_pages._sub._http._tcp")]),
        ("UpdateServiceTxt", domain + [.array(of: "ay", [])]),
        ("AddAddress", [.text("ada.example.com"), .text("10.0.0.9")]),
      ]
    for (member, values) in others {
      #expect(call(member, 128, values) == "NotSupportedError")
      if isWideAreaOn { #expect(call(member, 0, values) == "NotSupportedError") }
      #expect(call(member, isWideAreaOn ? 256 : 0, values) == nil)
    }
    #expect(call("AddServiceSubtype", 0, domain + [.text("_x._http._tcp")]) == "InvalidServiceSubtypeError")
  }

  @Test func `a name that a program has given up is free for others`() {
    var bench = Bench()
    let first = bench.make("EntryGroupNew", [])
    let second = bench.make("EntryGroupNew", by: ":1.6", [])
    #expect(add([1, 68], to: first, &bench, flags: 1) == "")
    #expect(add([1, 70], to: second, &bench, flags: 1, by: ":1.6") == "CollisionError")
    // It is shared from now on.
    #expect(add([1, 69], to: first, &bench, flags: 64) == "")
    #expect(add([1, 70], to: second, &bench, by: ":1.6") == "")
    // And can be made unique again only when nobody else has it.
    #expect(add([1, 69], to: first, &bench, flags: 65) == "CollisionError")
    bench.machine.end(client: ":1.6")
    #expect(add([1, 69], to: first, &bench, flags: 65) == "")
    bench.machine.end(client: ":1.5")
    #expect(bench.machine.sets.isEmpty)
  }
}
