import Bonjourish
import Testing

@testable import _BonjourishExplorer
@testable import bonjourish_cli

/// `browse` with `--filter`, `--own` and `--sort`.
struct SelectionTests {
  @Test(arguments: [
    ("name=ada*", true), ("name=ADA*", true), ("name=bob", false), ("type=_http.*", true), ("domain=local", true),
    ("interface=wlan?", true), ("interface=lo", false), ("host=ADA.local", true), ("port=80*", true), ("port=80", false),
    ("address=10.*", true), ("address=192.*", false), ("path=/a*", true), ("path=/A*", false), ("PATH", true), ("secure", true),
    ("secure=", false), ("empty=", true), ("other", false), ("bin", true), ("bin=*", false), ("txt:name=x", true),
    ("txt:name=y", false), ("path=a=b", false), ("eq=a=b", true),
    ("any=*ADA*", true), ("any=10.0.0.1", true), ("any=eq=a=b", true), ("any=*HTTP*", true), ("any=ada", true),
    ("any=da", false),
  ])
  func `a filter is about a property or an entry of the TXT record`(text: String, isMatch: Bool) throws {
    let txt: TXTRecord = ["path": "/a", "secure": .flag, "empty": "", "bin": .bytes([0xFF]), "name": "x", "eq": "a=b"]
    let service = try DiscoveredService.sample(
      "Ada", interfaces: ["eth0", "wlan0"], host: "ada.local", port: 8080, addresses: ["10.0.0.1"], txt: txt)
    #expect(try #require(ServiceFilter(text)).matches(service) == isMatch)
  }

  @Test(arguments: ["", "=x", "name", "port", "any", "txt:", "txt:=x"]) func `a filter without a key or its glob is refused`(
    text: String
  ) {
    #expect(ServiceFilter(text) == nil)
  }

  @Test func `a service that begins or ceases to match is found or lost`() throws {
    var selection = BrowseSelection(filters: [try #require(ServiceFilter("state=open"))])
    let open = try DiscoveredService.sample("A", host: "a.local", txt: ["state": "open"])
    let closed = try DiscoveredService.sample("A", host: "a.local", txt: ["state": "closed"])
    #expect(selection.needsEndpoint)
    #expect(selection.apply(.found(closed)) == nil)
    #expect(selection.apply(.updated(closed)) == nil)
    #expect(selection.apply(.updated(open)) == .found(open))
    #expect(selection.apply(.updated(open)) == .updated(open))
    #expect(selection.apply(.updated(closed)) == .lost(closed))
    #expect(selection.apply(.lost(closed)) == nil)
    #expect(selection.apply(.found(open)) == .found(open))
    #expect(selection.apply(.lost(open)) == .lost(open))
    #expect(selection.apply(.settled) == .settled)
  }

  @Test func `a service whose host has an address of this machine is its own`() throws {
    let near = try DiscoveredService.sample("Near", host: "a.local", addresses: ["10.0.0.9", "fe80::1%eth0"])
    let far = try DiscoveredService.sample("Far", host: "b.local", addresses: ["10.0.0.9", "fe80::1%eth1"])
    let unknown = try DiscoveredService.sample("Unknown")
    let here: Set<IPAddress> = [try #require(IPAddress("fe80::1%eth0")), try #require(IPAddress("127.0.0.1"))]
    var selection = BrowseSelection(origin: .own, localAddresses: { here })
    #expect([near, far, unknown].map { selection.apply(.found($0)) } == [.found(near), nil, nil])
    selection = BrowseSelection(origin: .others, localAddresses: { here })
    #expect([near, far, unknown].map { selection.apply(.found($0)) } == [nil, .found(far), .found(unknown)])
    #expect(LocalAddresses.all().contains(try #require(IPAddress("127.0.0.1"))))
  }

  @Test func `services are sorted by what was asked for, then by name and type`() throws {
    let services = [
      try DiscoveredService.sample("b", host: "x.local", addresses: ["10.0.0.10"]),
      try DiscoveredService.sample("C", type: "_ftp._tcp", host: "Y.local", addresses: ["fe80::1"]),
      try DiscoveredService.sample("a"), try DiscoveredService.sample("a", type: "_ftp._tcp"),
      try DiscoveredService.sample("d", host: "w.local", addresses: ["10.0.0.9"]),
    ]
    func names(_ order: ServiceOrder) -> [String] {
      order.sorted(services).map { "\($0.instance.name)\($0.instance.type == "_ftp._tcp" ? "'" : "")" }
    }
    #expect(names(.name) == ["a'", "a", "b", "C'", "d"])
    #expect(names(.type) == ["a'", "C'", "a", "b", "d"])
    #expect(names(.host) == ["d", "b", "C'", "a'", "a"])
    #expect(names(.address) == ["d", "b", "C'", "a'", "a"])
  }

  @Test(arguments: [
    ("http", "_http._tcp"), ("HTTP", "_http._tcp"), ("sleep-proxy", "_sleep-proxy._udp"), ("my-app", "_my-app._tcp"),
    ("_ntp._udp", "_ntp._udp"), ("_ntp._tcp", "_ntp._tcp"),
  ])
  func `a short name is a type`(text: String, type: String) throws {
    #expect(try ServiceType(shorthand: text) == ServiceType(type))
  }

  @Test(arguments: ["http.tcp", "_http", "ht tp", "http._tcp"]) func `what is neither a type nor a short name is refused`(
    text: String
  ) {
    #expect(throws: DiscoveryError.self) { try ServiceType(shorthand: text) }
  }

  @Test func `known types are there once, and are valid`() {
    #expect(Set(KnownType.all.map { "\($0.name).\($0.transport)" }).count == KnownType.all.count)
    #expect(KnownType.title(of: "_ipp._tcp") == "Printer (IPP)")
    #expect(KnownType.title(of: "_IPP._tcp") == "Printer (IPP)")
    #expect(KnownType.title(of: "_ipp._udp") == nil)
    let short = ["_apple-midi._udp", "_apple-midi._tcp", "_nobodys._tcp"].map { KnownType.shortName(of: $0) }
    #expect(short == ["apple-midi", nil, nil])
    for (name, transport) in KnownType.all.map({ ($0.name, $0.transport) }) {
      #expect((try? ServiceType("_\(name).\(transport.rawValue)")) != nil, "\(name)")
    }
    for met in [
      "ipp", "uscan", "airplay", "googlecast", "hap", "matter", "ssh", "sftp-ssh", "smb", "nfs", "daap", "home-assistant",
      "esphomelib",
    ] {
      #expect(KnownType.all.contains { $0.name == met })
    }
    for met in ["sonos", "spotify-connect", "mqtt", "plexmediasvr", "kdeconnect", "shelly", "adb-tls-connect"] {
      #expect(KnownType.all.contains { $0.name == met })
    }
  }
}
