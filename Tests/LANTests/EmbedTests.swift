import Foundation
import Testing

extension OnALAN {
  /// An app of another package that embeds discovery; `make test` builds it.
  @Suite(.enabled(if: LAN.embed != nil || LAN.isRequired, "Examples/Embed is not built; make test does it"))
  struct EmbedTests {
    @Test func `an app that embeds discovery finds what is there`() async throws {
      let app = try #require(LAN.embed)
      try await withLab(hosts: 2) { lab in
        let publisher = try lab.start("avahi-publish", "-s", "Ada's \u{1B}pages", "_http._tcp", "8080", on: .h1)
        try await publisher.errorLine { $0.contains("Established") }
        let program = try lab.start(app, "_http._tcp", on: .h2)
        #expect(try await program.exitCode() == 0)
        #expect(program.outputLines == ["Ada's \\u{1B}pages: port 8080 at 10.77.0.1 2001:db8:77::1"])
        #expect(program.errorLines == [])

        let wrong = try lab.start(app, "http", on: .h2)
        #expect(try await wrong.exitCode() == 1)
        #expect(wrong.outputLines.count == 1)
      }
    }
  }
}
