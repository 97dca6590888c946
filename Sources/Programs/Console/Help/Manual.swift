/// What a program's manual page has beside the commands, options and examples that the program declares.
///
/// Texts are a small part of Markdown. An empty line ends a paragraph; `` `word` `` is literal and `*WORD*` is a placeholder; a
/// line with `## ` begins a subsection; four spaces begin a line that stays as it is; and a line, followed by lines of which the
/// first begins with ": ", is a term and its definition.
public struct Manual: Sendable {
  /// A section of a manual page.
  public struct Section: Sendable {
    let title: String
    let form: Command?
    /// The first argument or the options that choose the form: one of them must be given.
    let choices: [String]
    let text: String

    /// Makes a section.
    ///
    /// - Parameters:
    ///   - title: The title, such as "JSON OUTPUT".
    ///   - form: Another form of the program's command line, which the section explains. Its options are listed after the text.
    ///   - options: The options of the form that choose it; one of them must be given. `--help` lists them.
    ///   - text: The text.
    public init(_ title: String, form: Command? = nil, chosenBy options: [any CommandOption] = [], _ text: String) {
      self.title = title
      self.form = form
      choices = options.map { "--\($0.entry.name)" }
      self.text = text
    }

    /// Makes a section.
    ///
    /// - Parameters:
    ///   - title: The title, such as "JSON OUTPUT".
    ///   - form: Another form of the program's command line, which the section explains. Its options are listed after the text.
    ///   - word: The first argument that chooses the form. `--help` lists it.
    ///   - text: The text.
    public init(_ title: String, form: Command, chosenBy word: String, _ text: String) {
      self.title = title
      self.form = form
      choices = [word]
      self.text = text
    }
  }

  let section: Int
  let description: String
  let commands: [String: String]
  let options: [String: String]
  let sections: [Section]
  let environment: KeyValuePairs<String, String>
  let files: KeyValuePairs<String, String>
  let exitStatus: KeyValuePairs<ExitCode, String>
  let examples: [Command.Example]
  let diagnostics: String
  let seeAlso: [String]
  let notes: [Section]

  /// The other forms of the command line.
  var forms: [Command] { sections.compactMap(\.form) }

  /// The options that choose the other forms, and the form.
  var choices: [(options: [String], form: Command)] {
    sections.compactMap { section in section.choices.isEmpty ? nil : section.form.map { (section.choices, $0) } }
  }

  /// Declares the rest of a manual page.
  ///
  /// - Parameters:
  ///   - section: The section of the manual: 1 for what everybody runs, 8 for what administrators do.
  ///   - description: What the program does.
  ///   - commands: What a command's summary does not say, by its verb.
  ///   - options: What an option's help does not say, by its name.
  ///   - sections: Sections after the options.
  ///   - environment: The environment variables and their meanings.
  ///   - files: The files and their meanings.
  ///   - exitStatus: The exit codes and their meanings.
  ///   - examples: Further examples, after those of the commands.
  ///   - diagnostics: What the program writes on standard error, beside its errors.
  ///   - seeAlso: Other pages, such as "avahi-daemon(8)".
  ///   - notes: Sections at the end, such as "CAVEATS".
  public init(
    section: Int = 1, description: String = "", commands: [String: String] = [:], options: [String: String] = [:],
    sections: [Section] = [],
    environment: KeyValuePairs<String, String> = [:], files: KeyValuePairs<String, String> = [:],
    exitStatus: KeyValuePairs<ExitCode, String> = [:], examples: [Command.Example] = [], diagnostics: String = "",
    seeAlso: [String] = [], notes: [Section] = []
  ) {
    self.section = section
    self.description = description
    self.commands = commands
    self.options = options
    self.sections = sections
    self.environment = environment
    self.files = files
    self.exitStatus = exitStatus
    self.examples = examples
    self.diagnostics = diagnostics
    self.seeAlso = seeAlso
    self.notes = notes
  }
}
