import Testing
import _BonjourishDiscovery
import _BonjourishTerminal

@testable import _BonjourishExplorer

/// What has happened to a service.
struct HistoryTests {
  @Test func `coming, going and coming back from another host are told with the time of day`() throws {
    var driver = Driver(["_http._tcp"], columns: 160)
    driver.now = .seconds(190)
    driver.found(try .sample("a", host: "one.local", addresses: ["10.0.0.1"]))
    driver.now = .seconds(461)
    driver.lost(try .sample("a"))
    driver.now = .seconds(540)
    driver.found(try .sample("a"))
    driver.handle(
      .resolved(try DiscoveredService.sample("a").instance, try DiscoveredService.sample("a", host: "two.local").endpoint))
    driver.now = .seconds(600)
    driver.updated(try .sample("a", host: "two.local", port: 81, txt: ["x": "y"]))
    let text = driver.lines.joined(separator: "\n")
    for line in [
      "came 12:03:10", "went 12:07:41", "came back from another host, two.local 12:09:00", "port changed 12:10:00",
      "TXT record changed 12:10:00",
    ] { #expect(text.contains(line), "\(text)") }
    driver.handle(
      .resolved(try DiscoveredService.sample("a").instance, try DiscoveredService.sample("a", host: "x.local").endpoint))
    #expect(driver.lines.contains { $0.contains("now of another host, x.local 12:10:00") })
  }

  @Test func `a service that goes three times in five minutes comes and goes, until it has been quiet for five`() throws {
    var driver = Driver(["_http._tcp"])
    driver.handle(.settled)
    for _ in 0..<3 {
      driver.found(try .sample("a"))
      driver.wait(20)
      driver.lost(try .sample("a"))
      driver.wait(10)
    }
    driver.found(try .sample("a"))
    driver.wait(6)
    #expect(driver.rows == ["!  a     comes and goes  eth0"])
    driver.wait(279)
    #expect(driver.rows == ["!  a     comes and goes  eth0"])
    driver.wait(10)
    #expect(driver.rows.first?.hasPrefix("a") == true && driver.rows.first?.contains("comes") == false)
    // Three times in an hour is nothing.
    for _ in 0..<3 {
      driver.lost(try .sample("a"))
      driver.wait(1_200)
      driver.found(try .sample("a"))
      driver.wait(6)
    }
    #expect(driver.rows.first?.contains("comes") == false)
  }

  @Test func `of each service some events are kept, and of those that are gone some services`() throws {
    var history = History()
    let service = try DiscoveredService.sample("a")
    for number in 0..<50 {
      history.came(service, at: .seconds(2 * number))
      history.went(at: .seconds(2 * number + 1))
    }
    #expect(history.events.count == History.mostEvents && history.droppedCount == 100 - History.mostEvents)
    var book = HistoryBook()
    for number in 0..<10_000 {
      let service = try DiscoveredService.sample("s\(number)")
      book.came(service, at: .zero)
      if number >= 10 { book.went(service.instance, at: .zero) }
    }
    #expect(book.count <= 2 * HistoryBook.mostGone + 10)
    #expect(book[try DiscoveredService.sample("s3").instance].events.count == 1)
    #expect(book[try DiscoveredService.sample("s9999").instance].events.count == 2)
    #expect(book[try DiscoveredService.sample("s20").instance].events.isEmpty)
  }
}
