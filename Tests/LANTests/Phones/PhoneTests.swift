import CBonjourishLinux
import Foundation
import TestSupport
import Testing

extension PlayingOnALAN {
  /// Pages of browsers in rooms, by python3-websockets.
  struct PhoneTests {
    @Test func `a phone comes in by the address once, plays, comes back, and is removed`() async throws {
      try await withLab { lab in
        let ada = try lab.host(
          "Ada", "--passcode", "471123", "--web", "--pause-seconds", "1", "--round-seconds", "300", on: .h1)
        let address = try #require(try await ada.event("open")["web"]?.string)
        #expect(address.hasPrefix("http://10.77.0.1:8024/#") && address.count == 23 + 26)
        let phone = try lab.phone(address, "Bob", on: .h2)
        let welcome = try await phone.event("welcome")
        let next = try #require(try await ada.event("web")["web"]?.string)
        #expect(next.hasPrefix("http://10.77.0.1:8024/#") && next != address)
        let standings = try await ada.event("standings") { $0["standings"]?.array?.count == 2 }
        let marks = standings["standings"]?.array?.filter { $0["phone"] == true }.map { $0["player"] }
        #expect(marks == [.string("Bob")])

        // Another phone has scanned the same code.
        let late = try lab.phone(address, "Cy", on: .h3)
        #expect(try await late.event("closed")["code"] == "admission")

        let hand = try await phone.hand(1)
        try phone.send("answer 1")
        try await phone.event("refused")
        try phone.send("drop")
        try await ada.event("away") { $0["player"] == "Bob" }
        try phone.send("back")
        let back = try await phone.event("welcome") { $0["secret"] != welcome["secret"] }
        #expect(back["player"] == welcome["player"])
        try phone.send("answer \(try hand.solution())")
        try await ada.event("answer") { $0["player"] == "Bob" }

        try ada.send("kick 2")
        try await phone.event("closed") { $0["code"] == "kicked" }
        try phone.send("back")
        try await phone.event("closed") { $0["code"] == "admission" }
        let again = try lab.phone(next, "Bob", on: .h2)
        try await again.event("welcome")
      }
    }

    @Test func `the page is found as a web site without a token, and is gone with the room`() async throws {
      try await withLab { lab in
        let site = "_twentyfour._sub._http._tcp"
        let browser = try lab.bonjourish("browse", site, "--resolve", "--json", on: .h2)
        let ada = try lab.host("Ada", "--passcode", "471123", "--web-port", "8080", on: .h1)
        try await ada.event("open")
        let found = try await browser.event("found") { $0["port"] == 8080 }
        #expect(found["name"] == "Ada's game" && found["host"] == "h1.local")
        #expect(found["txt"]?["path"] == "/")
        #expect(found["txt"]?["token"] == nil && found["subtypes"] == nil)
        try ada.signal(SIGTERM)
        try await browser.event("lost")
      }
    }

    @Test func `a room that starts again has the same port, and its phones come back`() async throws {
      try await withLab { lab in
        let state = lab.folder + "/phones.json"
        func open() throws -> Program {
          try lab.host("Ada", "--web", "--state", state, "--pause-seconds", "1", "--round-seconds", "300", on: .h1)
        }
        // The usual port is taken.
        let other = try lab.host("Zoe", "--web", on: .h1)
        #expect(try await other.event("open")["web"] == "http://10.77.0.1:8024/")
        let ada = try open()
        let address = try #require(try await ada.event("open")["web"]?.string)
        #expect(!address.hasPrefix("http://10.77.0.1:8024/") && address.hasSuffix("/"))
        let phone = try lab.phone(address, "Bob", on: .h2)
        let welcome = try await phone.event("welcome")
        _ = try await phone.hand(1)
        try phone.send("answer 1")
        try await phone.event("refused")
        try ada.signal(SIGTERM)
        try await phone.event("gone")
        let again = try open()
        #expect(try await again.event("open")["web"]?.string == address)
        try phone.send("back")
        let back = try await phone.event("welcome") { $0["secret"] != welcome["secret"] }
        #expect(back["player"] == welcome["player"])
      }
    }

    @Test func `a match server lets phones in, and its administrator tells the address`() async throws {
      try await withLab { lab in
        let socket = lab.folder + "/admin"
        let server = try lab.start(
          lab.own(.h1) + [
            LAN.program("twentyfour-host"), "--dedicated", "--json", "--web", "--passcode", "471123", "--admin", socket,
            "--pause-seconds", "1", "--round-seconds", "5", "--rounds", "1",
          ], on: .h1)
        let address = try #require(try await server.event("open")["web"]?.string)
        let bob = try lab.phone(address, "Bob", "--bot", on: .h2)
        try await bob.event("welcome")
        // The log has no token: standard error is no terminal.
        #expect(server.errorLines.allSatisfy { !$0.contains("#") })
        let told = try lab.start(LAN.program("twentyfour-host"), "--admin", socket, "--admin-command", "web", on: .h1)
        #expect(try await told.exitCode() == 0)
        let next = try #require(told.outputLines.first?.split(separator: " ").first.map(String.init))
        let cy = try lab.phone(next, "Cy", "--bot", on: .h3)
        for phone in [bob, cy] {
          try await phone.event("roundEnded")
          try await phone.event("closed") { $0["code"] == "finished" }
        }
        // Both may come in again for another match.
        for phone in [bob, cy] {
          try phone.send("back")
          try await phone.event("round") { $0["number"] == 1 }
        }
      }
    }

    @Test func `a camera reads the code on the host's screen`() async throws {
      guard FileManager.default.isExecutableFile(atPath: "/usr/bin/zbarimg") else { return }
      try await withLab { lab in
        try await Screen.open(lab, on: .h1) { screen in
          try await screen.enter("twentyfour-host --name Ada --passcode 471123")
          try await screen.shows("Ada's game, port ")
          try await screen.type("w")
          let lines = try await screen.shows("http://10.77.0.1:8024/#", "Scan this", "Esc: back to the game")
          let text = try #require(lines.first { $0.contains("http://") }).trimmingCharacters(in: .whitespaces)
          #expect(try Self.read(lines) == text)
          let phone = try lab.phone(text, "Bob", on: .h2)
          try await phone.event("welcome")
          // The next phone needs the next code.
          let next = try await screen.shows("http://10.77.0.1:8024/#", without: text)
          #expect(try Self.read(next).hasPrefix("http://10.77.0.1:8024/#") && Self.read(next) != text)
          try await screen.press("Escape")
          try await screen.shows("Standing", "  2 Bob (phone)", without: "http://")
          // Too small for a code.
          try await screen.resize(columns: 40, rows: 12)
          try await screen.type("w")
          try await screen.shows("too small", "http://10.77.0.1:8024/#")
        }
      }
    }

    /// What zbarimg reads in the half blocks on a screen, in lower case.
    private static func read(_ lines: [String]) throws -> String {
      let code = lines.filter { $0.contains("█") || $0.contains("▀") || $0.contains("▄") }
      // A terminal's lines end with the last character; the light modules around the code are white there.
      let margin = [String](repeating: "", count: 2)
      let folder = try TemporaryFolder()
      try Data(Picture.pgm(of: margin + code.map { $0 + "    " } + margin)).write(to: URL(filePath: folder.path + "/code.pgm"))
      let result = try ChildProcess.run("/usr/bin/zbarimg", ["--quiet", "--raw", folder.path + "/code.pgm"])
      return String(decoding: result.output, as: UTF8.self).trimmingCharacters(in: .newlines).lowercased()
    }
  }
}

extension Lab {
  /// Starts a page of a browser, which was led to a room by its address. See `peers/phone.py`.
  func phone(_ address: String, _ name: String, _ arguments: String..., on host: Host) throws -> Program {
    try start(LAN.peer("phone") + [address, name] + arguments, on: host)
  }
}
