import Bonjourish
import Foundation
import Testing
import _BonjourishTerminal

@testable import bonjourish_cli

/// The table of `browse` on a terminal.
struct TableTests {
  private static let (http, ipp): (ServiceType, ServiceType) = ("_http._tcp", "_ipp._tcp")
  private static let eth0 = NetworkInterface(index: 1, name: "eth0")

  private func lines(
    _ table: BrowseTable, at now: Duration = .seconds(6), columns: Int = 80, rows: Int = 24, isUnicode: Bool = true
  ) -> [String] {
    var table = table
    table.advance(to: now)
    return table.draw(TerminalSize(columns: columns, rows: rows), Appearance(isUnicode: isUnicode), at: now).lines
  }

  private func picture(
    _ table: BrowseTable, at now: Duration = .seconds(6), columns: Int, rows: Int, isUnicode: Bool = true
  ) -> String {
    lines(table, at: now, columns: columns, rows: rows, isUnicode: isUnicode).joined(separator: "\n")
  }

  /// Everything of a small network, resolved.
  private func everything(resolves: Bool = true) throws -> BrowseTable {
    var table = BrowseTable(sought: nil, resolves: resolves)
    table.backend = "avahi"
    table.reach = Reach([.init(Link(Self.eth0, .ipv4), .works), .init(Link(Self.eth0, .ipv6), .unproven)])
    let services: [(name: String, type: String, host: String, port: UInt16, txt: TXTRecord)] = [
      ("李雷's printer", "_ipp._tcp", "printer.local", 631, ["rp": "ipp/print", "ty": "Laser"]),
      ("Ada's pages", "_http._tcp", "ada.local", 8080, ["path": "/"]),
      ("A name that is rather long \u{202E} for a table", "_http._tcp", "host-with-a-long-name.local", 80, ["x": "\u{1B}[31m"]),
    ]
    for one in services {
      let service = try DiscoveredService.sample(
        one.name, type: one.type, host: resolves ? one.host : nil, port: one.port, addresses: ["10.77.0.2", "fe80::2%eth0"],
        txt: one.txt)
      table.apply(.found(service), of: service.instance.type, at: .zero)
    }
    table.settle()
    return table
  }

  @Test(arguments: 40...200) func `a table with a directory tells at every width where services are`(columns: Int) throws {
    var table = BrowseTable(sought: ["http"], resolves: true, region: "eu-west")
    table.backend = "builtin"
    table.reach = Reach([.init(Link(Self.eth0, .ipv4), .works)])
    let places = [
      ("Ada's pages", ["eth0"], "eth0"), ("Bea's pages", ["directory:eu-west"], "directory:eu-"),
      ("Cy's pages", ["eth0", "directory:eu-west"], "eth0, directo"),
    ]
    for (name, interfaces, _) in places {
      let service = try DiscoveredService.sample(
        name, interfaces: interfaces, host: "a-rather-long-name.local", port: 8080, addresses: ["10.77.0.2"], txt: ["path": "/"]
      )
      table.apply(.found(service), of: service.instance.type, at: .zero)
    }
    table.settle()
    let shown = lines(table, columns: columns, rows: 12)
    #expect(shown.allSatisfy { $0.columns <= columns })
    let heading = try #require(shown.first { $0.contains("Name") })
    let place = try #require(heading.range(of: " On ") ?? heading.range(of: " On"))
    let column = heading.distance(from: heading.startIndex, to: place.lowerBound) + 1
    for (name, _, text) in places {
      let row = try #require(shown.first { $0.contains(name) })
      #expect(row.dropFirst(column).hasPrefix(text), "\(columns): \(row)")
    }
    #expect(shown.contains { $0.contains("directory eu-west") } || columns < 60)
  }

  @Test func `a directory alone names no interface and no engine`() throws {
    var table = BrowseTable(sought: ["http"], resolves: false, region: "eu")
    table.backend = "directory"
    table.reach = Reach([])
    #expect(lines(table, columns: 60, rows: 6).last?.hasPrefix(" directory eu · 6 s") == true)
  }

  @Test func `everything on 80 columns and 24 rows`() throws {
    let shown = picture(try everything(), columns: 80, rows: 24)
    #expect(
      shown == """
         all services                                                        3 services

           Name              Type        Host and port     Addresses      TXT record
           A name that is …  _http._tcp  host-with-a-lon…  10.77.0.2, f…  x="\\u{1B}[31…
           Ada's pages       _http._tcp  ada.local:8080    10.77.0.2, f…  path="/"
           李雷's printer    _ipp._tcp   printer.local:6…  10.77.0.2, f…  rp="ipp/prin…

















         on eth0 · avahi-daemon · 6 s                                           q: quit
        """)
  }

  @Test func `everything on 40 columns and 12 rows, without resolving`() throws {
    let shown = picture(try everything(resolves: false), columns: 40, rows: 12)
    #expect(
      shown == """
         all services                3 services

           Name                      Type
           A name that is rather l…  _http._tcp
           Ada's pages               _http._tcp
           李雷's printer            _ipp._tcp





         on eth0 · avahi-daemon · 6 s   q: quit
        """)
  }

  @Test func `everything on 200 columns and 50 rows`() throws {
    let shown = lines(try everything(), columns: 200, rows: 50)
    #expect(shown.count == 50)
    #expect(
      shown.prefix(6).joined(separator: "\n") == """
         all services                                                                                                                                                                                3 services

           Name                                             Type        Host and port                   Addresses                TXT record
           A name that is rather long \\u{202E} for a table  _http._tcp  host-with-a-long-name.local:80  10.77.0.2, fe80::2%eth0  x="\\u{1B}[31m"
           Ada's pages                                      _http._tcp  ada.local:8080                  10.77.0.2, fe80::2%eth0  path="/"
           李雷's printer                                   _ipp._tcp   printer.local:631               10.77.0.2, fe80::2%eth0  rp="ipp/print" ty="Laser"
        """)
  }

  @Test func `a list that is too long on 30 columns and 8 rows, in ASCII`() throws {
    var table = BrowseTable(sought: ["_http._tcp"], resolves: false)
    for number in 1...9 { table.apply(.found(try .sample("Web \(number)")), of: Self.http, at: .zero) }
    table.backend = "builtin"
    #expect(
      picture(table, columns: 30, rows: 8, isUnicode: false) == """
         _http._tcp        9 services
           Name   On
           Web 1  eth0
           Web 2  eth0
           Web 3  eth0
           Web 4  eth0
           5 below
         built-in engine | 6 s
        """)
    _ = table.draw(TerminalSize(columns: 30, rows: 8), Appearance(), at: .zero)
    table.move(.pageDown)
    table.move(.up)
    #expect(
      picture(table, columns: 30, rows: 8) == """
         _http._tcp        9 services
           Name   On
           Web 4  eth0
           Web 5  eth0
           Web 6  eth0
           Web 7  eth0
           3 above, 2 below
         built-in engine · 6 s
        """)
    table.move(.bottom)
    #expect(lines(table, columns: 30, rows: 8)[6] == "   5 above")
    table.move(.top)
    #expect(table.scroll == 0)
  }

  @Test func `in ASCII names differ that differ`() throws {
    var table = BrowseTable(sought: ["_http._tcp"], resolves: false, isUnicode: false)
    for name in ["Bücher", "Bächer", "李雷", "👩"] {
      table.apply(.found(try .sample(name)), of: Self.http, at: .zero)
    }
    let text = picture(table, columns: 80, rows: 24, isUnicode: false)
    for name in [#"B\u00fccher"#, #"B\u00e4cher"#, #"\u674e\u96f7"#, #"\ud83d\udc69"#] {
      #expect(text.contains(name), "\(text)")
    }
  }

  @Test func `what comes, changes and goes is marked for five seconds`() throws {
    var table = BrowseTable(sought: ["_http._tcp"], resolves: false)
    func names(at seconds: Int) -> [String] {
      lines(table, at: .seconds(seconds), columns: 40, rows: 12)[3...8].filter { !$0.isEmpty }
    }
    table.apply(.found(try .sample("early")), of: Self.http, at: .zero)
    table.apply(.settled, of: Self.http, at: .seconds(1))
    table.apply(.found(try .sample("late")), of: Self.http, at: .seconds(2))
    #expect(names(at: 3) == ["   early  eth0", " + late   eth0"])
    table.apply(.updated(try .sample("early", interfaces: ["wlan0"])), of: Self.http, at: .seconds(4))
    table.apply(.updated(try .sample("late", interfaces: ["wlan0"])), of: Self.http, at: .seconds(4))
    #expect(names(at: 5) == [" ~ early  wlan0", " + late   wlan0"])
    #expect(names(at: 9) == ["   early  wlan0", "   late   wlan0"])
    table.apply(.lost(try .sample("early")), of: Self.http, at: .seconds(10))
    #expect(table.count == 1)
    #expect(names(at: 14) == [" - early  wlan0", "   late   wlan0"])
    #expect(names(at: 15) == ["   late  wlan0"])
    // It comes back before it has disappeared.
    table.apply(.found(try .sample("early")), of: Self.http, at: .seconds(12))
    #expect(names(at: 16) == [" + early  eth0", "   late   wlan0"])
  }

  @Test func `rows are in the order that was asked for`() throws {
    var table = BrowseTable(sought: nil, resolves: true, order: .address)
    for (name, address) in [("c", "10.0.0.10"), ("a", "10.0.0.9"), ("b", "192.168.0.1")] {
      table.apply(.found(try .sample(name, host: "\(name).local", addresses: [address])), of: Self.http, at: .zero)
    }
    #expect(table.rows.map(\.service.instance.name.text) == ["a", "c", "b"])
    table.apply(.updated(try .sample("a", host: "a.local", addresses: ["10.0.0.11"])), of: Self.http, at: .zero)
    #expect(table.rows.map(\.service.instance.name.text) == ["c", "a", "b"])
  }

  @Test func `what is wrong with the network is told, and only that`() throws {
    var table = try everything()
    let wlan0 = NetworkInterface(index: 2, name: "wlan0")
    let unplugged = [Link(wlan0, .ipv4), Link(wlan0, .ipv6)].map { Reach.Item($0, .fails(.init(.noCarrier, "has no carrier"))) }
    let refused = Reach.Item(Link(Self.eth0, .ipv6), .fails(.init(.refused, "cannot be sent on", remedy: "allow it")))
    let works = Reach.Item(Link(Self.eth0, .ipv4), .works)
    table.reach = Reach([works] + unplugged)
    #expect(lines(table)[22] == "" && lines(table)[23].hasPrefix(" on eth0 (IPv4) · avahi-daemon · 6 s"))
    table.reach = Reach([works, refused] + unplugged)
    #expect(lines(table)[22] == " eth0 over IPv6: cannot be sent on; allow it")
    table.reach = Reach(unplugged, causes: [.init(.noInterface, "no network")])
    #expect(Array(lines(table)[21...22]) == [" no network", " wlan0: has no carrier"])
    #expect(lines(table)[23].hasPrefix(" on no interface · "))
    let loopback = NetworkInterface(index: 3, name: "lo")
    table.reach = Reach(
      [.init(Link(loopback, .ipv4), .works), .init(Link(loopback, .ipv6), .fails(.init(.noRoute, "has no route")))],
      causes: [.init(.thisMachineOnly, "only this machine")])
    #expect(Array(lines(table)[21...22]) == ["", " only this machine"])
    table.apply(.interrupted(DiscoveryError(.unavailable, "the daemon\u{7} is gone")), of: Self.http, at: .zero)
    #expect(lines(table)[22] == #" the daemon\u{7} is gone"#)
    table.apply(.restored, of: Self.http, at: .zero)
    table.reach = nil
    #expect(lines(table)[23].hasPrefix(" avahi-daemon · 6 s"))
  }

  @Test func `messages have the space that the list does not need, or a third`() throws {
    var table = BrowseTable(sought: ["_ssh._tcp"], resolves: false)
    for number in 1...12 { table.tell("message \(number)") }
    #expect(lines(table, columns: 40, rows: 24)[15...22] == (5...12).map { " message \($0)" }[...])
    #expect(lines(table, columns: 40, rows: 24)[2] == "   Looking …")
    table.settle()
    #expect(lines(table, columns: 60, rows: 24)[2] == "   Nothing here yet; what comes is shown.")
    for number in 1...20 { table.apply(.found(try .sample("\(number)", type: "_ssh._tcp")), of: "_ssh._tcp", at: .zero) }
    let full = lines(table, columns: 40, rows: 12)
    #expect(full[8...10] == [" message 5", " message 6", " …"])
    #expect(full[7] == "   16 below")
  }

  @Test func `no size is too small`() throws {
    var table = try everything()
    for columns in [0, 1, 15, 16, 17, 23, 31, 40, 59] {
      for rows in [0, 1, 3, 4, 5, 9, 10, 14] {
        let canvas = table.draw(TerminalSize(columns: columns, rows: rows), Appearance(), at: .zero)
        #expect(canvas.lines.allSatisfy { $0.columns <= columns })
      }
    }
    #expect(lines(table, columns: 15, rows: 3) == ["too small", "", ""])
  }

  @Test func `columns share what is left, and the last ones give way`() {
    func widths(_ total: Int) -> [Int] {
      ColumnWidths([(.name, 20), (.type, 12), (.host, 30), (.txt, 50)], within: total).shown.map(\.width)
    }
    #expect(widths(200) == [20, 12, 30, 50])
    #expect(widths(80) == [20, 12, 23, 19])
    #expect(widths(49) == [12, 10, 12, 9])
    #expect(widths(48) == [16, 12, 16])
    #expect(widths(23) == [20])
    #expect(widths(5) == [5])
  }
}
