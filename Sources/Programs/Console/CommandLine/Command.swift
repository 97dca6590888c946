import _BonjourishBase

/// The command line of a program, or of one of its commands.
///
/// Declare options and operands as constants; the parsed arguments have a value for each:
///
///     let port = Option.optional("port", "PORT", .integer(in: 0...65535), default: 0, "listen on this port")
///     let command = Command("serve", summary: "Serves.", options: [port])
///     let arguments = command.parseOrExit()
///     listen(on: arguments[port])
public struct Command: Sendable {
  /// The command's name, such as "bonjourish browse".
  public let name: String
  let version: String
  let summary: String
  let operands: [OperandEntry]
  let options: [OptionEntry]
  /// Groups of options of which one may be given.
  let exclusive: [[OptionEntry]]
  /// The exit codes that it can have, for `--help`.
  let exitCodes: [ExitCode]
  let examples: [Example]
  /// The rest of its manual page.
  let manual: Manual

  /// An example in the help text.
  public struct Example: Sendable {
    let line: String
    let meaning: String

    /// Makes an example from a line to type and its meaning.
    public init(_ line: String, _ meaning: String) {
      self.line = line
      self.meaning = meaning
    }
  }

  /// Declares a command line; `--help` and `--version` are added to the options.
  ///
  /// - Parameters:
  ///   - name: The command's name, such as "bonjourish browse".
  ///   - version: The version that `--version` shows after the name.
  ///   - summary: One sentence for `--help`.
  ///   - operands: The positional arguments, in order.
  ///   - options: The arguments that begin with `--`, in the order in which `--help` lists them.
  ///   - exclusive: Groups of these options that exclude each other: one of each group may be given.
  ///   - exitCodes: The exit codes that it can have, for `--help`; by default those of the manual page.
  ///   - examples: Command lines for `--help`.
  ///   - manual: The rest of the program's manual page. A command of a ``CommandGroup`` needs none.
  public init(
    _ name: String, version: String = Version.current, summary: String, operands: [any CommandOperand] = [],
    options: [any CommandOption] = [], exclusive: [[any CommandOption]] = [], exitCodes: [ExitCode]? = nil,
    examples: [Example] = [], manual: Manual = Manual()
  ) {
    self.name = name
    self.version = version
    self.summary = summary
    self.operands = operands.map(\.entry)
    self.options = options.map(\.entry)
    self.exclusive = exclusive.map { $0.map(\.entry) }
    self.exitCodes = exitCodes ?? manual.exitStatus.map(\.key)
    self.examples = examples
    self.manual = manual
  }

  /// What the command line asks for.
  enum Request: Sendable {
    /// Show the help text or the version, and do nothing else.
    case text(String)
    case arguments(Arguments)
  }

  /// Makes a usage error for arguments that are valid one by one, but not together.
  ///
  /// - Parameter message: The error and what to give instead, as a sentence without capital and full stop.
  public func usageError(_ message: String) -> UsageError {
    UsageError(command: name, message: message)
  }
}

/// The values of one command line, by option and operand.
public struct Arguments: Sendable {
  private let options: [String: any Sendable]
  private let operands: [String: any Sendable]
  /// The texts to wipe from the process's argument list.
  let secrets: Set<String>

  init(options: [String: any Sendable], operands: [String: any Sendable], secrets: Set<String> = []) {
    self.options = options
    self.operands = operands
    self.secrets = secrets
  }

  /// The value of an option; the parsed command must declare this option.
  public subscript<Value>(_ option: Option<Value>) -> Value {
    guard let value = options[option.entry.name] as? Value else {
      preconditionFailure("the command does not declare --\(option.entry.name) with this type")
    }
    return value
  }

  /// The value of an operand; the parsed command must declare this operand.
  public subscript<Value>(_ operand: Operand<Value>) -> Value {
    guard let value = operands[operand.entry.name] as? Value else {
      preconditionFailure("the command does not declare \(operand.entry.name) with this type")
    }
    return value
  }
}

/// An error in a command line.
public struct UsageError: Error, Equatable, CustomStringConvertible {
  let command: String
  let message: String

  /// One line, escaped for display: the command, the error, and where to read more.
  public var description: String { "\(command): \(message.escapedForDisplay) (see \(command) --help)" }
}

/// An error in an argument, not yet with the command's name.
struct Problem: Error {
  let message: String

  init(_ message: String) { self.message = message }
}
