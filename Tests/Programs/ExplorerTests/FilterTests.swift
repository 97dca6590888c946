import Testing
import _BonjourishDiscovery
import _BonjourishTerminal

@testable import _BonjourishExplorer

/// `/`, and freezing.
struct FilterTests {
  private func home() throws -> Driver {
    var driver = Driver()
    driver.found(
      try .sample(
        "Office", type: "_ipp._tcp", host: "printer.local", port: 631, addresses: ["10.77.0.3"], txt: ["rp": "ipp/print"]),
      try .sample("Ada's pages", host: "ada.local", port: 8080, addresses: ["10.77.0.2"], txt: ["path": "/"]),
      try .sample("Bücher"))
    driver.handle(.settled)
    return driver
  }

  @Test(arguments: [
    ("off", ["Office"]), ("OFF", ["Office"]), ("ipp", ["Office"]), ("ada.l", ["Ada's pages"]), ("77.0.3", ["Office"]),
    ("rp=", ["Office"]), ("path=/", ["Ada's pages"]), ("bÜch", ["Bücher"]), ("eth0", ["Ada's pages", "Bücher", "Office"]),
    ("host=ada", ["Ada's pages"]), ("name=*s", ["Ada's pages"]), ("name=o?fice", ["Office"]), ("port=80", ["Ada's pages"]),
    ("txt:rp=print", ["Office"]), ("o*e", ["Office"]), ("nothing", []), ("a\nb", []),
    ("name=", ["Ada's pages", "Bücher", "Office"]),
    ("8080", ["Ada's pages"]), ("pages ada", ["Ada's pages"]), ("ada office", []), (" http  host=ada ", ["Ada's pages"]),
    ("ada's?pages", ["Ada's pages"]), ("name=a* pages", ["Ada's pages"]), ("port=631 http", []),
  ])
  func `a filter is about name, type, host, address and TXT record`(text: String, expected: [String]) throws {
    var driver = try home()
    driver.type("/")
    if text.contains("\n") { driver.press(.paste(text)) } else { driver.type(text) }
    #expect(driver.names == expected)
    // It says the same as the condition of --filter.
    let filter = try #require(ListFilter(text.replacing("\n", with: " ")))
    let all = try home().explorer.shown.filter { service in filter.conditions.allSatisfy { $0.matches(service) } }
      .map(\.instance.name.text)
    #expect(all == expected)
  }

  @Test(arguments: ["/host=ada\n", "/ada\n", "s", "2"])
  func `what only resolving finds is looked up for all services, once it is asked for`(keys: String) throws {
    var driver = Driver()
    driver.found(try .sample("Ada's pages"), try .sample("Bob's pages"))
    driver.handle(.settled)
    driver.effects = []
    let isFilter = keys.hasPrefix("/")
    for key in keys {
      if key == "\n" {
        // Not for each letter.
        #expect(!driver.effects.contains { if case .resolve = $0 { true } else { false } })
        driver.press(.enter)
      } else {
        driver.type(String(key))
      }
    }
    if keys == "s" { while !driver.explorer.tree.order.needsEndpoint { driver.type("s") } }
    let resolved = driver.effects.compactMap { if case .resolve(let instance) = $0 { instance.name.text } else { nil } }
    #expect(Set(resolved) == ["Ada's pages", "Bob's pages"])
    #expect(driver.command.contains(isFilter ? "--filter" : keys == "s" ? "--sort" : "--resolve"))
    let command = driver.command
    driver.type("R")
    #expect(driver.command.contains("--resolve"))
    driver.type("R")
    #expect(driver.command == command)
    if isFilter {
      driver.press(.escape)
      #expect(driver.command == "bonjourish browse --all")
    }
  }

  @Test func `each key filters, Enter keeps it and Escape shows all`() throws {
    var driver = try home()
    driver.type("/of")
    #expect(driver.names == ["Office"])
    #expect(driver.explorer.draw(driver.size, driver.appearance, at: .zero).cursor == .init(row: 23, column: 4))
    driver.press(.backspace)
    #expect(driver.names == ["Ada's pages", "Office"])
    driver.press(.backspace)
    #expect(driver.names.count == 3)
    driver.type("ffq")
    #expect(driver.names == [] && driver.lines.contains { $0.contains("Nothing here matches; Esc shows all.") })
    driver.press(.backspace, .enter)
    #expect(driver.names == ["Office"] && driver.explorer.selectedEntry?.service.instance.name == "Office")
    #expect(driver.lines[0].contains("/ff") && driver.lines[0].hasSuffix("1 of 3 services"))
    #expect(driver.command == "bonjourish browse --all --filter 'any=*ff*'")
    // What matches later is listed, and what no longer does is not.
    driver.found(try .sample("Coffee"))
    driver.updated(try .sample("Bücher", host: "staff.local"))
    #expect(driver.names == ["Bücher", "Coffee", "Office"])
    driver.updated(try .sample("Bücher", host: "b.local"))
    #expect(driver.names == ["Coffee", "Office"])
    driver.press(.escape)
    #expect(driver.names.count == 4 && driver.command == "bonjourish browse --all")
    driver.type("/zzz")
    driver.press(.escape)
    #expect(driver.names.count == 4)
  }

  @Test func `each word of a filter is a condition of the command`() throws {
    var driver = try home()
    driver.type("/pages host=ada")
    driver.press(.enter)
    #expect(driver.command == "bonjourish browse --all --filter 'any=*pages*' --filter 'host=*ada*'")
    #expect(driver.lines[0].contains("/pages host=ada"))
  }

  @Test func `Ctrl-C leaves a line or a choice, and has no further effect`() throws {
    var driver = try home()
    driver.type("/off")
    driver.press(.enter)
    #expect(!driver.explorer.isAsking)
    driver.type("/zzz")
    #expect(driver.explorer.isAsking && driver.names == [])
    driver.press(.control("c"))
    #expect(!driver.explorer.isAsking && driver.names == ["Office"])
    for key in ["n", "y"] {
      driver.type(key)
      #expect(driver.explorer.isAsking)
      driver.press(.control("c"))
      #expect(!driver.explorer.isAsking)
    }
    #expect(driver.names == ["Office"] && !driver.effects.contains(.quit))
  }

  @Test func `while the list is frozen, its history goes on, and what only came and went is forgotten`() throws {
    var driver = Driver(["_http._tcp"]) { $0.resolves = true }
    driver.found(try .sample("Ada", host: "h1.local", port: 80))
    driver.press(.text("p"))
    driver.updated(try .sample("Ada", host: "h1.local", port: 81))
    driver.updated(try .sample("Ada", host: "h1.local", port: 81, txt: ["a": "1"]))
    for number in 0..<100 {
      let passing = try DiscoveredService.sample("Passing \(number)")
      driver.found(passing)
      driver.lost(passing)
    }
    #expect(driver.explorer.frozen?.changes.count == 1)
    let history = driver.explorer.history[try DiscoveredService.sample("Ada").instance].events.map { "\($0)" }
    #expect(history.filter { $0.contains("port") }.count == 1, "\(history)")
  }

  @Test func `the list stands still while it is frozen, and its changes are counted`() throws {
    var driver = Driver(["_http._tcp"])
    driver.found(try .sample("a"), try .sample("b"))
    driver.handle(.changed(.settled, of: "_http._tcp"))
    driver.type("p")
    let before = driver.rows
    driver.found(try .sample("c"))
    driver.lost(try .sample("a"))
    driver.updated(try .sample("b", interfaces: ["wlan0"]))
    driver.found(try .sample("brief"))
    driver.lost(try .sample("brief"))
    driver.wait(20)
    #expect(driver.rows == before)
    #expect(driver.lines[0].contains("frozen, 5 changes"))
    driver.type("p")
    #expect(driver.rows == ["-  a     eth0", "~  b     wlan0", "+  c     eth0"])
    driver.wait(5)
    #expect(driver.rows == ["b     wlan0", "c     eth0"])
    #expect(!driver.lines[0].contains("frozen"))
  }
}
