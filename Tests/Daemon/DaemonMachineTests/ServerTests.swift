import Testing
import _BonjourishBusProtocol
import _BonjourishDiscovery
import _BonjourishMulticastDNS

@testable import _BonjourishDaemonMachine

/// What the server itself answers, and the conversation with the bus.
@Suite struct ServerTests {
  @Test func `the daemon takes its name on the bus and is ready`() {
    var bench = Bench(isConnected: false)
    bench.send(.connected)
    #expect(bench.messages.map(\.member) == ["Hello", "AddMatch", "RequestName"])
    #expect(bench.messages.map(\.serial) == [1, 2, 3])
    let match = "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',member='NameOwnerChanged',arg2=''"
    // Others must not wait for the name, nor take it (DBUS_NAME_FLAG_DO_NOT_QUEUE).
    #expect(bench.messages.map(\.body) == [[], [.text(match)], [.text("org.freedesktop.Avahi"), .uint32(4)]])
    #expect(bench.messages.allSatisfy { $0.destination == "org.freedesktop.DBus" && $0.path == "/org/freedesktop/DBus" })
    bench.answerBus("RequestName", [.uint32(1)])
    #expect(bench.effects == [.ready])
    // The answer counts once.
    bench.answerBus("RequestName", [.uint32(3)])
    #expect(bench.effects == [.ready])
  }

  @Test func `a name that the daemon has already is its name, and a refusal is told in the bus's words`() {
    for isOwner in [true, false] {
      var bench = Bench(isConnected: false)
      bench.send(.connected)
      if isOwner {
        bench.answerBus("RequestName", [.uint32(4)])
      } else {
        var answer = BusMessage(.error)
        (answer.answers, answer.sender, answer.body) = (3, "org.freedesktop.DBus", [.text("not allowed by its policy")])
        bench.send(.message(answer))
      }
      #expect(bench.effects == [isOwner ? .ready : .refused("not allowed by its policy")])
    }
  }

  @Test func `nobody but the bus gives the name`() {
    var bench = Bench(isConnected: false)
    bench.send(.connected)
    var answer = BusMessage(.answer)
    (answer.answers, answer.sender, answer.body) = (3, ":1.9", [.uint32(1)])
    bench.send(.message(answer))
    #expect(bench.effects.isEmpty)
  }

  @Test func `another daemon that has the name is an error that names it`() {
    var bench = Bench(isConnected: false)
    bench.send(.connected)
    bench.answerBus("RequestName", [.uint32(3)])
    #expect(bench.effects == [.refused("another program is org.freedesktop.Avahi, such as avahi-daemon")])
  }

  @Test func `the questions about the host are answered`() {
    var bench = Bench()
    #expect(bench.call("GetVersionString")?.body == [.text("bonjourish 0")])
    #expect(bench.call("GetAPIVersion", of: "Server2")?.body == [.uint32(0x204)])
    #expect(bench.call("GetHostName")?.body == [.text("h1")])
    #expect(bench.call("GetHostNameFqdn")?.body == [.text("h1.local")])
    #expect(bench.call("GetDomainName")?.body == [.text("local")])
    #expect(bench.call("GetState")?.body == [.int32(2)])
    #expect(bench.call("GetLocalServiceCookie")?.body == [.uint32(7)])
    #expect(bench.call("GetNetworkInterfaceNameByIndex", .int32(2))?.body == [.text("eth0")])
    #expect(bench.call("GetNetworkInterfaceIndexByName", .text("eth0"))?.body == [.int32(2)])
    #expect(bench.call("GetNetworkInterfaceIndexByName", .text("eth1"))?.errorName == "org.freedesktop.Avahi.OSError")
    #expect(bench.call("GetNetworkInterfaceNameByIndex", .int32(3))?.errorName == "org.freedesktop.Avahi.OSError")
    #expect(bench.call("IsNSSSupportAvailable")?.body == [.truth(false)])
    var settings = DaemonSettings()
    (settings.hostName, settings.hasNameService) = (String(repeating: "a", count: 70), true)
    bench = Bench(settings)
    #expect(bench.call("GetHostName")?.body == [.text(String(repeating: "a", count: 63))])
    #expect(bench.call("IsNSSSupportAvailable")?.body == [.truth(true)])
  }

  @Test func `every object answers a ping, and describes itself to everybody`() {
    var bench = Bench()
    let group = bench.make("EntryGroupNew", [])
    for (member, interface) in [
      ("Ping", "org.freedesktop.DBus.Peer"), ("Introspect", "org.freedesktop.DBus.Introspectable"), ("Introspect", ""),
    ] {
      for path in ["/", group] {
        var call = BusMessage.call(member, of: interface, at: path, in: DaemonMachine.name)
        if interface.isEmpty { call.interface = nil }
        (call.serial, call.sender) = (9, ":1.77")
        bench.send(.message(call))
        let interfaces: [BusInterface] = path == "/" ? [.server, .server2] : [.entryGroup]
        let expected: [BusValue] = member == "Ping" ? [] : [.text(BusInterface.description(of: interfaces))]
        #expect(bench.messages.popLast()?.body == expected, "\(member) at \(path)")
      }
    }
    var call = BusMessage.call("Ping", of: "org.freedesktop.Avahi.Server", at: "/", in: DaemonMachine.name)
    (call.serial, call.sender) = (9, ":1.77")
    bench.send(.message(call))
    #expect(bench.messages.popLast()?.kind == .error)
  }

  @Test func `a call that wants no answer gets none, not even an error`() {
    var bench = Bench()
    for member in ["GetHostName", "Nothing"] {
      var call = BusMessage.call(member, of: BusInterface.server.name, at: "/", in: DaemonMachine.name)
      (call.serial, call.sender, call.wantsNoAnswer) = (9, ":1.5", true)
      bench.send(.message(call))
      #expect(bench.messages.isEmpty)
    }
  }

  @Test func `an unknown method is told with its interface and object`() {
    var bench = Bench()
    #expect(
      bench.call("Nothing")?.body
        == [.text("There is no org.freedesktop.Avahi.Server.Nothing at / with these arguments")])
    #expect(bench.call("SetHostName", .text(""))?.body == [.text("The host name is not valid")])
  }

  @Test func `the host's name is logged when it is had first`() {
    var bench = Bench(isConnected: false)
    bench.send(.host(.established(name("h1.local"))))
    let text = "Server startup complete. Host name is h1.local."
    bench.send(.host(.established(name("h1.local"))))
    guard case .log(let message)? = bench.effects.first else { return #expect(Bool(false)) }
    #expect(bench.effects.count == 1 && message.level == .info && message.text == text)
    #expect(message.metadata == ["host": "h1.local"])
  }

  @Test(arguments: [
    ("GetAlternativeHostName", "h1", "h1-2"), ("GetAlternativeHostName", "h1-2", "h1-3"),
    ("GetAlternativeHostName", "a-b", "a-b-2"), ("GetAlternativeServiceName", "Ada", "Ada #2"),
    ("GetAlternativeServiceName", "Ada #9", "Ada #10"), ("GetAlternativeServiceName", "Ada #0", "Ada #0 #2"),
    ("GetAlternativeServiceName", "Ada #4294967295", "Ada #4294967295 #2"),
    ("GetAlternativeServiceName", String(repeating: "ä", count: 31), String(repeating: "ä", count: 30) + " #2"),
  ])
  func `an alternative name is the next one`(_ member: String, _ name: String, _ next: String) {
    var bench = Bench()
    #expect(bench.call(member, .text(name))?.body == [.text(next)])
  }

  @Test func `methods with other arguments, and those that are not there, are unknown`() {
    var bench = Bench()
    let unknown = "org.freedesktop.DBus.Error.UnknownMethod"
    #expect(bench.call("GetHostName", .int32(1))?.errorName == unknown)
    #expect(bench.call("GetAlternativeHostName")?.errorName == unknown)
    #expect(bench.call("Nothing")?.errorName == unknown)
    #expect(bench.call("GetHostName", of: "EntryGroup")?.errorName == unknown)
    #expect(bench.call("Free", of: "EntryGroup", at: "/Client0/EntryGroup1")?.errorName == unknown)
  }

  @Test func `every method of every interface is described`() {
    var bench = Bench()
    var call = BusMessage.call("Introspect", of: "org.freedesktop.DBus.Introspectable", at: "/", in: DaemonMachine.name)
    (call.serial, call.sender) = (5, ":1.5")
    bench.send(.message(call))
    guard case .text(let text)? = bench.messages.last?.body?.first else { return #expect(Bool(false)) }
    #expect(text.contains("<interface name=\"org.freedesktop.Avahi.Server2\">"))
    #expect(text.contains("<method name=\"RecordBrowserPrepare\">"))
    let all: [BusInterface] = [
      .server, .server2, .entryGroup, .domainBrowser, .serviceTypeBrowser, .serviceBrowser, .recordBrowser, .serviceResolver,
      .hostNameResolver, .addressResolver,
    ]
    // As in Avahi's files, without those of introspection.
    #expect(all.reduce(0) { $0 + $1.methods.count(where: \.isDescribed) } == 48 + 10 + 14)
    #expect(text.ranges(of: "<method name=\"RecordBrowserNew\">").count == 1)
    #expect(all.reduce(0) { $0 + $1.signals.count } == 2 + 1 + 20 + 6)
  }

  @Test func `a client is told of a host name that another host has, and of the next one`() {
    var bench = Bench()
    bench.send(.host(.renamed(from: name("h1.local"), to: name("h1-2.local"))))
    bench.send(.host(.established(name("h1-2.local"))))
    let states = bench.takeSignals("StateChanged").filter { $0.interface == "org.freedesktop.Avahi.Server" }.map(\.body)
    #expect(
      states == [
        [.int32(3), .text("org.freedesktop.Avahi.CollisionError")], [.int32(1), .text("org.freedesktop.Avahi.Success")],
        [.int32(2), .text("org.freedesktop.Avahi.Success")],
      ])
    #expect(bench.call("GetHostName")?.body == [.text("h1-2")])
  }

  @Test func `a client is told of a name that the machine gets while it runs`() {
    var bench = Bench()
    bench.send(.host(.established(name("h1.local"))))
    #expect(bench.takeSignals("StateChanged").isEmpty)
    bench.send(.host(.established(name("ada.local"))))
    let states = bench.takeSignals("StateChanged").filter { $0.interface == "org.freedesktop.Avahi.Server2" }.map(\.body?.first)
    #expect(states == [.int32(1), .int32(2)])
    #expect(bench.call("GetHostName")?.body == [.text("ada")])
  }

  @Test func `a call has to name its interface`() {
    var bench = Bench()
    var call = BusMessage(.call)
    (call.member, call.path, call.destination, call.body) = ("SetHostName", "/", DaemonMachine.name, [.text("ada")])
    (call.serial, call.sender) = (5, ":1.5")
    bench.send(.message(call))
    #expect(bench.messages.last?.errorName == "org.freedesktop.DBus.Error.UnknownMethod")
    #expect(bench.machine.hostName == name("h1.local"))
  }

  @Test func `a call for a result that nobody waits for asks nothing`() {
    var bench = Bench()
    var call = BusMessage.call(
      "ResolveHostName", of: BusInterface.server.name, at: "/", in: DaemonMachine.name,
      any + [.text("a.local"), .int32(-1), noFlags])
    (call.serial, call.sender, call.wantsNoAnswer) = (5, ":1.5", true)
    bench.send(.message(call))
    bench.now = .seconds(10)
    bench.send(.timePassed)
    #expect(bench.messages == [] && bench.effects == [] && bench.machine.objectCount == 0)
  }

  @Test func `the host can be given another name`() {
    var bench = Bench()
    #expect(bench.call("SetHostName", .text("h1"))?.errorName == "org.freedesktop.Avahi.NoChangeError")
    #expect(bench.call("SetHostName", .text("a.b"))?.errorName == "org.freedesktop.Avahi.InvalidHostNameError")
    #expect(bench.call("SetHostName", .text(""))?.errorName == "org.freedesktop.Avahi.InvalidHostNameError")
    #expect(bench.call("SetHostName", .text("ada"))?.body == [])
    #expect(bench.effects == [.setHostName(name("ada.local"))])
    #expect(bench.call("GetState")?.body == [.int32(1)])
  }

  @Test func `the name that another host had can be asked for again`() {
    var daemon = DaemonOnLink()
    /// Asks for a name, which another host says it has while it is probed for.
    func lose() {
      daemon.bench.call("SetHostName", .text("ada"))
      daemon.run(for: .milliseconds(400))
      daemon.hear(DNSRecord(name("ada.local"), .address(.ipv4(0x0A4D_0002)), timeToLive: 120))
      daemon.run(for: .seconds(20))
    }
    for _ in 0..<2 {
      lose()
      #expect(daemon.bench.call("GetHostName")?.body == [.text("ada-2")])
      #expect(daemon.bench.call("GetState")?.body == [.int32(2)])
    }
    daemon.bench.call("SetHostName", .text("ada"))
    #expect(daemon.bench.call("GetState")?.body == [.int32(1)])
    daemon.run(for: .seconds(20))
    #expect(daemon.bench.call("GetState")?.body == [.int32(2)])
    #expect(daemon.bench.call("GetHostName")?.body == [.text("ada")])
  }

  @Test(arguments: ["local", "example.com"]) func `a domain is listed among those to browse, but local need not be`(
    _ domain: String
  ) {
    var settings = DaemonSettings()
    (settings.domain, settings.publishesDomain) = (domain, true)
    var bench = Bench(settings, isConnected: false)
    bench.send(.host(.established(bench.machine.hostName)))
    let list = name("b._dns-sd._udp.local")
    let listed = bench.effects.compactMap { if case .publish(_, let records, let links) = $0 { (records, links) } else { nil } }
    #expect(listed.map(\.0) == (domain == "local" ? [] : [[PublishedRecord(list, .data(.ptr(name(domain))), .shared)]]))
    #expect(listed.allSatisfy { $0.1 == settings.interfaces })
  }
}
