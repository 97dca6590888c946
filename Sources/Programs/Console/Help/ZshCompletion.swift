/// The script that completes a program's command line in zsh, with its function `_arguments`.
struct ZshCompletion {
  private let table: ProgramTable

  init(_ table: ProgramTable) { self.table = table }

  var text: String {
    let commands = table.completed
    let function = "_" + table.name
    var lines = ["#compdef \(table.name)", "# Completes the command line of \(table.name) in zsh.", "\(function)() {"]
    if commands.contains(where: { $0.verb != nil }) {
      let verbs = commands.compactMap { command in
        command.verb.map { "\($0)\\:\"\(escaped(command.summary, also: "\"()\\"))\"" }
      }
      lines += [
        "  local curcontext=$curcontext state line", "  _arguments -C \\",
        "    '(-h --help)'{-h,--help}'[show the help text]' \\", "    '--version[show the version]' \\",
        "    \("1:command:((\(verbs.joined(separator: " "))))".quotedForShell) \\", "    '*::argument:->arguments' && return",
        "  [[ $state == arguments ]] || return", "  case $line[1] in",
      ]
      for command in commands {
        lines += ["    \(command.verb ?? ""))", arguments(command, indent: "      "), "      ;;"]
      }
      lines.append("  esac")
    } else {
      lines += commands.map { arguments($0, indent: "  ") }
    }
    // `compadd` quotes what it inserts. Nothing evaluates the lines.
    let isAsked = commands.contains { command in
      (command.operands.map(\.completion) + command.options.map(\.completion)).contains {
        if case .own = $0 { true } else { false }
      }
    }
    if isAsked {
      lines += [
        "}", "\(function)_own() {", "  local -a lines", "  lines=(${(f)\"$(command \(table.name) $1 2>/dev/null)\"})",
        "  (( $#lines )) && compadd -a lines",
      ]
    }
    // The script is either sourced, or a file on fpath that zsh runs as the function.
    lines += ["}", "if [[ $funcstack[1] == \(function) ]]; then", "  \(function) \"$@\"", "else"]
    lines += ["  compdef \(function) \(table.name)", "fi"]
    return lines.joined(separator: "\n")
  }

  private func arguments(_ command: CompletedCommand, indent: String) -> String {
    let options = command.options.map { option in
      let value = option.placeholder.map { "=" + "[\(escaped(option.help))]:\(escaped($0)):\(action(option.completion))" }
      return ((option.isRepeatable ? "*" : "") + "--\(option.name)" + (value ?? "[\(escaped(option.help))]")).quotedForShell
    }
    let operands = command.operands.map { operand in
      let place = operand.count.upperBound > 1 ? "*:" : operand.count.lowerBound == 0 ? "::" : ":"
      return "\(place)\(escaped(operand.name)):\(action(operand.completion))".quotedForShell
    }
    let standard = ["'(-h --help)'{-h,--help}'[show the help text]'", "'--version[show the version]'"]
    return indent + (["_arguments"] + options + standard + operands).joined(separator: " \\\n\(indent)  ")
  }

  private func action(_ completion: Completion) -> String {
    switch completion {
    case .nothing: " "
    case .words(let words): "(\(words.joined(separator: " ")))"
    case .files: "_files"
    case .interfaces: "_net_interfaces"
    case .own(let argument): " _\(table.name)_own \(argument)"
    }
  }

  /// The text with a backslash before each character that has a meaning in a specification.
  private func escaped(_ text: String, also more: String = "") -> String {
    text.map { "[]:\\".contains($0) || more.contains($0) ? "\\\($0)" : String($0) }.joined()
  }
}
