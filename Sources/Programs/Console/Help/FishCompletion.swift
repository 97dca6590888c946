/// The script that completes a program's command line in fish.
struct FishCompletion {
  private let table: ProgramTable

  init(_ table: ProgramTable) { self.table = table }

  var text: String {
    let commands = table.completed
    var lines = ["# Completes the command line of \(table.name) in fish.", "complete -c \(table.name) -f"]
    for command in commands {
      let condition = command.verb.map { " -n '__fish_seen_subcommand_from \($0)'" } ?? ""
      if let verb = command.verb {
        lines.append("complete -c \(table.name) -n __fish_use_subcommand -a \(verb) -d \(quoted(command.summary))")
      }
      lines += command.options.map { option in
        // An option with a value has been seen, too, while its value is being typed.
        let once = option.isRepeatable || option.placeholder != nil ? "" : "not __fish_seen_argument -l \(option.name)"
        let conditions = [command.verb.map { "__fish_seen_subcommand_from \($0)" }, once].compactMap(\.self).filter {
          !$0.isEmpty
        }
        let only = conditions.isEmpty ? "" : " -n '\(conditions.joined(separator: "; and "))'"
        let value = option.placeholder == nil ? "" : " -r" + (offersFiles(option) ? "" : " -f") + offer(option.completion)
        return "complete -c \(table.name)\(only) -l \(option.name)\(value) -d \(quoted(option.help))"
      }
      lines += command.operands.compactMap { operand in
        let offered = offer(operand.completion)
        return offered.isEmpty ? nil : "complete -c \(table.name)\(condition)\(offered) -d \(quoted(operand.help))"
      }
    }
    lines.append("complete -c \(table.name) -s h -l help -d 'show the help text'")
    lines.append("complete -c \(table.name) -l version -d 'show the version'")
    return lines.joined(separator: "\n")
  }

  /// fish refuses `-x`, which means `-r -f`, together with `-F`.
  private func offersFiles(_ option: OptionEntry) -> Bool {
    if case .files = option.completion { true } else { false }
  }

  private func offer(_ completion: Completion) -> String {
    switch completion {
    case .nothing: ""
    case .words(let words): " -a \(quoted(words.joined(separator: " ")))"
    case .files: " -F"
    case .interfaces: " -a '(ls /sys/class/net)'"
    }
  }

  /// The text in single quotes, in which fish knows two escapes.
  private func quoted(_ text: String) -> String {
    "'" + text.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : String($0) }.joined() + "'"
  }
}
