import Testing
import _BonjourishDiscovery
import _BonjourishTerminal

@testable import _BonjourishExplorer

/// Texts about services, and what is searched of them.
struct TextsTests {
  @Test(arguments: [
    (-5, "0 s"), (0, "0 s"), (59, "59 s"), (60, "1 min 0 s"), (3_599, "59 min 59 s"), (3_600, "1 h 0 min"),
    (9_059, "2 h 30 min"),
  ]) func `a duration is told in its largest units`(seconds: Int, text: String) {
    #expect(Texts.duration(.seconds(seconds)) == text)
    #expect(Texts.duration(.seconds(seconds) + .milliseconds(999)) == Texts.duration(.seconds(max(0, seconds))))
  }

  @Test(arguments: [
    (0, "00:00:00"), (10, "00:00:10"), (599, "00:09:59"), (36_610, "10:10:10"), (86_399, "23:59:59"), (86_400, "00:00:00"),
    (-1, "23:59:59"),
  ]) func `the time of day goes round`(seconds: Int, text: String) {
    #expect(Texts.clock(seconds) == text)
  }

  @Test func `a noun has the form of its number`() {
    #expect((0...2).map { Texts.count($0, "change") } == ["0 changes", "1 change", "2 changes"])
  }

  @Test func `a search finds what is within one text, and nothing across two`() throws {
    let search = SearchText(
      of: try .sample("Ada", host: "h.local", port: 80, addresses: ["10.0.0.1"], txt: ["a": "b", "c": .flag]))
    let whole = "ada\n_http._tcp\neth0\nh.local\n80\n10.0.0.1\na=b\nc"
    for text in ["", "ada", "a", "_http._tcp", "eth0", "h.local", "80", "10.0.0.1", "a=b", "c"] {
      #expect(search.contains(Array(text.utf8)), "\(text)")
    }
    for text in ["ada\n", "\n", "b\nc", "adab", "_udp", "a=bc", whole, whole + "x"] {
      #expect(!search.contains(Array(text.utf8)), "\(text)")
    }
  }

  @Test(
    arguments: [
      ("name=office", []), ("host=ada", ["Ada"]), ("type=ada", []), ("port=8080", ["Ada"]), ("port=80", ["Ada", "Bob"]),
      ("any=office", ["Bob"]),
      ("txt:note=ada", ["Bob"]), ("txt:=x", []), ("colour=red", ["Bob"]), ("domain=loc", ["Ada", "Bob"]), ("address=8080", []),
      ("interface=eth", ["Ada", "Bob"]), ("name=*A", ["Ada"]), ("name=b?b", ["Bob"]), ("name==", []),
    ] as [(String, [String])])
  func `a term about a property is about nothing else`(text: String, names: [String]) throws {
    var driver = Driver()
    driver.found(
      try .sample("Ada", host: "ada.local", port: 8080, addresses: ["10.0.0.1"]),
      try .sample("Bob", host: "b.local", addresses: ["10.0.0.2"], txt: ["note": "ada", "colour": "red", "place": "office"]))
    driver.press(.text("/"), .paste(text), .enter)
    #expect(driver.names == names)
  }

  @Test(arguments: [
    ("name=x", false), ("type=x", false), ("domain=x", false), ("interface=x", false), ("host=x", true), ("port=1", true),
    ("address=1", true), ("any=x", true), ("path", true), ("txt:name", true),
  ]) func `only what resolving finds needs it`(text: String, needsEndpoint: Bool) throws {
    #expect(try #require(ServiceFilter(text)).needsEndpoint == needsEndpoint)
  }

  @Test func `a history tells what has changed, and keeps its latest events`() throws {
    var history = History()
    let one = try DiscoveredService.sample("a", host: "h.local", addresses: ["10.0.0.1"])
    var other = try DiscoveredService.sample(
      "a", interfaces: ["wlan0"], host: "h.local", port: 81, addresses: ["10.0.0.2"], txt: ["k": "v"])
    history.came(one, at: .zero)
    history.changed(from: one, to: other, at: .seconds(1))
    #expect(
      history.events.map(\.event.words)
        == ["came", "interfaces changed", "port changed", "addresses changed", "TXT record changed"])
    #expect(history.events.map(\.time) == [.zero] + Array(repeating: .seconds(1), count: 4))
    // The addresses of another host are no change of addresses.
    let former = other
    other = try DiscoveredService.sample(
      "a", interfaces: ["wlan0"], host: "x.local", port: 81, addresses: ["10.0.0.3"], txt: ["k": "v"])
    history.changed(from: former, to: other, at: .seconds(2))
    #expect(history.events.dropFirst(5).map(\.event) == [.moved(host: "x.local")])
    history.went(at: .seconds(3))
    history.came(one, at: .seconds(4))
    #expect(history.events.suffix(2).map(\.event.words) == ["went", "came back from another host, h.local"])
    #expect(History.Event.returned(host: nil).words == "came back")
  }

  @Test func `a service flaps that has gone three times within five minutes`() throws {
    let service = try DiscoveredService.sample("a")
    for (last, expected) in [(300, Duration.seconds(600)), (301, .zero)] {
      var history = History()
      for time in [0, 10] {
        history.came(service, at: .seconds(time))
        history.went(at: .seconds(time))
        #expect(history.flapsUntil == .zero)
      }
      history.came(service, at: .seconds(11))
      history.went(at: .seconds(last))
      #expect(history.flapsUntil == expected)
    }
  }

  @Test func `endings come in their order, each at its time`() throws {
    var endings = Endings()
    let instances = try (0..<2_500).map { try DiscoveredService.sample("s\($0)").instance }
    for (number, instance) in instances.enumerated() { endings.append(instance, at: .seconds(number)) }
    #expect(endings.next(until: .milliseconds(-1)) == nil)
    for (number, instance) in instances.enumerated() {
      #expect(endings.next(until: .seconds(number)) == instance)
      #expect(endings.next(until: .seconds(number)) == nil)
    }
    #expect(endings.next(until: .seconds(1_000_000)) == nil)
  }

  @Test(arguments: [
    ("_http._tcp", "http"), ("_HTTPS._tcp", "https"), ("_ipp._tcp", "http"), ("_ipps._tcp", "https"),
    ("_octoprint._tcp", "http"),
    ("_home-assistant._tcp", "http"), ("_ftp._tcp", "ftp"), ("_smb._tcp", "smb"), ("_rfb._tcp", "vnc"),
  ]) func `each type that a browser opens has its scheme`(type: String, scheme: String) throws {
    let service = try DiscoveredService.sample("a", type: type, host: "a.local", port: 99, addresses: ["10.0.0.1"])
    #expect(service.endpoint.flatMap { Opening.url(of: service.instance, $0) } == "\(scheme)://10.0.0.1:99/")
  }

  @Test(arguments: [(200, true), (201, false)]) func `a path is as long as 200 bytes`(count: Int, isTaken: Bool) throws {
    let path = "/" + String(repeating: "a", count: count - 1)
    let service = try DiscoveredService.sample(
      "a", host: "a.local", addresses: ["10.0.0.1"], txt: ["path": TXTRecord.Value(path)])
    #expect(try Opening(service.instance, service.endpoint).arguments == ["http://10.0.0.1:80" + (isTaken ? path : "/")])
  }

  @Test func `why a service cannot be opened is a sentence`() throws {
    func reason(_ service: DiscoveredService) -> Opening.Refusal? {
      do throws(Opening.Refusal) {
        _ = try Opening(service.instance, service.endpoint)
        return nil
      } catch {
        return error
      }
    }
    #expect(
      try reason(.sample("a", type: "_x._tcp"))?.message == "no program is known that opens _x._tcp")
    #expect(try reason(.sample("a", type: "_twentyfour._udp"))?.advice == [])
    #expect(try reason(.sample("a"))?.message == "its address is not known yet; it is opened when a host has answered")
    #expect(
      try reason(.sample("a", host: "a.local", addresses: ["fe80::1%eth0"]))?.message
        == "only link-local IPv6 addresses are known, which browsers do not open; copy the address with y")
    let endpoint = try #require(try DiscoveredService.sample("a", host: "a.local", addresses: ["fe80::1%eth0"]).endpoint)
    #expect(Explorer.addressAndPort(endpoint) == "[fe80::1%eth0]:80")
  }
}
