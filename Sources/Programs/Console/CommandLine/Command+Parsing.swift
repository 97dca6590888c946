@preconcurrency import CBonjourishLinux
import CBonjourishLinux
import _BonjourishBase
import _BonjourishEventLoop

extension Command {
  /// Parses the arguments, without the program's name.
  ///
  /// Options and operands may stand in any order. `--name=VALUE` means `--name VALUE`. An unambiguous prefix of a name is
  /// enough. Everything after `--` is an operand. An option that is given twice is an error, unless it is declared as repeated.
  /// `--help=FORM` asks for the manual page or a completion script, see ``HelpForm``.
  func parse(_ arguments: [String]) throws(UsageError) -> Request {
    do throws(Problem) {
      switch try scan(arguments) {
      case .help(let form): return .text(try text(of: form))
      case .version: return .text("\(name) \(version)")
      case .found(let occurrences, let texts):
        return .arguments(
          Arguments(options: try read(occurrences), operands: try read(texts), secrets: secrets(occurrences, texts)))
      }
    } catch {
      throw usageError(error.message)
    }
  }

  /// Parses words that are not the process's arguments, such as those of a line that was typed at a screen.
  ///
  /// - Throws: ``UsageError`` if they are invalid, or ask for help.
  package func arguments(of words: [String]) throws(UsageError) -> Arguments {
    switch try parse(words) {
    case .arguments(let arguments): return arguments
    case .text: throw usageError("there is no help here")
    }
  }

  private func secrets(_ occurrences: [String: Occurrence], _ texts: [String]) -> Set<String> {
    var secrets = Set(texts.filter { text in operands.contains { $0.isSecret(text) } })
    for option in options {
      if case .with(let texts)? = occurrences[option.name] { secrets.formUnion(texts.filter(option.isSecret)) }
    }
    return secrets
  }

  private func text(of form: String?) throws(Problem) -> String {
    guard let form else { return help }
    return try HelpForm.format.value(of: "--help", form).text(of: ProgramTable(self))
  }

  private func read(_ occurrences: [String: Occurrence]) throws(Problem) -> [String: any Sendable] {
    for group in exclusive where group.count(where: { occurrences[$0.name] != nil }) > 1 {
      let names = group.map { "--\($0.name)" }
      throw Problem(
        "\(names.dropLast().joined(separator: ", ")) and \(names[names.count - 1]) exclude each other; give one of them")
    }
    var values: [String: any Sendable] = [:]
    for option in options {
      if occurrences[option.name].map(\.count) ?? 0 > 1, !option.isRepeatable {
        throw Problem("--\(option.name) is given more than once; give it once")
      }
      values[option.name] = try option.read(occurrences[option.name] ?? .absent)
    }
    return values
  }

  /// Assigns the texts to the operands from left to right; each operand leaves the minimum that later operands need.
  private func read(_ texts: [String]) throws(Problem) -> [String: any Sendable] {
    var wanted = 0
    for operand in operands {
      wanted += operand.count.lowerBound
      guard texts.count >= wanted else { throw Problem("\(operand.name) is missing; give \(operand.help)") }
    }
    var values: [String: any Sendable] = [:]
    var rest = texts[...]
    var wantedLater = wanted
    for operand in operands {
      wantedLater -= operand.count.lowerBound
      let share = rest.prefix(min(operand.count.upperBound, rest.count - wantedLater))
      values[operand.name] = try operand.read(Array(share))
      rest = rest.dropFirst(share.count)
    }
    if let first = rest.first { throw Problem("unexpected argument '\(first)'") }
    return values
  }
}

// MARK: - getopt_long

extension Command {
  private enum Scan {
    case help(form: String?)
    case version
    case found(options: [String: Occurrence], operands: [String])
  }

  /// getopt_long keeps its state in global variables.
  private static let getopt = Locked(())

  private func scan(_ arguments: [String]) throws(Problem) -> Scan {
    try Self.getopt.withLock { _ in Result { () throws(Problem) in try scanAlone(arguments) } }.get()
  }

  private func scanAlone(_ arguments: [String]) throws(Problem) -> Scan {
    var argv: [UnsafeMutablePointer<CChar>?] = ([name] + arguments).map { strdup($0) } + [nil]
    let names = options.map { strdup($0.name) } + [strdup("help"), strdup("version")]
    let owned = argv + names  // getopt_long changes the order of argv
    defer { owned.forEach { free($0) } }

    // The value of getopt_long for the first long option: larger than any character.
    let firstValue: Int32 = 0x100
    var table = zip(names, 0...).map { name, index in
      let takesValue =
        if index == options.count { optional_argument } else if index < options.count, options[index].placeholder != nil {
          required_argument
        } else { no_argument }
      return option(name: name, has_arg: takesValue, flag: nil, val: firstValue + Int32(index))
    }
    table.append(option())

    var occurrences: [String: Occurrence] = [:]
    optind = 0  // start from the beginning
    opterr = 0  // print nothing
    while true {
      // The leading colon tells a missing value apart from an unknown option.
      switch getopt_long(Int32(argv.count - 1), &argv, ":h", table, nil) {
      case -1:
        let operands = argv[Int(optind)...].compactMap { $0.map { String(cString: $0) } }
        return .found(options: occurrences, operands: operands)
      case 0x68:  // "h"
        return .help(form: nil)
      case firstValue + Int32(options.count):
        return .help(form: optarg.map { String(cString: $0) })
      case firstValue + Int32(options.count) + 1:
        return .version
      case let value where value >= firstValue:
        let found = options[Int(value - firstValue)]
        let value = found.placeholder == nil ? nil : String(cString: optarg)
        occurrences[found.name] = (occurrences[found.name] ?? .absent).adding(value)
      case 0x3A:  // ":"
        let found = options[Int(optopt - firstValue)]
        throw Problem("--\(found.name) needs a value; give --\(found.name) \(found.placeholder ?? "")")
      default:
        throw rejection(of: argv[Int(optind) - 1].map { String(cString: $0) } ?? "", firstValue: firstValue)
      }
    }
  }

  /// The problem of an option that only other modes of the program have; nil if they do not have it either.
  private func problem(ofOtherMode written: String) -> Problem? {
    let modes = manual.choices.filter { mode in mode.form.options.contains { "--\($0.name)" == written } }
    let choices = modes.flatMap(\.options)
    guard !choices.isEmpty else { return nil }
    let all = choices.joined(separator: " or ")
    return Problem("\(written) needs \(all); give \(choices.count > 1 ? "one of them" : "it"), too")
  }

  private func rejection(of argument: String, firstValue: Int32) -> Problem {
    switch optopt {
    case 0:
      let written = argument.prefix { $0 != "=" }
      let names = (options.map(\.name) + ["help", "version"]).map { "--\($0)" }
      let meant = names.filter { $0.hasPrefix(written) }
      if meant.isEmpty, let problem = problem(ofOtherMode: String(written)) { return problem }
      return meant.isEmpty
        ? Problem("unknown option \(written)\(Suggestion.question(for: String(written), among: names))")
        : Problem("\(written) may mean \(meant.joined(separator: " or ")); write the whole name")
    case firstValue...:
      return Problem("\(argument.prefix { $0 != "=" }) takes no value")
    case let letter:
      return Problem("unknown option -\([UInt8(truncatingIfNeeded: letter)].escapedForDisplay)")
    }
  }
}
