import Bonjourish
import Synchronization
import Testing

@testable import _BonjourishConsole
@testable import bonjourish_cli

/// `browse --columns`.
struct ServiceColumnTests {
  private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func add(_ line: String) { lines.withLock { $0.append(line) } }
  }

  private static let txt: TXTRecord = ["path": "/a b", "secure": .flag, "bin": .bytes([0x1B, 0xFF])]

  private func ada() throws -> DiscoveredService {
    try .sample(
      "Ada's \"pages\"", interfaces: ["eth0", "wlan0"], host: "ada.local", port: 8080, addresses: ["10.0.0.1", "fe80::1%eth0"],
      txt: Self.txt)
  }

  private func columns(_ text: String) throws -> [ServiceColumn] { try ServiceColumn.list(text) }

  @Test(arguments: [
    ("name", #""Ada's \"pages\"""#), ("type", "_http._tcp"), ("domain", "local"), ("title", #""Web server""#), ("remarks", "-"),
    ("interface", "eth0,wlan0"), ("region", "-"), ("host", "ada.local"), ("port", "8080"),
    ("address", "10.0.0.1,fe80::1%eth0"), ("txt.path", #""/a b""#), ("txt.PATH", #""/a b""#), ("txt.secure", "secure"),
    ("txt.bin", #""\u{1B}\xFF""#), ("txt.other", "-"), ("port,txt.path,name", #"8080 "/a b" "Ada's \"pages\"""#),
    ("host,txt", #"ada.local path="/a b" secure bin="\u{1B}\xFF""#),
  ])
  func `a line has a word for each column`(names: String, line: String) throws {
    #expect(ServiceColumn.line(try columns(names), of: try ada()) == line)
  }

  @Test func `what a service does not have is a hyphen in a line, and nothing in a table`() throws {
    let bare = try DiscoveredService.sample("Bo", type: "_odd._tcp", interfaces: [])
    let all = try columns("title,interface,host,port,address,txt.path,txt")
    #expect(ServiceColumn.line(all, of: bare) == "- - - - - - -")
    #expect(ServiceColumn.table(all, of: [bare]).lines[1] == "")
    #expect(ServiceColumn.line(try columns("remarks"), of: bare) == #""does not answer""#)
  }

  @Test func `a table has columns as wide as their widest cell, numbers at the right, and nothing that controls the terminal`()
    throws
  {
    let bell = try DiscoveredService.sample("Ü\u{202E}", host: "b.local", port: 80, txt: ["path": "\u{202E}x"])
    let table = ServiceColumn.table(try columns("name,port,txt.path"), of: [try ada(), bell])
    #expect(
      table.lines == [
        "Name           Port  path",
        #"Ada's "pages"  8080  /a b"#,
        #"Ü\u{202E}        80  \u{202E}x"#,
      ])
    let ascii = TextTable(
      [.init(heading: "Name", cells: ["Ü", "日本"]), .init(heading: "N", cells: ["1", "2"])], isUnicode: false)
    #expect(ascii.lines == ["Name          N", #"\u00dc        1"#, #"\u65e5\u672c  2"#])
    let wide = TextTable([.init(heading: "", cells: ["日本", "a"]), .init(heading: "N", cells: ["1", "2"])], isUnicode: true)
    #expect(wide.lines == ["      N", "日本  1", "a     2"])
  }

  @Test func `only what resolving finds needs it`() throws {
    #expect(try columns("name,type,domain,title,interface,region").allSatisfy { !$0.needsEndpoint })
    #expect(try columns("host,port,address,remarks,txt.x,txt").allSatisfy(\.needsEndpoint))
  }

  @Test(arguments: ["nmae", "", "name,", "txt.", "Name", "name,host,", "addresses"])
  func `a column that there is not is refused with the names of all`(text: String) {
    let error = #expect(throws: UsageError.self) { try ServiceColumn.list(text) }
    #expect(error?.message.contains("the columns are \(ServiceColumn.names)") == true, "\(String(describing: error))")
  }

  @Test func `a change that no column shows is not written, and a lost service has its columns`() async throws {
    let lines = Lines()
    let output = BrowseReport.Output(
      json: false, showsEndpoint: true, showsHints: false, order: nil, count: nil, columns: try columns("name,port"),
      write: { lines.add($0) }, warn: { _ in })
    let report = BrowseReport(output, BrowseSelection(), types: ["_http._tcp"], stopsWhenSettled: false)
    let first = try DiscoveredService.sample("Ada", host: "a.local", port: 80)
    let other = try DiscoveredService.sample("Ada", host: "a.local", port: 80, txt: ["x": "1"])
    let moved = try DiscoveredService.sample("Ada", host: "a.local", port: 81)
    for change in [BrowseChange.found(first), .updated(other), .updated(moved), .lost(moved)] {
      _ = await report.show(change, of: "_http._tcp")
    }
    #expect(lines.all == [#"+ "Ada" 80"#, #"~ "Ada" 81"#, #"- "Ada" 81"#])
  }
}
