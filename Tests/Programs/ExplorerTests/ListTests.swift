import Testing
import _BonjourishDiscovery
import _BonjourishTerminal

@testable import _BonjourishExplorer

/// The list: groups, order, marks and the cursor.
struct ListTests {
  private func home() throws -> Driver {
    var driver = Driver()
    driver.found(
      try .sample("Ada's pages", host: "ada.local", port: 8080, addresses: ["10.77.0.2"], txt: ["path": "/"]),
      try .sample("Laser", type: "_ipp._tcp", host: "printer.local", port: 631, addresses: ["10.77.0.3"]),
      try .sample("Laser", host: "printer.local", addresses: ["10.77.0.3"]),
      try .sample("Far", type: "_ssh._tcp", interfaces: ["eth0", "directory:world"]))
    driver.handle(.settled)
    return driver
  }

  @Test func `services are in groups by type, by host and by interface, or in one list`() throws {
    var driver = try home()
    #expect(driver.rows.map { $0.split(separator: " ").first } == ["▾", "Ada's", "Laser", "▾", "Laser", "▾", "Far"])
    #expect(driver.rows[0] == "▾ _http._tcp  Web server 2")
    driver.type("2")
    #expect(driver.rows.filter { $0.hasPrefix("▾") } == ["▾ ada.local 1", "▾ printer.local 2", "▾ host not known yet 1"])
    driver.type("3")
    #expect(driver.rows.filter { $0.hasPrefix("▾") } == ["▾ eth0 4", "▾ directory:world 1"])
    driver.type("4")
    #expect(driver.rows.map { $0.split(separator: " ").first } == ["Ada's", "Far", "Laser", "Laser"])
    driver.type("v")
    #expect(driver.lines[0].contains("all services · by type") && driver.lines[0].hasSuffix(" 4 services"))
  }

  @Test func `groups are folded by keys, and stay so while services come`() throws {
    var driver = try home()
    driver.press(.enter)
    #expect(driver.rows.first == "▸ _http._tcp  Web server 2" && driver.rows.count == 5)
    driver.found(try .sample("New"))
    #expect(driver.rows.first == "▸ _http._tcp  Web server 3" && driver.rows.count == 5)
    driver.press(.right)
    #expect(driver.rows.count == 8)
    // From a service, left goes to its group.
    driver.press(.down, .down, .left)
    #expect(driver.explorer.selectedGroup?.key == "_http._tcp")
    driver.press(.left)
    #expect(driver.rows.count == 5)
    driver.type("-")
    #expect(driver.rows.count == 3)
    driver.type("+")
    #expect(driver.rows.count == 8)
  }

  @Test func `the cursor stays on its service while rows come and go`() throws {
    var driver = Driver(["_http._tcp"], rows: 12)
    driver.found(try .sample("m"))
    for number in 10..<40 { driver.found(try .sample("s\(number)")) }
    driver.type("G")
    #expect(driver.explorer.selectedEntry?.service.instance.name == "s39")
    let row = driver.explorer.cursorIndex - driver.explorer.scroll
    for number in 10..<20 { driver.found(try .sample("a\(number)")) }
    #expect(driver.explorer.selectedEntry?.service.instance.name == "s39")
    #expect(driver.explorer.cursorIndex - driver.explorer.scroll == row)
    // Its neighbour is selected when it is gone.
    driver.lost(try .sample("s39"))
    driver.wait(5)
    #expect(driver.explorer.selectedEntry?.service.instance.name == "s38")
    driver.press(.home)
    #expect(driver.explorer.selectedEntry?.service.instance.name == "a10")
  }

  @Test func `what comes, changes and goes is marked for five seconds`() throws {
    var driver = Driver(["_http._tcp"])
    driver.found(try .sample("early"))
    driver.handle(.changed(.settled, of: "_http._tcp"))
    driver.wait(2)
    driver.found(try .sample("late"))
    #expect(driver.rows == ["early  eth0", "+  late   eth0"])
    driver.wait(2)
    driver.updated(try .sample("early", interfaces: ["wlan0"]))
    driver.updated(try .sample("late", interfaces: ["wlan0"]))
    #expect(driver.rows == ["~  early  wlan0", "+  late   wlan0"])
    driver.wait(5)
    #expect(driver.rows == ["early  wlan0", "late   wlan0"])
    driver.lost(try .sample("early"))
    #expect(driver.explorer.count == 1)
    driver.wait(4)
    #expect(driver.rows == ["-  early  wlan0", "late   wlan0"])
    driver.wait(1)
    #expect(driver.rows == ["late   wlan0"])
    // It comes back before it has disappeared.
    driver.lost(try .sample("late"))
    driver.found(try .sample("late"))
    driver.wait(4)
    #expect(driver.rows == ["+  late  eth0"])
    driver.wait(60)
    #expect(driver.rows == ["late  eth0"] && driver.explorer.count == 1)
  }

  @Test func `a group counts the services that are there, and a gone one is no longer published here`() throws {
    var driver = Driver()
    let own = try DiscoveredService.sample("mine", host: "me.local", addresses: ["10.0.0.1"], isOwn: true)
    driver.found(own, try .sample("a"))
    driver.handle(.settled)
    #expect(driver.rows[0] == "▾ _http._tcp  Web server 2" && driver.rows[2].contains("published here"))
    driver.lost(own)
    driver.press(.down, .down)
    #expect(driver.rows[0] == "▾ _http._tcp  Web server 1" && driver.rows[2].hasPrefix("-    mine"))
    #expect(!driver.lines.contains { $0.contains("published here") })
    driver.press(.enter)
    #expect(driver.explorer.detailLines.contains { $0.label == "state" && $0.text == "gone" })
    driver.press(.escape, .up, .up)
    #expect(driver.explorer.detailLines.contains { $0.label == "services" && $0.text == "1" })
    #expect(!driver.explorer.detailLines.contains { $0.text == "me.local" })
    driver.type("2")
    #expect(driver.rows.contains("▾ me.local 0") && driver.rows.contains("▾ host not known yet 1"))
    driver.type("1")
    driver.found(own)
    #expect(driver.rows[0] == "▾ _http._tcp  Web server 2" && driver.rows[2].contains("published here"))
    driver.lost(own)
    driver.wait(5)
    #expect(driver.rows[0] == "▾ _http._tcp  Web server 1" && driver.rows.count == 2)
    driver.lost(try .sample("a"))
    #expect(driver.rows[0] == "▾ _http._tcp  Web server 0")
    driver.wait(5)
    #expect(driver.rows == [])
  }

  @Test func `a type is not cut, and a column that has become empty leaves its space`() throws {
    var driver = Driver(columns: 60)
    let type = "_a-long-type-yes._tcp"
    driver.found(
      try .sample("A name of some length, such as people choose", type: type),
      try .sample("mine", type: type, host: "me.local", addresses: ["10.0.0.1"], isOwn: true))
    driver.type("4")
    #expect(driver.lines.contains { $0.contains("Remarks") } && driver.rows.allSatisfy { $0.contains(type) })
    driver.lost(try .sample("mine", type: type))
    #expect(!driver.lines.contains { $0.contains("Remarks") } && driver.rows.allSatisfy { $0.contains(type) })
  }

  @Test func `no name is cut for what only the selected service has`() throws {
    var driver = Driver(columns: 60)
    driver.found(try .sample("A name of some length, such as people choose"), try .sample("b"), try .sample("c"))
    driver.press(.down)
    let instance = try #require(driver.explorer.selectedEntry?.service.instance)
    driver.handle(.resolved(instance, try DiscoveredService.sample("x", host: "h.local", addresses: ["10.0.0.1"]).endpoint))
    #expect(driver.rows[1] == "A name of some length, such as people choose  eth0")
    driver.size = TerminalSize(columns: 99, rows: 24)
    driver.wait(0)
    #expect(driver.rows[1].hasPrefix("A name of some length, such as people choose  h.local:80"))
    // Nor is one for what is long.
    let texts: TXTRecord = ["a": "some long value", "b": "another long value", "c": "and one more"]
    driver.handle(
      .resolved(
        instance, try DiscoveredService.sample("x", host: "a-long-name.local", addresses: ["2001:db8::1"], txt: texts).endpoint)
    )
    for columns in 60...99 {
      driver.size = TerminalSize(columns: columns, rows: 12)
      driver.wait(0)
      #expect(driver.rows[1].contains("A name of some length, such as people choose"), "\(columns)")
    }
  }

  @Test func `keys choose the order`() throws {
    var driver = Driver(["_http._tcp"])
    for (name, address) in [("c", "10.0.0.10"), ("a", "10.0.0.9"), ("b", "192.168.0.1")] {
      driver.found(try .sample(name, host: "\(name == "a" ? "z" : name).local", addresses: [address]))
    }
    #expect(driver.names == ["a", "b", "c"])
    driver.type("ss")
    #expect(driver.names == ["b", "c", "a"] && driver.command.hasSuffix("--sort host"))
    driver.type("s")
    #expect(driver.names == ["a", "c", "b"])
    driver.updated(try .sample("a", host: "a.local", addresses: ["10.0.0.11"]))
    #expect(driver.names == ["c", "a", "b"])
  }

  @Test func `marked services can be listed alone`() throws {
    var driver = try home()
    driver.press(.down)
    driver.type(" ")
    driver.type("*")
    #expect(driver.names == ["Ada's pages"] && driver.lines[0].contains("marked only"))
    #expect(driver.lines[0].hasSuffix("1 of 4 services"))
    driver.press(.escape)
    #expect(driver.names.count == 4)
  }

  @Test func `a list that is too long says how much is above and below, in ASCII too`() throws {
    var driver = Driver(["_http._tcp"], columns: 30, rows: 8) { $0.isUnicode = false }
    for number in 1...9 { driver.found(try .sample("Web \(number)")) }
    #expect(driver.lines[1].trimmed == "Name   On")
    #expect(driver.rows == ["Web 1  eth0", "Web 2  eth0", "Web 3  eth0"])
    #expect(driver.lines[5].trimmed == "6 below")
    driver.press(.pageDown)
    #expect(driver.lines[5].trimmed.hasSuffix("above, 5 below"))
    driver.press(.end)
    #expect(driver.lines[5].trimmed == "6 above")
  }

  @Test func `in ASCII names differ that differ`() throws {
    var driver = Driver(["_http._tcp"]) { $0.isUnicode = false }
    driver.found(try .sample("Bücher"), try .sample("Bächer"), try .sample("李雷"), try .sample("👩"))
    let text = driver.lines.joined(separator: "\n")
    for name in [#"B\u00fccher"#, #"B\u00e4cher"#, #"\u674e\u96f7"#, #"\ud83d\udc69"#] { #expect(text.contains(name)) }
  }

  @Test func `columns share what is left, and the last ones give way`() {
    func widths(_ total: Int) -> [Int] {
      ColumnWidths([(.name, 20), (.type, 12), (.host, 30), (.txt, 50)], within: total).shown.map(\.width)
    }
    #expect(widths(200) == [20, 12, 30, 50])
    #expect(widths(80) == [20, 12, 25, 17])
    #expect(widths(65) == [20, 12, 17, 10])
    #expect(widths(61) == [16, 12, 17, 10])
    #expect(widths(60) == [20, 12, 24])
    #expect(widths(49) == [16, 12, 17])
    #expect(widths(48) == [20, 12])
    #expect(widths(23) == [20])
    #expect(widths(5) == [5])
    func sparse(_ total: Int) -> [Column] {
      ColumnWidths([(.name, 20), (.host, 30), (.interfaces, 5)], within: total, sparse: [.host]).shown.map(\.column)
    }
    #expect(sparse(46) == [.name, .host, .interfaces] && sparse(45) == [.name, .interfaces] && sparse(10) == [.name])
  }

  @Test(arguments: 40...99) func `a list with a directory tells at every width where services are`(columns: Int) throws {
    var driver = Driver(["_http._tcp"], columns: columns, rows: 12) { $0.region = "eu-west" }
    let places = [("Ada's pages", ["eth0"], "eth0"), ("Bea's pages", ["directory:eu-west"], "directory:eu-")]
    for (name, interfaces, _) in places {
      driver.found(
        try .sample(name, interfaces: interfaces, host: "a-rather-long-name.local", port: 8080, addresses: ["10.77.0.2"]))
    }
    let heading = try #require(driver.lines.first { $0.contains("Name") })
    let place = try #require(heading.firstRange(of: " On ") ?? heading.firstRange(of: " On"))
    let column = heading.distance(from: heading.startIndex, to: place.lowerBound) + 1
    for (name, _, text) in places {
      let row = try #require(driver.lines.first { $0.contains(name) })
      #expect(row.dropFirst(column).hasPrefix(text), "\(columns): \(row)")
    }
  }
}
