import Testing
import _BonjourishDiscovery
import _BonjourishTerminal

@testable import _BonjourishExplorer

/// What keys and the mouse want done.
struct ActionTests {
  private func one(columns: Int = 80, rows: Int = 24) throws -> Driver {
    var driver = Driver(["_http._tcp"], columns: columns, rows: rows)
    driver.found(
      try .sample("Ada's pages", host: "ada.local", port: 8080, addresses: ["10.77.0.2", "fe80::2%eth0"], txt: ["path": "/x"]))
    driver.effects = []
    return driver
  }

  @Test func `a service that returns is followed anew, whatever came first`() throws {
    var driver = Driver(["_http._tcp"])
    let (bare, there) = (try DiscoveredService.sample("Ada"), try DiscoveredService.sample("Ada", host: "h1.local"))
    driver.found(bare)
    driver.handle(.resolved(bare.instance, there.endpoint))
    driver.lost(bare)
    // The resolution ends before the browser tells that the service is back.
    driver.handle(.resolved(bare.instance, there.endpoint))
    let before = driver.effects.count
    driver.found(bare)
    #expect(Array(driver.effects[before...]) == [.follow(bare.instance)])
    driver.handle(.resolved(bare.instance, there.endpoint))
    #expect(driver.explorer.shown.first?.endpoint == there.endpoint)
  }

  @Test func `all that is published from here can be withdrawn`() throws {
    var driver = Driver(["_http._tcp"])
    for number in 1...10 {
      driver.press(.text("n"), .paste("Page\(number) http 80"), .enter)
      driver.handle(.publication(number, .published(try DiscoveredService.sample("Page\(number)").instance)))
    }
    driver.press(.text("d"))
    for _ in 0..<9 { driver.press(.down) }
    driver.press(.enter)
    #expect(driver.effects.last == .withdraw(10))
  }

  @Test func `the selected service is followed, and no other`() throws {
    var driver = Driver(["_http._tcp"])
    let services = try (0..<3).map { try DiscoveredService.sample("s\($0)") }
    for service in services { driver.found(service) }
    #expect(driver.effects == [.follow(services[0].instance)])
    driver.press(.down, .down)
    #expect(driver.effects.suffix(2) == [.follow(services[1].instance), .follow(services[2].instance)])
    driver.lost(services[2])
    driver.wait(5)
    #expect(driver.effects.last == .follow(services[1].instance))
    driver.handle(
      .resolved(services[1].instance, try DiscoveredService.sample("s1", host: "h.local", addresses: ["10.0.0.7"]).endpoint))
    #expect(driver.rows[1] == "s1    h.local:80     10.0.0.7   eth0")
    driver.handle(.resolved(services[0].instance, nil))
    #expect(driver.rows[0].hasPrefix("s0    does not answer"))
    #expect(driver.effects.allSatisfy { if case .follow = $0 { true } else { false } })
  }

  @Test func `addresses that this machine does not reach are told as such`() throws {
    var driver = Driver(["_http._tcp"]) { $0.resolves = true }
    var far = try DiscoveredService.sample("far")
    far.refusedAddresses = [.ipv4(0x0A00_0001), .ipv4(0x0A00_0002)]
    driver.found(far)
    #expect(driver.rows[0].hasPrefix("far   no way to its addresses"), "\(driver.rows)")
    #expect(driver.explorer.detailLines.contains { $0.label == "address" && $0.text == "10.0.0.1, 10.0.0.2" })
  }

  @Test func `of a service that is resolved because it is selected, the same is told`() throws {
    var driver = Driver(["_http._tcp"], columns: 110)
    let far = try DiscoveredService.sample("far")
    driver.found(far)
    let address = IPAddress.ipv4(0x0A00_0001)
    driver.handle(.resolved(far.instance, nil, refusing: [address]))
    #expect(driver.rows[0].hasPrefix("far   no way to its addresses"), "\(driver.rows)")
    #expect(driver.explorer.detailLines.contains { $0.label == "address" && $0.text == "10.0.0.1" })
    #expect(!driver.lines.contains { $0.contains("No host has answered") })
    driver.handle(.resolved(far.instance, nil))
    #expect(driver.rows[0].hasPrefix("far   does not answer"), "\(driver.rows)")
    // A browser that tells of an interface does not know.
    driver.handle(.resolved(far.instance, nil, refusing: [address]))
    driver.updated(try .sample("far", interfaces: ["eth0", "eth1"]))
    #expect(driver.rows[0].hasSuffix("far   no way to its addresses  eth0, eth1"), "\(driver.rows)")
    driver.handle(
      .resolved(far.instance, try DiscoveredService.sample("far", host: "h.local", addresses: ["10.77.0.9"]).endpoint))
    #expect(!driver.lines.contains { $0.contains("no way") })
  }

  @Test func `R resolves all services, a few at a time, each once`() throws {
    var driver = Driver(["_http._tcp"])
    for number in 0..<100 { driver.found(try .sample("s\(number)")) }
    driver.effects = []
    driver.type("R")
    #expect(driver.command == "bonjourish browse http --resolve")
    var asked: [ServiceInstance] = []
    while case let next = driver.effects.compactMap({ if case .resolve(let instance) = $0 { instance } else { nil } }),
      !next.isEmpty
    {
      #expect(next.count <= Explorer.mostResolving)
      driver.effects = []
      asked += next
      for instance in next {
        driver.handle(
          .resolved(instance, asked.count % 2 == 0 ? nil : try DiscoveredService.sample("x", host: "h.local").endpoint))
      }
    }
    #expect(asked.count == 100 && Set(asked).count == 100)
  }

  @Test func `a menu copies address and port, name, host, address, URL and command`() throws {
    for (key, text) in [
      ("y", "10.77.0.2:8080"), ("n", "Ada's pages"), ("h", "ada.local"), ("a", "10.77.0.2"), ("u", "http://10.77.0.2:8080/x"),
      ("c", "bonjourish resolve \"Ada's pages\" http"), ("l", "bonjourish browse http"),
    ] {
      var driver = try one()
      driver.type("y")
      #expect(driver.lines.contains { $0.contains(text) })
      driver.type(key)
      #expect(driver.effects == [.copy(text)])
      #expect(driver.lines.contains { $0.contains("copied \(text)") })
      driver.wait(6)
      #expect(!driver.lines.contains { $0.contains("copied") })
    }
    var driver = try one()
    driver.type("y")
    driver.press(.down, .enter)
    #expect(driver.effects == [.copy("Ada's pages")])
    driver.type("y")
    driver.press(.escape)
    #expect(driver.effects.count == 1)
  }

  @Test func `in the details the selected line is copied, and the command is that of the service`() throws {
    var driver = try one()
    driver.press(.enter)
    #expect(driver.command == "bonjourish resolve \"Ada's pages\" http")
    let place = try #require(driver.explorer.detailLines.firstIndex { $0.label == "TXT" })
    for _ in 0..<place { driver.press(.down) }
    driver.type("y")
    #expect(driver.effects == [.copy("path=\"/x\"")])
    driver.press(.escape)
    #expect(driver.command == "bonjourish browse http" && driver.rows.count == 1)
  }

  @Test func `o opens what can be opened, and says why not`() throws {
    var driver = try one()
    driver.type("o")
    guard case .open(let opening)? = driver.effects.last else { throw CancellationError() }
    #expect(opening.line == "xdg-open http://10.77.0.2:8080/x")
    driver = Driver(["_http._tcp"])
    driver.found(try .sample("a"))
    driver.effects = []
    driver.type("o")
    #expect(driver.effects.isEmpty && driver.lines.contains { $0.contains("its address is not known yet") })
  }

  @Test func `a service is published from a line, marked, and withdrawn`() throws {
    var driver = try one()
    driver.type("n\"Bob's shop\" http 81 path=/")
    #expect(driver.lines.last?.contains("publish \"Bob's shop\" http 81 path=/") == true)
    driver.press(.enter)
    #expect(driver.effects == [.publish(1, ["Bob's shop", "http", "81", "path=/"])])
    let own = try DiscoveredService.sample("Bob's shop #2", host: "me.local", port: 81, isOwn: true)
    driver.handle(.publication(1, .published(own.instance)))
    driver.found(own)
    #expect(driver.rows.contains { $0.contains("Bob's shop #2") && $0.contains("published here") })
    #expect(driver.lines.contains { $0.contains("publishing 1") })
    driver.press(.end)
    driver.type("d")
    #expect(driver.effects.last == .withdraw(1))
    driver.handle(.publication(1, .withdrawn))
    driver.type("d")
    #expect(driver.lines.contains { $0.contains("nothing is published from here") })
    // One that is not among the listed types is withdrawn from a menu.
    driver.type("nx ssh 22")
    driver.press(.enter)
    driver.type("d")
    #expect(driver.lines.contains { $0.contains("withdraw") && $0.contains("x ssh 22") })
    driver.type("1")
    #expect(driver.effects.last == .withdraw(2))
    driver.handle(.publication(2, .failed("it is \u{1B}refused")))
    #expect(driver.lines.contains { $0.contains(#"it is \u{1B}refused"#) })
    // A line that cannot be read is there again.
    driver.type("n'x http 80")
    driver.press(.enter)
    #expect(driver.lines.contains { $0.contains("a ' is missing") } && driver.lines.last?.contains("'x http 80") == true)
  }

  @Test func `the doctor's report has a pane, and the list goes on below it`() throws {
    var driver = try one(rows: 12)
    driver.type("D")
    #expect(driver.effects == [.examine(columns: 78)] && driver.lines.contains { $0.contains("Examining this machine") })
    driver.found(try .sample("late"))
    driver.handle(.examined((1...20).map { "finding \($0)" }))
    #expect(driver.lines.contains { $0.contains("finding 1") } && driver.lines.contains { $0.contains("Esc: back  y: copy") })
    driver.press(.end)
    #expect(driver.lines.contains { $0.contains("finding 20") })
    driver.type("y")
    #expect(driver.effects.last == .copy((1...20).map { "finding \($0)" }.joined(separator: "\n")))
    #expect(driver.command == "bonjourish doctor")
    driver.press(.escape)
    #expect(driver.rows.count == 2)
    driver.type("?")
    #expect(driver.lines.contains { $0.contains("open it: xdg-open http://10.77.0.2:8080/x") })
    #expect(driver.command == "these keys are in the manual page, bonjourish(1)")
    driver.type("q")
    #expect(driver.effects.count == 2)
    driver.type("q")
    #expect(driver.effects.last == .quit)
  }

  // MARK: - The mouse

  @Test func `a click selects, folds, and opens the details; the wheel moves the list`() throws {
    var driver = Driver(rows: 14)
    for number in 10..<60 { driver.found(try .sample("s\(number)")) }
    let list = driver.explorer.layout.list
    func click(_ row: Int) -> Key { .mouse(Mouse(.press, at: .init(row: row, column: 5))) }
    driver.press(click(list.row + 3))
    #expect(driver.explorer.selectedEntry?.service.instance.name == "s12")
    driver.press(.mouse(Mouse(.wheelDown, at: .init(row: list.row, column: 5))))
    #expect(driver.rows.first?.hasPrefix("s12") == true)
    #expect(driver.explorer.selectedEntry?.service.instance.name == "s12")
    driver.press(click(driver.explorer.layout.list.row), .mouse(Mouse(.release, at: .init(row: list.row, column: 5))))
    #expect(driver.command == "bonjourish resolve s12 http")
    driver.press(.escape, .home, click(list.row))
    #expect(driver.rows == ["▸ _http._tcp  Web server 50"])
    // A click on another group selects it, and nothing else.
    driver.found(try .sample("x", type: "_ssh._tcp"))
    driver.press(click(list.row + 1))
    #expect(driver.rows == ["▸ _http._tcp  Web server 50", "▾ _ssh._tcp  Remote login (SSH) 1", "x     eth0"])
    #expect(driver.explorer.selectedGroup?.key == "_ssh._tcp")
    driver.lost(try .sample("x", type: "_ssh._tcp"))
    driver.wait(5)
    // Elsewhere nothing is hit.
    driver.press(click(0), click(13), click(500), .mouse(Mouse(.press, button: 2, at: .init(row: list.row, column: 1))))
    #expect(driver.rows.count == 1)
    driver.type("m")
    #expect(driver.effects.last == .reportMouse(false))
    driver.press(click(list.row))
    #expect(driver.rows.count == 1)
    driver.type("m")
    #expect(driver.effects.last == .reportMouse(true))
  }

  @Test func `a click on any visible row selects it, and no row moves`() throws {
    for (columns, rows) in [(80, 24), (40, 12), (200, 50)] {
      var driver = Driver(columns: columns, rows: rows)
      for number in 100..<160 { driver.found(try .sample("s\(number)", type: number % 7 == 0 ? "_ssh._tcp" : "_http._tcp")) }
      for turn in 0..<6 {
        let list = driver.explorer.layout.list
        driver.press(.mouse(Mouse(turn % 3 == 2 ? .wheelUp : .wheelDown, at: .init(row: list.row, column: 5))))
        let before = driver.rows
        for row in 0..<before.count {
          // Not the one that is selected: that would open its details.
          guard driver.explorer.cursorIndex != driver.explorer.scroll + row else { continue }
          driver.press(.mouse(Mouse(.press, at: .init(row: list.row + row, column: 5))))
          #expect(driver.rows == before)
          #expect(driver.explorer.cursorIndex == driver.explorer.scroll + row)
        }
      }
    }
  }

  @Test func `a group stays in sight above its first service`() throws {
    var driver = Driver(rows: 10)
    for number in 10..<30 { driver.found(try .sample("s\(number)")) }
    for _ in 0..<20 { driver.press(.down) }
    for _ in 0..<19 { driver.press(.up) }
    #expect(driver.rows.first == "▾ _http._tcp  Web server 20")
    #expect(driver.explorer.selectedEntry?.service.instance.name == "s10")
  }

  @Test func `a line of the details beside the list is selected by a click`() throws {
    var driver = try one(columns: 120)
    let area = driver.explorer.layout.details
    let line = try #require(driver.explorer.detailLines.firstIndex { $0.label == "address" })
    driver.press(.mouse(Mouse(.press, at: .init(row: area.row + line, column: area.column + 3))))
    driver.type("y")
    #expect(driver.effects == [.copy("10.77.0.2")])
  }
}
