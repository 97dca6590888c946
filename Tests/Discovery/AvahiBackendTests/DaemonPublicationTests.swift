#if Avahi
import CBonjourishAvahi.Client
import TestSupport
import Testing
import _BonjourishBusProtocol
import _BonjourishDiscovery

@testable import _BonjourishAvahiBackend

/// All interfaces and both families.
private let everywhere: [BusValue] = [.int32(-1), .int32(-1)]

extension Scene {
  /// Says what has become of a group: 2 is established, 3 a collision, 4 a failure.
  func tell(_ state: Int32, of path: String, _ error: String = "Success") {
    bus.say(
      "StateChanged", of: "org.freedesktop.Avahi.EntryGroup", at: path,
      [.int32(state), .text("org.freedesktop.Avahi.\(error)")])
  }
}

/// What is asked of the daemon to publish something, and what becomes of its answers.
@Suite(.timeLimit(.minutes(1))) struct DaemonPublicationTests {
  @Test func `a service is a group of entries, which changes its text and is freed`() async {
    await #expect(processExitsWith: .success) {
      try await Scene.play { scene in
        try await scene.backend.connect()
        let cookie = BusValue.uint32(AVAHI_PUBLISH_NO_COOKIE.rawValue)
        let service = scene.publish(
          Registration(
            "Ada", type: "_ipp._tcp", subtypes: ["_color"], domain: .local, port: 631, txt: ["a": "1"], host: "p.local"))
        let path = await scene.bus.objects(1)[0].path
        #expect(await scene.bus.calls("Commit").map(\.path) == [path])
        let names: [BusValue] = [.text("Ada"), .text("_ipp._tcp"), .text("local")]
        #expect(
          await scene.bus.calls("AddService").map(\.values) == [
            everywhere + [cookie] + names + [.text("p.local"), .uint16(631), .array(of: "ay", [.bytes(Array("a=1".utf8))])]
          ])
        #expect(
          await scene.bus.calls("AddServiceSubtype").map(\.values) == [
            everywhere + [.uint32(0)] + names + [.text("_color._sub._ipp._tcp")]
          ])
        scene.tell(1, of: path)
        scene.tell(2, of: path)
        #expect(await service.next() == [.established("Ada")])
        scene.backend.update(["a": "2"], of: service.id)
        #expect(
          await scene.bus.calls("UpdateServiceTxt").map(\.values) == [
            everywhere + [cookie] + names + [.array(of: "ay", [.bytes(Array("a=2".utf8))])]
          ])
        // Another host claims the name: it is registered once more, with the new text, and then another name.
        scene.tell(3, of: path)
        let second = await scene.bus.calls("AddService", count: 2)[1]
        #expect(second.values.last == .array(of: "ay", [.bytes(Array("a=2".utf8))]) && second.path != path)
        #expect(await scene.bus.calls("Free").map(\.path) == [path])
        scene.tell(2, of: path)
        scene.tell(3, of: second.path)
        #expect(await service.next() == [.renamed(from: "Ada", to: "Ada #2")])
        let third = await scene.bus.calls("AddService", count: 3)[2]
        #expect(third.values[3] == .text("Ada #2"))
        scene.tell(2, of: third.path)
        #expect(await service.next() == [.established("Ada #2")])
        scene.backend.end(service.id)
        #expect(await scene.bus.calls("Free", count: 3).map(\.path) == [path, second.path, third.path])
        #expect(service.rest == [])
      }
    }
  }

  @Test func `addresses and records are entries as they are`() async {
    await #expect(processExitsWith: .success) {
      try await Scene.play { scene in
        try await scene.backend.connect()
        let addresses = [IPAddress.ipv4(0xC000_0207), .ipv4(0xC000_0208)]
        let host = try #require(Registration(host: "wiki.local", addresses: addresses, onConflict: .fail))
        _ = scene.publish(host)
        let records = [
          CustomRecord.alias("w.local", for: "wiki.local"),
          try CustomRecord("w.local", type: .hinfo, data: [1, 65, 1, 66], isUnique: false),
        ]
        _ = scene.publish(try #require(Registration(records: records)))
        let (unique, several) = (AVAHI_PUBLISH_UNIQUE.rawValue, AVAHI_PUBLISH_ALLOW_MULTIPLE.rawValue)
        func entry(_ flags: UInt32, _ name: String, _ type: RecordType, _ ttl: UInt32, _ data: [UInt8]) -> [BusValue] {
          everywhere + [.uint32(flags), .text(name), .uint16(1), .uint16(type.rawValue), .uint32(ttl), .bytes(data)]
        }
        #expect(
          await scene.bus.calls("AddRecord", count: 4).map(\.values) == [
            entry(unique | several, "wiki.local", .a, 120, [192, 0, 2, 7]),
            entry(unique | several, "wiki.local", .a, 120, [192, 0, 2, 8]),
            entry(unique, "w.local", .cname, 4_500, ("wiki.local" as DomainName).wire),
            entry(0, "w.local", .hinfo, 120, [1, 65, 1, 66]),
          ])
      }
    }
  }

  @Test func `after eight conflicts a service is shared records, with which nobody can have a conflict`() async {
    await #expect(processExitsWith: .success) {
      try await Scene.play { scene in
        try await scene.backend.connect()
        let service = scene.publish(Registration("Ada", type: "_x._tcp", domain: .local, port: 80, txt: ["a": "1"]))
        for count in 1...8 {
          scene.tell(3, of: await scene.bus.objects(count)[count - 1].path)
          guard case .renamed? = await service.next().first else { Issue.record("\(count)"); return }
        }
        let path = await scene.bus.objects(9)[8].path
        let entries = await scene.bus.calls("AddRecord", count: 4).map(\.values)
        #expect(entries.allSatisfy { $0[2] == .uint32(0) } && entries.map { $0[5] } == [12, 33, 16, 12].map { .uint16($0) })
        // The host is the daemon's.
        #expect(entries[1].last == .bytes([0, 0, 0, 0, 0, 80] + ("h1.local" as DomainName).wire))
        scene.tell(2, of: path)
        guard case .established(let name)? = await service.next().first else { Issue.record("no name"); return }
        #expect(name.text.hasPrefix("Ada #") && name.text.count == 13)
        scene.backend.update(["a": "2"], of: service.id)
        let update = await scene.bus.calls("AddRecord", count: 5)[4]
        #expect(update.path == path && update.values[2] == .uint32(AVAHI_PUBLISH_UPDATE.rawValue))
        #expect(update.values[3] == .text("\(name)._x._tcp.local") && update.values.last == .bytes(Array("\u{3}a=2".utf8)))
      }
    }
  }

  @Test func `a service of another host that nobody can dispute names that host`() async {
    await #expect(processExitsWith: .success) {
      try await Scene.play { scene in
        try await scene.backend.connect()
        let service = Registration("Bob", type: "_x._tcp", domain: .local, port: 258, txt: [:], host: "p.local")
        _ = scene.publish(service.assured(by: "k7f3x2q9"))
        let location = await scene.bus.calls("AddRecord", count: 4)[1].values
        #expect(location[3] == .text("Bob #k7f3x2q9._x._tcp.local") && location[6] == .uint32(120))
        #expect(location.last == .bytes([0, 0, 0, 0, 1, 2] + ("p.local" as DomainName).wire))
      }
    }
  }

  @Test func `a refusal of the daemon ends the publication, whether it comes at once or later`() async {
    await #expect(processExitsWith: .success) {
      try await Scene.play { scene in
        try await scene.backend.connect()
        func publish(_ name: InstanceName) -> Scene.Heard<RegistrationEvent> {
          scene.publish(Registration(name, type: "_x._tcp", domain: .local, port: 80, txt: [:]))
        }
        let ada = publish("Ada")
        scene.tell(4, of: await scene.bus.calls("Commit")[0].path, "InvalidServiceNameError")
        let later = await ada.nextError()
        #expect(later?.code == .refused && later?.message.contains("avahi-daemon refused") == true)
        scene.bus.refuse("AddService", with: "org.freedesktop.Avahi.TooManyEntriesError")
        let atOnce = await publish("Bob").nextError()
        #expect(atOnce?.code == .limitReached && atOnce?.message.hasPrefix("publishing \"Bob\" as _x._tcp: ") == true)
        // A name that another program of this machine has is one that is taken.
        scene.bus.refuse("AddService", with: "org.freedesktop.Avahi.CollisionError")
        #expect(await publish("Cyd").next() == [.renamed(from: "Cyd", to: "Cyd #2")])
        #expect(ada.rest == [])
      }
    }
  }

  @Test func `a service with more subtypes than a group takes is established with all of its groups`() async {
    await #expect(processExitsWith: .success) {
      try await Scene.play { scene in
        try await scene.backend.connect()
        let subtypes = try Set((0..<40).map { try ServiceSubtype("_s\($0)") })
        let service = scene.publish(
          Registration("Ada", type: "_x._tcp", subtypes: subtypes, domain: .local, port: 80, txt: [:]))
        let paths = await scene.bus.calls("Commit", count: 2).map(\.path)
        #expect(Set(paths).count == 2)
        // What is told after that of a look-up is told later.
        let lookup = scene.lookUp(RecordQuestion(.domain("x.local"), .a))
        let browser = await scene.bus.objects(3)[2].path
        scene.tell(2, of: paths[0])
        for _ in 0..<2 {
          scene.bus.say("CacheExhausted", of: "org.freedesktop.Avahi.RecordBrowser", at: browser)
          #expect(await lookup.next() == [.cacheExhausted])
        }
        #expect(service.rest == [])
        scene.tell(2, of: paths[1])
        #expect(await service.next() == [.established("Ada")])
        // A collision about either concerns the whole.
        scene.tell(3, of: paths[1])
        #expect(await Set(scene.bus.calls("Free", count: 2).map(\.path)) == Set(paths))
      }
    }
  }

  @Test func `more than 64 groups have further connections`() async {
    await #expect(processExitsWith: .success) {
      try await Scene.play { scene in
        try await scene.backend.connect()
        for number in 1...66 {
          _ = scene.publish(Registration(try InstanceName("\(number)"), type: "_x._tcp", domain: .local, port: 80, txt: [:]))
        }
        let groups = await scene.bus.objects(66).map(\.call.connection)
        let connections = Array(groups.reduce(into: [:]) { $0[$1, default: 0] += 1 }.values).sorted()
        #expect(connections == [2, 64])
        #expect(scene.bus.openConnections == 2)
      }
    }
  }
}
#endif
