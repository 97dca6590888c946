#if Avahi
import TestSupport
import Testing
import _BonjourishBusProtocol
import _BonjourishDiscovery
import _BonjourishEventLoop

@testable import _BonjourishAvahiBackend

private let question = RecordQuestion(.domain("x.local"), .a)
private let ada = Registration("Ada", type: "_x._tcp", domain: .local, port: 80, txt: [:])

/// What becomes of look-ups and publications when the daemon or the bus goes and comes.
@Suite(.timeLimit(.minutes(1))) struct DaemonStateTests {
  @Test func `while the daemon chooses a name for the host, nothing is published`() async {
    await #expect(processExitsWith: .success) {
      try await Scene.play { scene in
        try await scene.backend.connect()
        let (lookup, service) = (scene.lookUp(question), scene.publish(ada))
        let path = await scene.bus.calls("Commit")[0].path
        scene.tell(2, of: path)
        #expect(await service.next() == [.established("Ada")])
        scene.bus.setServer(1)
        let error = await service.nextError()
        #expect(error?.code == .unavailable)
        #expect(error?.message == "publishing \"Ada\" as _x._tcp: avahi-daemon is choosing a name for this host; wait")
        #expect(await scene.bus.calls("Free").map(\.path) == [path])
        // One that comes now waits, too.
        let late = await scene.publish(ada.renamed(to: "Bob")).nextError()
        #expect(late?.code == .unavailable && late?.message.contains("choosing a name") == true)
        scene.bus.setServer(2)
        let again = await scene.bus.calls("Commit", count: 3).dropFirst().map(\.path)
        for path in again { scene.tell(2, of: path) }
        #expect(await service.next() == [.established("Ada")])
        #expect(lookup.rest == [] && service.rest == [])
        #expect(await scene.changes(1) == [.available])
      }
    }
  }

  @Test func `a daemon that goes interrupts all, and all begin again when it is back`() async {
    await #expect(processExitsWith: .success) {
      try await Scene.play { scene in
        try await scene.backend.connect()
        let (lookup, service) = (scene.lookUp(question), scene.publish(ada))
        scene.tell(2, of: await scene.bus.calls("Commit")[0].path)
        #expect(await service.next() == [.established("Ada")])
        scene.bus.setDaemon(false)
        for error in [await lookup.nextError(), await service.nextError()] {
          #expect(error?.code == .unavailable && error?.message.contains("avahi-daemon does not answer") == true)
        }
        #expect(await scene.changes(2) == [.available, .gone])
        var metrics = scene.backend.metrics
        #expect(metrics.avahi.connections == 1 && metrics.avahi.connectionsLost == 1)
        let meanwhile = await scene.lookUp(RecordQuestion(.domain("y.local"), .a)).nextError()
        #expect(meanwhile?.message.hasPrefix("looking up A records of y.local: avahi-daemon does not answer") == true)
        await scene.backend.drain()
        #expect(scene.backend.metrics.avahi.objects == 0)
        // The new connection waits on the bus.
        _ = await scene.bus.calls("Ping", count: 2)
        scene.bus.setDaemon(true)
        #expect(await lookup.next() == [.restarted])
        scene.tell(2, of: await scene.bus.calls("Commit", count: 2)[1].path)
        #expect(await service.next() == [.established("Ada")])
        #expect(await scene.changes(3) == [.available, .gone, .available])
        #expect(await scene.bus.objects(5).count == 5)
        await scene.backend.drain()
        metrics = scene.backend.metrics
        #expect(metrics.avahi.connections == 2 && metrics.avahi.connectionsLost == 1 && metrics.avahi.objects == 3)
        let texts = scene.messages.value { $0.filter { $0.level > .debug }.map(\.text) }
        #expect(texts.count == 3 && texts.first == "avahi-daemon has appeared" && texts.last == "avahi-daemon has appeared")
        #expect(texts[1].hasPrefix("talking to avahi-daemon: avahi-daemon does not answer"))
      }
    }
  }

  @Test func `a bus that ends is looked for again`() async {
    await #expect(processExitsWith: .success) {
      try await Scene.play { scene in
        try await scene.backend.connect()
        let lookup = scene.lookUp(question)
        _ = await scene.bus.objects(1)
        scene.bus.endConnections()
        #expect(await lookup.nextError()?.code == .unavailable)
        #expect(await lookup.next() == [.restarted])
        #expect(await scene.changes(3) == [.available, .gone, .available])
        #expect(await scene.bus.objects(2).count == 2)
      }
    }
  }

  @Test func `a line that was cut is a daemon that hangs`() async {
    await #expect(processExitsWith: .success) {
      try await Scene.play { scene in
        try await scene.backend.connect()
        let lookup = scene.lookUp(question)
        _ = await scene.bus.objects(1)
        await scene.backend.line.cut()
        let error = await lookup.nextError()
        #expect(error?.code == .unavailable && error?.message.contains("does not answer in time") == true)
        #expect(await scene.changes(2) == [.available, .hung])
        #expect(scene.backend.metrics.avahi.callsCut == 1)
        #expect(await lookup.next() == [.restarted])
      }
    }
  }

  @Test func `a cut during a call is noticed when the call has returned`() async {
    await #expect(processExitsWith: .success) {
      try await Scene.play { scene in
        try await scene.backend.connect()
        let lookup = scene.lookUp(question)
        _ = await scene.bus.objects(1)
        scene.backend.perform { $0.line.cut() }
        #expect(await lookup.nextError()?.message.contains("does not answer in time") == true)
        #expect(await scene.changes(2) == [.available, .hung])
        let texts = scene.messages.value { $0.map(\.text) }
        #expect(texts.contains("avahi-daemon has not answered for some time; it may hang"))
        #expect(await lookup.next() == [.restarted])
      }
    }
  }

  @Test func `the watchdog asks the daemon something, and is answered`() async {
    await #expect(processExitsWith: .success) {
      try await Scene.play { scene in
        try await scene.backend.connect()
        let watchdog = try #require(await scene.backend.watchdog)
        scene.home.execute { watchdog.look() }
        #expect(await scene.bus.calls("EntryGroupNew").count == 1)
        await scene.backend.drain()
        #expect(await scene.backend.line.expectAnswer())
      }
    }
  }

  @Test func `without a daemon the search fails, and goes on`() async {
    await #expect(processExitsWith: .success) {
      try await Scene.play { scene in
        scene.bus.beginWithoutDaemon()
        let none = await #expect(throws: DiscoveryError.self) { try await scene.backend.connect() }
        #expect(none?.code == .unavailable)
        #expect(none?.message.hasPrefix("looking for avahi-daemon: avahi-daemon does not answer") == true)
        let lookup = scene.lookUp(question)
        #expect(await lookup.nextError()?.code == .unavailable)
        scene.bus.setDaemon(true)
        #expect(await lookup.next() == [.restarted])
        #expect(await scene.changes(1) == [.available])
      }
    }
  }

  @Test func `a bus that lets nobody in is looked for again`() async {
    await #expect(processExitsWith: .success) {
      try await Scene.play { scene in
        scene.bus.refuse("Hello", with: "org.freedesktop.DBus.Error.LimitsExceeded")
        let none = await #expect(throws: DiscoveryError.self) { try await scene.backend.connect() }
        #expect(none?.code == .limitReached)
        scene.bus.refuse("Hello", with: nil)
        #expect(await scene.changes(1) == [.available])
        #expect(scene.backend.metrics.avahi.connectionsLost == 0)
      }
    }
  }

  @Test func `of the network of a daemon nothing is known here`() async {
    await #expect(processExitsWith: .success) {
      try await Scene.play { scene in
        let heard = Scene.Heard<Reach>()
        scene.backend.followReach(of: .all, as: heard.id) { heard.hear($0) }
        #expect(await heard.next().first?.causes.map(\.code) == [.daemonElsewhere])
      }
    }
  }
}
#endif
