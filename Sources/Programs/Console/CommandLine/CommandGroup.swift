/// A program of several commands, `bonjourish browse …`, chosen by its first argument.
public struct CommandGroup<Verb: RawRepresentable & Hashable & Sendable>: Sendable where Verb.RawValue == String {
  let name: String
  let version: String
  let summary: String
  private let commands: [(verb: Verb, command: Command)]
  let manual: Manual
  /// `help`, which explains a command.
  private let helpCommand: Command
  private let helpTopic: Operand<String?>
  /// `completions`, which every group has.
  private let completionCommand: Command
  private static var shell: Operand<HelpForm> {
    .required("SHELL", .oneOf(["bash": .bash, "fish": .fish, "zsh": .zsh]), "the shell: bash, fish or zsh")
  }

  /// Makes a group.
  ///
  /// - Parameters:
  ///   - name: The program's name.
  ///   - version: The version that `--version` shows after the name.
  ///   - summary: One sentence for `--help`.
  ///   - commands: The commands by verb. A command's name is the program's name and the verb. The commands `help` and
  ///     `completions` are added.
  ///   - manual: The rest of the program's manual page.
  public init(
    _ name: String, version: String = Version.current, summary: String, commands: KeyValuePairs<Verb, Command>,
    manual: Manual = Manual()
  ) {
    self.name = name
    self.version = version
    self.summary = summary
    self.commands = commands.map { ($0.key, $0.value) }
    self.manual = manual
    let words = commands.map(\.key.rawValue) + ["completions"]
    helpTopic = .optional("COMMAND", .text(.words(words)), "the command to explain; by default, all are listed")
    helpCommand = Command("\(name) help", version: version, summary: "Explains a command.", operands: [helpTopic])
    completionCommand = Command(
      "\(name) completions", version: version, summary: "Writes a script that completes commands and options in a shell.",
      operands: [Self.shell],
      examples: [
        .init("eval \"$(\(name) completions bash)\"", "complete in this bash; put the line into ~/.bashrc for all")
      ])
  }

  /// All commands with the words that choose them.
  var allCommands: [(verb: String, command: Command)] {
    commands.map { ($0.verb.rawValue, $0.command) } + [("help", helpCommand), ("completions", completionCommand)]
  }

  /// What the command line asks for.
  enum Request: Sendable {
    /// Show a help text or the version, and do nothing else.
    case text(String)
    case command(Verb, Arguments)
  }

  /// Parses the arguments, without the program's name.
  ///
  /// - Parameter words: What stands in front of them if they have no command.
  func parse(_ arguments: [String], without words: [String] = []) throws(UsageError) -> Request {
    switch arguments.first {
    case "-h", "--help":
      return .text(help)
    case "--version":
      return .text("\(name) \(version)")
    case let option? where option.hasPrefix("--help="):
      do throws(Problem) {
        return .text(try HelpForm.format.value(of: "--help", String(option.dropFirst(7))).text(of: ProgramTable(self)))
      } catch {
        throw UsageError(command: name, message: error.message)
      }
    case let word? where !word.hasPrefix("-"):
      let command = try command(word)
      switch try command.parse(Array(arguments.dropFirst())) {
      case .text(let text):
        return .text(text)
      case .arguments(let arguments):
        if let verb = Verb(rawValue: word), commands.contains(where: { $0.verb == verb }) { return .command(verb, arguments) }
        if word == "completions" { return .text(arguments[Self.shell].text(of: ProgramTable(self))) }
        return .text(try arguments[helpTopic].map { topic throws(UsageError) in try self.command(topic).help } ?? help)
      }
    case let option:
      guard words.isEmpty else { return try parse(words + arguments) }
      let (place, verbs) = (option.map { " before '\($0)'" } ?? "", commands.map(\.verb.rawValue).joined(separator: ", "))
      throw UsageError(command: name, message: "a command is missing\(place); give one of \(verbs)")
    }
  }

  /// The command that a word chooses.
  private func command(_ word: String) throws(UsageError) -> Command {
    if let found = allCommands.first(where: { $0.verb == word }) { return found.command }
    let words = allCommands.map(\.verb)
    let question = Suggestion.question(for: word, among: words)
    let advice = question.isEmpty ? "; give one of \(commands.map(\.verb.rawValue).joined(separator: ", "))" : question
    throw UsageError(command: name, message: "unknown command '\(word)'\(advice)")
  }

  var help: String {
    let rows = allCommands.map { ($0.verb, $0.command.summary) }
    let codes = manual.exitStatus.map(\.key)
    return """
      \(summary)

      usage: \(name) COMMAND ...

      \(HelpTable(rows: rows).text)

      \(codes.isEmpty ? "" : "exit codes:\n\n" + HelpTable(codes).text + "\n\n")\
      \(name) help COMMAND explains a command, \(name) --version shows the version.
      """
  }
}
