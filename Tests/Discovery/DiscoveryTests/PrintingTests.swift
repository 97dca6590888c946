import Testing
import _BonjourishDiscovery

/// What people print of changes, events and what is found.
struct PrintingTests {
  let eth0 = NetworkInterface(index: 2, name: "eth0")
  let wlan0 = NetworkInterface(index: 3, name: "wlan0")
  let ada = ServiceInstance("Ada", type: "_http._tcp")
  let gone = DiscoveryError(.unavailable, "gone\u{1B}")

  private var endpoint: Endpoint {
    Endpoint(host: "ada.local", port: 8_080, txt: ["v": "1"], addresses: [.ipv4(0xC0A8_0107)])
  }

  @Test func `changes are told in one line, and control characters are escaped`() {
    let service = DiscoveredService(instance: ada, interfaces: [eth0])
    #expect("\(BrowseChange.found(service))" == "found Ada._http._tcp.local on eth0")
    #expect("\(BrowseChange.lost(service))" == "lost Ada._http._tcp.local on eth0")
    #expect("\(BrowseChange.settled)" == "settled")
    #expect("\(BrowseChange.interrupted(gone))" == "interrupted: \(gone)")
    #expect(!"\(BrowseChange.interrupted(gone))".contains("\u{1B}"))
    #expect("\(ResolutionChange.resolved(endpoint))" == "resolved to ada.local:8080 (192.168.1.7)")
    #expect("\(ServiceEvent.renamed(from: "Ada", to: "Ada #2"))" == "renamed from Ada to Ada #2")
    #expect("\(ServiceEvent.restored)" == "restored")
  }

  @Test func `a service tells what is known of it`() {
    let service = DiscoveredService(
      instance: ada, interfaces: [eth0, wlan0], endpoint: endpoint, presence: .leaving, isOwn: true)
    #expect("\(service)" == "Ada._http._tcp.local on eth0, wlan0 at ada.local:8080 (192.168.1.7), leaving, own")
  }

  @Test func `a record tells its data, or how many bytes it has`() {
    let link = Link(eth0, .ipv4)
    let address = ResourceRecord(name: "ada.local", type: .a, bytes: [192, 168, 1, 7], on: link)
    #expect("\(address)" == "ada.local A 192.168.1.7")
    let broken = ResourceRecord(name: "ada.local", type: .a, bytes: [192, 168], on: link)
    #expect("\(broken)" == "ada.local A (2 bytes)")
    let host = ResourceRecord(name: "ada.local", type: .hinfo, bytes: [3, 0x41, 0x1B, 0x42, 1, 0x4C], on: link)
    #expect(!"\(host)".contains("\u{1B}"))
  }

  @Test func `an update tells what differs from the state before`() {
    let former = DiscoveredService(instance: ada, interfaces: [eth0], endpoint: endpoint)
    #expect(former.differences(from: former) == [])
    var service = former
    service.links.append(Link(wlan0, .ipv4))
    #expect(service.differences(from: former) == .links)
    service.endpoint = Endpoint(host: "ada.local", port: 8_080, txt: ["v": "2"], addresses: endpoint.addresses)
    #expect(service.differences(from: former) == [.links, .txt])
    service.endpoint = Endpoint(host: "ada.local", port: 8_081, txt: ["v": "1"], addresses: endpoint.addresses)
    #expect(service.differences(from: former) == [.links, .place])
    service.presence = .suspect
    service.isOwn = true
    #expect("\(service.differences(from: former))" == "links, place, presence, ownership")
    service = former
    service.endpoint = nil
    #expect(service.differences(from: former) == [.place, .txt])
  }

  @Test func `the error behind another is told, and counts for nothing in comparisons`() {
    let error = DiscoveryError(.unavailable, "browsing: gone", because: gone)
    #expect(error.underlyingError as? DiscoveryError == gone)
    #expect(error == DiscoveryError(.unavailable, "browsing: gone"))
    #expect(error.hashValue == DiscoveryError(.unavailable, "browsing: gone").hashValue)
    #expect(gone.underlyingError == nil)
  }

  @Test func `a service tells where it is seen, and why it has no endpoint`() {
    let directory = DiscoverySource.directory("eu")
    var service = DiscoveredService(instance: ada, links: [Link(wlan0, .ipv6), Link(directory, .ipv4), Link(eth0, .ipv4)])
    #expect(service.sources == [DiscoverySource(eth0), DiscoverySource(wlan0), directory])
    #expect(service.interfaces == [eth0, wlan0] && service.region == "eu" && service.id == ada)
    #expect(DiscoveredService(instance: ada, interfaces: [eth0]).region == nil)
    #expect(service.absence == "does not answer")
    service.refusedAddresses = [.ipv4(0x7F00_0001)]
    #expect(service.absence == "no way to its addresses")
    #expect("\(DiscoveredService(instance: ada, links: []))" == "Ada._http._tcp.local")
  }

  @Test func `families of one interface differ in themselves alone`() {
    let one = DiscoveredService(instance: ada, links: [Link(eth0, .ipv4)])
    let both = DiscoveredService(instance: ada, links: [Link(eth0, .ipv4), Link(eth0, .ipv6)])
    #expect(both.differsInFamilies(from: one) && one.differsInFamilies(from: both) && !one.differsInFamilies(from: one))
    #expect(!DiscoveredService(instance: ada, interfaces: [eth0, wlan0]).differsInFamilies(from: one))
    var leaving = both
    leaving.presence = .leaving
    #expect(!leaving.differsInFamilies(from: one))
  }

  @Test func `a directory's endpoints are known by their host`() {
    func endpoint(_ host: DomainName) -> Endpoint { Endpoint(host: host, port: 1, txt: [:], addresses: []) }
    #expect(endpoint("ada.directory.alt").isOfDirectory && "\(endpoint("ada.local"))" == "ada.local:1")
    for host in ["ada.local", "directory.alt.local", "ada.directory.example", "alt"] as [DomainName] {
      #expect(!endpoint(host).isOfDirectory)
    }
  }

  @Test func `data of records are told in words`() {
    func told(_ data: RecordData) -> String { "\(data)" }
    #expect(told(.server(host: "a.local", port: 80, priority: 0, weight: 0)) == "a.local:80")
    #expect(told(.server(host: "a.local", port: 80, priority: 1, weight: 0)) == "a.local:80 priority 1 weight 0")
    #expect(told(.server(host: "a.local", port: 80, priority: 0, weight: 2)) == "a.local:80 priority 0 weight 2")
    #expect(told(.types([.a, .srv])) == "A SRV" && told(.text(["a": "1", "b": .flag])) == "a=1 b")
    #expect(told(.pointer("a.local")) == "a.local" && told(.host(processor: "ARM", system: "L")) == "ARM, L")
  }
}
