import Testing

@testable import _BonjourishConsole

struct CommandTests {
  @Test(arguments: [("2:16", 2...16), ("4", 4...4), ("1:1", 1...1)]) func `a range is two numbers or one`(
    text: String, range: ClosedRange<Int>
  ) throws {
    #expect(try ValueFormat.range(in: 1...128).value(of: "--players", text) == range)
  }

  @Test(arguments: ["", ":", "2:", ":2", "3:2", "0:2", "2:129", "1:2:3", "a"]) func `a malformed range is refused`(text: String)
  {
    #expect(throws: Problem.self) { try ValueFormat.range(in: 1...128).value(of: "--players", text) }
  }

  static let name = Option.required("name", "NAME", .text, "your name")
  static let port = Option.optional("port", "PORT", .integer(in: 0...65535), default: 0, "listen on this port")
  static let seed = Option.optional("seed", "N", .integer(in: 0...Int.max), "repeat a game")
  static let span = Option.optional("for", "SECONDS", .seconds(in: 0.5...3600), "stop after so long")
  static let json = Option.flag("json", "one JSON object a line")
  static let type = Operand.required("TYPE", .text, "a service type such as _http._tcp")
  static let rest = Operand.repeated("KEY=VALUE", .text, "what to tell about it")

  static let command = Command(
    "try", version: "1.2", summary: "Tries.", operands: [type, rest], options: [name, port, seed, span, json],
    examples: [Command.Example("try _http._tcp --name x", "tries it")])

  @Test(arguments: [["--code", "471123"], ["--code=471123"], ["--co", "471123"]])
  func `values that are secret are told apart, whatever the form of the option`(arguments: [String]) throws {
    let code = Option.optional("code", "CODE", .secret(), "the code")
    let names = Operand.repeated("NAME", .secret { $0.hasPrefix("link:") }, "names")
    let command = Command("try", summary: "Tries.", operands: [names], options: [code])
    guard case .arguments(let parsed) = try command.parse(arguments + ["Ada", "link:secret"]) else {
      Issue.record("no arguments")
      return
    }
    #expect(parsed[code] == "471123" && parsed[names] == ["Ada", "link:secret"])
    #expect(parsed.secrets == ["471123", "link:secret"])
  }

  private func parse(_ arguments: String...) throws -> Arguments {
    guard case .arguments(let arguments) = try Self.command.parse(arguments) else {
      throw UsageError(command: "test", message: "a text was asked for")
    }
    return arguments
  }

  @Test func `options and operands come in any order`() throws {
    let arguments = try parse("a", "--name", "Ada", "b", "--port=80", "--json", "c", "--for", "2.5", "--", "--d")
    #expect(arguments[Self.name] == "Ada")
    #expect(arguments[Self.port] == 80)
    #expect(arguments[Self.seed] == nil)
    #expect(arguments[Self.span] == .seconds(2.5))
    #expect(arguments[Self.json])
    #expect(arguments[Self.type] == "a")
    #expect(arguments[Self.rest] == ["b", "c", "--d"])
  }

  @Test func `an option that is not given has its default`() throws {
    let arguments = try parse("--name", "Ada", "a", "--seed", "7")
    #expect(arguments[Self.port] == 0)
    #expect(arguments[Self.seed] == 7)
    #expect(arguments[Self.span] == nil)
    #expect(!arguments[Self.json])
    #expect(arguments[Self.rest].isEmpty)
  }

  @Test func `a beginning of a name is enough`() throws {
    #expect(try parse("a", "--na", "x")[Self.name] == "x")
  }

  @Test(arguments: [
    ([], "TYPE is missing; give a service type such as _http._tcp"),
    (["x"], "PORT is missing; give a port"),
  ])
  func `the error names the first missing operand`(arguments: [String], message: String) {
    let command = Command(
      "try", version: "1", summary: "",
      operands: [Self.type, Operand.required("PORT", .integer(in: 1...9), "a port"), Self.rest])
    #expect(throws: UsageError(command: "try", message: message)) { try command.parse(arguments) }
  }

  @Test(arguments: [
    (["a"], "--name is missing; give --name NAME"),
    (["a", "--name"], "--name needs a value; give --name NAME"),
    (["a", "--name", ""], "--name must not be empty"),
    (["--name", "x"], "TYPE is missing; give a service type such as _http._tcp"),
    (["a", "--name", "x", "--port", "65536"], "--port must be a whole number from 0 to 65535, not '65536'"),
    (["a", "--name", "x", "--port", "8o"], "--port must be a whole number from 0 to 65535, not '8o'"),
    (["a", "--name", "x", "--seed=-1"], "--seed must be a whole number of at least 0, not '-1'"),
    (["a", "--name", "x", "--for", "nan"], "--for must be a number of seconds from 0.5 to 3600, not 'nan'"),
    (["a", "--name", "x", "--for", "0.4"], "--for must be a number of seconds from 0.5 to 3600, not '0.4'"),
    (["a", "--name", "x", "--for", "1e3"], "--for must be a number of seconds from 0.5 to 3600, not '1e3'"),
    (["a", "--name", "x", "--json=yes"], "--json takes no value"),
    (["a", "--name", "x", "--jason=1"], "unknown option --jason; did you mean --json?"),
    (["a", "--name", "x", "--jaxon"], "unknown option --jaxon; did you mean --json?"),
    (["a", "--name", "x", "--other"], "unknown option --other"),
    (["a", "--name", "x", "--name=y"], "--name is given more than once; give it once"),
    (["a", "--na", "x", "--json", "--json"], "--json is given more than once; give it once"),
    (["a", "--name", "x", "--help=amn"], "--help must be man, bash, fish or zsh, not 'amn'; did you mean man?"),
    (["a", "--name", "x", "-j"], "unknown option -j"),
    (["a", "--name", "x", "-ü"], "unknown option -\\xC3"),
    (["a", "--name", "x", "--"], nil),
    (["a", "--name", "x", "-"], nil),
  ])
  func `usage errors say what is wrong`(arguments: [String], message: String?) {
    guard let message else {
      #expect(throws: Never.self) { try Self.command.parse(arguments) }
      return
    }
    #expect(throws: UsageError(command: "try", message: message)) { try Self.command.parse(arguments) }
  }

  @Test func `an ambiguous beginning is an error that lists the options`() {
    let command = Command(
      "try", version: "1", summary: "", options: [Option.flag("resolve", ""), Option.flag("retry", ""), Self.json])
    #expect(throws: UsageError(command: "try", message: "--re may mean --resolve or --retry; write the whole name")) {
      try command.parse(["--re"])
    }
  }

  @Test func `of options that exclude each other one may be given`() throws {
    let (once, seconds) = (Option.flag("once", ""), Option.optional("for", "S", .integer(in: 1...9), ""))
    let command = Command("try", version: "1", summary: "", options: [once, seconds], exclusive: [[once, seconds]])
    #expect(throws: UsageError(command: "try", message: "--once and --for exclude each other; give one of them")) {
      try command.parse(["--for", "1", "--once"])
    }
    #expect(throws: Never.self) { try command.parse(["--once"]) }
    #expect(throws: Never.self) { try command.parse(["--for", "1"]) }
  }

  @Test func `a wrong word is an error that asks for the word that was meant`() throws {
    let way = Option.optional("way", "WAY", .oneOf(["left": 1, "right": 2]), default: 0, "")
    let command = Command("try", version: "1", summary: "", options: [way])
    guard case .arguments(let given) = try command.parse(["--way", "right"]) else { throw CancellationError() }
    #expect(given[way] == 2)
    #expect(throws: UsageError(command: "try", message: "--way must be left or right, not 'rihgt'; did you mean right?")) {
      try command.parse(["--way", "rihgt"])
    }
    #expect(throws: UsageError(command: "try", message: "--way must be left or right, not 'up'")) {
      try command.parse(["--way", "up"])
    }
  }

  @Test func `an operand too many is an error`() {
    let command = Command("try", version: "1", summary: "", operands: [Operand.optional("ROOM", .text, "")])
    #expect(throws: UsageError(command: "try", message: "unexpected argument 'b'")) {
      try command.parse(["a", "b"])
    }
  }

  @Test func `earlier operands leave enough for later ones`() throws {
    let many = Operand.repeated("FILE", .text, count: 1...3, "")
    let maybe = Operand.optional("MODE", .text, "")
    let last = Operand.required("PORT", .integer(in: 1...9), "")
    let command = Command("try", version: "1", summary: "", operands: [many, maybe, last])
    func given(_ texts: [String]) throws -> ([String], String?, Int) {
      guard case .arguments(let arguments) = try command.parse(texts) else { throw CancellationError() }
      return (arguments[many], arguments[maybe], arguments[last])
    }
    #expect(try given(["a", "1"]) == (["a"], nil, 1))
    #expect(try given(["a", "b", "1"]) == (["a", "b"], nil, 1))
    #expect(try given(["a", "b", "c", "d", "1"]) == (["a", "b", "c"], "d", 1))
  }

  @Test func `a repeated option has all its values`() throws {
    let files = Option.repeated("file", "FILE", .integer(in: 1...9), "")
    let command = Command("try", version: "1", summary: "", options: [files])
    func given(_ texts: String...) throws -> [Int] {
      guard case .arguments(let arguments) = try command.parse(texts) else { throw CancellationError() }
      return arguments[files]
    }
    #expect(try given() == [])
    #expect(try given("--file", "2", "--file=1", "--fi", "2") == [2, 1, 2])
    #expect(throws: UsageError.self) { try given("--file", "1", "--file", "x") }
  }

  @Test func `a usage error is one visible line`() {
    let error = Self.command.usageError("bad\n\u{1B}[2J")
    #expect(error.description == "try: bad\\n\\u{1B}[2J (see try --help)")
  }

  @Test(arguments: [["--help"], ["-h"], ["--port", "x", "--help"], ["--help", "--bad"]])
  func `help wins over what is wrong`(arguments: [String]) throws {
    guard case .text(let text) = try Self.command.parse(arguments) else {
      Issue.record("no help text")
      return
    }
    #expect(
      text == """
        Tries.

        usage: try --name NAME [OPTIONS] TYPE [KEY=VALUE ...]

          TYPE           a service type such as _http._tcp
          KEY=VALUE      what to tell about it
          --name NAME    your name
          --port PORT    listen on this port
          --seed N       repeat a game
          --for SECONDS  stop after so long
          --json         one JSON object a line
          -h, --help     show this text
          --version      show the version

        examples:
          # tries it
          try _http._tcp --name x
        """)
  }

  @Test func `the help lists exit codes with their meanings`() throws {
    let codes: [ExitCode] = [.done, .negative, .interrupted]
    let part = """
      exit codes:

          0  success, also when it was asked to end
          1  the answer is no: nothing was found, or something does not work
        130  a second Ctrl-C ended it at once, without goodbyes
      """
    #expect(Command("try", summary: "Tries.", exitCodes: codes).help.hasSuffix(part))
    // By default those of the manual page.
    let manual = Manual(exitStatus: [.done: "Done.", .negative: "No.", .interrupted: "Interrupted."])
    #expect(Command("try", summary: "Tries.", manual: manual).help.hasSuffix(part))
    enum Verb: String { case look }
    let group = CommandGroup(
      "try", summary: "Tries.", commands: [Verb.look: Command("try look", summary: "Looks.")], manual: manual)
    #expect(group.help.contains(part + "\n\ntry help COMMAND explains"))
    #expect(Set(ExitCode.allCases.map(\.meaning)).count == ExitCode.allCases.count)
  }

  @Test func `the version is told`() throws {
    guard case .text(let text) = try Self.command.parse(["--version"]) else {
      Issue.record("no version")
      return
    }
    #expect(text == "try 1.2")
  }

  @Test func `other modes are named, and their options ask for them`() throws {
    let (best, by) = (Option.flag("best", "only show the best"), Option.optional("by", "WHAT", .text, "the order"))
    let (latest, serve) = (Option.flag("latest", "only show the latest"), Option.flag("serve", "serve only"))
    let shows = Command("try", summary: "Shows the best or the latest.", options: [best, latest, by])
    let command = Command(
      "try", summary: "Tries.", options: [Self.json],
      manual: Manual(sections: [
        .init("RESULTS", form: shows, chosenBy: [best, latest], "Results."),
        .init("SERVER", form: Command("try", summary: "Serves.", options: [serve, Self.port]), chosenBy: [serve], "A server."),
      ]))
    guard case .text(let help) = try command.parse(["--help"]) else {
      Issue.record("no help text")
      return
    }
    #expect(
      help.contains(
        """
        other modes; with --help, each shows its own options:

          --best, --latest  Shows the best or the latest.
          --serve           Serves.
        """))
    for (option, problem) in [
      ("--by", "--by needs --best or --latest; give one of them, too"), ("--port=3", "--port needs --serve; give it, too"),
      ("--bi", "unknown option --bi"),
    ] {
      let error = #expect(throws: UsageError.self) { try command.parse([option]) }
      #expect(error?.description == "try: \(problem) (see try --help)")
    }
  }

  @Test func `long help is wrapped and long terms stand alone`() {
    let meaning = String(repeating: "word ", count: 30)
    let table = HelpTable(rows: [("--a", meaning), ("--a-term-that-is-much-too-long VALUE", "short")])
    #expect(table.text.split(separator: "\n").allSatisfy { $0.count <= 80 })
    #expect(table.text.hasSuffix("  --a-term-that-is-much-too-long VALUE\n       short"))
  }
}
