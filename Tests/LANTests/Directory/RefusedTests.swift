import Foundation
import Testing

extension DirectoryOnALAN {
  /// Programs that a directory does not let in.
  struct RefusedTests {
    private func start(_ command: [String], _ variables: [String], on host: Lab.Host, in lab: Lab) throws -> Program {
      try lab.start(["env"] + variables + lab.own(host).dropFirst() + command, on: host)
    }

    private static let programs = [
      ["bonjourish", "publish", "X", "http", "80"], ["bonjourish", "browse", "http", "--once"],
      ["bonjourish", "browse", "http"],
      ["bonjourish", "resolve", "X", "http"], ["twentyfour-host", "--dedicated"],
      ["twentyfour-join", "--any", "--name", "Ada"],
    ].map { [LAN.program($0[0])] + $0.dropFirst() }

    @Test func `a wrong password ends programs with exit code 77, and an untrusted certificate with 69`() async throws {
      try await withLab(hosts: 4, daemons: false) { lab in
        let cluster = try await lab.natsCluster(on: [.h4])
        let right = ["NATS_USER=host", "NATS_PASSWORD=host-secret"]
        let wrong = [
          (["NATS_USER=host", "NATS_PASSWORD=forgotten", "NATS_CA=\(cluster.authority)"], 77),
          (["NATS_TOKEN=forgotten", "NATS_CA=\(cluster.authority)"], 77), (right, 69),
        ]
        for (variables, code) in wrong {
          for command in Self.programs {
            let program = try start(command + ["--directory", cluster.urls, "--no-local"], variables, on: .h1, in: lab)
            let exit = try await program.exitCode(within: .seconds(30))
            #expect(exit == code, "\(command) \(program.errorLines)")
            #expect(program.errorLines.count == 1, "\(program.errorLines)")
            #expect(
              !program.errorLines.contains { $0.contains(".c:") || $0.contains("tried again") || $0.contains("forgotten") })
          }
        }
      }
    }

    @Test func `beside the local network a refusal is told at once, and what is published goes on there`() async throws {
      try await withLab(hosts: 4, daemons: false) { lab in
        let cluster = try await lab.natsCluster(on: [.h4])
        let wrong = ["NATS_USER=host", "NATS_PASSWORD=forgotten", "NATS_CA=\(cluster.authority)"]
        let options = ["--backend", "builtin", "--directory", cluster.urls]
        let publish = [LAN.program("bonjourish"), "publish", "X", "http", "80", "--json"]
        let host = try start(publish + options, wrong, on: .h1, in: lab)
        let news = try await host.event("directory")
        #expect(news["state"] == "unavailable")
        #expect(news["reason"]?.string?.contains("refuses this user") == true)
        try await host.event("published")
        let guest = try lab.bonjourish("browse", "http", "--json", on: .h2)
        try await guest.event("found")
        // A list that lacks the directory is none.
        let once = try start([LAN.program("bonjourish"), "browse", "http", "--once"] + options, wrong, on: .h2, in: lab)
        #expect(try await once.exitCode(within: .seconds(30)) == 77)
      }
    }

    @Test func `a user who may not publish is told so, and is not renamed`() async throws {
      try await withLab(hosts: 4, daemons: false) { lab in
        let cluster = try await lab.natsCluster(on: [.h4])
        let operators = try lab.directory("list", "_http._tcp", "1", as: "operator", of: cluster, on: .h3)
        #expect(try await operators.exitCode(within: .seconds(30)) == 0)
        let publish = [LAN.program("bonjourish"), "publish", "X", "http", "80", "--json", "--directory", cluster.urls]
        let host = try start(publish + ["--no-local"], Array(cluster.environment(as: "host").dropFirst()), on: .h1, in: lab)
        try await host.event("published")
        let variables = Array(cluster.environment(as: "guest").dropFirst())
        let guest = try start(publish + ["--no-local"], variables, on: .h2, in: lab)
        #expect(try await guest.exitCode(within: .seconds(30)) == 77)
        #expect(guest.errorLines.contains { $0.contains("may not publish to $KV.bonjourish.") }, "\(guest.errorLines)")
        #expect(guest.events("renamed").isEmpty)
        // Beside the local network it is published there.
        let other = try start(publish + ["--backend", "builtin"], variables, on: .h2, in: lab)
        let news = try await other.event("directory") { $0["reason"] != nil }
        #expect(news["state"] == "available")
        try await other.event("published")
        #expect(other.events("renamed").isEmpty)
      }
    }
  }
}
