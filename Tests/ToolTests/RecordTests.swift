import Bonjourish
import Console
import TestSupport
import Testing

@testable import bonjourish_cli

/// The lines of `--json`, against the schema that describes them.
struct RecordTests {
  private let schema: JSONSchema

  init() throws { schema = try .ofBonjourish() }

  private func line(_ fields: some Encodable) -> String { JSONLine.text(of: Record(fields)) }

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
        let text = line(ChangeRecord(change, of: whole.instance.type, hints: hints))
        #expect(schema.faults(in: text, as: "browse") == [], "\(text)")
        #expect(schema.faults(in: text) == [])
        #expect(schema.faults(in: text, as: "resolve") != [])
      }
    }
    #expect(
      line(ChangeRecord(.updated(whole), of: "_x._udp", hints: true))
        == #"{"addresses":["10.0.0.1","fe80::1%eth0","::ffff:102:304"],"domain":"local","event":"updated","host":"a.local","#
        + #""interfaces":["eth0"],"name":"Ada","port":80,"presence":"suspect","schema":1,"#
        + #""txt":{"bin":{"base64":"/wA="},"flag":null,"path":"/"},"type":"_x._udp"}"#)
    #expect(line(ChangeRecord(.found(bare), of: "_http._tcp", hints: false)).contains(#""title":"Web server""#))
  }

  @Test func `every line of publish and resolve follows the schema`() throws {
    for event in ["published", "renamed", "withdrawn"] {
      let text = line(PublishRecord(event: event, name: "A #2", from: event == "renamed" ? "A" : nil, port: 1))
      #expect(schema.faults(in: text, as: "publish") == [], "\(text)")
    }
    for event in ["interrupted", "restored"] {
      let text = line(InterruptionRecord(event: event, reason: event == "restored" ? nil : "gone"))
      #expect(schema.faults(in: text, as: "publish") == [], "\(text)")
    }
    for (event, reason) in [("limited", "no network"), ("unlimited", nil)] {
      for command in ["browse", "publish"] {
        #expect(schema.faults(in: line(InterruptionRecord(event: event, reason: reason)), as: command) == [])
      }
    }
    for command in ["browse", "publish", "resolve"] {
      #expect(schema.faults(in: line(BackendRecord(name: "avahi")), as: command) == [])
    }
    for command in ["browse", "publish", "resolve"] {
      let text = line(StatisticsRecord(metrics: .sample))
      #expect(schema.faults(in: text, as: command) == [], "\(text)")
    }
    let service = try DiscoveredService.sample("A", host: "a.local")
    let text = line(ResolveRecord(instance: service.instance, endpoint: try #require(service.endpoint)))
    #expect(schema.faults(in: text, as: "resolve") == [], "\(text)")
  }

  @Test(arguments: [
    #"{"event":"settled","type":"_http._tcp"}"#, #"{"schema":2,"event":"settled","type":"_http._tcp"}"#,
    #"{"schema":1,"event":"settled","type":"http"}"#, #"{"schema":1,"event":"gone","type":"_http._tcp"}"#,
    #"{"schema":1,"event":"found","type":"_http._tcp","name":"A","domain":"local"}"#,
    #"{"schema":1,"event":"found","type":"_http._tcp","name":"A","domain":"local","interfaces":[1]}"#,
    #"{"schema":1,"event":"found","type":"_http._tcp","name":"A","domain":"local","interfaces":[],"host":"h"}"#,
    #"{"schema":1,"event":"published","name":"A","port":0}"#, #"{"schema":1,"event":"published","name":"A","port":1.5}"#,
    #"{"schema":1,"event":"published","name":"","port":1}"#, #"{"schema":1,"event":"backend","name":"auto"}"#, "[]", "{",
    #"{"schema":1,"event":"resolved","name":"A","type":"_a._tcp","domain":"local","host":"h","port":1,"addresses":["x"],"txt":{}}"#,
    #"{"schema":1,"event":"resolved","name":"A","type":"_a._tcp","domain":"local","host":"h","port":1,"addresses":[],"txt":{"k":1}}"#,
  ])
  func `the schema refuses other lines`(line: String) {
    #expect(schema.faults(in: line) != [])
  }

  @Test func `every command has its part of the schema`() {
    #expect(schema.definitions.isSuperset(of: Set(Verb.allCases.map(\.rawValue))))
  }
}
