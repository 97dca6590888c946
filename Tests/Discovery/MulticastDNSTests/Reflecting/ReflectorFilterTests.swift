import TestSupport
import Testing
import _BonjourishBase
import _BonjourishDiscovery

@testable import _BonjourishMulticastDNS

/// Which questions and records are let through.
@Suite struct ReflectorFilterTests {
  private let printer = ReflectedService("Label", "_ipp._tcp.local", on: "printer.local")
  private let web = ReflectedService("Pages", "_http._tcp.local", on: "server.local")
  private let types: DNSName = "_services._dns-sd._udp.local"

  // avahi/avahi#764
  @Test func `questions for a type that is not allowed do not cross`() {
    let links = ReflectedLinks()
    links.add(.among(1, 2, filter: ReflectionFilter("_ipp._tcp.local")))
    links.ask(
      [
        DNSQuestion(web.type, .ptr), DNSQuestion(printer.type, .ptr), DNSQuestion(web.instance, .srv),
        DNSQuestion(printer.instance, .any), DNSQuestion(types, .ptr), DNSQuestion("server.local", .a),
        DNSQuestion("_printer._sub._ipp._tcp.local", .ptr), DNSQuestion("9.1.0.10.in-addr.arpa", .ptr),
        DNSQuestion("b._dns-sd._udp.local", .ptr), DNSQuestion("example.org", .a),
      ], on: 2)
    #expect(
      links.questions(on: 1) == [
        DNSQuestion(printer.type, .ptr), DNSQuestion(printer.instance, .any), DNSQuestion(types, .ptr),
        DNSQuestion("_printer._sub._ipp._tcp.local", .ptr),
      ])
    let kept = links.reflectors[0].counters.passages[.init(from: 1, to: 2)]?.kept
    #expect(kept == [.type: 2, .host: 1, .form: 3])
  }

  @Test func `of a message only what is allowed goes on`() {
    let links = ReflectedLinks()
    links.add(.among(1, 2, filter: ReflectionFilter("_ipp._tcp.local")))
    let listed = [
      DNSRecord(types, .ptr(web.type), timeToLive: 4500), DNSRecord(types, .ptr(printer.type), timeToLive: 4500),
    ]
    links.say(web.records + listed + printer.records, on: 1)
    #expect(links.records(on: 2) == [listed[1]] + printer.records)
  }

  @Test func `a host crosses once a service has led to it`() {
    let links = ReflectedLinks()
    links.add(.among(1, 2, filter: ReflectionFilter("_ipp._tcp.local")))
    let question = DNSQuestion("printer.local", .aaaa)
    links.say([printer.address], on: 1)
    links.ask([question], on: 2)
    #expect(links.records(on: 2).isEmpty && links.questions(on: 1).isEmpty)
    links.say([printer.location], on: 1)
    links.ask([question], on: 2)
    links.say([printer.address], on: 1)
    #expect(links.questions(on: 1) == [question])
    #expect(links.records(on: 2) == [printer.location, printer.address])
    // As long as the service says so.
    links.run(for: .seconds(121))
    links.clear()
    links.ask([question], on: 2)
    #expect(links.questions(on: 1).isEmpty)
  }

  @Test func `services of a subtype cross alone`() {
    let links = ReflectedLinks()
    let subtype: DNSName = "_printer._sub._http._tcp.local"
    links.add(.among(1, 2, filter: ReflectionFilter(subtype)))
    links.say(web.records, on: 1)
    links.ask([DNSQuestion(web.type, .ptr), DNSQuestion(subtype, .ptr)], on: 2)
    #expect(links.records(on: 2).isEmpty)
    #expect(links.questions(on: 1) == [DNSQuestion(subtype, .ptr)])
    let pointer = DNSRecord(subtype, .ptr(web.instance), timeToLive: 4500)
    let other = ReflectedService("Other", "_http._tcp.local", on: "other.local")
    links.run(for: .seconds(1))
    links.say(web.records + other.records + [pointer], on: 1)
    #expect(Set(links.records(on: 2)) == [pointer, web.location, web.text, web.address])
  }

  @Test func `what is denied stays, by type, subtype, name and host`() {
    let subtype: DNSName = "_secret._sub._http._tcp.local"
    let links = ReflectedLinks()
    links.add(
      .among(
        1, 2,
        filter: ReflectionFilter(denials: [
          .type(.init("_ipp._tcp.local")!), .type(.init(subtype)!), .name(NameGlob("Test*")!), .host(NameGlob("lab-?")!),
        ])))
    let test = ReflectedService("test 1", "_http._tcp.local", on: "server.local")
    let lab = ReflectedService("Bench", "_http._tcp.local", on: "Lab-7.local")
    let pointer = DNSRecord(subtype, .ptr(web.instance), timeToLive: 4500)
    links.say(lab.records + test.records + printer.records + [pointer] + web.records, on: 1)
    #expect(
      Set(links.records(on: 2)) == Set(web.records + [printer.address, test.address]), "hosts cross where all types do")
    links.ask(
      [
        DNSQuestion(printer.type, .ptr), DNSQuestion(subtype, .ptr), DNSQuestion(test.instance, .txt),
        DNSQuestion(lab.instance, .any), DNSQuestion("lab-7.local", .a), DNSQuestion(web.type, .ptr),
      ], on: 2)
    #expect(links.questions(on: 1) == [DNSQuestion(web.type, .ptr)])
    let kept = links.reflectors[0].counters.passages[.init(from: 1, to: 2)]?.kept
    #expect(kept == [.denied(0): 4, .denied(1): 2, .denied(2): 4, .denied(3): 2, .host: 4, .recent: 1])
  }

  @Test func `only the names and hosts that are allowed cross`() {
    var filter = ReflectionFilter("_http._tcp.local")
    filter.names = [NameGlob("pag*")!]
    let other = ReflectedService("Other", "_http._tcp.local", on: "server.local")
    let links = ReflectedLinks()
    links.add(.among(1, 2, filter: filter))
    links.say(web.records + other.records, on: 1)
    #expect(Set(links.records(on: 2)) == Set(web.records))

    filter.names = []
    filter.hosts = [NameGlob("printer")!]
    let links2 = ReflectedLinks()
    links2.add(.among(1, 2, filter: filter))
    let page = ReflectedService("Status", "_http._tcp.local", on: "printer.local")
    links2.ask([DNSQuestion("printer.local", .a), DNSQuestion("server.local", .a)], on: 2)
    links2.say(web.records + page.records, on: 1)
    #expect(links2.questions(on: 1) == [DNSQuestion("printer.local", .a)])
    #expect(Set(links2.records(on: 2)) == Set(page.records))
  }

  @Test func `one way shows services one way, and asks for them the other`() {
    let links = ReflectedLinks()
    links.add(.oneWay(from: 1, to: 2, filter: ReflectionFilter("_ipp._tcp.local")))
    let secret = ReflectedService("Mine", "_ipp._tcp.local", on: "laptop.local")
    links.say(printer.records, on: 1)
    links.say(secret.records, on: 2)
    // Known answers tell what there is on the asker's link, too.
    links.ask([DNSQuestion(printer.type, .ptr)], knowing: [printer.pointer, secret.pointer], on: 2)
    links.ask([DNSQuestion(printer.type, .ptr)], on: 1)
    #expect(links.records(on: 2) == printer.records)
    let crossed = links.crossed(to: 1)
    #expect(crossed.map(\.questions) == [[DNSQuestion(printer.type, .ptr)]])
    #expect(crossed.flatMap(\.answers) == [printer.pointer])
    // A name that is to be seen on both links is asked for, and nothing is told of who wants it.
    links.clear()
    var probe = DNSMessage(isResponse: false)
    probe.questions = [DNSQuestion(secret.instance, .any, wantsUnicast: true)]
    probe.authorities = [secret.location]
    links.say(probe, on: 2)
    #expect(links.crossed(to: 1).map(\.questions) == [[DNSQuestion(secret.instance, .any)]])
    #expect(links.crossed(to: 1).flatMap(\.authorities).isEmpty)
  }

  /// Names that a random message may have, among them what the rules below deny.
  private static let names: [DNSName] = [
    "_ipp._tcp.local", "_IPP._tcp.local", "_http._tcp.local", "_services._dns-sd._udp.local", "a._ipp._tcp.local",
    "b._http._tcp.local", "Secret one._http._tcp.local", "_x._sub._ipp._tcp.local", "_x._sub._http._tcp.local", "host.local",
    "hidden.local", "HIDDEN.local", "deep.hidden.local", "1.0.0.10.in-addr.arpa", "example.org", "local",
    "b._dns-sd._udp.local",
    "a.b._ipp._tcp.local",
  ]

  private static func isDenied(_ name: DNSName) -> Bool {
    let text = name.description.lowercased()
    return text.contains("_ipp") || text.hasPrefix("secret") || text == "hidden.local" || !text.hasSuffix("local")
      || text == "local" || text.hasPrefix("b._dns-sd")
  }

  @Test func `nothing that is denied ever crosses`() throws {
    var crossed = 0
    for seed in seeds(60, of: 3000) {
      var random = SeededGenerator(seed: seed)
      let links = ReflectedLinks()
      links.add(
        .among(
          1, 2,
          filter: ReflectionFilter(denials: [
            .type(.init("_ipp._tcp.local")!), .name(NameGlob("secret*")!), .host(NameGlob("hidden")!),
          ])))
      for _ in 0..<40 {
        var message = DNSMessage(isResponse: .random(using: &random))
        func name() -> DNSName { Self.names.randomElement(using: &random)! }
        func records() -> [DNSRecord] {
          (0..<Int.random(in: 0...5, using: &random)).map { _ in
            let data: DNSData =
              switch Int.random(in: 0..<7, using: &random) {
              case 0, 1: .ptr(name())
              case 2, 3: .srv(DNSService(target: name(), port: 1))
              case 4: .address(.ipv4(.random(in: 0 ... .max, using: &random)))
              case 5: .cname(name())
              default: .nsec(next: name(), types: DNSTypeSet([.a])!)
              }
            return DNSRecord(
              name(), data, timeToLive: [0, 10, 4500].randomElement(using: &random)!, cacheFlush: .random(using: &random))
          }
        }
        message.questions = (0..<Int.random(in: 0...4, using: &random)).map { _ in
          DNSQuestion(name(), [.ptr, .any, .srv, .a].randomElement(using: &random)!, wantsUnicast: .random(using: &random))
        }
        message.isTruncated = Int.random(in: 0..<4, using: &random) == 0
        (message.answers, message.authorities, message.additionals) = (records(), records(), records())
        links.say(
          message, on: .random(in: 1...2, using: &random), from: .random(in: 2...5, using: &random),
          port: Bool.random(using: &random) ? 5353 : 4000)
        links.run(for: .milliseconds(Int64.random(in: 0...2000, using: &random)))
      }
      let sent = links.datagrams.filter { ($0.source.bytes.last ?? 0) >= 200 }
      for datagram in sent {
        let message = try #require(datagram.message)
        crossed += 1
        // A legacy resolver gets its own questions back.
        #expect(datagram.destination != nil || !message.questions.contains { Self.isDenied($0.name) }, "seed \(seed)")
        for record in message.answers + message.authorities + message.additionals {
          #expect(!Self.isDenied(record.name), "seed \(seed): \(record)")
          switch record.data {
          case .ptr(let target), .cname(let target): #expect(!Self.isDenied(target), "seed \(seed): \(record)")
          case .srv(let service): #expect(!Self.isDenied(service.target), "seed \(seed): \(record)")
          case .nsec(let next, _): #expect(!Self.isDenied(next), "seed \(seed): \(record)")
          case .address, .txt, .hinfo, .other: break
          }
        }
      }
    }
    #expect(crossed > 500)
  }
}
