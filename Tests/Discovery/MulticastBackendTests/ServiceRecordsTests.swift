import Testing
import _BonjourishDiscovery
import _BonjourishMulticastDNS

@testable import _BonjourishMulticastBackend

struct ServiceRecordsTests {
  private let query = BrowseQuery("_twentyfour._tcp", domain: .local)
  private let eth0 = NetworkInterface(index: 2, name: "eth0")

  private func instance(_ target: DNSName, of query: BrowseQuery) throws -> ServiceInstance? {
    let pointer = DNSRecord(try query.question().dnsName(), .ptr(target), timeToLive: 120, cacheFlush: false)
    let record = try #require(ResourceRecord(pointer, on: Link(eth0, .ipv4)))
    guard case .appeared(let instance, _)? = query.event(.added(record)) else { return nil }
    return instance
  }

  @Test func `an instance name is one label whatever is in it`() throws {
    let instance = ServiceInstance("Dr. Ada's \\ game: ü", type: "_twentyfour._tcp")
    let name = try instance.dnsName()
    #expect(name.labels.count == 4 && name.labels[0] == Array("Dr. Ada's \\ game: ü".utf8))
    #expect(try self.instance(name, of: query) == instance)
  }

  @Test(arguments: ["_http._tcp.local", "x._http._tcp.local", "_twentyfour._tcp.local", "x.y._twentyfour._tcp.local", "."])
  func `what is no instance of the type is passed over`(target: String) throws {
    #expect(try instance(try DNSName(target), of: query) == nil)
  }

  @Test func `the type of an answer has no case`() throws {
    let instance = try #require(try instance(try DNSName("Ada._TwentyFour._TCP.LOCAL"), of: query))
    #expect(instance == ServiceInstance("ada", type: "_twentyfour._tcp"))
  }

  @Test func `a service is a pointer a server a text and a pointer to its type`() throws {
    let registration = Registration(
      "Ada", type: "_twentyfour._tcp", domain: .local, port: 4242, txt: ["v": "1", "id": ""])
    let (type, name) = (try DNSName("_twentyfour._tcp.local"), try DNSName("Ada._twentyfour._tcp.local"))
    #expect(
      try registration.records() == [
        PublishedRecord(type, .data(.ptr(name)), .shared),
        PublishedRecord(name, .serviceOfThisHost(port: 4242), .unique),
        PublishedRecord(name, .data(.txt(Array("\u{3}v=1\u{3}id=".utf8))), .unique),
        PublishedRecord(try DNSName("_services._dns-sd._udp.local"), .data(.ptr(type)), .shared),
      ])
  }

  @Test func `a subtype is a pointer more`() throws {
    let registration = Registration(
      "Ada", type: "_http._tcp", subtypes: ["_a.b", "_c"], domain: .local, port: 1, txt: [:])
    let name = try DNSName("Ada._http._tcp.local")
    let records = try registration.records()
    #expect(records.count == 6)
    for subtype in ["_a.b", "_c"] {
      let pointer = try DNSName("_sub._http._tcp.local").adding(label: subtype)
      #expect(records.contains(PublishedRecord(pointer, .data(.ptr(name)), .shared)))
      let query = BrowseQuery("_http._tcp", subtype: try ServiceSubtype(subtype), domain: .local)
      #expect(try query.question().dnsName() == pointer)
      #expect(try instance(name, of: query) == ServiceInstance("Ada", type: "_http._tcp"))
    }
  }

  @Test func `a service that says nothing has one empty string`() throws {
    let registration = Registration("Ada", type: "_twentyfour._tcp", domain: .local, port: 1, txt: [:])
    #expect(try registration.records().contains { $0.content == .data(.txt([0])) })
  }

  private func read(_ data: DNSData) throws -> ResourceRecord {
    let record = DNSRecord(try DNSName("Ada\\.1.local"), data, timeToLive: 120, cacheFlush: true)
    return try #require(ResourceRecord(record, on: Link(eth0, .ipv6)))
  }

  @Test func `records are read with their interface`() throws {
    let linkLocal = try #require(IPAddress("fe80::1"))
    guard case .address(let address) = try read(.address(linkLocal)).data else { throw Mismatch() }
    #expect(address.description == "fe80::1%eth0")

    let service = DNSService(target: try DNSName(labels: [Array("a.b".utf8), Array("local".utf8)]), port: 7)
    #expect(try read(.srv(service)).data == .server(host: "a\\.b.local", port: 7, priority: 0, weight: 0))
    #expect(try read(.txt(Array("\u{1}k\u{FF}".utf8))).data == .text(TXTRecord(data: [1, 0x6B])))
    #expect(try read(.ptr(try DNSName("x.local"))).data == .pointer("x.local"))
    #expect(try read(.hinfo(cpu: Array("ARM".utf8), system: [])).data == .host(processor: "ARM", system: ""))
    let types = try #require(DNSTypeSet([.a, .srv]))
    #expect(try read(.nsec(next: try DNSName("x.local"), types: types)).data == .types([.a, .srv]))
    #expect(try read(.other(DNSType(rawValue: 65), [1, 2])).data == .other)
  }

  @Test func `a record has its name, type, bytes and lifetime`() throws {
    let record = try read(.other(DNSType(rawValue: 65), [1, 2]))
    #expect(record.name == "Ada\\.1.local" && record.type == .https && record.bytes == [1, 2])
    #expect(record.timeToLive == .seconds(120) && record.isUnique == true)
    #expect(record.link == Link(eth0, .ipv6))
    let pointer = try read(.ptr(try DNSName("x.local")))
    #expect(pointer.bytes == [1, 120, 5] + Array("local".utf8) + [0])
  }

  @Test func `names are asked for in local and in reverse mapping only`() throws {
    for name in ["x.local", "X.LOCAL", "1.0.77.10.in-addr.arpa", "b.a.8.e.f.IP6.ARPA"] {
      #expect(try DNSName.multicast(during: "x", { () throws(DNSNameError) in try DNSName(name) }).description == name)
    }
    for name in ["example.org", "local.arpa.org"] {
      let error = #expect(throws: DiscoveryError.self) {
        try DNSName.multicast(during: "x", { () throws(DNSNameError) in try DNSName(name) })
      }
      #expect(error?.code == .invalidDomain)
    }
  }

  @Test func `a type with a dot in its label stays one label`() throws {
    let type: ServiceType = "_a\\.b._tcp"
    #expect(try type.name(in: .local).labels.count == 3)
    let query = BrowseQuery(type, domain: .local)
    #expect(try instance(try ServiceInstance("Ada", type: type).dnsName(), of: query)?.name == "Ada")
  }

  @Test func `hosts are asked for as they were told`() throws {
    let question = RecordQuestion(.domain("a\\.b.local"), .aaaa)
    #expect(try question.dnsName() == DNSName(labels: [Array("a.b".utf8), Array("local".utf8)]))
    #expect(question.dnsType == .aaaa)
    #expect(RecordQuestion(.domain("a.local"), .https).dnsType == DNSType(rawValue: 65))
  }

  private struct Mismatch: Error {}
}
