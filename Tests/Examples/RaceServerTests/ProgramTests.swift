import Foundation
import TestSupport
import Testing

/// The programs themselves, on the loopback interface, with peers in Python that share no code with them.
@Suite(.timeLimit(.minutes(2))) struct ProgramTests {
  private func server(_ arguments: String...) async throws -> (program: RunningProgram, port: Int) {
    let program = try RunningProgram(
      "race-server", ["--bind", "127.0.0.1", "--port", "0", "--gather", "0", "--json"] + arguments)
    let line = try object(try #require(await program.line(with: "listening")))
    return (program, try #require(line["port"] as? Int))
  }

  private func client(port: Int, _ name: String = "Adé", _ arguments: String...) throws -> RunningProgram {
    try RunningProgram(
      "race-client", ["--connect", "127.0.0.1:\(port)", "--player", "ada-4711", "--alias", name, "--json"] + arguments)
  }

  private func peer(_ script: String, _ arguments: String...) throws -> RunningProgram {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "peers")
    return try RunningProgram("/usr/bin/python3", ["-B", folder.appending(path: script).path] + arguments)
  }

  private func object(_ line: String) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
  }

  private func events(_ lines: [String], _ name: String) throws -> [[String: Any]] {
    try lines.map(object).filter { $0["event"] as? String == name }
  }

  /// Checks that a peer in Python has found no fault.
  private func expectKept(_ peer: RunningProgram) async {
    let (code, output, errors) = (await peer.exitCode(), await peer.restOfOutput(), await peer.restOfErrors())
    #expect(code == 0 && output == ["kept"], "\(output) \(errors)")
  }

  // MARK: - The server

  @Test func `the server speaks to a client that is nothing but bytes`() async throws {
    let (server, port) = try await server("--course", "50")
    let peer = try peer("client.py", "\(port)", "race")
    await expectKept(peer)
    server.signal(SIGTERM)
    let lines = await server.restOfOutput()
    #expect(await server.exitCode() == 0)
    #expect(await server.restOfErrors() == [])
    #expect(try events(lines, "over").map { $0["aliases"] as? [String] } == [["Bob é", "Ada"], ["Bob é", "Ada"]])
    #expect(try events(lines, "connected").map { $0["continued"] as? Bool } == [false, false, true, false, false])
    #expect(try events(lines, "refused").map { $0["reason"] as? String } == ["replaced"])
  }

  @Test func `broken bytes end their connection with a line, and disturb no other`() async throws {
    let (server, port) = try await server("--course", "50")
    let peer = try peer("client.py", "\(port)", "broken")
    await expectKept(peer)
    server.signal(SIGINT)
    let refusals = try events(await server.restOfOutput(), "refused")
    #expect(await server.exitCode() == 0)
    #expect(refusals.count == 21)
    #expect(refusals.allSatisfy { ($0["address"] as? String)?.hasPrefix("127.0.0.1:") == true })
    let texts = refusals.compactMap { $0["text"] as? String }
    for hint in [
      "the number of a message of clients: 0, 2 or 5, not 11", "UInt8; only 0 bytes remain", "a zero byte at its end",
      "at least 1 bytes, not of 0", "at least 1 bytes, not of -1", "a string of 2147483647 bytes", "a string in UTF-8",
      "an alias has 1 to 64 bytes", "4097 bytes is larger than the 4096", "4294967295 bytes is larger than",
      "send your ID first",
      "you have already sent your ID", "you already wait for a match or are in one", "a minimum and a maximum",
      "ended inside a frame", "a racer cannot have reached 51",
    ] {
      #expect(texts.contains { $0.contains(hint) }, "nothing says: \(hint)")
    }
  }

  @Test func `a server that is asked to end tells all players`() async throws {
    let (server, port) = try await server()
    let peer = try peer("client.py", "\(port)", "closing")
    #expect(await peer.line(with: "connected") != nil)
    server.signal(SIGTERM)
    #expect(await server.exitCode() == 0)
    await expectKept(peer)
  }

  @Test func `four clients of ours race, and agree on the ranking`() async throws {
    let (server, port) = try await server("--course", "60", "--players", "4:4")
    let clients = try (1...4).map { number in
      try RunningProgram(
        "race-client",
        [
          "--connect", "127.0.0.1:\(port)", "--player", "p\(number)", "--alias", "Player \(number)", "--seed", "\(number)",
          "--json",
        ])
    }
    var rankings: [[String]] = []
    for client in clients {
      let lines = await client.restOfOutput()
      #expect(await client.exitCode() == 0)
      let match = try #require(try events(lines, "match").first)
      let aliases = try #require(match["racers"] as? [[String: Any]]).compactMap { $0["alias"] as? String }
      let ranking = try #require(try events(lines, "over").first?["ranking"] as? [Int])
      rankings.append(ranking.map { aliases[$0] })
      #expect(try events(lines, "arrived").map { $0["place"] as? Int } == [1, 2, 3, 4])
      #expect(try events(lines, "ended").first?["reason"] as? String == "finished")
      let states = try events(lines, "state").compactMap { $0["state"] as? String }
      #expect(states.contains("pendingMatch") && states.contains("matchActive") && states.last == "notAvailable")
    }
    #expect(Set(rankings).count == 1 && rankings[0].count == 4)
    server.signal(SIGTERM)
    #expect(try events(await server.restOfOutput(), "over").first?["aliases"] as? [String] == rankings[0])
  }

  @Test func `a client that was interrupted continues, and one whose server was away asks anew`() async throws {
    let (server, port) = try await server("--course", "1000", "--players", "2:2")
    let bob = try RunningProgram(
      "race-client", ["--connect", "127.0.0.1:\(port)", "--player", "b1", "--alias", "Bob", "--json"])
    let ada = try client(port: port, "Ada")
    let start = try #require(await ada.line(with: "\"match\""))
    let racer = try #require(try object(start)["own"] as? Int)
    #expect(await ada.line(with: "\"racer\":\(racer)") != nil)
    ada.signal(SIGINT)
    #expect(await ada.exitCode() == 0)
    #expect(await bob.line(with: "away") != nil)
    let again = try client(port: port, "Ada", "--continue")
    let continuation = try #require(await again.line(with: "\"match\""))
    let match = try object(continuation)
    #expect(match["continued"] as? Bool == true)
    let own = try #require(match["own"] as? Int)
    #expect(((match["racers"] as? [[String: Any]])?[own]["position"] as? Int ?? 0) > 0)
    #expect(await bob.line(with: "here") != nil)
    // The server ends, which both outlast: when it is there again they ask for another match.
    server.signal(SIGTERM)
    #expect(await server.exitCode() == 0)
    for client in [again, bob] { #expect(await client.line(with: "reconnecting") != nil) }
    let successor = try RunningProgram("race-server", ["--bind", "127.0.0.1", "--port", "\(port)", "--gather", "0"])
    #expect(await successor.line(with: "match 1: started with") != nil)
    for client in [again, bob] {
      #expect(await client.line(with: "matchActive") != nil)
      client.signal(SIGTERM)
      #expect(await client.exitCode() == 0)
    }
  }

  // MARK: - The client

  @Test(arguments: [("whole", [String](), 0), ("lost", ["--continue"], 0)])
  func `the client speaks to a server that is nothing but bytes`(
    _ manner: String, _ arguments: [String], _ code: Int32
  ) async throws {
    let peer = try peer("server.py", manner)
    let port = try #require(await peer.line(with: "port ").flatMap { Int($0.dropFirst(5)) })
    let client = try RunningProgram(
      "race-client",
      ["--connect", "127.0.0.1:\(port)", "--player", "ada-4711", "--alias", "Adé", "--players", "2:3", "--json"] + arguments)
    let lines = await client.restOfOutput()
    #expect(await client.exitCode() == code)
    await expectKept(peer)
    let states = try events(lines, "state").compactMap { $0["state"] as? String }
    let beginning = ["notAvailable", "pendingAuthentication", "authenticated"]
    let before = ["connecting", "connected", "pendingMatchStatus", "receivedMatchStatus"]
    let waiting = ["pendingMatch", "pendingMatchStart", "matchActive"]
    let way = manner == "whole" ? before + waiting : before + waiting + before + ["matchActive"]
    #expect(states == beginning + way + ["receivedMatchStatus", "notAvailable"])
    #expect(try events(lines, "match").map { $0["continued"] as? Bool } == (manner == "whole" ? [false] : [false, true]))
    #expect(try events(lines, "reconnecting").count == (manner == "whole" ? 0 : 1))
  }

  @Test(arguments: [
    ("refused", 69, "no place"), ("cheated", 76, "too \\u{1B}[31mfast"),
    ("unknown", 76, "the number of a message of the server"),
    ("no-zero", 76, "a zero byte at its end"), ("negative", 76, "not of -1"), ("early", 76, "not allowed in the state"),
    ("oversized", 76, "4097 bytes is larger than"),
  ])
  func `a server that breaks the rules ends the client with a line`(_ manner: String, _ code: Int32, _ hint: String)
    async throws
  {
    let peer = try peer("server.py", manner)
    let port = try #require(await peer.line(with: "port ").flatMap { Int($0.dropFirst(5)) })
    let client = try client(port: port)
    #expect(await client.exitCode() == code)
    let errors = await client.restOfErrors()
    #expect(errors.count == 1 && errors[0].contains(hint), "\(errors)")
    await expectKept(peer)
  }

  @Test(arguments: [
    (
      "race-server",
      ["--port", "--bind", "--players", "--course", "--gather", "--json", "race-server --bind 127.0.0.1 --players 2:2"]
    ),
    (
      "race-client",
      ["--connect", "--player", "--alias", "--continue", "--players", "--seed", "--json", "--alias Ada --continue"]
    ),
  ])
  func `the help names every option, and gives examples`(_ name: String, _ parts: [String]) async throws {
    let program = try RunningProgram(name, ["--help"])
    let help = await program.restOfOutput().joined(separator: "\n")
    #expect(await program.exitCode() == 0)
    for part in parts { #expect(help.contains(part), "\(part)") }
  }

  @Test(arguments: [
    ("race-client", ["--player", "a", "--alias", "b"], 64, "--connect is missing"),
    ("race-client", ["--connect", "127.0.0.1:1", "--player", "a", "--alias", "b"], 69, "refused"),
    ("race-client", ["--connect", "h", "--player", "a", "--alias", "b", "--players", "3:2"], 64, "16 at most"),
    (
      "race-client", ["--connect", "127.0.0.1:1", "--player", String(repeating: "a", count: 65), "--alias", "b"], 64,
      "1 to 64 bytes"
    ),
    ("race-server", ["--bind", "here"], 64, "an address of this machine"),
    ("race-server", ["--players", "0:1"], 64, "16 at most"),
    ("race-server", ["--bind", "192.0.2.1", "--port", "0"], 69, "192.0.2.1"),
    ("race-server", ["--port", "65536"], 64, "65535"), ("race-server", ["--course", "0"], 64, "1000000"),
    ("race-server", ["--course", "1000001"], 64, "1000000"), ("race-server", ["--gather", "3600.001"], 64, "3600"),
  ])
  func `an error is one line on standard error`(
    _ name: String, _ arguments: [String], _ code: Int32, _ hint: String
  ) async throws {
    let program = try RunningProgram(name, arguments)
    #expect(await program.exitCode() == code)
    let errors = await program.restOfErrors()
    #expect(errors.count == 1 && errors[0].contains(hint), "\(errors)")
  }
}
