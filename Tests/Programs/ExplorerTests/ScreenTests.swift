import TestSupport
import Testing
import _BonjourishBase
import _BonjourishDiscovery

@testable import _BonjourishExplorer
@testable import _BonjourishTerminal

/// Pictures of all sizes.
struct ScreenTests {
  private static let eth0 = NetworkInterface(index: 1, name: "eth0")

  private func home(columns: Int, rows: Int) throws -> Driver {
    var driver = Driver(columns: columns, rows: rows)
    driver.handle(.backend("avahi"))
    driver.handle(.reach(Reach([.init(Link(Self.eth0, .ipv4), .works), .init(Link(Self.eth0, .ipv6), .unproven)])))
    driver.found(
      try .sample(
        "李雷's printer", type: "_ipp._tcp", host: "printer.local", port: 631, addresses: ["10.77.0.2", "fe80::2%eth0"],
        txt: ["rp": "ipp/print"]),
      try .sample("Ada's pages", host: "ada.local", port: 8080, addresses: ["10.77.0.3"], txt: ["path": "/"]),
      try .sample(
        "A name that is rather long \u{202E} for a table", host: "h.local", addresses: ["10.77.0.4"], txt: ["x": "\u{1B}[31m"]))
    driver.handle(.settled)
    driver.wait(6)
    return driver
  }

  @Test func `everything on 80 columns and 24 rows`() throws {
    let driver = try home(columns: 80, rows: 24)
    #expect(
      driver.lines.joined(separator: "\n") == """
         all services · by type                                              3 services

              Name                      Host and port      Addresses   On    TXT record
         ▾ _http._tcp  Web server 2
              A name that is rather l…  h.local:80         10.77.0.4   eth0  x="\\u{1B}…
              Ada's pages               ada.local:8080     10.77.0.3   eth0  path="/"
         ▾ _ipp._tcp  Printer (IPP) 1
              李雷's printer            printer.local:631  10.77.0.2…  eth0  rp="ipp/p…














         on eth0 · avahi-daemon · 6 s          ?: help  Enter: fold  /: filter  q: quit
         $ bonjourish browse --all
        """, "\(driver.lines.joined(separator: "\n"))")
  }

  @Test func `details are beside the list on wide screens, below it on tall ones, and in place of it on small ones`() throws {
    var driver = try home(columns: 160, rows: 24)
    driver.press(.down, .down)
    let wide = driver.lines
    #expect(wide.contains { $0.contains("Ada's pages") && $0.contains("│") })
    for text in [
      "type", "_http._tcp", "ada.local", "8080", "10.77.0.3", "http://10.77.0.3:8080/", #"path="/""#, "came 12:00:00",
    ] {
      #expect(wide.contains { $0.drop { $0 != "│" }.contains(text) }, "\(text)")
    }
    // The list leaves to them what only a service that is resolved has, unless all are.
    let heading = try #require(wide.first { $0.contains("Name") })
    #expect(!heading.contains("Host and port") && heading.contains("On"))
    // What it is sorted by is looked up for all.
    driver.type("s")
    driver.type("s")
    #expect(driver.lines.contains { $0.contains("Name") && $0.contains("Host and port") && $0.contains("TXT record") })
    driver.size = TerminalSize(columns: 60, rows: 50)
    #expect(driver.lines.contains { $0.contains("──────") } && driver.lines.contains { $0.contains("http://10.77.0.3:8080/") })
    driver.size = TerminalSize(columns: 40, rows: 12)
    #expect(!driver.lines.contains { $0.contains("http://10.77.0.3:8080/") })
    driver.press(.enter, .end)
    #expect(driver.lines.contains { $0.contains("came 12:00:00") } && !driver.lines.contains { $0.contains("▾") })
    driver.press(.left)
    #expect(driver.lines.contains { $0.contains("▾") })
  }

  @Test func `help is named at all sizes, and fits a common screen`() throws {
    for (columns, rows) in [(40, 12), (40, 24), (40, 6), (30, 10), (80, 24), (200, 50)] {
      var driver = try home(columns: columns, rows: rows)
      driver.type("nx ssh 22")
      driver.press(.enter)
      for keys: [Key] in [[], [.text("/"), .text("a"), .enter], [.escape, .text("p")], [.text("p"), .down, .down, .enter]] {
        for key in keys { driver.press(key) }
        #expect(driver.lines.contains { $0.contains("?: help") }, "\(driver.lines.joined(separator: "\n"))")
      }
      driver.press(.escape)
      driver.type("?")
      #expect(driver.lines.contains { $0.contains("Esc: back") })
    }
    for row in 0..<2 {
      var driver = try home(columns: 80, rows: 24)
      for _ in 0..<row { driver.press(.down) }
      driver.type("?")
      #expect(driver.lines.contains { $0.contains("q, Ctrl-C") })
    }
    var driver = try home(columns: 40, rows: 12)
    driver.type("?")
    #expect(driver.lines.contains { $0.hasSuffix(" below") })
    driver.type("  ")
    #expect(driver.lines.contains { $0.contains(" above, ") })
    driver.press(.end)
    #expect(driver.lines.contains { $0.contains("q, Ctrl") })
  }

  @Test func `a menu on a small screen covers no message, and leaves the list what there is`() throws {
    var driver = Driver(columns: 40, rows: 12)
    for number in 1...9 { driver.found(try .sample("Web \(number)", host: "h.local", addresses: ["10.0.0.1"])) }
    driver.press(.down)
    driver.handle(.note("something has to be told, in more words than one line has"))
    driver.type("y")
    #expect(driver.rows.count == 1 && driver.rows[0].hasPrefix("Web 1"), "\(driver.lines)")
    #expect(driver.lines[3].trimmed.hasPrefix("something has to be told"))
    #expect(driver.lines[4].trimmed.hasPrefix("copy: a letter"))
  }

  @Test func `the details tell address families, and whether the host is this machine`() throws {
    var driver = Driver(["_http._tcp"])
    var service = try DiscoveredService.sample("Ada", host: "ada.local", addresses: ["10.0.0.1"])
    driver.found(service)
    driver.handle(.settled)
    func texts() -> [String] { driver.explorer.detailLines.filter { ["on", "host"].contains($0.label) }.map(\.text) }
    #expect(texts() == ["eth0 (IPv4)", "ada.local"])
    service.links.append(Link(service.links[0].source, .ipv6))
    driver.updated(service)
    #expect(texts() == ["eth0 (IPv4, IPv6)", "ada.local"])
    // That is no change to point out.
    #expect(driver.rows[0].hasPrefix("Ada"), "\(driver.rows)")
    var bare = try DiscoveredService.sample("Bea")
    driver.found(bare)
    driver.wait(6)
    driver.handle(.resolved(bare.instance, service.endpoint))
    bare.links = service.links
    driver.updated(bare)
    #expect(driver.rows[1].hasPrefix("Bea"), "\(driver.rows)")
    driver.handle(.addresses([.ipv4(0x0A00_0001)]))
    #expect(texts() == ["eth0 (IPv4, IPv6)", "ada.local, this machine"])
    #expect(driver.explorer.detailLines.first { $0.label == "host" }?.value == "ada.local")
  }

  @Test func `web addresses are links, and nothing else is`() throws {
    var driver = try home(columns: 160, rows: 24)
    driver.press(.down, .down)
    #expect(driver.explorer.draw(driver.size, driver.appearance, at: driver.now).links == ["http://10.77.0.3:8080/"])
    driver.press(.home)
    #expect(driver.explorer.draw(driver.size, driver.appearance, at: driver.now).links == [])
  }

  @Test func `records are shown with what the backend tells of them`() throws {
    var driver = try home(columns: 300, rows: 40)
    driver.press(.down, .down)
    let instance = try DiscoveredService.sample("Ada's pages").instance
    let bytes: [UInt8] = [0, 0, 0, 0, 0x1F, 0x90, 3] + Array("ada".utf8) + [5] + Array("local".utf8) + [0]
    let link = Link(Self.eth0, .ipv4)
    driver.handle(
      .records(
        of: instance,
        [
          ResourceRecord(
            name: try instance.fullName, type: .srv, bytes: bytes, timeToLive: .seconds(120), isUnique: true, on: link,
            sender: IPAddress("10.77.0.3")),
          ResourceRecord(name: try instance.fullName, type: .txt, bytes: [0], on: link),
        ]))
    let text = driver.lines.joined(separator: "\n")
    #expect(
      text.contains("lives 2 min 0 s after each answer") && text.contains("from 10.77.0.3")
        && text.contains("TXT, 1 byte, on eth0 over IPv4"))
    // How long they are still believed, where that is known.
    #expect(!text.contains(" left"))
    let records = driver.explorer.records
    driver.handle(.lifetimes(of: instance, [records[0].id: .seconds(95), records[1].id: .milliseconds(2_900)]))
    #expect(driver.lines.contains { $0.contains("over IPv4 from 10.77.0.3 (1 min 35 s left)") })
    #expect(driver.lines.contains { $0.contains("TXT, 1 byte, on eth0 over IPv4 (2 s left)") })
    driver.handle(.lifetimes(of: try DiscoveredService.sample("other").instance, [:]))
    #expect(driver.lines.contains { $0.contains("(2 s left)") })
    driver.press(.up)
    driver.press(.down)
    #expect(!driver.lines.contains { $0.contains(" left)") })
    driver.handle(.records(of: instance, records))
    driver.handle(.records(of: try DiscoveredService.sample("other").instance, []))
    #expect(driver.lines.joined().contains("TXT, 1 byte"))
  }

  @Test func `what is wrong with the network is told, and only that`() throws {
    var driver = try home(columns: 80, rows: 24)
    let wlan0 = NetworkInterface(index: 2, name: "wlan0")
    let unplugged = [Link(wlan0, .ipv4), Link(wlan0, .ipv6)].map { Reach.Item($0, .fails(.init(.noCarrier, "has no carrier"))) }
    let refused = Reach.Item(Link(Self.eth0, .ipv6), .fails(.init(.refused, "cannot be sent on", remedy: "allow it")))
    let works = Reach.Item(Link(Self.eth0, .ipv4), .works)
    driver.handle(.reach(Reach([works] + unplugged)))
    #expect(driver.lines[21] == "" && driver.lines[22].hasPrefix(" on eth0 (IPv4) · avahi-daemon · 6 s"))
    driver.handle(.reach(Reach([works, refused] + unplugged)))
    #expect(driver.lines[21] == " eth0 over IPv6: cannot be sent on; allow it")
    driver.handle(.reach(Reach(unplugged, causes: [.init(.noInterface, "no network")])))
    #expect(Array(driver.lines[20...21]) == [" no network", " wlan0: has no carrier"])
    driver.handle(
      .reach(
        Reach(
          [.init(Link(NetworkInterface(index: 3, name: "lo"), .ipv4), .works)],
          causes: [.init(.thisMachineOnly, "only this machine")])))
    driver.handle(.changed(.interrupted(DiscoveryError(.unavailable, "the daemon\u{7} is gone")), of: nil))
    #expect(driver.lines[21] == #" the daemon\u{7} is gone"#)
    driver.handle(.changed(.restored, of: nil))
    #expect(driver.lines[21] == " only this machine")
    for number in 1...12 { driver.handle(.message("message \(number)")) }
    #expect(driver.lines[21] == " message 12")
    driver.handle(.backend("directory"))
    #expect(driver.lines[22].hasPrefix(" 6 s"))
  }

  @Test func `no size and no name is too much, whatever keys are pressed`() throws {
    var generator = SeededGenerator(seed: 3)
    let sizes = [
      (0, 0), (1, 1), (15, 3), (16, 4), (17, 5), (20, 5), (23, 9), (40, 12), (60, 40), (80, 24), (100, 8), (120, 30),
      (300, 100),
    ]
    let names = [
      "\u{1B}[2J", "\u{202E}evil", "李雷李雷李雷李雷", "👨‍👩‍👧‍👦", "a\nb", "e\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}",
      String(repeating: "W", count: 63), "x", " ",
    ]
    let keys: [Key] =
      [.up, .down, .left, .right, .enter, .tab, .escape, .home, .end, .pageUp, .pageDown, .backspace, .paste("a\u{1B}b\n")]
      + "1234vs/ynodpm*-+RD?! qhjklgGy'\"".unicodeScalars.map { .text($0) }
    for isUnicode in [true, false] {
      var driver = Driver(nil) { $0.isUnicode = isUnicode }
      for step in 0..<400 {
        driver.now += .milliseconds(generator.number(in: 0..<900))
        if generator.once(in: 3), let name = InstanceName(received: names[generator.number(in: 0..<names.count)]) {
          let type = try ServiceType(["_http._tcp", "_ipp._tcp", "_we\u{202E}ird._udp"][generator.number(in: 0..<3)])
          let host = try DomainName("h\(generator.number(in: 0..<4)).local")
          let instance = ServiceInstance(name, type: type)
          let endpoint = Endpoint(
            host: host, port: 80, txt: ["k": TXTRecord.Value(name.text), "path": "/a"], addresses: [.ipv4(0x0A00_0001)])
          let service = DiscoveredService(
            instance: instance, links: [Link(Self.eth0, .ipv4)], endpoint: generator.once(in: 2) ? endpoint : nil)
          switch generator.number(in: 0..<4) {
          case 0: driver.handle(.changed(.lost(service), of: type))
          case 1: driver.handle(.changed(.updated(service), of: type))
          case 2: driver.handle(.resolved(instance, endpoint))
          default: driver.handle(.changed(.found(service), of: type))
          }
        }
        if generator.once(in: 5) {
          let size = sizes[generator.number(in: 0..<sizes.count)]
          driver.size = TerminalSize(columns: size.0, rows: size.1)
        }
        if generator.once(in: 6) {
          let action = [Mouse.Action.press, .release, .wheelUp, .wheelDown][generator.number(in: 0..<4)]
          let position = Canvas.Position(row: generator.number(in: 0..<110), column: generator.number(in: 0..<310))
          driver.press(.mouse(Mouse(action, at: position)))
        }
        driver.press(keys[generator.number(in: 0..<keys.count)])
        if generator.once(in: 40) { driver.handle(.examined(names)) }
        guard step % 8 == 0 else { continue }
        for line in driver.lines {
          #expect(line.columns <= driver.size.columns)
          #expect(line.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control && $0 != "\u{202E}" })
        }
      }
    }
  }
}
