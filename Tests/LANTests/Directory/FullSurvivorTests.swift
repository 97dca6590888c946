import CBonjourishLinux
import Testing
import TwentyFour

extension PlayingOnALAN {
  /// Servers of a group that have no place, or whose directory is silent. The directory is on h4.
  struct FullSurvivorTests {
    /// Passes everything on, 20 ms later in each direction.
    private static func slowLine(to address: String) -> [String] {
      let script = """
        import asyncio, sys
        async def copy(reader, writer):
            loop = asyncio.get_running_loop()
            while data := await reader.read(65536):
                loop.call_later(0.02, writer.write, data)
            loop.call_later(0.02, writer.close)
        async def serve(reader, writer):
            far_reader, far_writer = await asyncio.open_connection("\(address)", 4222)
            await asyncio.gather(copy(reader, far_writer), copy(far_reader, writer))
        async def main():
            server = await asyncio.start_server(serve, "127.0.0.1", 4222)
            print("ready", flush=True)
            await server.serve_forever()
        asyncio.run(main())
        """
      return ["/usr/bin/python3", "-c", script]
    }

    private static let shares = ["--matches-per-address", "50", "--per-address", "50", "--joins-per-second", "20"]

    private func server(
      _ name: String, rooms: Int, _ directory: [String], in lab: Lab, on host: Lab.Host
    ) async throws -> Program {
      let command = [
        LAN.program("twentyfour-host"), "--dedicated", "--name", name, "--json", "--players", "1:1", "--rounds", "2",
        "--round-seconds", "60", "--pause-seconds", "1", "--rooms", "\(rooms)", "--group-key", "\(lab.folder)/group.pem",
        "--no-local",
      ]
      let server = try lab.start(lab.own(host) + command + Self.shares + directory, on: host)
      try await server.event("open")
      return server
    }

    /// Solves a round, so that the seat is kept.
    private func solve(_ player: Program, _ number: Double) async throws {
      try player.send(try await player.hand(number).solution())
      try await player.event("roundEnded") { $0["number"]?.number == number }
    }

    @Test func `matches without a place at the nearest survivor go on at another one`() async throws {
      try await withLab(hosts: 4, daemons: false) { lab in
        let directory = try lab.directory()
        _ = try await directory.start()
        let one = try await server("One", rooms: 10, directory.options, in: lab, on: .h1)
        // Each of them plays alone.
        let players = try ["Ada", "Bob", "Cy"].map { name in
          try lab.player(name, json: true, ["One", "--no-local"] + directory.options, on: .h3)
        }
        for player in players { try await solve(player, 1) }
        let line = try lab.start(Self.slowLine(to: directory.host.address), on: .h2)
        try await line.line { $0 == "ready" }
        let slow = ["--directory", "nats://127.0.0.1", "--region", "eu"]
        let two = try await server("Two", rooms: 1, slow, in: lab, on: .h2)
        // What is happening is stored a second later.
        let hands = [try await players[0].hand(2), try await players[1].hand(2), try await players[2].hand(2)]
        try await Task.sleep(for: .milliseconds(2_500))
        try one.signal(SIGKILL)
        try await two.event("match") { $0["state"] == "adopted" }
        let three = try await server("Three", rooms: 10, directory.options, in: lab, on: .h1)
        for _ in 0..<2 { try await three.event("match") { $0["state"] == "adopted" } }
        for (player, hand) in zip(players, hands) {
          try await player.event("resumed", within: .seconds(40))
          try player.send(try hand.solution())
          #expect(try await player.exitCode() == 0)
          #expect(player.events.last?["reason"] == "finished")
        }
        #expect(two.events("match").count == 1 && three.events("match").count == 2)
      }
    }

    @Test func `a silent directory stops the points, and a suspended match keeps its place, also in a drain`() async throws {
      try await withLab(hosts: 4, daemons: false) { lab in
        let directory = try lab.directory()
        let bus = try await directory.start()
        let one = try await server("One", rooms: 1, directory.options, in: lab, on: .h1)
        let ada = try lab.player("Ada", json: true, ["One", "--no-local"] + directory.options, on: .h3)
        try await solve(ada, 1)
        let hand = try await ada.hand(2)
        try await Task.sleep(for: .milliseconds(2_500))
        try bus.signal(SIGSTOP)
        try await ada.event("refused") { $0["reason"] == "held" }
        // Nobody is told that, and nothing of it is undone.
        try ada.send(try hand.solution())
        try await one.event("match") { $0["state"] == "suspended" }
        #expect(ada.events("roundEnded").count == 1)
        let bob = try lab.player("Bob", json: true, ["--connect", "\(Lab.Host.h1.address):1955"], on: .h3)
        #expect(try await bob.exitCode() != 0)
        #expect(bob.events.last?["reason"] == "full")
        try one.signal(SIGUSR2)
        try await one.errorLine { $0.contains("draining") }
        try bus.signal(SIGCONT)
        try await one.event("match") { $0["state"] == "resumed" }
        try await ada.event("resumed", within: .seconds(40))
        #expect(try await ada.hand(2).numbers == hand.numbers)
        try ada.send(try hand.solution())
        try await ada.event("roundEnded") { $0["number"] == 2 }
        #expect(try await ada.exitCode() == 0)
        #expect(ada.events.last?["reason"] == "finished")
        #expect(try await one.exitCode() == 0)
      }
    }
  }
}
