import CBonjourishLinux
import Testing

extension TalkingOnALAN {
  /// Strangers at the page for phones; a native player and a phone must not notice.
  struct IntruderTests {
    /// What the stranger does, the statuses of HTTP that come back, and the codes that the host closes the WebSocket with.
    private static let tricks: [(String, status: [Double?], codes: [String])] = [
      ("crossSite", [403], []),
      ("otherPort", [403], []),
      ("rebinding", [421], []),
      ("rebindingSocket", [421], []),
      ("hugeHead", [431], []),
      ("manyFields", [431], []),
      ("post", [405], []),
      ("unmasked", [101], []),
      ("badOpcode", [101], []),
      ("binary", [101], []),
      ("notUTF8", [101], []),
      ("hugeFrame", [101], []),
      ("noToken", [101], ["admission"]),
      ("answerBeforeHello", [101], ["outOfOrder"]),
      ("silent", [101], []),
      ("nativePeer", [0], []),
      ("smuggled", [400, 400, 400, 400, 400, 400, 400, 400, 404, 404], []),
      ("guesses", [], ["admission", "tooFast"]),
      ("slowLoris", [0, 408], []),
      ("halfOpen", [], []),
    ]

    @Test(.timeLimit(.minutes(3))) func `whatever strangers do to the page, players and phones play on`() async throws {
      try await withLab { lab in
        let ada = try lab.host(
          "Ada", "--passcode", "471123", "--web", "--bot", "--round-seconds", "4", "--pause-seconds", "1", on: .h1)
        let address = try #require(try await ada.event("open")["web"]?.string)
        let token = try #require(address.split(separator: "#").last.map(String.init))
        let bob = try lab.player("Bob", "Ada's game", "--passcode", "471123", "--bot", on: .h2)
        let cleo = try lab.phone(address, "Cleo", "--bot", on: .h3)
        let welcome = try await cleo.event("welcome")
        let first = try await cleo.event("roundEnded", within: .seconds(30))
        let number = try #require(first["number"]?.number)

        // What others have captured: the token that Cleo has used, and the seat that is hers, with a secret that is not.
        let player = try #require(welcome["player"]?["id"]?.number.map { "\(Int($0))" })
        let room = try #require(welcome["room"]?.string)
        let thief = try lab.start(
          LAN.peer("intruder") + [Lab.Host.h1.address, "8024", "token=\(token)", "secret=\(room),\(player),0123456789abcdef"],
          on: .h2)
        for trick in ["token", "secret"] {
          let outcome = try await thief.event("done") { $0["trick"]?.string == trick }
          #expect(outcome["codes"] == ["admission"], "\(trick): \(outcome)")
        }

        let intruder = try lab.start(LAN.peer("intruder") + [Lab.Host.h1.address, "8024"] + Self.tricks.map(\.0), on: .h2)
        for (trick, status, codes) in Self.tricks {
          let outcome = try await intruder.event("done", within: .seconds(90)) { $0["trick"]?.string == trick }
          #expect(outcome["status"]?.array?.map(\.number) == status, "\(trick): \(outcome)")
          #expect(outcome["codes"]?.array?.compactMap(\.string) == codes, "\(trick): \(outcome)")
          #expect(outcome["ended"] == true, "\(trick)")
        }

        // Both have answered in every round meanwhile, and were never away.
        let last = try await cleo.event("roundEnded") { $0["number"]?.number ?? 0 > number + 3 }
        for name in ["Bob", "Cleo"] {
          let lines = last["standings"]?.array?.filter { $0["player"]?["name"]?.string == name }
          #expect(lines?.count == 1 && lines?.first?["away"] == nil, "\(name)")
        }
        #expect(ada.events("away", "left").isEmpty)
        #expect(cleo.events("gone").isEmpty && bob.events("reconnecting").isEmpty)
        #expect(cleo.events("answer").contains { $0["player"]?["name"] == "Cleo" })
      }
    }
  }
}
