import Foundation
import TestSupport
import Testing

/// `twentyfour-join` as a program, at a match server.
@Suite(.timeLimit(.minutes(1))) struct JoinTests {
  private let folder = try! TemporaryFolder()
  private var socket: String { folder.path + "/admin" }

  private func join(_ words: [String]) throws -> RunningProgram {
    try RunningProgram("twentyfour-join", words, environment: ["XDG_STATE_HOME": folder.path, "XDG_CONFIG_HOME": folder.path])
  }

  @Test(
    arguments: [
      (["A", "--any"], "ROOM, --any, --connect and --practice exclude each other; give one of them"),
      (["--connect", "127.0.0.1", "--practice"], "ROOM, --any, --connect and --practice exclude each other; give one of them"),
      (["--practice", "--passcode", String(repeating: "1", count: 257)], "a passcode has 1 to 256 bytes"),
      (["--practice", "--name", "a\u{202E}"], "The name holds the invisible character U+202E"),
      (["--practice"], "--name is missing; give --name NAME"),
    ]) func `what cannot be is told before anything is joined`(words: [String], message: String) async throws
  {
    let program = try join(words)
    #expect(await program.restOfErrors().first?.hasPrefix("twentyfour-join: \(message)") == true)
    #expect(await program.exitCode() == 64)
    #expect(await program.restOfOutput() == [])
  }

  @Test func `a program practises, without a network`() async throws {
    let program = try join(["--practice", "--json", "--name", "Ada", "--seed", "7", "--time", "2"])
    #expect(await program.line()?.contains(#""event":"open""#) == true)
    #expect(await program.line(with: #""event":"round""#) != nil)
    try program.send("give up")
    #expect(await program.line(with: #""event":"roundEnded""#) != nil)
    try program.send("quit")
    #expect(await program.line(with: #""event":"closed""#) != nil)
    #expect(await program.exitCode() == 0)
    #expect(await program.restOfErrors() == [])
  }

  @Test func `players, spectators and those without the passcode are what the server makes of them`() async throws {
    let host = try RunningProgram.host([
      "--dedicated", "--unlisted", "--json", "--interface", "lo", "--port", "0", "--pause-seconds", "0", "--per-address", "0",
      "--players", "2:3", "--rounds", "1", "--passcode", "471123", "--admin", socket,
    ])
    let place = ["--connect", "127.0.0.1:\(try await host.port())"]
    let eve = try join(place + ["--name", "Eve", "--passcode", "1", "--json"])
    #expect(await eve.exitCode() == 77)
    #expect(await eve.restOfOutput() == [])

    let with = place + ["--passcode", "471 123"]
    let (ada, bob) = (try join(with + ["--name", "Ada", "--json"]), try join(with + ["--name", "Bob", "--plain"]))
    #expect(await ada.line()?.contains(#""event":"open""#) == true)
    #expect(await bob.line() == "You are Bob in the room.")
    #expect(await ada.line(with: #""event":"round""#) != nil)
    #expect(await bob.line(with: "Round 1: ") != nil)
    let spectator = try join(with + ["--name", "Cy", "--watch", "--plain"])
    #expect(await spectator.line() == "You are watching the room.")
    // Whoever wants three gets another match.
    let third = try join(with + ["--name", "Dan", "--players", "3:3", "--json"])
    #expect(await third.line()?.contains(#""event":"open""#) == true)
    let matches = try await RunningProgram.hostToEnd(["--admin", socket, "--admin-command", "list"]).lines
    #expect(matches.contains { $0.hasPrefix("match 1: ") && $0.hasSuffix("2 of 2 to 3 players, 1 watching") }, "\(matches)")
    #expect(matches.contains { $0.hasPrefix("match 2: ") && $0.hasSuffix("1 of 3 to 3 players") }, "\(matches)")
    for program in [spectator, third] {
      try program.send("quit")
      #expect(await program.exitCode() == 0)
    }
    for program in [ada, bob] { try program.send("give up") }
    #expect(await bob.line(with: "* All rounds have been played.") != nil)
    for program in [ada, bob] { #expect(await program.exitCode() == 0) }
    host.signal(SIGTERM)
    #expect(await host.exitCode() == 0)
  }
}
