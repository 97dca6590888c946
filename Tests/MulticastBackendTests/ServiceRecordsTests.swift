import Discovery
import MulticastDNS
import Testing

@testable import MulticastBackend

struct ServiceRecordsTests {
  private let query = BrowseQuery("_twentyfour._tcp", domain: .local, interface: nil)
  private let eth0 = NetworkInterface(index: 2, name: "eth0")

  @Test func `an instance name is one label whatever is in it`() throws {
    let instance = ServiceInstance("Dr. Ada's \\ game: ü", type: "_twentyfour._tcp")
    let name = try instance.dnsName()
    #expect(name.labels.count == 4)
    #expect(name.firstLabel == "Dr. Ada's \\ game: ü")
    #expect(ServiceInstance(name, of: query) == instance)
  }

  @Test(arguments: ["_http._tcp.local", "x._http._tcp.local", "_twentyfour._tcp.local", "x.y._twentyfour._tcp.local", "."])
  func `what is no instance of the type is passed over`(target: String) throws {
    #expect(ServiceInstance(try DNSName(target), of: query) == nil)
  }

  @Test func `the type of an answer has no case`() throws {
    let instance = try #require(ServiceInstance(try DNSName("Ada._TwentyFour._TCP.LOCAL"), of: query))
    #expect(instance == ServiceInstance("ada", type: "_twentyfour._tcp"))
  }

  @Test func `a service is a pointer a server a text and a pointer to its type`() throws {
    let registration = Registration(
      "Ada", type: "_twentyfour._tcp", domain: .local, port: 4242, txt: ["v": "1", "id": ""], interface: nil)
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
      "Ada", type: "_http._tcp", subtypes: ["_a.b", "_c"], domain: .local, port: 1, txt: [:], interface: nil)
    let name = try DNSName("Ada._http._tcp.local")
    let records = try registration.records()
    #expect(records.count == 6)
    for subtype in ["_a.b", "_c"] {
      let pointer = try DNSName("_sub._http._tcp.local").adding(label: subtype)
      #expect(records.contains(PublishedRecord(pointer, .data(.ptr(name)), .shared)))
      let query = BrowseQuery("_http._tcp", subtype: try ServiceSubtype(subtype), domain: .local, interface: nil)
      #expect(try query.dnsName() == pointer)
      #expect(ServiceInstance(name, of: query) == ServiceInstance("Ada", type: "_http._tcp"))
    }
  }

  @Test func `a service that says nothing has one empty string`() throws {
    let registration = Registration("Ada", type: "_twentyfour._tcp", domain: .local, port: 1, txt: [:], interface: nil)
    #expect(try registration.records().contains { $0.content == .data(.txt([0])) })
  }

  @Test func `records are read with their interface`() throws {
    let linkLocal = try #require(IPAddress("fe80::1"))
    let address = try #require(RecordData(.address(linkLocal), seenOn: eth0))
    guard case .address(let address) = address else { throw Mismatch() }
    #expect(address.description == "fe80::1%eth0")

    let service = DNSService(target: try DNSName(labels: [Array("a.b".utf8), Array("local".utf8)]), port: 7)
    #expect(
      RecordData(.srv(service), seenOn: eth0) == .server(host: "a\\.b.local", port: 7, priority: 0, weight: 0))
    #expect(RecordData(.txt(Array("\u{1}k\u{FF}".utf8)), seenOn: eth0) == .text(TXTRecord(data: [1, 0x6B])))
    #expect(RecordData(.ptr(try DNSName("x.local")), seenOn: eth0) == nil)
  }

  @Test func `hosts are asked for as they were told`() throws {
    let question = RecordQuestion(.host("a\\.b.local"), .aaaa, interface: nil)
    #expect(try question.dnsName() == DNSName(labels: [Array("a.b".utf8), Array("local".utf8)]))
    #expect(question.dnsType == .aaaa)
  }

  private struct Mismatch: Error {}
}
