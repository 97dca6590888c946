/// A program of several commands, `bonjourish browse …`, chosen by its first argument.
package struct CommandGroup<Verb: RawRepresentable & Hashable & Sendable>: Sendable where Verb.RawValue == String {
  package let name: String
  package let version: String
  let summary: String
  private let commands: [(verb: Verb, command: Command)]

  /// Makes a group; each command's name is that of the group and the verb, which the caller writes in full.
  package init(_ name: String, version: String, summary: String, commands: KeyValuePairs<Verb, Command>) {
    self.name = name
    self.version = version
    self.summary = summary
    self.commands = commands.map { ($0.key, $0.value) }
  }

  /// What the command line asks for.
  package enum Request: Sendable {
    /// To be shown instead of doing anything: a help text or the version.
    case text(String)
    case command(Verb, Arguments)
  }

  /// Reads the arguments, without the program's name.
  package func parse(_ arguments: [String]) throws(UsageError) -> Request {
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
        throw UsageError(command: name, message: "there is no command '\(word)'; give one of \(verbs)")
      }
      switch try command.parse(Array(arguments.dropFirst())) {
      case .text(let text): return .text(text)
      case .arguments(let arguments): return .command(verb, arguments)
      }
    }
  }

  package var help: String {
    let rows = commands.map { ($0.verb.rawValue, $0.command.summary) }
    return """
      \(summary)

      usage: \(name) COMMAND ...

      \(HelpTable(rows: rows).text)

      \(name) COMMAND --help tells more of a command, \(name) --version the version.
      """
  }
}
