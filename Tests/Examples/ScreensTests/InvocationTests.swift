import Bonjourish
import CBonjourishLinux
import Foundation
import FramedSecurity
import TestSupport
import Testing
import TwentyFour
import _BonjourishConsole
import _BonjourishDiscovery

@testable import Rooms
@testable import Screens

/// What the command line of a player says, and how programs end.
@Suite(.timeLimit(.minutes(1))) struct InvocationTests {
  private static let command = Command(
    "try", summary: "Tries.", options: PlayerOptions.all, exclusive: PlayerOptions.exclusive)

  static func invocation(_ words: String...) throws -> PlayerInvocation { try invocation(words) }

  static func invocation(_ words: [String]) throws -> PlayerInvocation {
    try PlayerInvocation(try command.arguments(of: words), program: "try")
  }

  @Test func `without options a person plays, whose name is not given`() throws {
    let invocation = try Self.invocation()
    #expect(invocation.name == nil && !invocation.isBot && !invocation.isInsecure && !invocation.json && !invocation.isPlain)
    #expect(!invocation.spectates && invocation.players == nil && !invocation.trustsNewKey && invocation.passcode == nil)
    #expect(invocation.strength == .average && invocation.difficulty == nil && invocation.time == .usual)
    #expect(invocation.usesLocalNetwork && !invocation.usesDirectory && invocation.interfaces == .all)
  }

  @Test func `each option has its effect`() throws {
    let invocation = try Self.invocation(
      "--name", "Ada", "--bot", "--strength", "expert", "--difficulty", "hard", "--time", "2", "--seed", "7", "--plain",
      "--interface", "eth0", "--insecure", "--directory", "nats://a", "--no-local")
    #expect(invocation.name == Evening.name("Ada") && invocation.isBot && invocation.isInsecure && invocation.isPlain)
    #expect(invocation.strength == .expert && invocation.difficulty == .hard && invocation.time == .double)
    #expect(invocation.usesDirectory && !invocation.usesLocalNetwork && invocation.interfaces == "eth0")
    var (one, other) = (invocation.generator, TwentyFour.SeededGenerator(seed: 7))
    #expect(one.next() == other.next())
    #expect(try Self.invocation("--json").json)
  }

  @Test(arguments: [["--name", "a\u{202E}"], ["--region", "eu"]])
  func `a value that cannot be used is an error`(
    words: [String]
  ) throws {
    let error = #expect(throws: Failure.self) {
      try PlayerInvocation(try Self.command.arguments(of: words), program: "try")
    }
    #expect(error?.code == .usage && error?.message.isEmpty == false)
  }

  @Test func `a name, a link and a passcode are read`() throws {
    var invocation = try Self.invocation()
    #expect(try invocation.instanceName("Ada's game") == "Ada's game")
    #expect(throws: Failure.self) { try invocation.instanceName("") }
    #expect(try invocation.link("Ada's game") == nil)
    #expect(throws: Failure(.usage, "that is not a complete link to a room; copy all of it")) {
      try invocation.link("twentyfour:Ada")
    }
    #expect(throws: Failure(.usage, "a passcode has 1 to 256 bytes")) { try invocation.give(passcode: "") }
    #expect(invocation.passcode == nil)
    try invocation.give(passcode: "123456")
    #expect(invocation.passcode != nil)
  }

  @Test(arguments: [RoomLock.open, .passcode, .none]) func `a player enters a room of which they have what it asks for`(
    lock: RoomLock
  ) throws {
    let (room, full) = (Evening.room("A", lock: lock), Evening.room("B", players: 16, lock: lock))
    var invocation = try Self.invocation()
    #expect(invocation.canEnter(room) == (lock == .open) && !invocation.canEnter(full))
    let insecure = try Self.invocation("--insecure")
    #expect(insecure.canEnter(room) == (lock != .passcode) && !insecure.canEnter(full))
    try invocation.give(passcode: "1")
    #expect(invocation.canEnter(room) == (lock == .passcode) && !invocation.canEnter(full))
  }

  @Test func `a room that a person opens waits for company, and that of a program does not`() throws {
    let person = PlayerSession(
      try Self.invocation("--insecure", "--time", "2", "--difficulty", "easy", "--interface", "eth0"), .json(nil),
      as: Evening.name("Ada"))
    let configuration = try person.roomConfiguration()
    #expect(configuration.name == Evening.name("Ada") && configuration.interfaces == "eth0")
    #expect(configuration.rules == Match.Rules(time: .double, gathering: .seconds(10), difficulty: .easy))
    // Nobody at a terminal.
    #expect(configuration.web == nil && !configuration.opensWeb && !configuration.staysOpen && !configuration.waitsForCompany)
    if case .plaintext = configuration.protection {} else { Issue.record("it must not be encrypted") }
  }

  @Test func `a room is protected as the command line says`() async throws {
    let insecure = try Self.invocation("--insecure")
    #expect(throws: Failure(.usage, "--insecure and --passcode exclude each other: a passcode needs encryption")) {
      try insecure.protection(passcode: "1")
    }
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      setenv("XDG_STATE_HOME", folder.path, 1)
      #expect(StateFolder.path == folder.path + "/bonjourish")
      let invocation = try InvocationTests.invocation()
      guard case .open(let identity) = try invocation.protection(passcode: nil) else { exit(1) }
      // The key is kept.
      guard case .passcode(nil, let other) = try invocation.protection(passcode: "auto") else { exit(2) }
      #expect(identity.fingerprint == other.fingerprint)
      guard case .passcode(let passcode?, _) = try invocation.protection(passcode: "abc") else { exit(3) }
      #expect(passcode == Passcode(text: "abc"))
      let error = #expect(throws: Failure.self) { try invocation.protection(passcode: "") }
      #expect(error == Failure(.usage, "a passcode has 1 to 256 bytes"))
      #expect(try folder.contents() == ["bonjourish"])
      let attributes = try FileManager.default.attributesOfItem(atPath: StateFolder.path)
      #expect(attributes[.posixPermissions] as? Int == 0o700)
    }
  }

  @Test func `without a folder the key is a new one, and a file that is no key is an error`() async {
    await #expect(processExitsWith: .success) {
      let errors = WrittenLines(to: STDERR_FILENO)
      let diagnostics = Diagnostics(program: "try")
      setenv("XDG_STATE_HOME", "/proc/nowhere", 1)
      _ = try StateFolder.identity(diagnostics)
      #expect(try await errors.next().hasPrefix("try: your key cannot be kept, so others will not know you again: "))
      _ = try StateFolder.pins(diagnostics)
      #expect(try await errors.next().hasPrefix("try: the keys of rooms cannot be kept, so another host will not be noticed"))
      let folder = try TemporaryFolder()
      setenv("XDG_STATE_HOME", folder.path, 1)
      try StateFolder.make()
      for name in ["key.pem", "known-keys"] {
        guard let file = fopen("\(StateFolder.path)/\(name)", "w") else { exit(1) }
        fputs("nonsense", file)
        fclose(file)
      }
      #expect(throws: Failure.self) { try StateFolder.identity(diagnostics) }
      #expect(throws: Failure.self) { try StateFolder.pins(diagnostics) }
      // The specification says to ignore relative paths.
      setenv("XDG_STATE_HOME", "relative", 1)
      setenv("HOME", "/home/ada", 1)
      #expect(StateFolder.path == "/home/ada/.local/state/bonjourish")
    }
  }

  // MARK: - Ends

  @Test(arguments: [
    (DiscoveryError.Code.invalidBackend, ExitCode.usage), (.invalidDirectory, .usage), (.notPermitted, .notPermitted),
    (.unavailable, .unavailable), (.noNetwork, .unavailable),
  ]) func `an error of discovery has an exit code`(code: DiscoveryError.Code, exit: ExitCode) {
    #expect(Failure(DiscoveryError(code, "why")) == Failure(exit, "why"))
  }

  @Test(arguments: [
    (RoomError.Code.cancelled, ExitCode.done), (.wrongPasscode, .notPermitted), (.otherKey, .notPermitted),
    (.notPermitted, .notPermitted), (.unavailable, .unavailable), (.cannotConnect, .unavailable),
  ]) func `an error of a room has an exit code`(code: RoomError.Code, exit: ExitCode) {
    #expect(Failure(RoomError(code, "why")) == Failure(exit, "why"))
  }

  @Test(
    arguments: [
      (RoomReason.Code.finished, nil), (.hostLeft, nil), (.left, nil),
      (.passcode, Failure(.notPermitted, "the room asks for a passcode; give --passcode CODE, or a link that is still good")),
      (.version, Failure(.protocolError, "could not go on: why")),
      (.malformed, Failure(.protocolError, "could not go on: why")),
      (.outOfOrder, Failure(.protocolError, "could not go on: why")), (.kicked, Failure(.unavailable, "why")),
    ] as [(RoomReason.Code, Failure?)]) func `the end of a room is a failure, or none`(code: RoomReason.Code, failure: Failure?)
  {
    #expect(Failure(RoomReason(code, "why")) == failure)
    if let failure {
      #expect(throws: failure) { try Failure.check(RoomReason(code, "why")) }
    } else {
      #expect(throws: Never.self) { try Failure.check(RoomReason(code, "why")) }
    }
  }

  // MARK: - The network

  @Test func `what is told of the network are lines of JSON, as bonjourish tells them`() async {
    await #expect(processExitsWith: .success) {
      let output = WrittenLines()
      let status = NetworkStatus(json: true, Diagnostics(level: .warning) { _, _ in exit(1) })
      var configuration = Bonjour.Configuration()
      status.follow(&configuration)
      configuration.reachLimited(DiscoveryError(.noNetwork, "no network"))
      configuration.reachLimited(nil)
      status.note("lost", from: .search)
      // Nothing is to be said.
      status.note(nil, from: .search)
      status.note("lost", from: .search)
      status.note(nil, from: .search, restored: "back")
      let lines = try await output.next(5)
      #expect(
        lines == [
          #"{"event":"limited","reason":"no network"}"#, #"{"event":"unlimited"}"#, #"{"event":"interrupted","reason":"lost"}"#,
          #"{"event":"interrupted","reason":"lost"}"#, #"{"event":"restored"}"#,
        ])
    }
  }
}
