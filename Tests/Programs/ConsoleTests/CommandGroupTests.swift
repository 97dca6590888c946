import Testing

@testable import _BonjourishConsole

struct CommandGroupTests {
  enum Verb: String { case browse, publish }
  static let once = Option.flag("once", "stop when everything is known")
  static let group = CommandGroup(
    "tool", version: "3", summary: "Does things.",
    commands: [
      Verb.browse: Command("tool browse", version: "3", summary: "Looks.", options: [once]),
      .publish: Command("tool publish", version: "3", summary: "Tells."),
    ])

  @Test func `the first argument chooses the command`() throws {
    guard case .command(let verb, let arguments) = try Self.group.parse(["browse", "--once"]) else {
      Issue.record("no command")
      return
    }
    #expect(verb == .browse)
    #expect(arguments[Self.once])
  }

  @Test func `arguments without a command can have one put in front of them`() throws {
    for (given, words) in [([], ["browse", "--once"]), (["--once"], ["browse"])] as [([String], [String])] {
      guard case .command(let verb, let arguments) = try Self.group.parse(given, without: words) else {
        Issue.record("no command")
        return
      }
      #expect(verb == .browse && arguments[Self.once])
    }
    #expect(throws: UsageError.self) { try Self.group.parse(["publish", "x"], without: ["browse"]) }
    guard case .text("tool 3") = try Self.group.parse(["--version"], without: ["browse"]) else {
      Issue.record("no version")
      return
    }
  }

  @Test(arguments: [
    ([], "tool: a command is missing; give one of browse, publish (see tool --help)"),
    (["--json"], "tool: a command is missing before '--json'; give one of browse, publish (see tool --help)"),
    (["look"], "tool: unknown command 'look'; give one of browse, publish (see tool --help)"),
    (["borwse"], "tool: unknown command 'borwse'; did you mean browse? (see tool --help)"),
    (["pub"], "tool: unknown command 'pub'; did you mean publish? (see tool --help)"),
    (["help", "brows"], "tool: unknown command 'brows'; did you mean browse? (see tool --help)"),
    (
      ["completions", "bsah"],
      "tool completions: SHELL must be bash, fish or zsh, not 'bsah'; did you mean bash? (see tool completions --help)"
    ),
    (
      ["completions", "tcsh"],
      "tool completions: SHELL must be bash, fish or zsh, not 'tcsh' (see tool completions --help)"
    ),
    (["--help=main"], "tool: --help must be man, bash, fish or zsh, not 'main'; did you mean man? (see tool --help)"),
    (["publish", "x"], "tool publish: unexpected argument 'x' (see tool publish --help)"),
  ])
  func `usage errors name the command`(arguments: [String], line: String) {
    let error = #expect(throws: UsageError.self) { try Self.group.parse(arguments) }
    #expect(error?.description == line)
  }

  @Test(arguments: [
    (["--version"], "tool 3"), (["browse", "--version"], "tool browse 3"),
    (
      ["--help"],
      """
      Does things.

      usage: tool COMMAND ...

        browse       Looks.
        publish      Tells.
        help         Explains a command.
        completions  Writes a script that completes commands and options in a shell.

      tool help COMMAND explains a command, tool --version shows the version.
      """
    ),
  ])
  func `texts are returned`(arguments: [String], text: String) throws {
    guard case .text(text) = try Self.group.parse(arguments) else {
      Issue.record("not that text")
      return
    }
  }

  @Test(arguments: [
    (["help"], ["--help"]), (["help", "browse"], ["browse", "--help"]), (["help", "help"], ["help", "--help"]),
  ])
  func `the command help writes what the option does`(command: [String], option: [String]) throws {
    guard case .text(let one) = try Self.group.parse(command), case .text(let other) = try Self.group.parse(option) else {
      Issue.record("no text")
      return
    }
    #expect(one == other)
  }

  @Test(arguments: ["bash", "fish", "zsh"]) func `the command completions writes what the option does`(shell: String) throws {
    guard case .text(let one) = try Self.group.parse(["completions", shell]),
      case .text(let other) = try Self.group.parse(["--help=\(shell)"])
    else {
      Issue.record("no text")
      return
    }
    #expect(one == other && one.contains(shell))
  }
}
