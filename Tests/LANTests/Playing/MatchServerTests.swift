import CBonjourishLinux
import Testing

extension PlayingOnALAN {
  /// A host of many matches, with nobody playing at it.
  struct MatchServerTests {
    @Test(arguments: Backend.allCases) func `a match server is found as one room, and all players get a match`(
      backend: Backend
    ) async throws {
      try await withLab(backend: backend) { lab in
        let lobby = try lab.bonjourish("browse", "_twentyfour._tcp", "--resolve", "--json", on: .h3)
        let server = try lab.host(
          "Server", "--dedicated", "--players", "2:2", "--rounds", "1", "--round-seconds", "5", "--pause-seconds", "0", on: .h1)
        let open = try await server.event("open")
        #expect(open["name"] == "Server")
        #expect(open["port"] == 1955)
        let found = try await lobby.event("found")
        #expect(found["name"] == "Server")
        #expect(found["port"] == 1955)
        // What a program sees that knows only rooms, and three keys more.
        let txt = try #require(found["txt"])
        #expect(txt["players"] == "0" && txt["max"] == "128" && txt["state"] == "waiting")
        #expect(txt["matches"] == "0" && txt["limit"] == "100" && txt["total"] == "0")

        let players = [
          try lab.player("Ada", "Server", "--bot", on: .h2), try lab.player("Bob", "--any", "--bot", on: .h3),
          try lab.player("Cleo", "--any", "--bot", on: .h3),
          try lab.player("Dan", "--connect", "10.77.0.1:1955", "--bot", on: .h2),
        ]
        var rooms: [String: Int] = [:]
        for player in players { rooms[try #require(try await player.event("open")["room"]?.string), default: 0] += 1 }
        #expect(rooms.values.sorted() == [2, 2])
        try await lobby.event("updated") { $0["txt"]?["total"] != "0" }
        for player in players {
          #expect(try await player.exitCode() == 0)
          #expect(player.events.last?["reason"] == "finished")
        }
        try server.signal(SIGTERM)
        #expect(try await server.exitCode(within: .seconds(10)) == 0)
        try await lobby.event("lost")
        #expect(lobby.events("found").count == 1)
      }
    }
  }
}
