import Testing
import _BonjourishBase
import _BonjourishBusProtocol
import _BonjourishDiscovery
import _BonjourishMulticastDNS

@testable import _BonjourishDaemonMachine

/// Programs that want the daemon to fail. The names are those of faults of avahi-daemon that ended it.
@Suite struct HostileClientTests {
  @Test func `CVE-2026-34933: contradictory publish flags are an error`() {
    var bench = Bench()
    let group = bench.make("EntryGroupNew", [])
    for flags in [128 | 256, 128 | 256 | 64] as [UInt32] {
      #expect(
        bench.call("AddService", group, GroupTests.service(flags: flags))?.errorName
          == "org.freedesktop.Avahi.InvalidFlagsError")
      #expect(
        bench.call("AddAddress", group, any + [.uint32(flags), .text("a.local"), .text("10.0.0.9")])?.errorName
          == "org.freedesktop.Avahi.InvalidFlagsError")
      #expect(
        bench.call(
          "AddRecord", group,
          any + [.uint32(flags), .text("a.local"), .uint16(1), .uint16(1), .uint32(1), .bytes([1, 2, 3, 4])])?
          .errorName == "org.freedesktop.Avahi.InvalidFlagsError")
    }
    #expect(bench.machine.entryCount == 0)
  }

  @Test func `CVE-2025-68276: the wide-area flag of every lookup is refused`() {
    var bench = Bench()
    for (member, values) in [
      ("DomainBrowserNew", [.text(""), .int32(0)]), ("ServiceTypeBrowserNew", [.text("")]),
      ("ServiceBrowserNew", [.text("_http._tcp"), .text("")]), ("HostNameResolverNew", [.text("a.local"), .int32(-1)]),
      ("ServiceResolverNew", [.text("A"), .text("_http._tcp"), .text(""), .int32(-1)]), ("AddressResolverNew", [.text("::1")]),
      ("RecordBrowserNew", [.text("a.local"), .uint16(1), .uint16(1)]),
    ] as [(String, [BusValue])] {
      #expect(bench.make(member, any + values + [.uint32(1)]) == "", "\(member)")
      #expect(bench.refusal == "NotSupportedError", "\(member)")
    }
    #expect(bench.machine.objectCount == 0 && bench.effects == [])
  }

  @Test func `CVE-2021-3502: a host name that is not one is not found`() {
    var bench = Bench()
    for text in [".", "..", "a..b", "\\", "\\300", String(repeating: "a", count: 64), String(repeating: "a.", count: 200)] {
      #expect(bench.make("HostNameResolverNew", any + [.text(text), .int32(-1), noFlags]) == "", "\(text)")
      #expect(bench.refusal == "InvalidHostNameError", "\(text)")
    }
  }

  @Test func `CVE-2023-1981: an alternative of an empty or odd name is refused`() {
    var bench = Bench()
    for text in ["", String(repeating: "x", count: 64)] {
      let answer = bench.call("GetAlternativeServiceName", .text(text))
      #expect(answer?.errorName == "org.freedesktop.Avahi.NotFoundError", "\(text)")
    }
    for text in [".", "a.b", "#", " #", " #0", " #4294967295"] {
      #expect(bench.call("GetAlternativeServiceName", .text(text))?.kind == .answer, "\(text)")
    }
    for text in ["", ".", "a.b", String(repeating: "x", count: 64)] {
      #expect(bench.call("GetAlternativeHostName", .text(text))?.errorName == "org.freedesktop.Avahi.NotFoundError", "\(text)")
    }
  }

  @Test func `CVE-2023-38470 and -38473: a name of escaped dots and signs has an alternative`() {
    var bench = Bench()
    for text in ["a\\.b", "\\.", "-", "-0", "\\032"] {
      guard let answer = bench.call("GetAlternativeHostName", .text(text)) else { return #expect(Bool(false), "\(text)") }
      #expect(answer.kind == .answer, "\(text)")
    }
  }

  @Test func `CVE-2023-38469: strings that are too long for a text are refused`() {
    var bench = Bench()
    let group = bench.make("EntryGroupNew", [])
    for strings in [[[UInt8](repeating: 1, count: 256)], [[UInt8]](repeating: [UInt8](repeating: 1, count: 255), count: 300)] {
      #expect(
        bench.call("AddService", group, GroupTests.service(text: strings))?.errorName
          == "org.freedesktop.Avahi.InvalidRecordError")
    }
  }

  @Test func `a message that is too long to be read has a record that is too long`() {
    var bench = Bench()
    let group = bench.make("EntryGroupNew", [])
    for (member, error) in [
      ("AddService", "Avahi.InvalidRecordError"), ("UpdateServiceTxt", "Avahi.InvalidRecordError"),
      ("AddRecord", "Avahi.InvalidRecordError"), ("AddAddress", "DBus.Error.UnknownMethod"),
    ] {
      var call = BusMessage.call(member, of: "org.freedesktop.Avahi.EntryGroup", at: group, in: DaemonMachine.name)
      (call.serial, call.sender, call.body) = (7, ":1.5", nil)
      bench.send(.message(call))
      #expect(bench.messages.popLast()?.errorName == "org.freedesktop.\(error)", "\(member)")
    }
  }

  @Test func `CVE-2023-38471: a host name with odd bytes is refused or kept whole`() {
    var bench = Bench()
    #expect(bench.call("SetHostName", .text("a\\.b"))?.kind == .answer)
    #expect(bench.call("GetHostName")?.body == [.text("a\\.b")])
    #expect(bench.call("SetHostName", .text(String(repeating: "a", count: 64)))?.kind == .error)
  }

  @Test func `CVE-2023-38472: data that do not fit the type are refused`() {
    var bench = Bench()
    let group = bench.make("EntryGroupNew", [])
    for (type, bytes) in [(1, [1, 2, 3]), (28, [1]), (33, [0, 0, 0, 0, 0]), (12, [64]), (12, []), (16, []), (13, [5])]
      as [(UInt16, [UInt8])]
    {
      let answer = bench.call(
        "AddRecord", group, any + [noFlags, .text("a.local"), .uint16(1), .uint16(type), .uint32(1), .bytes(bytes)])
      #expect(answer?.errorName == "org.freedesktop.Avahi.InvalidRDataError", "\(type)")
    }
    for type in [0, 41, 47, 249, 250, 251, 252, 255] as [UInt16] {
      let answer = bench.call(
        "AddRecord", group, any + [noFlags, .text("a.local"), .uint16(1), .uint16(type), .uint32(1), .bytes([1])])
      #expect(answer?.errorName == "org.freedesktop.Avahi.InvalidDNSTypeError", "\(type)")
    }
  }

  /// Avahi took names that were too long once their signs were escaped.
  @Test func `avahi#939 and avahi#965: a name that is long with its escapes is refused or kept whole`() {
    var bench = Bench()
    let label = String(repeating: "[", count: 63)
    let tooLong = Array(repeating: label, count: 15).joined(separator: ".")
    let longest = Array(repeating: label, count: 3).joined(separator: ".") + "." + String(repeating: "[", count: 61)
    let group = bench.make("EntryGroupNew", [])
    for (text, isValid) in [(tooLong, false), (longest + "[", false), (longest, true)] {
      for (member, values) in [
        ("RecordBrowserNew", [.text(text), .uint16(1), .uint16(1)]), ("HostNameResolverNew", [.text(text), .int32(-1)]),
        ("DomainBrowserNew", [.text(text), .int32(0)]), ("ServiceTypeBrowserNew", [.text(text)]),
        ("ServiceBrowserNew", [.text("_http._tcp"), .text(text)]),
        ("ServiceResolverNew", [.text("A"), .text("_http._tcp"), .text(text), .int32(-1)]),
      ] as [(String, [BusValue])] {
        let isAlone = ["RecordBrowserNew", "HostNameResolverNew"].contains(member)
        #expect((bench.make(member, any + values + [noFlags]) != "") == (isValid && isAlone), "\(member)")
      }
      let answer = bench.call(
        "AddRecord", group, any + [noFlags, .text(text), .uint16(1), .uint16(16), .uint32(60), .bytes([1, 97])])
      #expect((answer?.errorName == nil) == isValid)
    }
    // What is told of it is the name again.
    let record = DNSRecord(name(longest), .address(.ipv4(1)), timeToLive: 120)
    for case .ask(let id, record.name, .a, _) in bench.effects {
      bench.send(.answered(id, .added(record, Bench.link, isOwn: false)))
    }
    let signals = bench.takeSignals()
    #expect(signals.count == 2)
    for signal in signals {
      guard case .text(let text)? = signal.body?[2] else { return #expect(Bool(false)) }
      #expect(DNSName(client: text) == record.name)
    }
  }

  /// avahi/avahi#250.
  @Test func `an object that is freed before it is started is gone`() {
    var bench = Bench()
    var call = BusMessage.call(
      "ServiceBrowserPrepare", of: BusInterface.server2.name, at: "/", in: DaemonMachine.name,
      any + [.text("_http._tcp"), .text(""), noFlags])
    (call.serial, call.sender) = (1, ":1.5")
    bench.send(.message(call))
    bench.call("Free", of: "ServiceBrowser", at: "/Client0/ServiceBrowser1")
    #expect(bench.call("Start", of: "ServiceBrowser", at: "/Client0/ServiceBrowser1")?.kind == .error)
    bench.send(.message(call))
    bench.machine.end(client: ":1.5")
    #expect(bench.machine.objectCount == 0 && bench.machine.paths.isEmpty && bench.effects == [])
  }

  @Test func `the objects of others are nobody's business`() {
    var bench = Bench()
    let group = bench.make("EntryGroupNew", [])
    for member in ["Free", "Commit", "Reset", "GetState", "IsEmpty"] {
      #expect(
        bench.call(member, of: "EntryGroup", at: group, by: ":1.9")?.errorName == "org.freedesktop.DBus.Error.AccessDenied")
    }
    #expect(bench.machine.objectCount == 1)
  }

  @Test func `clients, objects, entries and calls are limited, for each client and in all`() {
    var settings = DaemonSettings()
    settings.limits.clients = 2
    settings.limits.objectsPerClient = 3
    settings.limits.objects = 8
    settings.limits.callsPerClient = 1
    settings.limits.entriesPerGroup = 2
    settings.limits.bytesPerClient = 2_000
    var bench = Bench(settings)
    func make(_ client: String) -> String? {
      let answer = bench.call("EntryGroupNew", by: client)
      return answer?.errorName.map { String($0.dropFirst("org.freedesktop.Avahi.".count)) }
    }
    let groups = (0..<3).map { _ in make(":1.5") }
    #expect(groups == [nil, nil, nil] && make(":1.5") == "TooManyObjectsError")
    #expect(make(":1.6") == nil && make(":1.7") == "TooManyClientsError")
    func resolve() -> String? {
      bench.call("ResolveHostName", by: ":1.6", .int32(-1), .int32(-1), .text("a.local"), .int32(-1), noFlags)?.errorName
    }
    #expect(resolve() == nil && resolve() == "org.freedesktop.Avahi.TooManyObjectsError")
    func add(_ name: String, _ size: Int) -> String? {
      let strings = [UInt8](repeating: 1, count: 200)
      return bench.call("AddService", GroupTests.group, GroupTests.service(name, text: Array(repeating: strings, count: size)))?
        .errorName
    }
    #expect(add("A", 1) == nil && add("B", 9) == "org.freedesktop.Avahi.TooManyEntriesError")
    #expect(add("B", 0) == nil && add("C", 0) == "org.freedesktop.Avahi.TooManyEntriesError")
  }

  @Test func `no program uses up the objects of all`() {
    var settings = DaemonSettings()
    settings.limits.objects = 64
    var bench = Bench(settings)
    let counts = (0..<6).map { number in
      (0..<64).filter { _ in bench.make("EntryGroupNew", by: ":1.\(number)", []) != "" }.count
    }
    #expect(counts == [32, 16, 8, 4, 2, 1])
  }

  @Test func `a client that does not read is cut off, and others notice nothing`() throws {
    var settings = DaemonSettings()
    settings.limits.bytesUnread = 200_000
    var bench = Bench(settings)
    for client in [":1.5", ":1.6"] {
      _ = bench.make("ServiceBrowserNew", by: client, any + [.text("_http._tcp"), .text(""), noFlags])
    }
    let lookups: [DaemonMachine.LookupID] = bench.effects.compactMap { if case .ask(let id, _, _, _) = $0 { id } else { nil } }
    var told = 0
    for number in 0..<2_000 {
      let record = pointer("_http._tcp.local", to: "Number \(number)._http._tcp.local")
      for id in lookups { bench.send(.answered(id, .added(record, Bench.link, isOwn: false))) }
      // One of both answers.
      for ping in bench.messages where ping.member == "Ping" && ping.destination == ":1.6" {
        var answer = BusMessage(.answer)
        (answer.answers, answer.sender) = (ping.serial, ":1.6")
        bench.send(.message(answer))
      }
      told += bench.messages.filter { $0.member == "ItemNew" && $0.destination == ":1.6" }.count
      bench.messages = []
    }
    #expect(told == 2_000)
    #expect(bench.machine.clients.keys.sorted() == [":1.6"])
    #expect(bench.effects.contains(.endAsking(lookups[0])) && !bench.effects.contains(.endAsking(lookups[1])))
  }

  @Test func `random arguments of every method are answered, and leave nothing behind`() {
    var bench = Bench()
    var random = SeededGenerator(seed: 11)
    let texts = [
      "", "a", "_http._tcp", "local", "h1.local", "10.0.0.1", "::1", "a..b", "\\", "\\.", "x\u{7}", "_a._sub._b._udp", "#2",
    ]
    func value(_ type: String) -> BusValue {
      switch type {
      case "s": .text(texts.randomElement(using: &random)!)
      case "i": .int32([-1, 0, 1, 2, 3, 255, .min, .max].randomElement(using: &random)!)
      case "u": .uint32([0, 1, 2, 3, 4, 8, 64, 128, 256, 384, .max].randomElement(using: &random)!)
      case "q": .uint16([0, 1, 12, 16, 28, 33, 47, 255, .max].randomElement(using: &random)!)
      case "ay": .bytes([UInt8](repeating: .random(in: 0...255, using: &random), count: .random(in: 0...20, using: &random)))
      case "aay": .array(of: "ay", [.bytes([1]), .bytes([])])
      default: .byte(1)
      }
    }
    let interfaces: [BusInterface] = [
      .server, .server2, .entryGroup, .domainBrowser, .serviceTypeBrowser, .serviceBrowser, .recordBrowser, .serviceResolver,
      .hostNameResolver, .addressResolver,
    ]
    for number in 0..<30_000 {
      let interface = interfaces.randomElement(using: &random)!
      let method = interface.methods.randomElement(using: &random)!
      let isServer = interface.name.contains(".Server")
      let path = bench.machine.paths.keys.sorted().randomElement(using: &random) ?? "/"
      var call = BusMessage.call(
        method.name, of: interface.name, at: isServer && Bool.random(using: &random) ? "/" : path, in: DaemonMachine.name,
        method.inputs.map { value($0.type) })
      (call.serial, call.sender) = (UInt32(number + 1), ":1.\(Int.random(in: 1...3, using: &random))")
      bench.send(.message(call))
      // At once, or later for a question.
      let isAnswered = bench.messages.contains { $0.answers == call.serial }
      #expect(isAnswered || method.name.hasPrefix("Resolve"), "\(call)")
      (bench.messages, bench.effects) = ([], [])
      if number % 100 == 0 { bench.machine.end(client: ":1.\(Int.random(in: 1...3, using: &random))") }
    }
    for client in bench.machine.clients.keys.sorted() { bench.machine.end(client: client) }
    let machine = bench.machine
    #expect(machine.objectCount == 0 && machine.lookups.isEmpty && machine.publications.isEmpty && machine.paths.isEmpty)
    #expect(machine.sets.isEmpty && machine.users.isEmpty && machine.entryCount == 0)
  }
}
