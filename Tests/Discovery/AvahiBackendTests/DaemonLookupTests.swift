#if Avahi
import CBonjourishAvahi.Common
import TestSupport
import Testing
import _BonjourishBusProtocol
import _BonjourishDiscovery

@testable import _BonjourishAvahiBackend

private let browsers = "org.freedesktop.Avahi.RecordBrowser"

/// What the daemon says of a record: the interface, the family (0 is IPv4), the name, the class, the type, the data and flags.
private func item(_ interface: Int32, _ family: Int32, _ record: ResourceRecord) -> [BusValue] {
  [
    .int32(interface), .int32(family), .text(record.name.text), .uint16(1), .uint16(record.type.rawValue), .bytes(record.bytes),
    .uint32(0),
  ]
}

/// What is asked of the daemon for a look-up, and what becomes of its answers.
@Suite(.timeLimit(.minutes(1))) struct DaemonLookupTests {
  @Test func `a look-up is a record browser of the daemon, and tells what that finds`() async {
    await #expect(processExitsWith: .success) {
      try await Scene.play { scene in
        try await scene.backend.connect()
        let lookup = scene.lookUp(RecordQuestion(.domain("x.local"), .hinfo))
        let (path, call) = await scene.bus.objects(1)[0]
        #expect(call.values == [.int32(-1), .int32(-1), .text("x.local"), .uint16(1), .uint16(13), .uint32(0)])
        func record(_ name: DomainName, _ family: IPAddress.Family = .ipv4) -> ResourceRecord {
          ResourceRecord(name: name, type: .hinfo, bytes: [1, 65, 1, 66], on: Link(scene.loopback, family))
        }
        scene.bus.say("ItemNew", of: browsers, at: path, item(1, 0, record("x.local")))
        scene.bus.say("CacheExhausted", of: browsers, at: path)
        scene.bus.say("ItemNew", of: browsers, at: path, item(1, 1, record("x.local", .ipv6)))
        scene.bus.say("AllForNow", of: browsers, at: path)
        #expect(
          await lookup.next(4) == [.added(record("x.local")), .cacheExhausted, .added(record("x.local", .ipv6)), .settled])
        // Neither what was never told nor what is of another browser is taken back.
        scene.bus.say("ItemRemove", of: browsers, at: path, item(1, 0, record("y.local")))
        scene.bus.say("ItemRemove", of: browsers, at: path + "9", item(1, 0, record("x.local")))
        scene.bus.say("ItemRemove", of: browsers, at: path, item(1, 0, record("x.local")))
        #expect(await lookup.next() == [.removed(record("x.local"))])
        scene.bus.say("Failure", of: browsers, at: path, [.text("org.freedesktop.Avahi.TimeoutError")])
        let error = await lookup.nextError()
        #expect(error?.code == .refused && error?.message.hasPrefix("looking up HINFO records of x.local: ") == true)
        scene.backend.end(lookup.id)
        let ended = await scene.bus.calls("Free")
        #expect(ended.map(\.path) == [path] && lookup.rest == [])
      }
    }
  }

  @Test func `a question is for its family, interface and way of asking`() async {
    await #expect(processExitsWith: .success) {
      try await Scene.play { scene in
        try await scene.backend.connect()
        let questions = [
          RecordQuestion(.domain("1.0.77.10.in-addr.arpa"), .ptr, interfaces: .all.over(.ipv4)),
          RecordQuestion(.domain("x.local"), .a, interfaces: .only("lo").over(.ipv6)),
          try BrowseQuery("_x._tcp", domain: .local, interfaces: .only("lo")).question(),
        ]
        _ = questions.map { scene.lookUp($0) }
        let calls = await scene.bus.objects(3).map(\.call.values)
        let multicast = AVAHI_LOOKUP_USE_MULTICAST.rawValue
        #expect(
          calls == [
            [.int32(-1), .int32(0), .text("1.0.77.10.in-addr.arpa"), .uint16(1), .uint16(12), .uint32(multicast)],
            [.int32(1), .int32(1), .text("x.local"), .uint16(1), .uint16(1), .uint32(0)],
            [.int32(1), .int32(-1), .text("_x._tcp.local"), .uint16(1), .uint16(12), .uint32(0)],
          ])
        // One whose interface does not exist waits for it, and types that the daemon does not answer for are refused.
        let waiting = scene.lookUp(RecordQuestion(.domain("x.local"), .a, interfaces: .only("nowhere0")))
        let interruption = await waiting.nextError()
        #expect(interruption?.code == .unavailable && interruption?.message.contains("\"nowhere0\" is gone") == true)
        let refused = await scene.lookUp(RecordQuestion(.domain("x.local"), .any)).nextError()
        #expect(refused?.code == .refused && refused?.message.contains("all types at once") == true)
        await scene.backend.drain()
        #expect(await scene.bus.objects(3).count == 3)
      }
    }
  }

  @Test func `a browse tells what is on its interfaces, and settles at once if the daemon knows all`() async {
    await #expect(processExitsWith: .success) {
      try await Scene.play { scene in
        try await scene.backend.connect()
        let query = BrowseQuery("_x._tcp", domain: .local, interfaces: .except("lo", "if1"))
        let browse = scene.lookUp(try query.question())
        let all = scene.lookUp(try BrowseQuery("_x._tcp", domain: .local).question())
        let paths = await scene.bus.objects(2).map(\.path)
        let target = ServiceInstance("Ada", type: "_x._tcp")
        let pointer = ResourceRecord(
          name: "_x._tcp.local" as DomainName, type: .ptr, bytes: try target.fullName.wire, on: Link(scene.loopback, .ipv4))
        for path in paths {
          scene.bus.say("ItemNew", of: browsers, at: path, item(1, 0, pointer))
          scene.bus.say("AllForNow", of: browsers, at: path)
          scene.bus.say("ItemRemove", of: browsers, at: path, item(1, 0, pointer))
        }
        #expect(await browse.next() == [.settled])
        #expect(await all.next(3) == [.added(pointer), .settled, .removed(pointer)])
        #expect(browse.rest == [])
      }
    }
  }

  @Test func `a limit of the daemon is the failure of the look-up that meets it`() async {
    await #expect(processExitsWith: .success) {
      try await Scene.play { scene in
        try await scene.backend.connect()
        for member in ["RecordBrowserNew", "RecordBrowserPrepare"] {
          scene.bus.refuse(member, with: "org.freedesktop.Avahi.TooManyObjectsError")
        }
        let lookup = scene.lookUp(RecordQuestion(.domain("x.local"), .a))
        let error = await lookup.nextError()
        #expect(error?.code == .limitReached)
        #expect(error?.message.hasPrefix("looking up A records of x.local: a limit of avahi-daemon is reached") == true)
      }
    }
  }

  @Test func `900 look-ups are open at a time beside browsers, and the others wait for the end of one`() async {
    await #expect(processExitsWith: .success) {
      try await Scene.play { scene in
        try await scene.backend.connect()
        _ = scene.lookUp(try BrowseQuery("_x._tcp", domain: .local).question())
        let names = try (1...902).map { try DomainName("h\($0).local") }
        let lookups = names.map { scene.lookUp(RecordQuestion(.domain($0), .a)) }
        await scene.backend.drain()
        #expect(await scene.bus.objects(901).count == 901)
        var metrics = scene.backend.metrics
        #expect(metrics.avahi.objects == 901 && metrics.avahi.waitingLookups == 2)
        #expect(metrics.backend == "avahi" && metrics.avahi.connections == 1 && metrics.avahi.callsCut == 0)
        // One that waits and is ended is never begun.
        scene.backend.end(lookups[900].id)
        scene.backend.end(lookups[7].id)
        let last = await scene.bus.objects(902).last
        #expect(last?.call.values[2] == .text("h902.local"))
        await scene.backend.drain()
        metrics = scene.backend.metrics
        #expect(metrics.avahi.objects == 901 && metrics.avahi.waitingLookups == 0)
      }
    }
  }
}
#endif
