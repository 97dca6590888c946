import Testing

extension OnALAN {
  /// What cannot be done: each program says so in one line that tells what to do, and ends with the right exit code.
  struct BadInputTests {
    private struct Attempt {
      let command: [String]
      let code: Int32
      /// What stands in the line.
      let hint: String

      init(_ program: String, _ arguments: String..., code: Int32, _ hint: String) {
        (command, self.code, self.hint) = ([LAN.program(program)] + arguments, code, hint)
      }
    }

    private static let long = String(repeating: "x", count: 64)

    private static let wrongUse = [
      Attempt("bonjourish", code: 64, "give one of browse, types, domains, publish, resolve"),
      Attempt("bonjourish", "frobnicate", code: 64, "give one of browse, types, domains, publish, resolve"),
      Attempt("bonjourish", "browse", code: 64, "TYPE is missing"),
      Attempt("bonjourish", "browse", "http.tcp", code: 64, "write it like _http._tcp"),
      Attempt("bonjourish", "browse", "_http._tcp", "--nonsense", code: 64, "unknown option --nonsense"),
      Attempt("bonjourish", "browse", "_http._tcp", "--interface", "nope0", code: 64, "run `ip link`"),
      Attempt("bonjourish", "browse", "_http._tcp", "--once", "--for", "1", code: 64, "give one of them"),
      Attempt("bonjourish", "browse", "_http._tcp", "--json", "--json", code: 64, "--json is given more than once"),
      Attempt(
        "bonjourish", "browse", "http", "--columns", "name,hots", code: 64, "txt and txt.KEY; did you mean host?"),
      Attempt("bonjourish", "publish", "x", "http", "1", "--host", "a b", code: 64, "give --allow-odd"),
      Attempt("bonjourish", "publish", "x", "http", "1", "a=1", "A=2", code: 64, "or --allow-odd"),
      Attempt("bonjourish", "query", "x.local", "A", "--once", "--watch", code: 64, "exclude each other"),
      Attempt("bonjourish", "brwose", "_http._tcp", code: 64, "did you mean browse?"),
      Attempt("bonjourish", "browse", "_http._tcp", "--for", "soon", code: 64, "--for must be a number of seconds"),
      Attempt("bonjourish", "publish", "x", "_toolongservicename._tcp", "1", code: 64, "at most 15"),
      Attempt("bonjourish", "publish", long, "_http._tcp", "1", code: 64, "at most 63 are allowed; shorten it"),
      Attempt("bonjourish", "publish", "a\u{1B}b", "_http._tcp", "1", code: 64, "remove it"),
      Attempt("bonjourish", "publish", "x", "_http._tcp", "0", code: 64, "PORT must be a whole number from 1 to 65535"),
      Attempt("bonjourish", "publish", "x", "_http._tcp", "65536", code: 64, "PORT must be a whole number from 1 to 65535"),
      Attempt("bonjourish", "publish", "x", "_http._tcp", code: 64, "PORT is missing"),
      Attempt("bonjourish", "publish", "x", "_http._tcp", "1", "=v", code: 64, "before the equals sign"),
      Attempt("bonjourish", "publish", "x", "_http._tcp", "1", "k=\(long)\(long)\(long)\(long)", code: 64, "shorten the value"),
      Attempt("bonjourish", "resolve", "x", "_http._tcp", "--timeout", "0", code: 64, "--timeout must be a number of seconds"),
      Attempt("twentyfour-host", code: 64, "give --name NAME"),
      Attempt("twentyfour-host", "--name", "a\u{202E}b", code: 64, "U+202E; remove it"),
      Attempt("twentyfour-host", "--name", "Ada", "--rounds", "0", code: 64, "--rounds must be a whole number from 1"),
      Attempt("twentyfour-host", "--name", "Ada", "--max", "129", code: 64, "--max must be a whole number from 2 to 128"),
      Attempt("twentyfour-host", "--name", "Ada", "--port", "65536", code: 64, "--port must be a whole number from 0 to 65535"),
      Attempt("twentyfour-join", code: 64, "give --name NAME"),
      Attempt("twentyfour-join", "--name", "Bob", "room", "--any", code: 64, "give one of them"),
      Attempt("twentyfour-join", "--name", "Bob", "--connect", "h1:", code: 64, "[fe80::1%eth0]"),
      Attempt("twentyfour-join", "--name", "Bob", "--connect", "fe80::1:80", code: 64, "[fe80::1%eth0]"),
      Attempt("twentyfour-join", "--name", "Bob", "--players", "3:2", code: 64, "MIN:MAX, such as 2:16"),
      Attempt("twentyfour-join", "--name", "Bob", "a\u{1B}b", code: 64, "remove it"),
    ]

    private static let unanswered = [
      Attempt("twentyfour-join", "--name", "Bob", "--any", code: 69, "open one with twentyfour-host"),
      Attempt("twentyfour-join", "--name", "Bob", "Nobody's game", code: 69, "there are none at present"),
      Attempt("bonjourish", "resolve", "Nobody", "_http._tcp", "--timeout", "0.5", code: 1, "browse _http._tcp to list"),
      Attempt("twentyfour-join", "--name", "Bob", "--connect", "10.77.0.1:9", code: 69, "runs and listens at this port"),
      Attempt("twentyfour-join", "--name", "Bob", "--connect", "[fe80::1%eth0]:9", code: 69, "runs and listens at this port"),
      Attempt("twentyfour-join", "--name", "Bob", "--connect", "[fe80::1]:9", code: 69, "needs an interface"),
      Attempt("twentyfour-join", "--name", "Bob", "--connect", "nowhere.invalid:9", code: 69, "Looking up nowhere.invalid"),
    ]

    @Test func `is refused in one line`() async throws {
      try await withLab(hosts: 2) { lab in
        // Those that wait for an answer run meanwhile.
        let waiting = try Self.unanswered.map { ($0, try lab.start($0.command, on: .h1)) }
        for attempt in Self.wrongUse { try await check(attempt, try lab.start(attempt.command, on: .h1)) }
        for (attempt, program) in waiting { try await check(attempt, program) }

        // Nothing of all this is on the network.
        let list = try lab.start("avahi-browse", "-apt", on: .h2)
        #expect(try await list.exitCode() == 0)
        #expect(list.outputLines == [])
      }
    }

    private func check(_ attempt: Attempt, _ program: Program) async throws {
      #expect(try await program.exitCode() == attempt.code, "\(attempt.command)")
      #expect(program.outputLines == [], "\(attempt.command)")
      #expect(program.errorLines.count == 1, "\(attempt.command)")
      #expect(program.errorLines.first?.contains(attempt.hint) == true, "\(attempt.command)")
    }

    @Test func `a reader that goes away ends a program quietly`() async throws {
      try await withLab(hosts: 1) { lab in
        for name in ["Ada", "Bob"] {
          let publisher = try lab.start("avahi-publish", "-s", name, "_http._tcp", "80", on: .h1)
          try await publisher.errorLine { $0.contains("Established") }
        }
        let pipe = try lab.start(
          "bash", "-c", "\"$0\" browse _http._tcp --json | head -n 1; echo ${PIPESTATUS[0]}", LAN.program("bonjourish"), on: .h1
        )
        #expect(try await pipe.exitCode() == 0)
        #expect(pipe.outputLines.count == 2 && pipe.outputLines.last == "0")
        #expect(pipe.errorLines == [])

        let closed = try lab.start(
          "bash", "-c", "\"$0\" browse _http._tcp --once --json >&- <&-", LAN.program("bonjourish"), on: .h1)
        #expect(try await closed.exitCode() == 0)
        #expect(closed.errorLines == [])

        let full = try lab.start(
          "bash", "-c", "\"$0\" browse _http._tcp --once --json >/dev/full", LAN.program("bonjourish"), on: .h1)
        #expect(try await full.exitCode() == 74)
        #expect(full.errorLines == ["bonjourish: cannot write standard output: No space left on device"])
      }
    }

    @Test func `help and version are no bad input`() async throws {
      try await withLab(hosts: 1, daemons: false) { lab in
        for name in ["bonjourish", "twentyfour-host", "twentyfour-join"] {
          for option in ["--help", "--version"] {
            let program = try lab.start(LAN.program(name), option, on: .h1)
            #expect(try await program.exitCode() == 0)
            #expect(program.outputLines.first?.isEmpty == false)
            #expect(program.errorLines == [])
          }
        }
      }
    }
  }
}
