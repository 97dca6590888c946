/// A program of several commands, `bonjourish browse …`, chosen by its first argument.
public struct CommandGroup<Verb: RawRepresentable & Hashable & Sendable>: Sendable where Verb.RawValue == String {
  private let name: String
  private let version: String
  private let summary: String
  private let commands: [(verb: Verb, command: Command)]

  /// Makes a group.
  ///
  /// - Parameters:
  ///   - name: The program's name.
  ///   - version: The version that `--version` shows after the name.
  ///   - summary: One sentence for `--help`.
  ///   - commands: The commands by verb. A command's name is the program's name and the verb.
  public init(_ name: String, version: String = Version.current, summary: String, commands: KeyValuePairs<Verb, Command>) {
    self.name = name
    self.version = version
    self.summary = summary
    self.commands = commands.map { ($0.key, $0.value) }
  }

  /// What the command line asks for.
  enum Request: Sendable {
    /// Show a help text or the version, and do nothing else.
    case text(String)
    case command(Verb, Arguments)
  }

  /// Parses the arguments, without the program's name.
  func parse(_ arguments: [String]) throws(UsageError) -> Request {
    let verbs = commands.map(\.verb.rawValue).joined(separator: ", ")
    switch arguments.first {
    case nil:
      throw UsageError(command: name, message: "a command is missing; give one of \(verbs)")
    case "-h", "--help":
      return .text(help)
    case "--version":
      return .text("\(name) \(version)")
    case let word?:
      guard let (verb, command) = commands.first(where: { $0.verb.rawValue == word }) else {
        throw UsageError(command: name, message: "unknown command '\(word)'; give one of \(verbs)")
      }
      switch try command.parse(Array(arguments.dropFirst())) {
      case .text(let text): return .text(text)
      case .arguments(let arguments): return .command(verb, arguments)
      }
    }
  }

  var help: String {
    let rows = commands.map { ($0.verb.rawValue, $0.command.summary) }
    return """
      \(summary)

      usage: \(name) COMMAND ...

      \(HelpTable(rows: rows).text)

      \(name) COMMAND --help explains a command, \(name) --version shows the version.
      """
  }
}
