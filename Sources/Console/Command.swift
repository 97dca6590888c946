import Discovery

/// What a program, or one of its commands, takes on the command line.
///
/// Options and operands are declared as constants of their own; reading the arguments gives a value for each:
///
///     let port = Option.optional("port", "PORT", .integer(in: 0...65535), default: 0, "listen on this port")
///     let command = Command("serve", version: "1.0", summary: "Serves.", options: [port])
///     switch try command.parse(["--port", "80"]) {
///     case .text(let text): …                      // --help or --version
///     case .arguments(let arguments): arguments[port]
///     }
package struct Command: Sendable {
  package let name: String
  package let version: String
  let summary: String
  let operands: [OperandEntry]
  let options: [OptionEntry]
  let examples: [Example]

  /// A command line that shows what the command is for.
  package struct Example: Sendable {
    let line: String
    let meaning: String

    package init(_ line: String, _ meaning: String) {
      self.line = line
      self.meaning = meaning
    }
  }

  package init(
    _ name: String, version: String, summary: String, operands: [any CommandOperand] = [], options: [any CommandOption] = [],
    examples: [Example] = []
  ) {
    self.name = name
    self.version = version
    self.summary = summary
    self.operands = operands.map(\.entry)
    self.options = options.map(\.entry)
    self.examples = examples
  }

  /// What the command line asks for.
  package enum Request: Sendable {
    /// To be shown instead of doing anything: the help text or the version.
    case text(String)
    case arguments(Arguments)
  }

  /// An error about what these arguments mean together, in the form of those that `parse` throws.
  package func usageError(_ message: String) -> UsageError {
    UsageError(command: name, message: message)
  }
}

/// The values of one command line.
package struct Arguments: Sendable {
  private let options: [String: any Sendable]
  private let operands: [String: any Sendable]

  init(options: [String: any Sendable], operands: [String: any Sendable]) {
    self.options = options
    self.operands = operands
  }

  package subscript<Value>(_ option: Option<Value>) -> Value {
    guard let value = options[option.entry.name] as? Value else {
      preconditionFailure("the command does not declare --\(option.entry.name) with this type")
    }
    return value
  }

  package subscript<Value>(_ operand: Operand<Value>) -> Value {
    guard let value = operands[operand.entry.name] as? Value else {
      preconditionFailure("the command does not declare \(operand.entry.name) with this type")
    }
    return value
  }
}

/// Why a command line cannot be obeyed.
package struct UsageError: Error, Equatable, CustomStringConvertible {
  let command: String
  let message: String

  /// One line: who says it, what is wrong, and where more is told.
  package var description: String { "\(command): \(message.visible) (see \(command) --help)" }
}

/// What is wrong with an argument, before it is known whose it is.
struct Problem: Error {
  let message: String

  init(_ message: String) { self.message = message }
}
