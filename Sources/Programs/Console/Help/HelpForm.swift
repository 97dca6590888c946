/// A form of the help, `--help=FORM`. All forms are made from the same declarations.
enum HelpForm: String, CaseIterable {
  /// The manual page.
  case man
  /// The completion script of a shell.
  case bash, fish, zsh

  static let format = ValueFormat<HelpForm>.anyCase

  func text(of table: ProgramTable) -> String {
    switch self {
    case .man: ManualPage(table).text
    case .bash: BashCompletion(table).text
    case .fish: FishCompletion(table).text
    case .zsh: ZshCompletion(table).text
    }
  }
}

/// What a program declares, for its manual page and its completion scripts.
struct ProgramTable {
  let name: String
  let version: String
  let summary: String
  /// The commands, and the words that choose them; one command without a word for a program that has one only.
  let commands: [(verb: String?, command: Command)]
  let manual: Manual

  init(_ command: Command) {
    name = command.name
    version = command.version
    summary = command.summary
    commands = [(nil, command)]
    manual = command.manual
  }

  init<Verb>(_ group: CommandGroup<Verb>) {
    name = group.name
    version = group.version
    summary = group.summary
    commands = group.allCommands.map { ($0.verb, $0.command) }
    manual = group.manual
  }

  /// The commands for a shell: a program's other forms are completed like its first one, which gets their options.
  var completed: [CompletedCommand] {
    commands.map { verb, command in
      var options = command.options
      for form in verb == nil ? manual.forms : [] {
        options += form.options.filter { option in !options.contains { $0.name == option.name } }
      }
      return CompletedCommand(verb: verb, summary: command.summary, operands: command.operands, options: options)
    }
  }
}

/// A command as a shell completes it.
struct CompletedCommand {
  let verb: String?
  let summary: String
  let operands: [OperandEntry]
  let options: [OptionEntry]
}

extension String {
  /// The text as one word of a POSIX shell.
  var quotedForShell: String { "'" + unicodeScalars.map { $0 == "'" ? "'\\''" : String($0) }.joined() + "'" }
}
