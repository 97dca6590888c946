import TestSupport
import Testing
import _BonjourishBase
import _BonjourishDiscovery

@testable import _BonjourishExplorer
@testable import _BonjourishTerminal

/// What the explorer draws, whole: `Tests/Transcripts/explorer.txt`.
struct PictureTests {
  private static let (eth0, wlan0) = (NetworkInterface(index: 1, name: "eth0"), NetworkInterface(index: 2, name: "wlan0"))

  /// A network with all that is remarked about services.
  private func home(_ columns: Int, _ rows: Int, isUnicode: Bool = true) throws -> Driver {
    var driver = Driver(columns: columns, rows: rows) { settings in
      settings.isUnicode = isUnicode
      settings.region = "eu-west"
      settings.network = ["--directory", "nats://hub.example:4222", "--region", "eu-west"]
    }
    driver.handle(.backend("avahi"))
    driver.handle(.reach(Reach([.init(Link(Self.eth0, .ipv4), .works), .init(Link(Self.wlan0, .ipv6), .unproven)])))
    driver.handle(.addresses([.ipv4(0x0A4D_0001)]))
    var far = try DiscoveredService.sample("Far away", type: "_ssh._tcp", interfaces: ["directory:eu-west"])
    far.refusedAddresses = [.ipv4(0x0A00_0001)]
    var leaving = try DiscoveredService.sample("Leaving", type: "_x._udp", interfaces: ["eth0", "wlan0"])
    leaving.presence = .leaving
    var suspect = try DiscoveredService.sample("Suspect", type: "_x._udp", host: "s.local", port: 9)
    suspect.presence = .suspect
    let elsewhere = DiscoveredService(
      instance: ServiceInstance("Elsewhere", type: "_ipp._tcp", domain: "example.org"), links: [Link(Self.eth0, .ipv4)])
    driver.found(
      try .sample(
        "Ada's pages", host: "ada.local", port: 8080, addresses: ["10.77.0.1", "fe80::2%eth0"],
        txt: ["path": "/a", "flag": .flag, "bin": .bytes([0x1B, 0xFF])], isOwn: true),
      try .sample("Bücher", host: "b.local", addresses: ["10.77.0.3"]), far, leaving, suspect, elsewhere,
      try .sample("Gone", type: "_x._udp"))
    driver.handle(.settled)
    driver.wait(6)
    driver.lost(try .sample("Gone", type: "_x._udp"))
    driver.updated(try .sample("Bücher", host: "b.local", addresses: ["10.77.0.4"]))
    driver.found(try .sample("New", type: "_ssh._tcp"))
    return driver
  }

  /// What is done before a picture is drawn.
  private static let views: [(title: String, keys: @Sendable (inout Driver) throws -> Void)] = [
    ("the list", { _ in }),
    ("a service", { $0.press(.down) }),
    ("the details", { $0.press(.down, .enter) }),
    ("the end of the details", { $0.press(.down, .enter, .end) }),
    (
      "one that is gone",
      {
        $0.type("4"); $0.press(.end, .up, .up, .up)
      }
    ),
    ("by host", { $0.type("2") }),
    ("by interface", { $0.type("3") }),
    ("folded", { $0.type("-") }),
    (
      "a flat list, sorted by address",
      {
        $0.type("4sss"); $0.press(.end)
      }
    ),
    (
      "marked services",
      {
        $0.press(.down); $0.type("  *")
      }
    ),
    ("a filter that is written", { $0.type("/ssh") }),
    (
      "a filter that is kept",
      {
        $0.type("/b"); $0.press(.enter)
      }
    ),
    (
      "a list that stands still",
      {
        $0.type("p")
        $0.found(try .sample("Later"))
      }
    ),
    (
      "what is copied of a service",
      {
        $0.press(.down); $0.type("y"); $0.press(.down)
      }
    ),
    ("what is copied of a group", { $0.type("y") }),
    (
      "help about a service",
      {
        $0.press(.down); $0.type("?")
      }
    ),
    ("help about a group", { $0.type("?") }),
    (
      "the end of the help",
      {
        $0.type("?"); $0.press(.end)
      }
    ),
    ("a service to publish", { $0.type("nPages http 80") }),
    (
      "services that are published",
      {
        $0.type("nPages http 80")
        $0.press(.enter)
        $0.type("nx ssh 22")
        $0.press(.enter)
        $0.handle(.publication(1, .published(try DiscoveredService.sample("Pages").instance)))
        $0.type("d")
      }
    ),
    ("an examination", { $0.type("D") }),
    (
      "the doctor's report",
      {
        $0.type("D")
        $0.handle(.examined(["problem      something is wrong \u{1F4A5}"] + (1...30).map { "note \($0)" }))
        $0.press(.down, .down)
      }
    ),
    (
      "what is wrong",
      {
        let links = (1...6).map { Link(NetworkInterface(index: UInt32($0), name: "net\($0)"), .ipv4) }
        $0.handle(
          .reach(
            Reach(
              links.map { Reach.Item($0, .works) } + [
                .init(Link(PictureTests.eth0, .ipv4), .fails(.init(.refused, "cannot be sent on", remedy: "allow it"))),
                .init(Link(PictureTests.eth0, .ipv6), .fails(.init(.refused, "cannot be sent on", remedy: "allow it"))),
              ])))
        $0.handle(.message("a warning"))
        $0.handle(.note("what came of it"))
        $0.handle(.changed(.interrupted(DiscoveryError(.unavailable, "the daemon is gone")), of: nil))
      }
    ),
  ]

  /// The picture with its styles: how the first character of a row looks, `!` reversed, `b` bold, `d` dim, and the colour.
  private func picture(_ driver: Driver) -> String {
    var explorer = driver.explorer
    let canvas = explorer.draw(driver.size, driver.appearance, at: driver.now)
    let lines = canvas.lines.enumerated().map { row, line in
      let column = (0..<canvas.size.columns).first { canvas[row, $0].character != " " } ?? 0
      let style = canvas[row, column].style
      let marks = (style.isReversed ? "!" : "") + (style.isBold ? "b" : "") + (style.isDim ? "d" : "")
      return (marks + (style.color.map { "\($0)" } ?? "")).padded(to: 7) + "|" + line
    }
    let cursor = canvas.cursor.map { "the cursor is at row \($0.row), column \($0.column)\n" } ?? ""
    return lines.joined(separator: "\n") + "\n" + cursor
  }

  @Test func `each view is drawn as it is kept, on screens of all sizes`() throws {
    var text = ""
    for (columns, rows) in [(80, 24), (40, 12), (120, 22), (60, 32), (30, 6)] {
      for view in Self.views {
        var driver = try home(columns, rows)
        try view.keys(&driver)
        text += "# \(view.title), on \(columns) columns and \(rows) rows\n\(picture(driver))\n"
      }
    }
    // Where the next row or column changes the layout.
    let bounds = [(100, 9), (99, 9), (100, 8), (99, 28), (99, 27), (40, 11), (39, 8), (39, 7), (40, 16), (40, 15), (16, 4)]
    let bounded = ["the details", "a service to publish", "what is copied of a service", "help about a group"]
    for (columns, rows) in bounds + [(15, 4), (16, 3)] {
      for view in Self.views where bounded.contains(view.title) {
        var driver = try home(columns, rows)
        try view.keys(&driver)
        text += "# \(view.title), on \(columns) columns and \(rows) rows\n\(picture(driver))\n"
      }
    }
    for view in Self.views.prefix(3) {
      var driver = try home(80, 24, isUnicode: false)
      try view.keys(&driver)
      text += "# \(view.title), in ASCII\n\(picture(driver))\n"
    }
    try Transcript("explorer").compare(text)
  }

  @Test func `records are in the details, those that differ in their place as one`() throws {
    var driver = Driver(["_http._tcp"], columns: 160, rows: 24)
    driver.now = .seconds(61)
    let service = try DiscoveredService.sample("Ada", host: "ada.local", addresses: ["10.0.0.1"])
    driver.found(service)
    let bytes: [UInt8] = [0, 0, 0, 0, 0, 80, 3] + Array("ada".utf8) + [5] + Array("local".utf8) + [0]
    func record(_ type: RecordType, _ bytes: [UInt8], _ link: Link, _ sender: String? = nil) throws -> ResourceRecord {
      ResourceRecord(
        name: try service.instance.fullName, type: type, bytes: bytes, timeToLive: sender == nil ? nil : .seconds(120),
        isUnique: true, on: link, sender: sender.flatMap(IPAddress.init))
    }
    driver.handle(
      .records(
        of: service.instance,
        [
          try record(.srv, bytes, Link(Self.eth0, .ipv4), "10.0.0.1"),
          try record(.srv, bytes, Link(Self.wlan0, .ipv6), "fe80::1"),
          try record(.txt, [1, 65], Link(Self.eth0, .ipv4)),
        ]))
    let lines = driver.explorer.detailLines.suffix(4)
    #expect(lines.map(\.label) == ["history", "records", "", ""])
    #expect(
      lines.map(\.text) == [
        "came 12:01:01",
        "SRV ada.local:80, lives 2 min 0 s after each answer, on eth0 over IPv4 from 10.0.0.1, "
          + "on wlan0 over IPv6 from fe80::1%wlan0",
        "TXT, 2 bytes, on eth0 over IPv4", "as of 12:01:01",
      ])
    #expect(lines.allSatisfy { $0.style == .dim })
    #expect(driver.explorer.detailLines.last?.value == nil)
  }
}
