import Testing
import _BonjourishDiscovery
import _BonjourishTerminal

@testable import _BonjourishExplorer

/// Keys: where they lead, and where they stop.
struct KeyTests {
  private func selected(_ driver: Driver) -> String? { driver.explorer.selectedEntry?.service.instance.name.text }

  @Test(arguments: [
    ("j", "s11"), ("jjk", "s11"), ("k", "s10"), ("G", "s39"), ("Gg", "s10"), ("Gj", "s39"),
  ]) func `letters move as arrows do`(keys: String, name: String) throws {
    var driver = try Driver.many()
    driver.type(keys)
    #expect(selected(driver) == name)
  }

  @Test func `a page is what is in sight`() throws {
    var driver = try Driver.many()
    let page = driver.explorer.layout.page
    #expect(page == driver.rows.count)
    driver.press(.pageDown)
    #expect(selected(driver) == "s\(10 + page)")
    driver.press(.pageDown, .pageUp)
    #expect(selected(driver) == "s\(10 + page)")
    driver.press(.pageUp, .pageUp)
    #expect(selected(driver) == "s10")
    driver.press(.end, .home)
    #expect(selected(driver) == "s10")
  }

  @Test func `while a filter is written the list moves, and letters are letters`() throws {
    var driver = try Driver.many()
    driver.type("/s")
    driver.press(.down, .down)
    #expect(selected(driver) == "s12")
    driver.press(.up)
    #expect(selected(driver) == "s11")
    driver.press(.pageDown)
    let page = driver.explorer.layout.page
    #expect(selected(driver) == "s\(11 + page)")
    driver.press(.pageUp)
    #expect(selected(driver) == "s11")
    driver.press(.control("l"))
    #expect(driver.effects.last == .repaint)
    driver.type("3")
    #expect(driver.names.count == 10)
    driver.press(.control("g"))
    #expect(driver.names.count == 30 && !driver.explorer.isAsking)
    // In a line to publish, arrows are those of its history.
    driver.press(.home)
    driver.type("nx")
    driver.press(.down, .pageDown)
    #expect(selected(driver) == "s10")
    driver.press(.control("u"), .control("d"))
    #expect(!driver.explorer.isAsking)
  }

  @Test func `a menu is left by any other key, and its ends are ends`() throws {
    var driver = try Driver.many()
    driver.type("y")
    driver.press(.up)
    driver.type("k")
    driver.press(.enter)
    #expect(driver.effects == [.copy("10.0.0.1:80")])
    driver.type("yjjjjjjjjj")
    driver.press(.enter)
    #expect(driver.effects.last == .copy("bonjourish browse http"))
    driver.type("yz")
    #expect(!driver.explorer.isAsking && driver.effects.count == 2)
    driver.type("y")
    driver.press(.left)
    #expect(!driver.explorer.isAsking && driver.effects.count == 2)
  }

  @Test func `what cannot be done is said`() throws {
    var driver = Driver()
    func told(_ text: String) -> Bool { driver.lines.contains { $0.hasPrefix(" \(text)") } }
    driver.found(try .sample("a"))
    driver.effects = []
    driver.type("o")
    #expect(told("select a service to open it"))
    driver.type("d")
    #expect(told("nothing is published from here; n publishes a service"))
    driver.press(.down, .enter)
    let empty = try #require(driver.explorer.detailLines.firstIndex { $0.value == nil })
    for _ in 0..<empty { driver.press(.down) }
    driver.type("y")
    #expect(told("nothing to copy on this line"))
    driver.press(.escape)
    driver.type("Dy")
    #expect(told("there is no report yet"))
    #expect(driver.effects.filter { if case .follow = $0 { false } else { true } } == [.examine(columns: 78)])
  }

  @Test func `one examination is made at a time, in lines that fit`() throws {
    for (columns, expected) in [(20, 20), (60, 58), (200, 80)] {
      var driver = Driver(columns: columns)
      driver.type("?")
      driver.press(.escape)
      driver.type("D")
      driver.press(.escape)
      driver.type("!")
      #expect(driver.effects == [.examine(columns: expected)])
      driver.handle(.examined(["well"]))
      driver.type("y")
      #expect(driver.effects.last == .copy("well"))
      driver.press(.escape)
      driver.type("D")
      #expect(driver.effects.last == .examine(columns: expected))
    }
  }

  @Test func `a line of a report that does not fit is broken, and none of it is lost`() throws {
    var driver = Driver(columns: 30, rows: 12)
    let most = String(repeating: "x", count: 28)
    driver.type("D")
    driver.handle(.examined([most, most + "y", ""]))
    #expect(driver.lines[2...5].map(\.trimmed) == [most, most, "y", ""])
  }

  @Test(arguments: [.text("q"), .text("Q"), .control("d")] as [Key]) func `the explorer is left`(key: Key) throws {
    var driver = try Driver.many()
    driver.press(.control("l"), key)
    #expect(driver.effects == [.repaint, .quit])
  }

  @Test func `what R has asked for is told`() throws {
    var driver = try Driver.many()
    func note() -> String? { driver.explorer.note?.text }
    driver.type("R")
    #expect(note() == "resolving all services")
    driver.type("R")
    #expect(note() == "only the selected service is resolved")
    driver.type("sRR")
    #expect(note() == "only the selected service is resolved")
    driver.type("sRR")
    #expect(note() == "what is listed needs all services resolved")
    driver = Driver(["_http._tcp"]) { $0.resolves = true }
    driver.type("R")
    #expect(driver.explorer.note?.text == "all services are resolved already")
    #expect(driver.command == "bonjourish browse http --resolve")
  }

  @Test func `a note is shown for six seconds`() throws {
    var driver = try Driver.many()
    driver.handle(.note("done"))
    driver.now += .milliseconds(5_999)
    driver.handle(.tick)
    #expect(driver.lines.contains { $0.contains("done") })
    driver.now += .milliseconds(1)
    driver.handle(.tick)
    #expect(!driver.lines.contains { $0.contains("done") })
  }

  @Test func `of many messages the last eight are kept`() throws {
    var driver = try Driver.many()
    for number in 1...9 { driver.handle(.message("message \(number)")) }
    #expect(driver.explorer.messages == (2...9).map { "message \($0)" })
  }

  // MARK: - The details

  @Test func `in the details keys go from line to line, and back to the list`() throws {
    var driver = Driver(["_http._tcp"], columns: 120, rows: 12)
    let txt = TXTRecord(dictionaryLiteral: ("a", "1"), ("b", "2"), ("c", "3"), ("d", "4"), ("e", "5"))
    driver.found(try .sample("Ada", host: "h.local", addresses: ["10.0.0.1"], txt: txt))
    driver.handle(.settled)
    let last = driver.explorer.detailLines.count - 1
    func line() -> Int { driver.explorer.detailCursor }
    driver.press(.tab)
    #expect(driver.explorer.focus == .details && line() == 0)
    driver.type("jj k")
    #expect(line() == 2)
    let page = driver.explorer.layout.details.rows - 1
    driver.press(.pageDown)
    #expect(line() == min(last, 2 + page))
    driver.type("g")
    driver.press(.up)
    #expect(line() == 0)
    driver.type("G")
    driver.press(.down)
    #expect(line() == last)
    driver.press(.pageUp)
    #expect(line() == max(0, last - page))
    driver.press(.home)
    #expect(line() == 0)
    driver.press(.end)
    #expect(line() == last)
    for key in [.left, .enter, .text("h"), .tab, .backtab, .escape] as [Key] {
      driver.press(key)
      #expect(driver.explorer.focus == .list, "\(key)")
      driver.press(.right)
      #expect(driver.explorer.focus == .details && line() == 0, "\(key)")
    }
    driver.press(.escape)
    driver.type("l")
    #expect(driver.explorer.focus == .details)
  }

  // MARK: - Publishing

  @Test func `how a publication gets on is told, and what was refused can be mended`() throws {
    var driver = try Driver.many()
    func note() -> String? { driver.explorer.note?.text }
    driver.type("nAda http 80")
    driver.press(.enter)
    #expect(note() == "publishing Ada …" && driver.effects == [.publish(1, ["Ada", "http", "80"])])
    driver.handle(.publication(1, .published(try DiscoveredService.sample("Ada").instance)))
    #expect(note() == "published Ada as _http._tcp")
    driver.handle(.publication(1, .published(try DiscoveredService.sample("Ada").instance)))
    #expect(note() == "published Ada as _http._tcp")
    driver.handle(.publication(1, .published(try DiscoveredService.sample("Ada #2").instance)))
    #expect(note() == "Ada is now named Ada #2")
    driver.handle(.publication(1, .withdrawn))
    #expect(note() == "withdrew Ada #2" && driver.explorer.publications.isEmpty)
    // Nothing is known of it any more.
    driver.handle(.publication(1, .failed("late")))
    #expect(note() == "withdrew Ada #2")
    driver.type("nBob ht_tp 80")
    driver.press(.enter)
    driver.handle(.publication(2, .failed("no such type")))
    #expect(note() == "no such type" && driver.explorer.isAsking && driver.lines.last == " publish Bob ht_tp 80")
    driver.press(.escape)
    // One that was published needs no mending.
    driver.type("nCy http 80")
    driver.press(.enter)
    #expect(driver.effects.last == .publish(3, ["Cy", "http", "80"]))
    driver.handle(.publication(3, .published(try DiscoveredService.sample("Cy").instance)))
    driver.handle(.publication(3, .failed("gone")))
    #expect(note() == "gone" && !driver.explorer.isAsking)
    // An empty line publishes nothing.
    driver.type("n ")
    driver.press(.enter)
    #expect(driver.effects.last == .publish(3, ["Cy", "http", "80"]) && !driver.explorer.isAsking)
  }
}
