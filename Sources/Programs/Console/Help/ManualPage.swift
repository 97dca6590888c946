/// A program's manual page, in the macros of man(7).
struct ManualPage {
  private let table: ProgramTable
  private var manual: Manual { table.manual }

  init(_ table: ProgramTable) {
    self.table = table
    let options = Set((table.commands.map(\.command) + table.manual.forms).flatMap(\.options).map(\.name))
    let explained = [table.manual] + table.manual.forms.map(\.manual)
    let unknown =
      explained.flatMap(\.options.keys).filter { !options.contains($0) }
      + table.manual.commands.keys.filter { verb in !table.commands.contains { $0.verb == verb } }
    precondition(unknown.isEmpty, "the manual explains what \(table.name) does not have: \(unknown.joined(separator: ", "))")
  }

  var text: String {
    let name = table.name.pageName
    let title = name.uppercased()
    var lines = [".TH \(title) \(manual.section) \(Version.date) \"\(table.name) \(table.version)\""]
    let summary = table.summary.hasSuffix(".") ? String(table.summary.dropLast()) : table.summary
    lines += [".SH NAME", "\(ManualText.escaped(name)) \\- \(summary.prefix(1).lowercased() + summary.dropFirst())"]
    lines += [".SH SYNOPSIS"] + synopsis
    section(
      "DESCRIPTION", manual.description.isEmpty ? ManualText.plain(table.summary) : ManualText.macros(manual.description),
      &lines)
    section("COMMANDS", commands, &lines)
    section("OPTIONS", options, &lines)
    for section in manual.sections { lines += macros(section) }
    section("ENVIRONMENT", definitions(manual.environment), &lines)
    section("FILES", definitions(manual.files), &lines)
    section("EXIT STATUS", manual.exitStatus.flatMap { ManualText.definition("`\($0.key.rawValue)`", $0.value) }, &lines)
    section("EXAMPLES", examples, &lines)
    section(
      "DIAGNOSTICS",
      ManualText.plain("Each error is one line on standard error: what was tried, why it failed and what to do.")
        + ManualText.macros(manual.diagnostics, isContinued: true), &lines)
    section("SEE ALSO", seeAlso, &lines)
    for note in manual.notes { lines += macros(note) }
    return lines.joined(separator: "\n")
  }

  private func section(_ title: String, _ content: [String], _ lines: inout [String]) {
    if !content.isEmpty { lines += [".SH \(title)"] + content }
  }

  private var synopsis: [String] {
    let all = table.commands.map(\.command) + manual.forms
    return all.flatMap { command in
      let options = command.synopsis.map { ManualText.inline($0) }.joined(separator: " ")
      return [".HP", "\\fB\(ManualText.escaped(command.name))\\fR \(options)"]
    } + [".HP", "\\fB\(ManualText.escaped(table.name))\\fR \\fB\\-\\-help\\fR | \\fB\\-\\-version\\fR"]
  }

  private var commands: [String] {
    table.commands.flatMap { verb, command -> [String] in
      guard let verb else { return [] }
      let operands = command.operands.map { " \($0.synopsis.markup)" }.joined()
      let explained = command.operands.flatMap {
        [".TP", ManualText.inline($0.name.markup)] + ManualText.plain($0.help.asSentence)
      }
      let page = command.hasOwnPage ? ManualText.macros("See `\(command.pageName)`(1).", isContinued: true) : []
      let more = explained + page + (manual.commands[verb].map { ManualText.macros($0, isContinued: true) } ?? [])
      return [".TP", ManualText.inline("`\(verb)`\(operands)")] + ManualText.plain(command.summary)
        + (more.isEmpty ? [] : [".RS"] + more + [".RE"])
    }
  }

  /// The options, each once with the commands that have it, in alphabetical order.
  private var options: [String] {
    let intro: [String] =
      table.commands.count == 1
      ? table.commands[0].command.operands.flatMap { operand in
        [".TP", ManualText.inline(operand.synopsis.markup)] + ManualText.plain(operand.help.asSentence)
      } : []
    let verbs = table.commands.filter { !$0.command.options.isEmpty && ($0.verb == nil || !$0.command.hasOwnPage) }
    var seen: [(option: OptionEntry, verbs: [String])] = []
    for (verb, command) in verbs {
      for option in command.options {
        if let place = seen.firstIndex(where: { $0.option.name == option.name && $0.option.help == option.help }) {
          seen[place].verbs += verb.map { [$0] } ?? []
        } else {
          seen.append((option, verb.map { [$0] } ?? []))
        }
      }
    }
    let rows = seen.map { option, having in
      (option, having.isEmpty || having.count == verbs.count ? "" : "(\(having.joined(separator: ", ")))")
    }
    let standard = [
      ("help", ManualText.definition("`-h`, `--help`", "Show how the program is used.")),
      (
        "help=",
        ManualText.definition(
          "`--help=`*FORM*",
          "Write this page (`man`), or a script that completes the options in a shell: `bash`, `fish` or `zsh`.")
      ), ("version", ManualText.definition("`--version`", "Show the version.")),
    ]
    let listed = rows.map { ($0.0.name, macros($0.0, remark: $0.1, more: manual.options)) } + standard
    return [
      "Options and operands may stand in any order.", "An option can be shortened to any unambiguous prefix.",
      ManualText.inline("Everything after `--` is an operand."),
    ] + intro + listed.sorted { $0.0 < $1.0 }.flatMap(\.1)
  }

  /// - Parameters:
  ///   - remark: The commands that have the option.
  ///   - texts: What an option's help does not say, by its name.
  private func macros(_ option: OptionEntry, remark: String = "", more texts: [String: String]) -> [String] {
    let repeated = option.isRepeatable ? " It may be given several times." : ""
    let placeholder = option.placeholder.map { " \($0.markup)" } ?? ""
    let more = texts[option.name].map { ManualText.macros($0, isContinued: true) } ?? []
    return [".TP", ManualText.inline("`--\(option.name)`\(placeholder)")]
      + ManualText.plain("\(option.help.asSentence)\(repeated)\(remark.isEmpty ? "" : " \(remark)")")
      + (more.isEmpty ? [] : [".RS"] + more + [".RE"])
  }

  private func macros(_ section: Manual.Section) -> [String] {
    let known = table.commands.flatMap(\.command.options)
    let own = (section.form?.options ?? []).filter { option in
      !known.contains { $0.name == option.name && $0.help == option.help } || section.form?.manual.options[option.name] != nil
    }
    return [".SH \(ManualText.escaped(section.title, isLiteral: false))"] + ManualText.macros(section.text)
      + own.sorted { $0.name < $1.name }.flatMap { macros($0, more: section.form?.manual.options ?? [:]) }
  }

  private func definitions(_ rows: KeyValuePairs<String, String>) -> [String] {
    rows.flatMap { ManualText.definition($0.key.split(separator: ", ").map { "`\($0)`" }.joined(separator: ", "), $0.value) }
  }

  private var examples: [String] {
    let all = (table.commands.map(\.command) + manual.forms).flatMap(\.examples) + manual.examples
    return all.enumerated().flatMap { place, example in
      (place == 0 ? [] : [".PP"]) + ManualText.plain(example.meaning.asSentence.dropLast() + ":")
        + ManualText.macros("    $ \(example.line)")
    }
  }

  private var seeAlso: [String] {
    let pages = manual.seeAlso.map { page in
      let parts = page.split(separator: "(", maxSplits: 1)
      return "\\fB\(ManualText.escaped(String(parts[0])))\\fR" + (parts.count > 1 ? "(\(parts[1])" : "")
    }
    return pages.isEmpty ? [] : [pages.joined(separator: ",\n")]
  }
}

extension String {
  /// The name of a command as man(1) finds it: `bonjourish-reflect`.
  fileprivate var pageName: String { split(separator: " ").joined(separator: "-") }
}

extension Command {
  /// Whether it is one of several of a program, and has a page of its own, where its options are explained.
  fileprivate var hasOwnPage: Bool { !manual.description.isEmpty }

  fileprivate var pageName: String { name.pageName }

  /// The options and operands of the usage line, with markup, each once; options that exclude the same ones, and so each other, stand
  /// together.
  fileprivate var synopsis: [String] {
    var grouped: Set<String> = []
    func rivals(of name: String) -> Set<String> {
      exclusive.map { Set($0.map(\.name)) }.filter { $0.contains(name) }.reduce([name]) { $0.union($1) }
    }
    let shown = options.compactMap { option -> String? in
      if grouped.contains(option.name) { return nil }
      let all = rivals(of: option.name)
      let group = options.filter { all.contains($0.name) && rivals(of: $0.name) == all }
      grouped.formUnion(group.map(\.name))
      let forms = group.map { ["`--\($0.name)`", $0.placeholder?.markup].compactMap(\.self).joined(separator: " ") }
      let text = forms.joined(separator: " | ") + (option.isRepeatable ? " ..." : "")
      return option.isRequired ? text : "[\(text)]"
    }
    return shown + operands.map(\.synopsis.markup)
  }
}

extension String {
  /// A placeholder such as `KEY=VALUE` or `[NAME ...]`: words in capitals are in italics.
  fileprivate var markup: String {
    var result = ""
    var isOpen = false
    for character in self {
      let isName = character.isUppercase || character == "_"
      if isName != isOpen { (isOpen, result) = (isName, result + "*") }
      result.append(character)
    }
    return isOpen ? result + "*" : result
  }

  /// The text with a capital at its beginning and a full stop at its end.
  fileprivate var asSentence: String {
    guard let first, !isEmpty else { return self }
    let isWord = dropFirst().first.map { !$0.isUppercase } ?? true
    return (isWord ? first.uppercased() : String(first)) + dropFirst() + (hasSuffix(".") || hasSuffix("?") ? "" : ".")
  }
}
