import TestSupport
import Testing
import _BonjourishBase
import _BonjourishDiscovery

@testable import _BonjourishExplorer

/// What `o` starts, and the URLs that are shown.
struct OpeningTests {
  private func opening(
    _ type: String, _ addresses: [String] = ["10.0.0.1"], port: UInt16 = 80, txt: TXTRecord = TXTRecord(),
    host: String = "a.local"
  ) throws -> Opening {
    let service = try DiscoveredService.sample("a", type: type, host: host, port: port, addresses: addresses, txt: txt)
    return try Opening(service.instance, service.endpoint)
  }

  @Test func `each type has its program`() throws {
    #expect(try opening("_http._tcp", port: 8080, txt: ["path": "/a/b.html"]).line == "xdg-open http://10.0.0.1:8080/a/b.html")
    #expect(try opening("_HTTPS._tcp", ["2001:db8::1"], port: 443).arguments == ["https://[2001:db8::1]:443/"])
    #expect(
      try opening("_ipp._tcp", port: 631, txt: ["path": "/x", "adminurl": "http://evil/"]).arguments == ["http://10.0.0.1:631/"]
    )
    #expect(try opening("_ssh._tcp", ["fe80::1%eth0"], port: 2222).arguments == ["-p", "2222", "--", "fe80::1%eth0"])
    #expect(try opening("_sftp-ssh._tcp", ["fe80::1%eth0"], port: 22).arguments == ["-P", "22", "--", "[fe80::1%eth0]"])
    #expect(try opening("_ssh._tcp").needsTerminal && !opening("_smb._tcp").needsTerminal)
  }

  @Test func `browsers get an address without a zone, or none`() throws {
    #expect(try opening("_http._tcp", ["fe80::1%eth0", "2001:db8::1"]).arguments == ["http://[2001:db8::1]:80/"])
    #expect(throws: Opening.Refusal.self) { try opening("_http._tcp", ["fe80::1%eth0"]) }
    let service = try DiscoveredService.sample("a", host: "a.local", addresses: ["fe80::1%eth0"])
    #expect(service.endpoint.flatMap { Opening.url(of: service.instance, $0) } == "http://[fe80::1%25eth0]:80/")
  }

  @Test(arguments: ["_telnet._tcp", "_http._udp", "_ssh._udp", "_xdg-open._tcp", "_-p._tcp"])
  func `other types are not opened`(type: String) {
    #expect(throws: Opening.Refusal.self) { try opening(type) }
  }

  @Test func `how a game is joined is told`() throws {
    for (name, command) in [("Ada's game", "twentyfour-join \"Ada's game\""), ("-x", "twentyfour-join -- -x")] {
      var driver = Driver(["_twentyfour._tcp"], columns: 120)
      driver.found(try .sample(name, type: "_twentyfour._tcp", host: "a.local", addresses: ["10.0.0.1"]))
      driver.effects = []
      driver.type("o")
      #expect(driver.effects == [])
      #expect(driver.lines.contains { $0.contains("no program is known that opens _twentyfour._tcp; type: \(command)") })
    }
  }

  @Test func `nothing is opened that has not been resolved`() throws {
    #expect(throws: Opening.Refusal.self) { try opening("_http._tcp", []) }
    let instance = try DiscoveredService.sample("a").instance
    #expect(throws: Opening.Refusal.self) { try Opening(instance, nil) }
  }

  @Test(arguments: [
    "path", "a", "/a b", "/$(reboot)", "/`id`", "/;id", "/a\u{1B}[2J", "//evil.example/", "/../x", "/a?b=c", "/é", "/%00",
    "/a#b", "/\"",
  ])
  func `a path that is not plain is left out`(path: String) throws {
    #expect(try opening("_http._tcp", txt: ["path": TXTRecord.Value(path)]).arguments == ["http://10.0.0.1:80/"])
  }

  @Test func `whatever a host tells, no argument is an option, and none has a sign of a shell`() throws {
    var generator = SeededGenerator(seed: 11)
    let types = [
      "_http._tcp", "_https._tcp", "_ipp._tcp", "_ipps._tcp", "_ssh._tcp", "_sftp-ssh._tcp", "_smb._tcp", "_ftp._tcp",
      "_rfb._tcp",
    ]
    let signs = Array("-oProxyCommand=id;$(`|&<>\"'\\\n ~!*?[]{}%/..:@#\u{1B}\u{202E}é")
    for _ in 0..<3_000 {
      let text = String((0..<generator.number(in: 1..<20)).map { _ in signs[generator.number(in: 0..<signs.count)] })
      let zones = ["eth0", "-oProxyCommand=x", "wlan0;id", "$(id)"]
      let addresses = [
        "10.0.0.\(generator.number(in: 1..<250))", "fe80::1%\(zones[generator.number(in: 0..<zones.count)])", "2001:db8::2",
      ].filter { _ in generator.once(in: 2) }
      guard let host = try? DomainName("-\(text).local"), let name = InstanceName(received: text) else { continue }
      let endpoint = Endpoint(
        host: host, port: UInt16(generator.number(in: 1..<65_536)),
        txt: ["path": TXTRecord.Value("/" + text), "u": TXTRecord.Value(text)],
        addresses: addresses.compactMap(IPAddress.init))
      let instance = ServiceInstance(name, type: try ServiceType(types[generator.number(in: 0..<types.count)]))
      guard let opening = try? Opening(instance, endpoint) else { continue }
      #expect(Opening.Program.allCases.contains(opening.program))
      for (place, argument) in opening.arguments.enumerated() where argument.hasPrefix("-") {
        #expect(opening.needsTerminal && (place == 0 || argument == "--"))
      }
      if opening.program == .browser {
        let plain = opening.arguments[0].utf8.allSatisfy { byte in
          (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || "-._~/:[]".utf8.contains(byte)
        }
        #expect(plain && opening.arguments.count == 1, "\(opening.arguments)")
      } else {
        #expect(IPAddress(opening.arguments[3].filter { $0 != "[" && $0 != "]" }) != nil || opening.arguments[3].contains("["))
      }
    }
  }
}
