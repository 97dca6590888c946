import CBonjourishLinux
import Foundation
import Testing

extension StrangersOnALAN {
  /// Rooms with a passcode, and strangers who sit between, listen, or guess.
  struct SecretRoomTests {
    private func port(_ opened: JSON) throws -> String { "\(Int(try #require(opened["port"]?.number)))" }

    @Test func `a room of six digits is seen by everyone, and entered by those who know them, or have the link`() async throws {
      try await withLab { lab in
        let ada = try lab.host(
          "Ada", "--passcode", "auto", "--bot", "--rounds", "3", "--round-seconds", "5", "--pause-seconds", "1", on: .h1)
        let opened = try await ada.event("open")
        let code = try #require(opened["passcode"]?.string)
        let link = try #require(opened["link"]?.string)
        #expect(code.count == 6)
        let lobby = try lab.bonjourish("browse", "_twentyfour._tcp", "--resolve", "--json", on: .h3)
        let found = try await lobby.event("found")
        #expect(found["txt"]?["lock"] == "passcode")
        let key = try #require(opened["key"]?.string)
        #expect(found["txt"]?["key"]?.string == String(key.prefix(19)))

        let wrong = code == "000000" ? "111111" : "000000"
        let eve = try lab.player("Eve", "Ada's game", "--bot", "--passcode", wrong, on: .h3)
        #expect(try await eve.exitCode() == 77)
        let guess = try await ada.event("guess")
        #expect(guess["remaining"] == 9)
        #expect(guess["address"]?.string?.isEmpty == false)
        let mute = try lab.player("Eve", "Ada's game", "--bot", on: .h3)
        #expect(try await mute.exitCode() == 77)
        #expect(mute.events.last?["reason"] == "passcode")

        let bob = try lab.player("Bob", "Ada's game", "--bot", "--passcode", code, on: .h2)
        let cleo = try lab.player("Cleo", link, "--bot", on: .h3)
        for program in [bob, cleo] {
          try await program.event("open")
          let identified = try await program.event("identified")
          #expect(identified["key"]?.string == key)
        }
        for program in [ada, bob, cleo] {
          #expect(try await program.exitCode(within: .seconds(60)) == 0)
          #expect(program.events.last?["reason"] == "finished")
        }
        #expect(ada.events("guess").count == 1)
      }
    }

    @Test func `of many guesses at once ten are evaluated, three of one address, and an honest player plays on`()
      async throws
    {
      try await withLab { lab in
        let ada = try lab.host("Ada", "--passcode", "auto", "--port", "4242", "--round-seconds", "300", on: .h1)
        let code = try #require(try await ada.event("open")["passcode"]?.string)
        let dora = try lab.player("Dora", "--passcode", code, "--connect", "10.77.0.1:4242", on: .h2)
        let hand = try await dora.hand(1)
        func guess(_ count: Int) async throws -> Int {
          let before = ada.events("guess").count
          let guesses = try (0..<count).map { number in
            try lab.player("Eve", "--bot", "--passcode", "x\(number)", "--connect", "10.77.0.1:4242", on: .h3)
          }
          for guess in guesses { #expect([69, 77].contains(try await guess.exitCode(within: .seconds(60)))) }
          return ada.events("guess").count - before
        }
        // One address has three guesses, and uses up those of nobody else.
        #expect(try await guess(10) == 3)
        let cy = try lab.player("Cy", "--bot", "--passcode", code, "--connect", "10.77.0.1:4242", on: .h1)
        try await cy.event("open")
        for number in 1...3 {
          let address = "10.77.0.\(30 + number)"
          for words in ["address add \(address)/24 dev eth0", "route replace 10.77.0.0/24 dev eth0 src \(address)"] {
            #expect(try await lab.start(["ip"] + words.split(separator: " ").map(String.init), on: .h3).exitCode() == 0)
          }
          let evaluated = try await guess(5)
          // With the tenth the code changes, and the address has three guesses at the new one.
          #expect(number < 3 ? evaluated == 3 : 1...4 ~= evaluated)
        }
        let evaluated = ada.events("guess").count
        // Each code was guessed at ten times at most.
        let codes = ada.events("passcode")
        #expect(codes.count == evaluated / 10)
        try dora.send(try hand.solution())
        try await dora.event("answer") { $0["player"] == "Dora" }
        // Dora comes back without the new code: she proves her seat.
        try await lab.link(isUp: false, of: .h2)
        try await dora.event("reconnecting", within: .seconds(30))
        try await lab.link(isUp: true, of: .h2)
        try await dora.event("resumed", within: .seconds(30))
        // The host lets others in again.
        try ada.send("reopen")
        let fresh = try await ada.event("rule") { $0["rule"] == "reopen" }
        #expect(fresh["event"] == "rule")
        let last = try #require(ada.events("passcode").last?["passcode"]?.string)
        let bob = try lab.player("Bob", "--bot", "--passcode", last, "--connect", "10.77.0.1:4242", on: .h3)
        try await bob.event("open")
      }
    }

    /// After CVE-2023-43621 (croc): every user of a machine sees the arguments of all programs.
    @Test func `a code or a link stands in no argument list once the program runs`() async throws {
      try await withLab(daemons: false, backend: .builtin) { lab in
        let ada = try lab.host("Ada", "--passcode", "471123", "--port", "4242", on: .h1)
        let link = try #require(try await ada.event("open")["link"]?.string)
        let server = try lab.start(
          lab.own(.h2) + [
            LAN.program("twentyfour-host"), "--dedicated", "--json", "--passcode=471123", "--backend", "builtin",
          ], on: .h2)
        try await server.event("open")
        let bob = try lab.player("Bob", "--passcode", "471123", "--connect", "10.77.0.1:4242", on: .h2)
        let cleo = try lab.player("Cleo", link, on: .h3)
        for program in [bob, cleo] { try await program.event("open") }
        for program in [ada, server, bob, cleo] {
          let arguments = try program.argumentList()
          #expect(arguments.contains { $0 == "*" || $0 == "--passcode=*" }, "\(arguments)")
          #expect(!arguments.contains { $0.contains("471123") || $0.contains("invitation") }, "\(arguments)")
          #expect(arguments.contains("builtin"))
        }
      }
    }

    @Test func `somebody between is refused by whoever knows the passcode, a hundred times of a hundred`() async throws {
      try await withLab(daemons: false, backend: .builtin) { lab in
        let ada = try lab.host("Ada", "--passcode", "471123", "--port", "4242", "--per-address", "0", on: .h1)
        try await ada.event("open")
        for guess in [["123456"], []] {
          let middle = try lab.start(
            [LAN.program("man-in-the-middle"), guess.isEmpty ? "4243" : "4242", Lab.Host.h1.address, "4242"] + guess, on: .h3)
          try await middle.event("ready")
          // Eight handshakes of one address may be under way at a time.
          for batch in 0..<10 {
            let players = try (0..<5).map { _ in
              try lab.player(
                "Bob", "--bot", "--passcode", "471123", "--connect", "10.77.0.3:\(guess.isEmpty ? 4243 : 4242)", on: .h2)
            }
            for player in players {
              let code = try await player.exitCode(within: .seconds(60))
              #expect(code == 77, "batch \(batch)")
              #expect(player.events("open").isEmpty)
            }
          }
          #expect(middle.events("host").isEmpty)
        }
        #expect(ada.events("joined").isEmpty)
      }
    }

    /// After CVE-2025-54792 (LocalSend) and CVE-2025-66270 (KDE Connect): what discovery says of a host proves nothing.
    @Test func `somebody between is seen in an open room: by the key from before, and by the code`() async throws {
      try await withLab(daemons: false, backend: .builtin) { lab in
        let ada = try lab.host("Ada", "--port", "4242", on: .h1)
        let key = try #require(try await ada.event("open")["key"]?.string)
        let middle = try lab.start(
          [LAN.program("man-in-the-middle"), "4242", Lab.Host.h1.address, "4242"], on: .h3)
        try await middle.event("ready")
        // Bob's program has never been here, and notices nothing; its code and the host's differ.
        let bob = try lab.player("Bob", "--connect", "10.77.0.3:4242", on: .h2)
        let seen = try await bob.event("identified")
        let told = try await ada.event("identified") { $0["player"] == "Bob" }
        #expect(seen["key"]?.string != key)
        let codes = [seen["comparison"]?.string, told["comparison"]?.string].compactMap(\.self)
        #expect(codes.count == 2 && Set(codes).count == 2)
        #expect(middle.events("host").count == 1)
        // Without anybody between they are the same.
        let cleo = try lab.player("Cleo", "--connect", "10.77.0.1:4242", on: .h2)
        let direct = try await cleo.event("identified")
        let toldOfCleo = try await ada.event("identified") { $0["player"] == "Cleo" }
        #expect(direct["comparison"] == toldOfCleo["comparison"] && direct["comparison"] != nil)
        #expect(direct["key"]?.string == key)
        // The stranger takes the host's address and port, and is refused by those who have been there.
        try await lab.link(isUp: false, of: .h1)
        try middle.signal(SIGKILL)
        _ = try await middle.exitCode()
        let eve = try lab.host("Eve", "--port", "4242", on: .h3)
        try await eve.event("open")
        let taking = try lab.start("ip", "address", "add", "10.77.0.1/24", "dev", "eth0", on: .h3)
        #expect(try await taking.exitCode() == 0)
        let forgetting = try lab.start("ip", "neighbour", "flush", "dev", "eth0", on: .h2)
        #expect(try await forgetting.exitCode() == 0)
        let again = try lab.player("Cleo", "--connect", "10.77.0.1:4242", on: .h2)
        #expect(try await again.exitCode() == 77)
        #expect(again.events("open").isEmpty)
        #expect(again.errorLines.contains { $0.contains("another key") })
        let trusting = try lab.player("Cleo", "--new-key", "--connect", "10.77.0.1:4242", on: .h2)
        try await trusting.event("identified")
      }
    }

    /// After CVE-2023-43616 and those that follow it (croc): parts of a secret on the wire.
    @Test(arguments: [true, false])
    func `a capture of a passcode join has nothing to test a million codes against`(isEncrypted: Bool) async throws {
      try await withLab(daemons: false, backend: .builtin) { lab in
        let protection = isEncrypted ? ["--passcode", "471123"] : ["--insecure"]
        let ada = try lab.start(
          lab.own(.h1) + [
            LAN.program("twentyfour-host"), "--name", "Ada 471123", "--json", "--port", "4242", "--backend", "builtin",
          ]
            + protection, on: .h1)
        try await ada.event("open")
        let capture = try lab.start(LAN.peer("capture") + ["eth0", "4242", "Bob the player", "welcome"], on: .h2)
        try await capture.event("ready")
        let bob = try lab.start(
          lab.own(.h2) + [
            LAN.program("twentyfour-join"), "--name", "Bob the player", "--json", "--connect", "10.77.0.1:4242", "--backend",
            "builtin",
          ] + protection, on: .h2)
        let hand = try await bob.hand(1)
        try bob.send(try hand.solution())
        try await bob.event("answer")
        try capture.send("")
        let done = try await capture.event("done", within: .seconds(90))
        #expect(done["bytes"]?.number ?? 0 > 1_000)
        if isEncrypted {
          #expect(done["plaintexts"] == 0 && done["traces"] == 0)
          // Two hellos, and nothing but encrypted records after them.
          #expect(done["records"]?["22"] == 2 && done["records"]?["23"]?.number ?? 0 > 5)
        } else {
          // The search finds what is there: the name of the host has six digits.
          #expect(done["plaintexts"] == 2)
          #expect(done["traces"]?.number ?? 0 >= 1)
        }
      }
    }
  }
}
