/// The script that completes a program's command line in fish.
struct FishCompletion {
  private let table: ProgramTable

  init(_ table: ProgramTable) { self.table = table }

  var text: String {
    let commands = table.completed
    var lines = ["# Completes the command line of \(table.name) in fish.", "complete -c \(table.name) -f"]
    if commands.contains(where: countsOperands) { lines.append(counter) }
    for command in commands {
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
      lines += command.operands.enumerated().compactMap { place, operand in
        let offered = offer(operand.completion)
        let conditions = [
          command.verb.map { "__fish_seen_subcommand_from \($0)" }, countsOperands(command) ? placed(place, in: command) : nil,
        ].compactMap(\.self)
        let only = conditions.isEmpty ? "" : " -n '\(conditions.joined(separator: "; and "))'"
        return offered.isEmpty ? nil : "complete -c \(table.name)\(only)\(offered) -d \(quoted(operand.help))"
      }
    }
    lines.append("complete -c \(table.name) -s h -l help -d 'show the help text'")
    lines.append("complete -c \(table.name) -l version -d 'show the version'")
    return lines.joined(separator: "\n")
  }

  // MARK: - Places

  /// Whether the place of an operand decides what is offered: asking the program takes a moment.
  private func countsOperands(_ command: CompletedCommand) -> Bool {
    command.operands.contains { operand in
      if case .own = operand.completion { true } else { false }
    }
  }

  private var counterName: String { "__" + table.name.map { $0.isLetter || $0.isNumber ? $0 : "_" } + "_operands" }

  /// A function that writes the number of operands before the cursor; its arguments are the number of words that choose the command,
  /// and the options that have a value.
  private var counter: String {
    """
    function \(counterName)
        set -l count -$argv[1]
        set -l isValue 0
        for word in (commandline -opc)[2..]
            if test $isValue = 1
                set isValue 0
            else if contains -- $word $argv[2..]
                set isValue 1
            else if not string match -q -- '-*' $word
                set count (math $count + 1)
            end
        end
        echo $count
    end
    """
  }

  private func placed(_ place: Int, in command: CompletedCommand) -> String {
    let valued = command.options.filter { $0.placeholder != nil }.map { " --\($0.name)" }.joined()
    return "test (\(counterName) \(command.verb == nil ? 0 : 1)\(valued)) = \(place)"
  }

  // MARK: - What is offered

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
    // fish takes each line of a command as it is, and quotes it when it is chosen, but for a tilde at its beginning.
    case .own(let argument): " -a '(command \(table.name) \(argument) 2>/dev/null | string match -v -- \"~*\")'"
    }
  }

  /// The text in single quotes, in which fish knows two escapes.
  private func quoted(_ text: String) -> String {
    "'" + text.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : String($0) }.joined() + "'"
  }
}
