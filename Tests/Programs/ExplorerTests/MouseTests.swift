import Testing
import _BonjourishDiscovery
import _BonjourishTerminal

@testable import _BonjourishExplorer

/// What the mouse moves, and where it does nothing.
struct MouseTests {
  @Test func `the wheel moves what it is over, and stops at its ends`() throws {
    var driver = try Driver.many(columns: 120)
    let (list, details) = (driver.explorer.layout.list, driver.explorer.layout.details)
    func turn(_ action: Mouse.Action, _ area: Layout.Area) {
      driver.press(.mouse(Mouse(action, at: .init(row: area.row, column: area.column + 1))))
    }
    turn(.wheelDown, details)
    #expect(driver.explorer.detailCursor == 3 && driver.explorer.scroll == 0)
    for _ in 0..<20 { turn(.wheelDown, details) }
    #expect(driver.explorer.detailCursor == driver.explorer.detailLines.count - 1)
    for _ in 0..<20 { turn(.wheelUp, details) }
    #expect(driver.explorer.detailCursor == 0)
    turn(.wheelDown, list)
    #expect(driver.explorer.scroll == 3 && driver.explorer.cursorIndex == 0)
    turn(.wheelUp, list)
    turn(.wheelUp, list)
    #expect(driver.explorer.scroll == 0)
    for _ in 0..<20 { turn(.wheelDown, list) }
    #expect(driver.explorer.scroll == 30 - driver.explorer.layout.list.rows)
  }

  @Test func `in the help the wheel scrolls, and a click leads back`() throws {
    var driver = try Driver.many(columns: 40)
    driver.type("?")
    let first = driver.lines
    func press(_ action: Mouse.Action) { driver.press(.mouse(Mouse(action, at: .init(row: 3, column: 3)))) }
    press(.wheelUp)
    press(.release)
    #expect(driver.lines == first)
    press(.wheelDown)
    let scrolled = driver.lines
    driver.press(.home, .down, .down, .down)
    #expect(driver.lines == scrolled && scrolled != first)
    driver.press(.up)
    driver.type("kk")
    #expect(driver.lines == first)
    driver.type("jjj")
    #expect(driver.lines == scrolled)
    press(.wheelUp)
    #expect(driver.lines == first)
    driver.press(.pageDown)
    let second = driver.lines
    driver.press(.pageUp)
    #expect(driver.lines == first && second != first)
    driver.type(" ")
    #expect(driver.lines == second)
    driver.type("g")
    #expect(driver.lines == first)
    driver.type("G")
    #expect(driver.lines != first)
    press(.press)
    #expect(driver.rows.first?.hasPrefix("s10") == true)
  }

  @Test func `while something is asked the mouse does nothing`() throws {
    var driver = try Driver.many()
    let row = driver.explorer.layout.list.row + 2
    for key in ["n", "y"] {
      driver.type(key)
      driver.press(.mouse(Mouse(.press, at: .init(row: row, column: 5))))
      #expect(driver.explorer.isAsking && driver.explorer.cursorIndex == 0)
      driver.press(.escape)
    }
  }

  @Test func `a click below the details selects none of their lines`() throws {
    var driver = Driver(["_http._tcp"], columns: 120, rows: 30)
    driver.found(try .sample("a"))
    let details = driver.explorer.layout.details
    #expect(details.rows > driver.explorer.layout.detailLines.count)
    for (row, isHit) in [
      (details.row - 1, false), (details.row + driver.explorer.layout.detailLines.count, false), (details.row + 1, true),
    ] {
      driver.press(.mouse(Mouse(.press, at: .init(row: row, column: details.column))))
      #expect((driver.explorer.focus == .details) == isHit, "\(row)")
    }
    #expect(driver.explorer.detailCursor == 1)
    // The list ends where the line between them is.
    driver.press(.escape, .mouse(Mouse(.press, at: .init(row: details.row + 1, column: details.column - 2))))
    #expect(driver.explorer.focus == .list)
  }
}
