import TestSupport
import Testing

@testable import _BonjourishDiscovery

/// What is told of outages, questions and findings, and what a slow subscriber is told in the end.
struct WordsTests {
  @Test func `outages, questions and findings in words`() throws {
    var text = ""
    let outages: [NetworkOutage] = [
      .noInterface, .unusableInterface("eth0"), .noneSelected(.only(eth0)), .refused(interface: "eth0", reason: "no"),
      .cannotSend(interface: "eth0", reason: "not permitted"), .notHeard(interface: "eth0"),
      .nothingUsable(of: .all), .nothingUsable(of: .only(eth0)),
    ]
    for outage in outages {
      text += "\(outage.explanation)\n  \(outage.limitation())\n  \(outage.limitation(besideDirectory: true))\n"
      text += "  \(outage.during("browsing _http._tcp"))\n"
    }
    let questions = [
      RecordQuestion(.instance(ada), .srv), RecordQuestion(.domain("b\u{E9}.local"), .aaaa),
      try BrowseQuery(game, domain: .local).question(),
    ]
    for question in questions { text += "\(question.name) \(question.name.dnsText): \(question.action)\n" }
    text += "\(DiscoveredServiceType(game, interfaces: [eth0, wlan0])), \(DiscoveredServiceType(game, interfaces: []))\n"
    text += "\(DiscoveredDomain("example.org", purposes: Set(DiscoveredDomain.Purpose.allCases), interfaces: [eth0]))\n"
    try Transcript("outages").compare(text)
    #expect(questions[0] != RecordQuestion(.instance(ada), .srv, interfaces: .only(eth0)))
    #expect(questions[0].hashValue == RecordQuestion(.instance(ada), .srv, interfaces: .only(eth0)).hashValue)
  }

  @Test func `of several events the last state of each kind is told`() {
    func told(_ events: ServiceEvent...) -> [ServiceEvent] {
      var pending = PendingServiceEvents()
      for event in events { pending.append(event) }
      var told: [ServiceEvent] = []
      #expect(pending.isEmpty == (pending.count == 0))
      let count = pending.count
      while let event = pending.popFirst() { told.append(event) }
      #expect(pending.isEmpty && told.count == count)
      return told
    }
    let (one, two, three) = ("a" as InstanceName, "b" as InstanceName, "c" as InstanceName)
    let gone = ServiceEvent.interrupted(daemonIsGone)
    #expect(told() == [])
    #expect(told(.renamed(from: one, to: two), gone) == [.renamed(from: one, to: two), gone])
    #expect(told(.renamed(from: one, to: two), .renamed(from: two, to: three)) == [.renamed(from: one, to: three)])
    #expect(told(.renamed(from: one, to: two), .renamed(from: two, to: one), gone) == [gone])
    #expect(told(gone, .restored) == [] && told(.restored, gone) == [])
    #expect(told(gone, .interrupted(noRoom)) == [.interrupted(noRoom)] && told(.restored, .restored) == [.restored])
  }

  @Test func `of several changes of an endpoint the last state is told`() {
    func told(_ changes: ResolutionChange...) -> [ResolutionChange] {
      var pending = PendingResolutionChanges()
      for change in changes { pending.append(change) }
      var told: [ResolutionChange] = []
      #expect(pending.isEmpty == (pending.count == 0))
      let count = pending.count
      while let change = pending.popFirst() { told.append(change) }
      #expect(pending.isEmpty && told.count == count)
      return told
    }
    let one = Endpoint(host: "a.local", port: 1, txt: [:], addresses: [])
    let two = Endpoint(host: "b.local", port: 2, txt: [:], addresses: [])
    let gone = ResolutionChange.interrupted(daemonIsGone)
    #expect(told(.resolved(one), gone) == [.resolved(one), gone] && told(gone, .lost) == [gone, .lost])
    #expect(told(.resolved(one), .resolved(two)) == [.resolved(two)] && told(.resolved(one), .lost) == [.lost])
    #expect(told(.lost, .resolved(one)) == [.resolved(one)])
    #expect(told(gone, .restored) == [] && told(.restored, gone) == [] && told(.restored, .restored) == [.restored])
    #expect(told(gone, .interrupted(noRoom)) == [.interrupted(noRoom)])
  }

  @Test func `records are listed by type, data and link, and names and addresses by their text`() {
    func record(_ type: RecordType, _ bytes: [UInt8], on link: Link = eth0v4) -> ResourceRecord {
      ResourceRecord(name: "x.local", type: type, bytes: bytes, on: link)
    }
    let records = [
      record(.a, [10, 0, 0, 1]), record(.a, [10, 0, 0, 2]), record(.a, [10, 0, 0, 2], on: wlan0v4), record(.txt, [0]),
      record(.aaaa, [0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [1]), record(.srv, [0, 0, 0, 0, 0, 1, 0]),
    ]
    let state = LookupState<ResourceRecord>([], .records)
    for number in 0..<records.count {
      let turned = Array(records[number...] + records[..<number])
      #expect(state.sorted(turned.reversed()) == records)
    }
    let names = LookupState<HostName>([], .hostNames)
    #expect(names.sorted([HostName(id: "b.local"), HostName(id: "a.local")]).map(\.id.text) == ["a.local", "b.local"])
    let addresses = LookupState<HostAddress>([], .addresses(.unicast))
    #expect(addresses.sorted([HostAddress(address: v4(10, 0, 0, 9)), HostAddress(address: v4(10, 0, 0, 10))]).count == 2)
    #expect(
      addresses.sorted([HostAddress(address: v4(2, 0, 0, 9)), HostAddress(address: v4(1, 0, 0, 1))])[0].id == v4(1, 0, 0, 1))
  }
}
