import Bonjourish
import CBonjourishLinux
import FramedTransport
import TestSupport
import Testing
import TwentyFour
import _BonjourishDiscovery
import _BonjourishEventLoop

@testable import FramedSecurity
@testable import Rooms
@testable import Screens
@testable import _BonjourishConsole

/// A room that a person or a program opens, and the keys of others' rooms.
extension PlayingTests {
  private static func published(_ backend: FakeBackend) async {
    await backend.commands { $0.contains { if case .publish = $0 { true } else { false } } }
  }

  @Test func `a program opens a room, and is told what others see of it`() async {
    await #expect(processExitsWith: .success) {
      let (typist, output, errors) = (Typist(), WrittenLines(), WrittenLines(to: STDERR_FILENO))
      let session = try PlayingTests.session(["--json", "--insecure", "--interface", "lo"], .json(.standardInput))
      let backend = try FakeBackend()
      let task = Task {
        try await session.host(try session.roomConfiguration(), on: Bonjour(backend: backend, time: ManualTime().clock))
      }
      await PlayingTests.published(backend)
      await backend.sayToPublishers(.established("Ada's game"))
      let opened = try await output.next { $0.contains(#""event":"open""#) }
      #expect(opened.contains(#""name":"Ada's game""#) && opened.contains(#""port":"#), "\(opened)")
      #expect(!opened.contains(#""web""#) && !opened.contains(#""link""#) && !opened.contains(#""passcode""#))
      await backend.sayToPublishers(.interrupted(DiscoveryError(.unavailable, "the network is away")))
      #expect(try await errors.next() == "try: new players cannot find the room: the network is away")
      await backend.sayToPublishers(.established("Ada's game"))
      #expect(try await errors.next() == "try: the room can be found again")
      await backend.sayToPublishers(.renamed(from: "Ada's game", to: "Ada's game #2"), .established("Ada's game #2"))
      #expect(try await errors.next() == "try: \(Phrases.renamed("Ada's game #2"))")
      // The words of a host are decisions.
      typist.type("lock")
      _ = try await output.next { $0.contains(#""event":"rule""#) }
      typist.type("quit")
      _ = try await output.next { $0.contains(#""event":"closed""#) }
      #expect(try await task.value?.code == .hostLeft)
      #expect(session.invocation.status.sentence == nil)
    }
  }

  @Test func `what lets others in is told to the program that opens a room`() async {
    await #expect(processExitsWith: .success) {
      let (typist, output) = (Typist(), WrittenLines())
      let session = try PlayingTests.session(["--json", "--interface", "lo"], .json(.standardInput))
      let (backend, identity) = (try FakeBackend(), try Identity.ephemeral())
      var configuration = try session.roomConfiguration(.passcode(Passcode(text: "471123"), identity))
      (configuration.web, configuration.opensWeb) = (WebEntrance(port: nil), true)
      let task = Task { [configuration] in
        try await session.host(configuration, on: Bonjour(backend: backend, time: ManualTime().clock))
      }
      await PlayingTests.published(backend)
      await backend.sayToPublishers(.established("Ada's game"))
      let opened = try await output.next { $0.contains(#""event":"open""#) }
      for field in [
        #""passcode":"471123""#, #""key":"\#(identity.fingerprint)""#, #""link":"twentyfour:"#, #""web":"http://127.0.0.1:"#,
      ] {
        #expect(opened.contains(field), "\(field) in \(opened)")
      }
      typist.type("quit")
      #expect(try await task.value?.code == .hostLeft)
    }
  }

  @Test func `a person who has opened a room is asked before it is closed for others`() async {
    await #expect(processExitsWith: .success) {
      let (terminal, backend) = (PseudoTerminal.standard(), try FakeBackend())
      let session = try PlayingTests.session(["--plain", "--insecure", "--interface", "lo"], .lines(.standardInput))
      func shows(_ text: String) async throws {
        let shown = try await blocking { terminal.shown(with: text) }
        #expect(shown.contains(text), "\(text) in \(shown)")
      }
      let task = Task {
        try await session.host(try session.roomConfiguration(), on: Bonjour(backend: backend, time: ManualTime().clock))
      }
      await PlayingTests.published(backend)
      await backend.sayToPublishers(.established("Ada's game"))
      try await shows("You are Ada in \"Ada's game\", port ")
      let ports = backend.commands.compactMap { command -> UInt16? in
        guard case .publish(let registration) = command, case .service(let service) = registration.content else { return nil }
        return service.port
      }
      guard let port = ports.first, let address = SocketAddress(numericHost: "127.0.0.1", port: port) else { exit(1) }
      let bob = PlayerEntry(name: Evening.name("Bob"))
      let guest = Task {
        try await RoomPlayer.withRoom(at: [address], called: "Ada's game", as: bob, security: .plaintext) { player in
          for await case .closed(let reason) in player.events { return reason as RoomReason? }
          return nil
        }
      }
      try await shows("* Bob came.")
      terminal.type("quit\n")
      try await shows("Close the room for 1 player? y/n")
      // Another answer than yes is no, and no line of the game.
      terminal.type("table\nstandings\n")
      try await shows("  > 1 Ada: ")
      terminal.type("lock\n")
      try await shows("* The room is locked: nobody new comes in.")
      // Ctrl-C asks as well, and the second time ends the program.
      let interrupt = ProgramSignals.interruptHandler.withLock(\.self)
      #expect(interrupt?() == true && interrupt?() == false)
      try await shows("Close the room for 1 player? y/n")
      terminal.type("y\n")
      try await shows("* You closed the room.")
      #expect(try await task.value?.code == .hostLeft)
      #expect(try await guest.value?.code == .hostLeft)
    }
  }

  @Test func `a person trusts the new key of a room, or does not join`() async {
    await #expect(processExitsWith: .success) {
      let (terminal, folder) = (PseudoTerminal.standard(), try TemporaryFolder())
      setenv("XDG_STATE_HOME", folder.path, 1)
      func key(_ number: UInt8) throws -> KeyFingerprint {
        try #require(KeyFingerprint([UInt8](repeating: number, count: KeyFingerprint.byteCount)))
      }
      let (known, new) = (try key(1), try key(2))
      let invocation = try InvocationTests.invocation(["--name", "Ada"])
      let pins = try StateFolder.pins(invocation.diagnostics)
      try pins.pin(known, for: "bob")
      let otherKey = RoomError(
        .otherKey, "the host has another key", keyChange: KeyChange(name: "bob", known: known, presented: new))
      let session = PlayerSession(invocation, .lines(.standardInput), as: Evening.name("Ada"))
      var room = PlayerSession.Destination(name: "Bob's game", lock: .open, pinName: "bob")
      func enter(_ room: PlayerSession.Destination, _ session: PlayerSession) async throws -> Int {
        var tries = 0
        _ = try await session.enter(room) { security in
          tries += 1
          if try security.pins.keys()["bob"] == known { throw otherKey }
          return .hostLeft
        }
        return tries
      }
      terminal.type("no\n")
      await #expect(throws: RoomError.self) { try await enter(room, session) }
      let shown = try await blocking { terminal.shown(with: Phrases.newKeyQuestion("Bob's game")) }
      #expect(shown.contains("the host has another key"))
      #expect(try pins.keys() == ["bob": known])
      terminal.type("YES\n")
      #expect(try await enter(room, session) == 2)
      #expect(try pins.keys() == ["bob": new])
      // The key in a link is the host's word, against which nothing is asked.
      try pins.replace(new, with: known, for: "bob")
      room.link = RoomLink(name: "Bob's game", key: known, invitation: nil)
      await #expect(throws: RoomError.self) { try await enter(room, session) }
      #expect(try pins.keys() == ["bob": known])
      // Whoever says so beforehand is not asked.
      room.link = nil
      var trusting = invocation
      trusting.trustsNewKey = true
      #expect(try await enter(room, PlayerSession(trusting, .json(nil), as: Evening.name("Ada"))) == 1)
      #expect(try pins.keys().isEmpty)
    }
  }
}
