import Foundation
import TestSupport
import Testing

/// The program itself, on the loopback interface.
@Suite(.timeLimit(.minutes(2))) struct ProgramTests {
  private static func host(_ arguments: String...) throws -> RunningProgram {
    try RunningProgram("packet-duel", ["host", "--name", "Ada", "--hidden", "--interface", "lo", "--json"] + arguments)
  }

  private static func guest(port: Int, _ arguments: String...) throws -> RunningProgram {
    try RunningProgram("packet-duel", ["join", "--name", "Bob", "--connect", "127.0.0.1:\(port)", "--json"] + arguments)
  }

  /// The port in a host's first line.
  private func port(of host: RunningProgram) async throws -> Int {
    let line = try #require(await host.line(with: "open"))
    return try #require(try object(line)["port"] as? Int)
  }

  private func object(_ line: String) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
  }

  /// Checks that a peer in Python has found no fault.
  private func expectKept(_ peer: RunningProgram) async {
    let (code, output, errors) = (await peer.exitCode(), await peer.restOfOutput(), await peer.restOfErrors())
    #expect(code == 0 && output == ["kept"], "\(output) \(errors)")
  }

  @Test func `two programs play a game`() async throws {
    let host = try Self.host("--bot", "--seed", "1")
    let guest = try Self.guest(port: try await port(of: host), "--bot", "--seed", "2")
    let (hosts, guests) = (try await host.restOfOutput().map(object), try await guest.restOfOutput().map(object))
    #expect(await host.exitCode() == 0)
    #expect(await guest.exitCode() == 0)
    #expect(await host.restOfErrors() == [])
    #expect(await guest.restOfErrors() == [])

    #expect(hosts.first?["name"] as? String == "Bob" && hosts.first?["disc"] as? String == "o")
    #expect(guests.first?["name"] as? String == "Ada" && guests.first?["disc"] as? String == "x")
    #expect(hosts.last?["reason"] as? String == "finished" && guests.last?["reason"] as? String == "finished")
    // Both saw the same moves and boards, each from its side.
    let (seen, made) = (hosts.filter { $0["event"] as? String == "move" }, guests.filter { $0["event"] as? String == "move" })
    #expect(seen.count >= 7 && seen.count == made.count)
    for (number, (one, other)) in zip(seen, made).enumerated() {
      #expect(one["number"] as? Int == number + 1 && other["number"] as? Int == number + 1)
      #expect(one["column"] as? Int == other["column"] as? Int && one["board"] as? [String] == other["board"] as? [String])
      #expect(one["by"] as? String == (number % 2 == 0 ? "opponent" : "you") && one["by"] as? String != other["by"] as? String)
    }
    let results = [hosts, guests].map { $0.first { $0["event"] as? String == "result" }?["winner"] as? String }
    #expect(Set(results) == ["you", "opponent"] || results == ["nobody", "nobody"])
  }

  @Test func `a player leaves, and the other is told`() async throws {
    let host = try Self.host()
    let guest = try Self.guest(port: try await port(of: host))
    for program in [host, guest] { #expect(await program.line(with: "opponent") != nil) }
    try host.send("4")
    #expect(await host.errorLine(with: "not your turn") != nil)
    try guest.send("9")
    #expect(await guest.errorLine(with: "no column 9") != nil)
    try guest.send("-9223372036854775808")
    #expect(await guest.errorLine(with: "no column") != nil)
    try guest.send(" 4 ")
    #expect(await host.line(with: "\"number\":1")?.contains("\"column\":4") == true)
    guest.signal(SIGTERM)
    #expect(await guest.exitCode() == 0)
    #expect(await host.line(with: "closed")?.contains("opponentLeft") == true)
    #expect(await host.exitCode() == 0)
  }

  @Test func `a host stops waiting, and an opponent that is killed is lost`() async throws {
    let lonely = try Self.host()
    _ = try await port(of: lonely)
    try lonely.send("quit")
    #expect(await lonely.line(with: "closed")?.contains("left") == true)
    #expect(await lonely.exitCode() == 0)

    let host = try Self.host()
    let guest = try Self.guest(port: try await port(of: host))
    #expect(await guest.line(with: "opponent") != nil)
    guest.signal(SIGKILL)
    #expect(await host.line(with: "closed")?.contains("lost") == true)
    #expect(await host.exitCode() == 69)
  }

  /// A peer in Python that shares no code with the program, and checks and sends bytes.
  @Test(arguments: ["polite", "strangers", "full-column", "out-of-turn", "garbage", "oversized"])
  func `the host keeps to the protocol`(_ manner: String) async throws {
    let host = try Self.host()
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "peers/guest.py").path
    let peer = try RunningProgram("/usr/bin/python3", ["-B", script, "\(try await port(of: host))", manner])
    switch manner {
    case "polite":
      #expect(await host.line(with: "\"number\":1") != nil)
      try host.send("1")
    case "full-column":
      for number in [1, 3, 5] {
        #expect(await host.line(with: "\"number\":\(number)") != nil)
        try host.send("1")
      }
    default: break
    }
    await expectKept(peer)
    switch manner {
    case "polite", "strangers": #expect(await host.exitCode() == 0)
    default:
      #expect(await host.line(with: "closed")?.contains("violated") == true)
      #expect(await host.exitCode() == 76)
      #expect(await host.restOfErrors().count == 1)
    }
  }

  @Test(arguments: [
    ("host", ["--port", "--hidden", "packet-duel host --name Ada --bot"]),
    ("join", ["--any", "--connect", "packet-duel join --name Bob --any --bot"]),
  ])
  func `the help of a command names its options and those of both, and gives examples`(
    _ command: String, _ parts: [String]
  ) async throws {
    let program = try RunningProgram("packet-duel", [command, "--help"])
    let help = await program.restOfOutput().joined(separator: "\n")
    #expect(await program.exitCode() == 0)
    let common = ["--name", "--bot", "--seed", "--json", "--interface", "--backend", "--verbose"]
    for part in common + parts { #expect(help.contains(part), "\(part)") }
  }

  @Test(arguments: [
    (["host"], 64, "--name is missing"), (["host", "--name", ""], 64, "--name must not be empty"),
    (["join", "--name", "Bob", "--any", "--connect", "localhost:1"], 64, "exclude each other"),
    (["join", "--name", "Bob", "--connect", "localhost"], 64, "a host and a port"),
    (["join", "--name", "Bob", "--connect", "127.0.0.1:1"], 69, "refused"),
    (["host", "--name", "Ada", "--interface", "nowhere0"], 64, "nowhere0"),
    (["host", "--name", "Ada", "--port", "65536"], 64, "65535"),
  ])
  func `an error is one line on standard error`(_ arguments: [String], _ code: Int32, _ hint: String) async throws {
    let program = try RunningProgram("packet-duel", arguments)
    #expect(await program.exitCode() == code)
    let errors = await program.restOfErrors()
    #expect(errors.count == 1 && errors[0].contains(hint), "\(errors)")
  }
}
