import CBonjourishLinux
import TestSupport
import Testing

extension OnALAN {
  /// Apps that embed discovery, and see no more of it than its users.
  struct EmbedTests {
    @Test func `an app that embeds discovery finds what is there`() async throws {
      let app = LAN.program("embed")
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

    @Test(arguments: Backend.allCases)
    func `an app that publishes asks for the name that it got before`(_ backend: Backend) async throws {
      let app = LAN.program("advertise")
      let folder = try TemporaryFolder()
      try await withLab(hosts: 2, daemons: backend == .avahi, backend: backend) { lab in
        let command = [
          "env", "BONJOURISH_BACKEND=\(backend)", "STATE_DIRECTORY=\(folder.path)", app, "Ada", "_http._tcp", "8080",
        ]
        let other = try lab.bonjourish("publish", "Ada", "_http._tcp", "80", "--json", on: .h1)
        try await other.event("published")
        let browser = try lab.bonjourish("browse", "_http._tcp", "--json", on: .h1)
        let first = try lab.start(command, on: .h2)
        try await browser.event("found") { $0["name"] == "Ada #2" }
        // Others may hear of the name a moment before the app itself is sure of it.
        try await folder.until("ada._http._tcp.local", contains: "Ada #2")
        try first.signal(SIGTERM)
        #expect(try await first.exitCode() == 0)
        try await browser.event("lost") { $0["name"] == "Ada #2" }
        // The name would be free now.
        try other.signal(SIGTERM)
        try await browser.event("lost") { $0["name"] == "Ada" }
        let second = try lab.start(command, on: .h2)
        try await browser.event("found") { $0["name"] == "Ada #2" }
        try second.signal(SIGTERM)
        #expect(try await second.exitCode() == 0)
        let names = browser.events("found").compactMap { $0["name"]?.string }
        #expect(names == ["Ada", "Ada #2", "Ada #2"])
        for program in [first, second] { #expect(program.outputLines == [] && program.errorLines == []) }
      }
    }
  }
}
