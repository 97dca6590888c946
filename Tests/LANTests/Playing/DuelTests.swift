import CBonjourishLinux
import Testing

extension PlayingOnALAN {
  /// The example of packets between two peers who find each other.
  struct DuelTests {
    @Test(arguments: Backend.allCases) func `two find each other, are found no more, and play until one leaves`(
      backend: Backend
    ) async throws {
      try await withLab(backend: backend) { lab in
        let watcher = try lab.bonjourish("browse", "_fourinarow._tcp", "--resolve", "--json", on: .h3)
        let ada = try lab.duel("host", "Ada", on: .h1)
        let open = try await ada.event("open")
        #expect(open["name"] == "Ada")
        let found = try await watcher.event("found")
        #expect(found["name"] == "Ada" && found["host"] == "h1.local" && found["port"] == open["port"])

        let bob = try lab.duel("join", "Bob", "--any", on: .h2)
        #expect(try await bob.event("opponent")["name"] == "Ada")
        #expect(try await ada.event("opponent")["name"] == "Bob")
        // The opponent is there: nobody else finds the host, or gets in.
        #expect(try await watcher.event("lost")["name"] == "Ada")
        let port = try #require(open["port"]?.number)
        let late = try lab.duel("join", "Cleo", "--connect", "10.77.0.1:\(Int(port))", on: .h3)
        #expect(try await late.exitCode() == 69)

        try bob.send("4")
        let move = try await ada.event("move")
        #expect(move["by"] == "opponent" && move["column"] == 4 && move["board"]?[5] == "...x...")
        try ada.send("4")
        #expect(try await bob.event("move") { $0["number"] == 2 }["board"]?[4] == "...o...")
        try bob.send("quit")
        #expect(try await bob.event("closed")["reason"] == "left")
        #expect(try await ada.event("closed")["reason"] == "opponentLeft")
        for program in [ada, bob] {
          #expect(try await program.exitCode() == 0)
          #expect(program.errorLines == [])
        }
      }
    }

    @Test func `a waiting host is chosen, and a host that gives up is no longer listed`() async throws {
      try await withLab { lab in
        let bob = try lab.duel("join", "Bob", on: .h3)
        try await bob.event("hosts") { $0["names"] == [] }
        let ada = try lab.duel("host", "Ada", on: .h1)
        // One after the other, so that Eve is alone only when Ada has gone.
        try await bob.event("hosts") { $0["names"] == ["Ada"] }
        let eve = try lab.duel("host", "Eve", on: .h2)
        try await bob.event("hosts") { $0["names"] == ["Ada", "Eve"] }
        try ada.signal(SIGTERM)
        #expect(try await ada.exitCode() == 0)
        try await bob.event("hosts") { $0["names"] == ["Eve"] }
        try bob.send("2")
        try await bob.errorLine { $0.contains("type the number of an opponent, or quit") }
        try bob.send("1")
        #expect(try await eve.event("opponent")["name"] == "Bob")
        // One who is killed cannot say anything, but his system does.
        try bob.signal(SIGKILL)
        #expect(try await eve.event("closed")["reason"] == "lost")
        #expect(try await eve.exitCode() == 69)
      }
    }

    @Test func `two programs play to the end`() async throws {
      try await withLab(hosts: 2) { lab in
        let ada = try lab.duel("host", "Ada", "--bot", "--seed", "3", on: .h1)
        let bob = try lab.duel("join", "Bob", "--bot", "--seed", "4", on: .h2)
        for program in [ada, bob] {
          #expect(try await program.exitCode(within: .seconds(60)) == 0)
          #expect(program.events.last?["reason"] == "finished")
        }
        #expect(ada.events("move").map { $0["board"] } == bob.events("move").map { $0["board"] })
        #expect(ada.events("result").count == 1 && bob.events("result").count == 1)
      }
    }
  }
}
