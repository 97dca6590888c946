import Bonjourish
import CBonjourishLinux
import FramedSecurity
import TestSupport
import Testing
import TwentyFour
import _BonjourishConsole
import _BonjourishDiscovery
import _BonjourishSignals

@testable import Rooms
@testable import Screens
@testable import _BonjourishTerminal

/// A person or a program in the lobby and in a room, in lines and on a screen. Each test is a process of its own, whose standard input and
/// output are the test's.
@Suite(.timeLimit(.minutes(1))) struct PlayingTests {
  /// Writes lines into this process's standard input.
  struct Typist {
    let descriptor: CInt

    init() {
      var ends: [CInt] = [-1, -1]
      guard pipe(&ends) == 0, dup2(ends[0], STDIN_FILENO) >= 0 else { exit(101) }
      descriptor = ends[1]
    }

    func type(_ line: String) { type(Array("\(line)\n".utf8)) }

    func type(_ bytes: [UInt8]) { _ = write(descriptor, bytes, bytes.count) }
  }

  static func session(_ words: [String], _ face: Face) throws -> PlayerSession {
    let invocation = try InvocationTests.invocation(["--name", "Ada", "--seed", "1"] + words)
    return PlayerSession(invocation, face, as: Evening.name("Ada"))
  }

  // MARK: - Lines

  @Test func `a person practises in lines`() async {
    await #expect(processExitsWith: .success) {
      let (typist, output, errors) = (Typist(), WrittenLines(), WrittenLines(to: STDERR_FILENO))
      let session = try PlayingTests.session(["--plain"], .lines(.standardInput))
      let task = Task { await session.practise() }
      #expect(try await output.next() == "You are practising alone, as Ada.")
      let help = (Phrases.help(isPractice: true)).split(separator: "\n").map(String.init)
      #expect(try await output.next(help.count) == help)
      _ = try await output.next { $0.hasPrefix("Round 1: ") }
      _ = try await output.next { $0 == "  > Ada: guessing, 0 points" }
      typist.type("time")
      _ = try await output.next { $0.hasSuffix(" s left") }
      typist.type("standings")
      _ = try await output.next { $0 == "  > 1 Ada: guessing, 0 points" }
      typist.type("codes")
      _ = try await output.next { $0 == "  There are no codes to compare." }
      typist.type("hnt")
      _ = try await output.next { $0 == "  There is no command hnt; did you mean hint?" }
      typist.type("1+")
      _ = try await output.next { $0.hasPrefix("  No: ") }
      typist.type("hint")
      _ = try await output.next { $0.hasPrefix("  Hint 1, for 2 points: ") }
      typist.type([0xFF, 10])
      #expect(try await errors.next() == "try: that line is not UTF-8; write it again")
      typist.type(String(repeating: "1", count: 5_000))
      #expect(try await errors.next().hasPrefix("try: that line has more than "))
      typist.type("?")
      _ = try await output.next { $0 == help[0] }
      typist.type("give up")
      _ = try await output.next { $0.hasPrefix("Round 1 is over. A solution: ") }
      #expect(try await output.next(2) == ["  > Ada: gave up, 0 points", "The next round starts in 5 s."])
      close(typist.descriptor)
      #expect(
        try await errors.next()
          == "try: standard input has ended, so you cannot answer: the room stays open for others until a signal ends it; "
          + "--bot lets the program play")
      task.cancel()
      #expect(await task.value == nil)
    }
  }

  @Test func `a program practises with lines of JSON, and leaves`() async {
    await #expect(processExitsWith: .success) {
      let (typist, output) = (Typist(), WrittenLines())
      let session = try PlayingTests.session(["--json"], .json(.standardInput))
      let task = Task { await session.practise() }
      #expect(try await output.next().contains(#""event":"open""#))
      _ = try await output.next { $0.contains(#""event":"round""#) }
      // What is said to people is no answer for a program.
      typist.type("time")
      _ = try await output.next { $0.contains(#""event":"refused""#) }
      typist.type("hnt")
      _ = try await output.next { $0.contains(#""event":"refused""#) }
      typist.type("give up")
      _ = try await output.next { $0.contains(#""event":"roundEnded""#) }
      typist.type("quit")
      _ = try await output.next { $0.contains(#""event":"closed""#) }
      #expect(await task.value?.code == .hostLeft)
    }
  }

  @Test func `a room is chosen in lines, or another one is opened`() async {
    await #expect(processExitsWith: .success) {
      let (typist, output, errors) = (Typist(), WrittenLines(), WrittenLines(to: STDERR_FILENO))
      let session = try PlayingTests.session(["--plain"], .lines(.standardInput))
      let (backend, time) = (try FakeBackend(), ManualTime())
      let lobby = Lobby(session.invocation, session.face, on: Bonjour(backend: backend, time: time.clock))
      let task = Task { try await lobby.visit(as: session.name) }
      await backend.commands { $0.contains { if case .browse = $0 { true } else { false } } }
      await backend.sayToBrowsers(.settled)
      #expect(try await output.next() == "No rooms yet; they will show here.")
      for (line, answer) in [
        ("7", "There is no room 7; there are none yet."), ("Eve's game", Phrases.lobbyCommands),
        ("r", "There is no room with a free place."),
        ("random", "There is no room with a free place."),
      ] {
        typist.type(line)
        #expect(try await errors.next() == answer)
      }
      typist.type("")
      typist.type("help")
      #expect(try await output.next() == Phrases.lobbyCommands)
      typist.type("p")
      #expect(try await output.next() == "You are practising alone, as Ada.")
      typist.type("quit")
      _ = try await output.next { $0 == "* You stopped practising." }
      try await task.value
      // Whoever quits gets no room, and a program whose input ends is told so.
      let again = Task { try await lobby.visit(as: session.name) }
      typist.type("q")
      try await again.value
      close(typist.descriptor)
      await #expect(throws: Failure(.usage, Phrases.inputEnded)) { try await lobby.visit(as: session.name) }
    }
  }

  @Test func `a name is asked for at a terminal only`() async {
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      setenv("XDG_CONFIG_HOME", folder.path, 1)
      let invocation = try InvocationTests.invocation([])
      for face in [Face.json(nil), .lines(nil)] {
        await #expect(throws: Failure(.usage, "--name is missing; give --name NAME")) {
          try await invocation.playerName(on: face)
        }
      }
      try RememberedName.current?.write(Evening.name("Bob"))
      #expect(try await invocation.playerName(on: .json(nil)) == Evening.name("Bob"))
      #expect(try await InvocationTests.invocation(["--name", "Ada"]).playerName(on: .json(nil)) == Evening.name("Ada"))
      #expect(!Face.json(nil).isAtTerminal && !Face.lines(nil).isAtTerminal)
    }
  }

  @Test func `a person at a terminal without pictures is asked for the name, and for the passcode until it is right`() async {
    await #expect(processExitsWith: .success) {
      let terminal = PseudoTerminal.standard()
      let folder = try TemporaryFolder()
      setenv("XDG_CONFIG_HOME", folder.path, 1)
      setenv("XDG_STATE_HOME", folder.path, 1)
      func shows(_ text: String) async throws {
        let shown = try await blocking { terminal.shown(with: text) }
        #expect(shown.contains(text), "\(text) in \(shown)")
      }
      let face = Face.lines(.standardInput)
      #expect(face.isAtTerminal)
      let invocation = try InvocationTests.invocation([])
      let asking = Task { try await invocation.playerName(on: face) }
      try await shows("Your name, as the others see it:")
      terminal.type("Ada\n")
      #expect(try await asking.value == Evening.name("Ada"))
      #expect(try RememberedName.current?.read() == Evening.name("Ada"))

      let session = PlayerSession(invocation, face, as: Evening.name("Ada"))
      let room = PlayerSession.Destination(name: "Bob's game", lock: .passcode, pinName: "bob")
      let entering = Task {
        try await session.enter(room) { security in
          guard case .passcode(let passcode) = security.knowledge else { return nil }
          guard passcode == Passcode(text: "right") else { throw RoomError(.wrongPasscode, "that is wrong") }
          return .hostLeft
        }
      }
      try await shows("The passcode of Bob's game:")
      terminal.type("wrong\n")
      try await shows("that is wrong")
      terminal.type("right\n")
      #expect(try await entering.value == .hostLeft)
    }
  }

  @Test func `a program that knows no passcode is refused, and one that wants no secrets joins what has none`() async throws {
    let room = PlayerSession.Destination(name: "Bob's game", lock: RoomLock.none, pinName: "bob")
    let insecure = try Self.session(["--insecure"], .json(nil))
    let reason = try await insecure.enter(room) { security in
      #expect(security.isPlaintext && security.identity == nil)
      return .hostLeft
    }
    #expect(reason == .hostLeft)
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      setenv("XDG_STATE_HOME", folder.path, 1)
      let session = try PlayingTests.session([], .json(nil))
      var room = PlayerSession.Destination(name: "Bob's game", lock: RoomLock.none, pinName: "bob")
      await #expect(throws: Failure(.unavailable, Phrases.notEncrypted("Bob's game"))) {
        try await session.enter(room) { _ in .hostLeft }
      }
      room.lock = .passcode
      await #expect(throws: Failure(.notPermitted, Phrases.missingPasscode)) {
        try await session.enter(room) { _ in .hostLeft }
      }
      room.lock = .open
      let reason = try await session.enter(room) { security in
        guard case .key = security.knowledge else { return nil }
        #expect(!security.isPlaintext && security.identity != nil)
        return .passcode
      }
      // Nobody can be asked for it.
      #expect(reason == .passcode)
      await #expect(throws: RoomError.self) { try await session.enter(room) { _ in throw RoomError(.otherKey, "other") } }
    }
  }

  // MARK: - A screen

  @Test func `the lobby ends with its terminal`() async {
    await #expect(processExitsWith: .success) {
      setenv("TERM", "xterm-256color", 1)
      let terminal = PseudoTerminal.standard()
      let (backend, invocation) = (try FakeBackend(), try InvocationTests.invocation(["--name", "Ada"]))
      let task = Task {
        try await TerminalSession.run { session in
          let screen = PlayerScreen(session, notices: invocation.notices)
          let lobby = Lobby(invocation, .screen(screen), on: Bonjour(backend: backend, time: ManualTime().clock))
          try await lobby.visit(as: Evening.name("Ada"))
        }
      }
      _ = try await blocking { terminal.shown(with: "practise") }
      terminal.hangUp()
      try await task.value
    }
  }
}
