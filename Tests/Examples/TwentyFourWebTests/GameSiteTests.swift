import FramedWebSockets
import Testing

@testable import TwentyFourWeb

/// What browsers are offered.
struct GameSiteTests {
  private static let scripts = ["/page.js", "/speech.js", "/sound.js"]
  private let site = GameSite.make(texts: Array("{}".utf8))

  @Test func `the page and the board are one file, and all of it is under 80 KB`() throws {
    let page = try #require(site.files["/"])
    #expect(site.files["/board"] == page)
    #expect(page.contentType == "text/html; charset=utf-8")
    let files = (["/", "/page.css"] + Self.scripts).compactMap { site.files[$0]?.bytes.count }
    #expect(files.count == 5 && files.reduce(0, +) < 81_920)
    #expect(site.files["/texts.json"] == WebFile("application/json", "{}"))
  }

  @Test func `only pages of the same host connect, and only by numeric addresses and local names`() {
    #expect(site.origins == .sameHost && site.hosts == .local())
    #expect(site.socketPath == "/socket" && site.messages == .text)
  }

  /// After CVE-2026-25154 (LocalSend) and CVE-2022-46165 (Syncthing): names of strangers that became HTML.
  @Test func `the page loads nothing from elsewhere, and has nothing inline`() throws {
    let html = String(decoding: try #require(site.files["/"]).bytes, as: UTF8.self)
    for part in ["http://", "https://", "//cdn", "<style", " style=", " onclick=", " onload=", "javascript:"] {
      #expect(!html.contains(part), "\(part)")
    }
    for name in Self.scripts {
      #expect(html.contains("<script src=\"\(name)\" defer></script>"))
      let script = String(decoding: try #require(site.files[name]).bytes, as: UTF8.self)
      for part in ["innerHTML", "eval(", "document.write", "document.cookie", "https://", "new Audio(", ".mp3", "data:"] {
        #expect(!script.contains(part), "\(name): \(part)")
      }
    }
  }
}
