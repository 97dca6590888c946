import Testing
import _BonjourishBusProtocol
import _BonjourishDiscovery
import _BonjourishMulticastDNS

@testable import _BonjourishDaemonMachine

/// Entry groups: what they publish, and the states that clients are told.
@Suite struct GroupTests {
  static func service(
    _ name: String = "Ada", type: String = "_http._tcp", host: String = "", port: UInt16 = 80, text strings: [[UInt8]] = [],
    flags: UInt32 = 0, interface: Int32 = -1
  ) -> [BusValue] {
    [.int32(interface), .int32(-1), .uint32(flags), .text(name), .text(type), .text(""), .text(host), .uint16(port)]
      + [.array(of: "ay", strings.map { .bytes($0) })]
  }

  static let group = "/Client0/EntryGroup1"

  @Test func `a service is published when its group is committed, and its state told`() throws {
    var bench = Bench()
    let group = bench.make("EntryGroupNew", [])
    #expect(group == Self.group)
    #expect(bench.call("IsEmpty", of: "EntryGroup", at: group)?.body == [.truth(true)])
    #expect(bench.call("Commit", of: "EntryGroup", at: group)?.errorName == "org.freedesktop.Avahi.IsEmptyError")
    #expect(bench.call("AddService", group, Self.service(text: [[97, 61, 49]]))?.kind == .answer)
    #expect(bench.effects == [] && bench.call("GetState", of: "EntryGroup", at: group)?.body == [.int32(0)])
    bench.call("Commit", of: "EntryGroup", at: group)
    guard case .publish(let id, let records, let interfaces)? = bench.effects.last else { return #expect(Bool(false)) }
    let (type, instance) = (name("_http._tcp.local"), name("Ada._http._tcp.local"))
    #expect(interfaces == DaemonSettings().interfaces)
    #expect(
      records == [
        PublishedRecord(type, .data(.ptr(instance)), .shared), PublishedRecord(instance, .serviceOfThisHost(port: 80), .unique),
        PublishedRecord(instance, .data(.txt([3, 97, 61, 49])), .unique),
        PublishedRecord(name("_services._dns-sd._udp.local"), .data(.ptr(type)), .shared),
      ])
    bench.send(.published(id, .established))
    let success = BusValue.text("org.freedesktop.Avahi.Success")
    #expect(bench.takeSignals("StateChanged").map(\.body) == [[.int32(1), success], [.int32(2), success]])
    #expect(bench.call("AddService", group, Self.service("Bob"))?.errorName == "org.freedesktop.Avahi.BadStateError")
    #expect(bench.call("Commit", of: "EntryGroup", at: group)?.errorName == "org.freedesktop.Avahi.BadStateError")
  }

  @Test func `a name that another host has is a collision, after which the group can be filled anew`() throws {
    var bench = Bench()
    let group = bench.make("EntryGroupNew", [])
    bench.call("AddService", group, Self.service())
    bench.call("Commit", of: "EntryGroup", at: group)
    let id = try #require(bench.publications.last)
    bench.send(.published(id, .conflict(name("Ada._http._tcp.local"))))
    let signal = bench.takeSignals("StateChanged").last
    #expect(signal?.body == [.int32(3), .text("org.freedesktop.Avahi.CollisionError")])
    // Clients rely on it.
    #expect(bench.call("IsEmpty", of: "EntryGroup", at: group)?.body == [.truth(true)])
    #expect(bench.call("AddService", group, Self.service("Ada #2"))?.kind == .answer)
    bench.call("Commit", of: "EntryGroup", at: group)
    #expect(bench.publications.count == 2)
  }

  @Test func `a name of this machine is a collision at once, but not on other interfaces`() {
    var bench = Bench()
    let first = bench.make("EntryGroupNew", [])
    let second = bench.make("EntryGroupNew", by: ":1.6", [])
    bench.call("AddService", first, Self.service(interface: 2))
    let other = Self.service(port: 81)
    #expect(bench.call("AddService", first, other)?.errorName == "org.freedesktop.Avahi.CollisionError")
    #expect(bench.call("AddService", second, other, by: ":1.6")?.errorName == "org.freedesktop.Avahi.CollisionError")
    #expect(bench.call("AddService", second, Self.service(port: 81, interface: 3), by: ":1.6")?.kind == .answer)
    // What is freed is free.
    bench.call("Free", of: "EntryGroup", at: first)
    #expect(bench.call("AddService", second, Self.service("Ada", port: 81, interface: 2), by: ":1.6")?.kind == .answer)
  }

  @Test func `a text is replaced without a new probe`() throws {
    var bench = Bench()
    let group = bench.make("EntryGroupNew", [])
    bench.call("AddService", group, Self.service())
    bench.call("Commit", of: "EntryGroup", at: group)
    let id = try #require(bench.publications.last)
    func update(_ text: String) -> [BusValue] {
      any + [noFlags, .text(text), .text("_http._tcp"), .text(""), .array(of: "ay", [.bytes([120])])]
    }
    #expect(bench.call("UpdateServiceTxt", group, update("Bob"))?.errorName == "org.freedesktop.Avahi.NotFoundError")
    let former = bench.effects.count
    #expect(bench.call("UpdateServiceTxt", group, update("Ada"))?.kind == .answer)
    #expect(bench.call("UpdateServiceTxt", group, update("Ada"))?.kind == .answer)
    #expect(bench.machine.hasChanges && bench.effects.count == former)
    // Once for all changes of a tick.
    bench.send(.tickEnded)
    #expect(!bench.machine.hasChanges && bench.effects.count == former + 1)
    guard case .update(id, let records)? = bench.effects.last else { return #expect(Bool(false)) }
    #expect(records[2].content == .data(.txt([1, 120])))
  }

  @Test func `subtypes, addresses and records of any type are published`() throws {
    var bench = Bench()
    let group = bench.make("EntryGroupNew", [])
    bench.call("AddService", group, Self.service())
    bench.call(
      "AddServiceSubtype", group,
      any + [noFlags, .text("Ada"), .text("_http._tcp"), .text(""), .text("_printer._sub._http._tcp")])
    bench.call("AddAddress", group, any + [noFlags, .text("other.local"), .text("10.0.0.9")])
    bench.call(
      "AddRecord", group,
      any + [.uint32(1), .text("x.local"), .uint16(1), .uint16(65_280), .uint32(60), .bytes([1, 2, 3])])
    bench.call("Commit", of: "EntryGroup", at: group)
    guard case .publish(_, let records, _)? = bench.effects.last else { return #expect(Bool(false)) }
    var record = PublishedRecord(name("x.local"), .data(.other(DNSType(rawValue: 65_280), [1, 2, 3])), .unique)
    record.timeToLive = 60
    #expect(
      records.dropFirst(4) == [
        PublishedRecord(name("_printer._sub._http._tcp.local"), .data(.ptr(name("Ada._http._tcp.local"))), .shared),
        PublishedRecord(name("other.local"), .data(.address(IPAddress("10.0.0.9")!)), .unique),
        PublishedRecord(name("9.0.0.10.in-addr.arpa"), .data(.ptr(name("other.local"))), .unique), record,
      ])
  }

  @Test func `entries of two interfaces are published on each, and the group is established when both are`() {
    var bench = Bench()
    let group = bench.make("EntryGroupNew", [])
    bench.call("AddService", group, Self.service(interface: 2))
    bench.call("AddService", group, Self.service(interface: 3))
    bench.call("Commit", of: "EntryGroup", at: group)
    #expect(bench.publications.count == 2)
    bench.send(.published(bench.publications[0], .established))
    #expect(bench.call("GetState", of: "EntryGroup", at: group)?.body == [.int32(1)])
    bench.send(.published(bench.publications[1], .established))
    #expect(bench.call("GetState", of: "EntryGroup", at: group)?.body == [.int32(2)])
  }

  @Test func `a group names so many interfaces at most`() {
    var settings = DaemonSettings()
    settings.limits.linksPerGroup = 2
    var bench = Bench(settings)
    let group = bench.make("EntryGroupNew", [])
    let errors = [2, 3, 4, 3].map { number in
      bench.call("AddService", group, Self.service("Number \(number) \(bench.serial)", interface: Int32(number)))?.errorName
    }
    #expect(errors == [nil, nil, "org.freedesktop.Avahi.TooManyEntriesError", nil])
    bench.call("Reset", of: "EntryGroup", at: group)
    #expect(bench.call("AddService", group, Self.service(interface: 4))?.kind == .answer)
  }

  @Test func `what a client has ends when it leaves the bus, and nobody else's`() throws {
    var bench = Bench()
    for client in [":1.5", ":1.6"] {
      let group = bench.make("EntryGroupNew", by: client, [])
      bench.call("AddService", group, Self.service(client), by: client)
      bench.call("Commit", of: "EntryGroup", at: group, by: client)
      _ = bench.make("ServiceBrowserNew", by: client, any + [.text("_http._tcp"), .text(""), noFlags])
      bench.call("ResolveHostName", by: client, .int32(-1), .int32(-1), .text("h9.local"), .int32(-1), noFlags)
    }
    #expect(bench.machine.objectCount == 6)
    var left = BusMessage.signal(
      "NameOwnerChanged", of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus", to: nil,
      [.text(":1.5"), .text(":1.5"), .text("")])
    left.sender = ":1.6"
    // Only the bus knows.
    bench.send(.message(left))
    #expect(bench.machine.objectCount == 6)
    left.sender = "org.freedesktop.DBus"
    bench.send(.message(left))
    #expect(bench.machine.objectCount == 3 && bench.withdrawals == [bench.publications[0]])
    #expect(bench.machine.clients.keys.sorted() == [":1.6"] && bench.machine.sets.count == 4)
    bench.send(.disconnected)
    #expect(bench.machine.objectCount == 0 && bench.withdrawals == bench.publications && bench.machine.lookups.isEmpty)
  }
}

extension Bench {
  /// Calls a method of an entry group.
  @discardableResult
  mutating func call(_ member: String, _ path: String, _ values: [BusValue], by client: String = ":1.5") -> BusMessage? {
    serial += 1
    var call = BusMessage.call(member, of: BusInterface.entryGroup.name, at: path, in: DaemonMachine.name, values)
    (call.serial, call.sender) = (serial, client)
    send(.message(call))
    let serial = serial
    return messages.firstIndex { $0.answers == serial }.map { messages.remove(at: $0) }
  }
}
