import Bonjourish
import TestSupport
import Testing
import _BonjourishConsole
import _BonjourishDiscoveryOptions
import _BonjourishJSONOutput

@testable import bonjourish_cli

/// The lines of `--json`, against the schema that describes them.
struct JSONEventTests {
  private let schema: JSONSchema

  init() throws { schema = try .ofBonjourish() }

  private func line(_ fields: some Encodable) -> String { JSONLine.text(of: JSONEvent(fields)) }

  private static let outage = DiscoveryError(.noNetwork, "no network")

  @Test func `every change of browse follows the schema`() throws {
    let txt: TXTRecord = ["path": "/", "flag": .flag, "bin": .bytes([0xFF, 0x00])]
    let bare = try DiscoveredService.sample("A\u{202E}", interfaces: [])
    let whole = try DiscoveredService.sample(
      "Ada", type: "_x._udp", host: "a.local", addresses: ["10.0.0.1", "fe80::1%eth0", "::ffff:1.2.3.4"], txt: txt,
      presence: .suspect)
    let services = [BrowseChange.found(bare), .updated(whole), .lost(whole)]
    for change in services + [.settled, .interrupted(Self.outage), .restored] {
      for hints in [true, false] {
        let text = line(ChangeEvent(change, of: whole.instance.type, hints: hints))
        #expect(schema.faults(in: text, as: "browse") == [], "\(text)")
        #expect(schema.faults(in: text) == [])
        #expect(schema.faults(in: text, as: "resolve") != [])
      }
    }
    for change in [BrowseChange.interrupted(Self.outage), .restored] {
      let text = line(ChangeEvent(change, of: nil, hints: false))
      #expect(schema.faults(in: text, as: "browse") == [] && !text.contains("\"type\""))
    }
    #expect(
      line(ChangeEvent(.updated(whole), of: "_x._udp", hints: true))
        == #"{"addresses":["10.0.0.1","fe80::1%eth0","::ffff:102:304"],"domain":"local","event":"updated","host":"a.local","#
        + #""interfaces":["eth0"],"name":"Ada","port":80,"presence":"suspect","schema":1,"#
        + #""txt":{"bin":{"base64":"/wA="},"flag":null,"path":"/"},"type":"_x._udp"}"#)
    #expect(line(ChangeEvent(.found(bare), of: "_http._tcp", hints: false)).contains(#""title":"Web server""#))
  }

  @Test func `a service whose addresses are not reached tells them`() throws {
    var far = try DiscoveredService.sample("Far")
    far.refusedAddresses = [.ipv4(0x0A00_0001)]
    let text = line(ChangeEvent(.found(far), of: "_http._tcp", hints: false))
    #expect(text.contains(#""unreachable":["10.0.0.1"]"#) && !text.contains("\"addresses\""))
    #expect(schema.faults(in: text, as: "browse") == [])
  }

  @Test func `a service of a directory tells the region, and the directory its state`() throws {
    let service = try DiscoveredService.sample("Ada", interfaces: ["eth0", "directory:eu"], host: "ada.local")
    let text = line(ChangeEvent(.found(service), of: "_http._tcp", hints: false))
    #expect(text.contains(#""interfaces":["eth0","directory:eu"]"#) && text.contains(#""region":"eu""#))
    #expect(schema.faults(in: text, as: "browse") == [])
    for event in [DirectoryNews.Event.reached, .lost("cut"), .restored] {
      let text = line(DirectoryNews(region: "eu", event: event))
      for command in ["browse", "publish", "query"] { #expect(schema.faults(in: text, as: command) == [], "\(text)") }
      #expect(schema.faults(in: text, as: "resolve") != [])
    }
  }

  @Test func `every line of publish and resolve follows the schema`() throws {
    for event in ["published", "renamed", "withdrawn"] {
      let text = line(
        PublishEvent(
          event: event, name: "A #2", type: "_a._tcp", from: event == "renamed" ? "A" : nil, port: 1,
          host: event == "renamed" ? "a.local" : nil))
      #expect(schema.faults(in: text, as: "publish") == [], "\(text)")
    }
    for event in ["published", "withdrawn"] {
      for text in [
        line(PublishedHostEvent(event: event, host: "a.local", addresses: ["10.0.0.1"])),
        line(PublishedRecordsEvent(event: event, records: 2)),
      ] {
        #expect(schema.faults(in: text, as: "publish") == [], "\(text)")
      }
    }
    for event in ["interrupted", "restored"] {
      let text = line(InterruptionEvent(event: event, reason: event == "restored" ? nil : "gone"))
      #expect(schema.faults(in: text, as: "publish") == [], "\(text)")
    }
    for (event, reason) in [("limited", "no network"), ("unlimited", nil)] {
      for command in ["browse", "publish"] {
        #expect(schema.faults(in: line(InterruptionEvent(event: event, reason: reason)), as: command) == [])
      }
    }
    for command in ["browse", "types", "domains", "publish", "resolve", "lookup", "query"] {
      #expect(schema.faults(in: line(BackendEvent(name: "avahi")), as: command) == [])
    }
    for command in ["browse", "types", "domains", "publish", "resolve", "lookup", "query"] {
      let text = line(StatisticsEvent(metrics: .sample))
      #expect(schema.faults(in: text, as: command) == [], "\(text)")
    }
    let service = try DiscoveredService.sample("A", host: "a.local")
    let text = line(ResolveEvent(instance: service.instance, endpoint: try #require(service.endpoint)))
    #expect(schema.faults(in: text, as: "resolve") == [], "\(text)")
  }

  @Test func `every line of types, lookup and query follows the schema`() throws {
    let eth0 = NetworkInterface(index: 2, name: "eth0")
    for type in ["_http._tcp", "_a\\.b._udp", "_nvstream_dbd._tcp"] as [ServiceType] {
      for instances in [nil, 0, 2] {
        let counted = CountedType(found: DiscoveredServiceType(type, interfaces: [eth0]), instances: instances)
        let text = line(TypeEvent("found", counted))
        #expect(schema.faults(in: text, as: "types") == [], "\(text)")
        #expect(text.contains("instances") == (instances != nil))
      }
    }
    let domain = DiscoveredDomain("example.org", purposes: Set(DiscoveredDomain.Purpose.allCases), interfaces: [eth0])
    #expect(schema.faults(in: line(DomainEvent("found", domain)), as: "domains") == [])
    #expect(schema.faults(in: line(AddressEvent(host: "a.local", address: "fe80::1%eth0")), as: "lookup") == [])
    for (type, bytes) in Self.data {
      let record = ResourceRecord(
        name: "Ada's.local", type: type, bytes: bytes, timeToLive: type == .a ? nil : .seconds(120),
        isUnique: type == .a ? nil : true, on: Link(eth0, .ipv6), sender: type == .a ? nil : IPAddress("fe80::2"))
      let text = line(QueryEvent("lost", record))
      #expect(schema.faults(in: text, as: "query") == [], "\(text)")
      #expect(schema.faults(in: text, as: "types") != [])
    }
    for event in ["settled", "interrupted", "restored"] {
      for command in ["types", "domains", "query"] {
        #expect(schema.faults(in: line(InterruptionEvent(event: event, reason: nil)), as: command) == [])
      }
    }
  }

  private static let data: [(RecordType, [UInt8])] = [
    (.a, [10, 0, 0, 1]), (.ptr, [1, 120, 0]), (.txt, [0]), (.hinfo, [1, 65, 0]),
    (RecordType(rawValue: 65_280), [1, 255]), (.a, [1]),
  ]

  @Test func `records are written as in a zone file`() {
    let eth0 = NetworkInterface(index: 2, name: "eth0")
    func line(_ type: RecordType, _ bytes: [UInt8], isUnique: Bool? = nil) -> String {
      Line.record(
        ResourceRecord(
          name: "Ada's x.local", type: type, bytes: bytes, timeToLive: isUnique == nil ? nil : .seconds(75), isUnique: isUnique,
          on: Link(eth0, .ipv4)))
    }
    #expect(line(.a, [10, 0, 0, 1], isUnique: true) == #""Ada's x.local". 75 IN/unique A 10.0.0.1 (eth0 ipv4)"#)
    #expect(line(.ptr, [1, 120, 0], isUnique: false) == #""Ada's x.local". 75 IN PTR x. (eth0 ipv4)"#)
    #expect(line(.srv, [0, 1, 0, 2, 0, 80, 1, 120, 0]).hasSuffix(" - IN SRV 1 2 80 x. (eth0 ipv4)"))
    #expect(line(.txt, [1, 0x1B, 2, 0x61, 0xFF]).contains(#"TXT "\u{1B}" "a\xFF" ("#))
    #expect(line(.txt, [0]).contains(#"TXT "" ("#))
    #expect(line(.hinfo, [1, 65, 0]).contains(#"HINFO "A" "" ("#))
    #expect(line(RecordType(rawValue: 65_280), [1, 255]).contains(##"TYPE65280 \# 2 01ff ("##))
    #expect(line(.a, [1]).contains(##" A \# 1 01 ("##))
    let sent = ResourceRecord(
      name: "a.local", type: .a, bytes: [10, 0, 0, 1], on: Link(eth0, .ipv6), sender: IPAddress("fe80::2"))
    #expect(Line.record(sent) == "a.local. - IN A 10.0.0.1 (eth0 ipv6 fe80::2%eth0)")
  }

  @Test(arguments: [
    #"{"event":"settled","type":"_http._tcp"}"#, #"{"schema":2,"event":"settled","type":"_http._tcp"}"#,
    #"{"schema":1,"event":"gone","type":"_http._tcp"}"#,
    #"{"schema":1,"event":"found","type":"_http._tcp","name":"A","domain":"local"}"#,
    #"{"schema":1,"event":"found","type":"_http._tcp","name":"A","domain":"local","interfaces":[1]}"#,
    #"{"schema":1,"event":"published","name":"A","type":"_a._tcp","port":0}"#,
    #"{"schema":1,"event":"published","name":"A","type":"_a._tcp","port":1.5}"#,
    #"{"schema":1,"event":"published","name":"","type":"_a._tcp","port":1}"#, #"{"schema":1,"event":"backend","name":"auto"}"#,
    "[]", "{",
    #"{"schema":1,"event":"resolved","name":"A","type":"_a._tcp","domain":"local","host":"h","port":1,"addresses":["x"],"txt":{}}"#,
    #"{"schema":1,"event":"resolved","name":"A","type":"_a._tcp","domain":"local","host":"h","port":1,"addresses":[],"txt":{"k":1}}"#,
  ])
  func `the schema refuses other lines`(line: String) {
    #expect(schema.faults(in: line) != [])
  }

  @Test(arguments: [
    #"{"schema":1,"event":"settled","type":"http"}"#,
    #"{"schema":1,"event":"found","type":"_http._tcp","name":"A","domain":"local","interfaces":[],"host":"h"}"#,
  ])
  func `the schema of browse refuses lines of other commands`(line: String) {
    #expect(schema.faults(in: line, as: "browse") != [])
  }

  @Test func `every command has its part of the schema`() {
    #expect(schema.definitions.isSuperset(of: Set(Verb.allCases.map(\.rawValue))))
  }
}
