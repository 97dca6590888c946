import Foundation
import Results
import TestSupport
import Testing
import TwentyFour

/// What `twentyfour-host` shows of a file of results.
@Suite(.timeLimit(.minutes(1))) struct LeaderboardTests {
  private let folder = try! TemporaryFolder()
  private var path: String { folder.path + "/results.sqlite" }

  private func show(_ words: String...) async throws -> [String] {
    let (lines, code) = try await RunningProgram.hostToEnd(words + ["--results", path])
    #expect(code == 0)
    return lines
  }

  /// A match of four, two of whom have one name, and two of whom are equal.
  private func fill() async throws {
    let store = try await ResultStore.open(at: path)
    func score(
      _ seat: Int, _ name: String, key: String? = nil, points: Int = 0, best: Duration? = nil
    ) -> MatchRecord.Score {
      .init(
        player: PlayerID(rawValue: seat), name: name, key: key, points: points, rounds: 1, solved: best == nil ? 0 : 1,
        best: best)
    }
    store.record(
      RoundRecord(
        match: "one", room: "Ada's \u{1B}game", began: WallTime(milliseconds: 1_000), hasEnd: true, number: 1,
        ended: WallTime(milliseconds: 61_000),
        scores: [
          score(1, "Ada"), score(2, "Ada", key: "mfzw-64tz-onua-o3tp", points: 18, best: .milliseconds(12_340)),
          score(3, "Bob\u{1B}", points: 12, best: .milliseconds(62_050)),
          score(4, "Cy", points: 12, best: .milliseconds(62_050)),
        ]))
    try await store.close()
  }

  @Test func `the best are a table, in which two of one name are told apart by their keys`() async throws {
    try await fill()
    let lines = [
      "place  points  solved  rounds      best  matches  player",
      "   1.      18       1       1   12.34 s        1  Ada (mfzw-64tz)",
      #"   2.      12       1       1   62.05 s        1  Bob\u{1B}"#,
      "   2.      12       1       1   62.05 s        1  Cy",
      "   4.       0       0       1         -        1  Ada (no key)",
    ]
    #expect(try await show("--leaderboard") == lines)
    #expect(
      try await show("--leaderboard", "--limit", "1") == Array(lines.prefix(1)) + [lines[1].replacing(" (mfzw-64tz)", with: "")]
    )
    #expect(
      try await show("--leaderboard", "--by", "matches").map { $0.prefix(5) } == ["place", "   1.", "   2.", "   2.", "   4."])
    #expect(
      try await show("--leaderboard", "--json", "--limit", "2") == [
        #"{"best":12.34,"key":"mfzw-64tz-onua-o3tp","matches":1,"player":"Ada","points":18,"rank":1,"rounds":1,"solved":1}"#,
        #"{"best":62.05,"matches":1,"player":"Bob\u001b","points":12,"rank":2,"rounds":1,"solved":1}"#,
      ])
  }

  @Test func `the latest matches have their scores, the best first`() async throws {
    try await fill()
    #expect(
      try await show("--history") == [
        #"1970-01-01T00:01:01Z  Ada's \u{1B}game, 1 round"#, "      18 points  Ada", #"      12 points  Bob\u{1B}"#,
        "      12 points  Cy", "       0 points  Ada",
      ])
    let scores = [
      #"{"player":"Ada","points":0,"rounds":1,"solved":0}"#,
      #"{"best":12.34,"key":"mfzw-64tz-onua-o3tp","player":"Ada","points":18,"rounds":1,"solved":1}"#,
      #"{"best":62.05,"player":"Bob\u001b","points":12,"rounds":1,"solved":1}"#,
      #"{"best":62.05,"player":"Cy","points":12,"rounds":1,"solved":1}"#,
    ]
    #expect(
      try await show("--history", "--json") == [
        #"{"began":"1970-01-01T00:00:01Z","ended":"1970-01-01T00:01:01Z","match":"one","room":"Ada's \u001bgame","rounds":1,"#
          + #""scores":[\#(scores.joined(separator: ","))]}"#
      ])
  }

  @Test func `without results there is a sentence, and no object`() async throws {
    try await ResultStore.open(at: path).close()
    #expect(try await show("--leaderboard") == ["no results yet"])
    #expect(try await show("--history") == ["no matches yet"])
    #expect(try await show("--leaderboard", "--json").isEmpty)
    #expect(try await show("--history", "--json").isEmpty)
  }

  @Test func `a file that is missing is named, and one that is none is another error`() async throws {
    for (name, words) in [
      ("twentyfour-host", ["--leaderboard", "--results", path]), ("twentyfour-host results", ["results", path]),
    ] {
      let program = try RunningProgram.host(words)
      let message = "there are no results in \(path); record some with --record, or give another results file"
      #expect(await program.restOfErrors() == ["\(name): \(message)"])
      #expect(await program.exitCode() == 69)
    }
    #expect(try await RunningProgram.hostToEnd(["--history", "--results", folder.path]).code == 74)
  }

  @Test func `the usual file is in the folder of the user's state`() async throws {
    let environment = ["XDG_STATE_HOME": folder.path]
    let host = try RunningProgram.host(
      ["--dedicated", "--unlisted", "--json", "--interface", "lo", "--port", "0", "--record"], environment: environment)
    _ = try await host.port()
    host.signal(SIGTERM)
    #expect(await host.exitCode() == 0)
    let history = try RunningProgram.host(["--history"], environment: environment)
    #expect(await history.restOfOutput() == ["no matches yet"])
    #expect(await history.exitCode() == 0)
    #expect(FileManager.default.fileExists(atPath: folder.path + "/bonjourish/results.sqlite"))
  }
}
