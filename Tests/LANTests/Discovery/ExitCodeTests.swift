import Foundation
import TestSupport
import Testing

extension OnALAN {
  /// The exit codes of `bonjourish`: those that the help of a command lists, and no others.
  struct ExitCodeTests {
    /// What a command is given so that it ends with a code, and on which host: h1 publishes, h2 looks, and h3 has no network.
    private struct Attempt {
      let words: [String]
      let code: Int32
      let host: Lab.Host

      init(_ line: String, _ code: Int32, on host: Lab.Host = .h2) {
        (words, self.code, self.host) = (line.split(separator: " ").map(String.init), code, host)
      }
    }

    /// What each command is asked so that it finds something, and finds nothing.
    private static let questions: KeyValuePairs<String, (found: String, missing: String)> = [
      "browse": ("http --once", "ssh --once"), "types": ("--once", "--once --interface lo"),
      "domains": ("--once", "--once --interface lo"), "resolve": ("Ada http", "Nobody http --timeout 1"),
      "lookup": ("h1", "nobody --timeout 1"), "query": ("h1.local A", "nobody.local A --timeout 1"),
    ]

    private static let attempts: [Attempt] =
      questions.flatMap { verb, question in
        [
          Attempt("\(verb) \(question.found)", 0), Attempt("\(verb) \(question.missing)", 1),
          Attempt("\(verb) \(question.found) --nonsense", 64), Attempt("\(verb) \(question.found) --backend avahi", 69),
          // Without a network, that nothing was found says nothing.
          Attempt("\(verb) \(question.found.replacing("h1", with: "h2"))", 69, on: .h3),
          Attempt("\(verb) \(question.found) >/dev/full", 74),
        ]
      } + [
        Attempt("browse http --once --columns nonsense", 64), Attempt("query nobody.local A --once", 1),
        Attempt("browse ssh --for 1", 1), Attempt("types --for 1 --interface lo", 1),
        Attempt("query nobody.local A --watch --for 1", 1),
        Attempt("publish Bob http 81 --for 5", 0), Attempt("publish Bob http", 64),
        Attempt("publish Bob http 81 --for 0.1", 69),
        Attempt("publish Bob http 81 --backend avahi", 69), Attempt("publish Cleo http 81 >/dev/full", 74),
        Attempt("publish --file /nowhere", 74), Attempt("doctor", 0), Attempt("doctor", 1, on: .h3),
        Attempt("doctor --interface nosuch", 64), Attempt("doctor >/dev/full", 74),
      ]

    /// What is not driven here: faults of ours; a second SIGINT, which races with the end (`ConsoleTests`); a directory that refuses
    /// (`RefusedTests`); a machine without memory for `doctor`; and `reflect`, which needs two networks (`ReflectTests`).
    private static func isDriven(_ code: Int32, of verb: String) -> Bool {
      ![70, 77, 130].contains(code) && !(verb == "doctor" && code == 69)
    }

    @Test func `each command ends with each exit code that its help lists`() async throws {
      let folder = try TemporaryFolder()
      let file = folder.path + "/services.json"
      try #"""
      {"services": [{"name": "Ada", "type": "http", "port": 80}],
       "records": [{"name": "b._dns-sd._udp.local", "type": "PTR", "base64": "Bm9mZmljZQdleGFtcGxlAA=="}]}
      """#.write(toFile: file, atomically: true, encoding: .utf8)
      try await withLab(hosts: 3, daemons: false) { lab in
        try await lab.link(isUp: false, of: .h3)
        let publisher = try lab.bonjourish("publish", "--file", file, "--json", on: .h1)
        for _ in 0..<2 { try await publisher.event("published") }
        var driven: [String: Set<Int32>] = [:]
        // Some at a time, because most of them wait for answers.
        var rest = Self.attempts[...]
        while !rest.isEmpty {
          let started = try rest.prefix(8).map { attempt in
            let command = attempt.words.map { $0.hasPrefix(">") ? $0 : "'\($0)'" }.joined(separator: " ")
            return (attempt, try lab.start("sh", "-c", "exec \"$0\" \(command)", LAN.program("bonjourish"), on: attempt.host))
          }
          for (attempt, program) in started {
            #expect(try await program.exitCode(within: .seconds(30)) == attempt.code, "\(attempt.words) on \(attempt.host)")
            driven[attempt.words[0], default: []].insert(attempt.code)
          }
          rest = rest.dropFirst(8)
        }
        for verb in driven.keys {
          let help = try lab.bonjourish("help", verb, on: .h2)
          #expect(try await help.exitCode() == 0)
          let listed = help.outputLines.drop { $0 != "exit codes:" }.dropFirst(2).prefix { !$0.isEmpty }
            .compactMap { $0.split(separator: " ").first.flatMap { Int32($0) } }
          #expect(Set(listed.filter { Self.isDriven($0, of: verb) }) == driven[verb], "\(verb): \(listed)")
        }
        let all = try lab.bonjourish("help", on: .h2)
        #expect(try await all.exitCode() == 0)
        let verbs = all.outputLines.drop { !$0.hasPrefix("usage:") }.dropFirst(2).prefix { !$0.isEmpty }
          .filter { !$0.hasPrefix("   ") }.compactMap { $0.split(separator: " ").first.map(String.init) }
        #expect(Set(verbs).subtracting(["help", "completions", "reflect"]) == Set(driven.keys))
      }
    }
  }
}
