import Testing
import _BonjourishDiscovery
import _BonjourishTerminal

@testable import _BonjourishExplorer

/// The last line: the command of what is seen.
struct CommandTests {
  @Test func `the doctor's report has the command that makes it`() throws {
    var driver = Driver { ($0.network, $0.examination) = (["--interface", "eth0", "--family", "4"], ["--interface", "eth0"]) }
    driver.type("D")
    #expect(driver.command == "bonjourish doctor --interface eth0")
    driver.press(.escape)
    #expect(driver.command == "bonjourish browse --all --interface eth0 --family 4")
  }

  @Test func `marked services have the command that lists one, and of several none`() throws {
    var driver = Driver()
    driver.found(try .sample("Ada's pages"), try .sample("Bob* 1"), try .sample("x", type: "_ssh._tcp"))
    driver.press(.down)
    driver.type(" ")
    driver.type("*")
    #expect(driver.command == "bonjourish browse http --filter \"name=Ada's pages\"")
    driver.type("*")
    #expect(driver.command == "bonjourish browse --all")
    driver.press(.home, .down)
    driver.type("  *")
    #expect(driver.names == ["Bob* 1"] && driver.command == "bonjourish browse http --filter 'name=Bob? 1'")
    driver.type("*")
    driver.press(.end)
    driver.type(" *")
    #expect(driver.names.count == 2)
    #expect(driver.lines.last?.trimmed == "# no single command lists what is marked; y copies that of each service")
    // The menu has none either.
    driver.type("y")
    #expect(driver.lines.contains { $0.contains("bonjourish resolve") } && !driver.lines.contains { $0.contains("browse") })
  }

  @Test func `of one type that is sought the command keeps the type`() throws {
    var driver = Driver(["_printer._sub._http._tcp"])
    driver.found(try .sample("a"))
    driver.type(" *")
    #expect(driver.command == "bonjourish browse _printer._sub._http._tcp --filter name=a")
  }

  @Test func `in ASCII the command is one that a shell reads`() throws {
    var driver = Driver(["_http._tcp"]) { $0.isUnicode = false }
    driver.found(try .sample("Bücher"))
    driver.type("/ü")
    driver.press(.enter)
    #expect(driver.command == #"bonjourish browse http --filter $'any=*\303\274*'"#)
    #expect(try ShellWords.words(of: driver.command).last == "any=*ü*")
    driver.press(.enter)
    #expect(driver.command == #"bonjourish resolve $'B\303\274cher' http"#)
  }

  @Test func `a command that is too long for a line has several, if there is space`() throws {
    var driver = Driver(columns: 70) { $0.network = ["--directory", "tls://directory.example.org", "--region", "eu-west"] }
    driver.found(try .sample("a"))
    #expect(
      driver.lines.suffix(3).map(\.trimmed).dropFirst() == [
        #"$ bonjourish browse --all --directory tls://directory.example.org \"#, "--region eu-west",
      ])
    #expect(driver.lines[21].contains("?: help"))
    driver.size = TerminalSize(columns: 70, rows: 12)
    #expect(driver.lines.last?.hasSuffix("…") == true && driver.lines[10].contains("?: help"))
  }
}
