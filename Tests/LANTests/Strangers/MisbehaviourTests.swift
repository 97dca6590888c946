import CBonjourishLinux
import Testing

extension StrangersOnALAN {
  /// A stranger who breaks every rule of the protocol; the others must not notice.
  struct MisbehaviourTests {
    /// What the stranger does, and the code that the host closes its connection with; nil when it is just hung up on.
    private static let misdeeds: [(String, code: String?)] = [
      ("oversized", "malformed"),
      ("hugelyOversized", "malformed"),
      ("quicklyOversized", "malformed"),
      ("oversizedInside", "malformed"),
      ("truncatedLength", nil),
      ("truncatedBody", nil),
      ("empty", nil),
      ("notUTF8", "malformed"),
      ("notJSON", "malformed"),
      ("noObject", "malformed"),
      ("deep", "malformed"),
      ("deepInside", "malformed"),
      ("unusableField", "malformed"),
      ("unusableName", "name"),
      ("otherVersion", "version"),
      ("answerBeforeHello", "outOfOrder"),
      ("secondHello", "outOfOrder"),
      ("hostsMessage", "outOfOrder"),
      ("unknownKind", nil),
    ]

    @Test func `it ends the connection it comes on, and the others play on`() async throws {
      try await withLab { lab in
        let ada = try lab.host("Ada", "--insecure", "--bot", "--round-seconds", "4", "--pause-seconds", "1", on: .h1)
        let port = try #require(try await ada.event("open")["port"]?.number.map { "\(Int($0))" })
        let bob = try lab.player("Bob", "--insecure", "Ada's game", "--bot", on: .h2)
        let cleo = try lab.player("Cleo", "--insecure", "Ada's game", "--bot", on: .h3)
        for player in ["Bob", "Cleo"] { try await ada.event("joined") { $0["player"]?.string == player } }
        try await ada.event("round")

        let vandal = try lab.start(LAN.peer("vandal") + [Lab.Host.h1.address, port] + Self.misdeeds.map(\.0), on: .h2)
        for (misdeed, code) in Self.misdeeds {
          let outcome = try await vandal.event("done") { $0["misdeed"]?.string == misdeed }
          #expect(outcome["code"] == code.map(JSON.string) ?? .null, "\(misdeed)")
          #expect((outcome["kinds"]?.array?.last == "closed") == (code != nil), "\(misdeed)")
          #expect(outcome["hungUp"] == true, "\(misdeed)")
        }
        #expect(try await vandal.exitCode() == 0)

        // A flood of questions, and one who does not take the answers; then a crowd that fills the admission queue.
        let flood = try lab.start(LAN.peer("vandal") + [Lab.Host.h1.address, port, "questionFlood"], on: .h3)
        let deaf = try lab.start(LAN.peer("vandal") + [Lab.Host.h1.address, port, "deaf"], on: .h2)
        for vandal in [flood, deaf] {
          let done = try await vandal.event("done", within: .seconds(40))
          #expect(done["hungUp"] == true)
          if vandal === flood { #expect(done["code"] == "tooFast") }
          #expect(try await vandal.exitCode() == 0)
        }
        let crowd = try lab.start(LAN.peer("vandal") + [Lab.Host.h1.address, port, "silentCrowd"], on: .h2)
        let turnedAway = try await crowd.event("done")
        #expect(turnedAway["hungUp"] == true)
        #expect(turnedAway["kinds"] == [])
        #expect(turnedAway["atOnce"] == 192)

        // An honest player still gets in.
        let dora = try lab.player("Dora", "--insecure", "Ada's game", "--bot", on: .h2)
        try await dora.event("open")
        // Those whose connection broke keep their seats for a minute.
        let last = try await ada.event("roundEnded") { present(in: $0).count { $0["status"] != "waiting" } == 4 }
        // The host is interrupted in the pause after that round, when everyone has heard of it.
        for program in [bob, cleo, dora] { try await program.event("roundEnded") { $0 == last } }
        try ada.signal(SIGINT)
        for program in [ada, bob, cleo, dora] {
          #expect(try await program.exitCode() == 0)
          #expect(program.errorLines == [])
          #expect(ada.story.ends(with: program.story))
        }
        #expect(Set(present(in: last).compactMap { $0["player"]?.string }) == ["Ada", "Bob", "Cleo", "Dora"])
      }
    }

    /// The standings of those who are there.
    private func present(in event: JSON) -> [JSON] {
      event["standings"]?.array?.filter { $0["away"] != true } ?? []
    }
  }
}
