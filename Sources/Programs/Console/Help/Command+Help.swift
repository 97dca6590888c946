extension Command {
  /// The text of `--help`: summary, usage, operands, options, other modes and examples.
  var help: String {
    let required = options.filter(\.isRequired).map(\.synopsis)
    let usage = ([name] + required + ["[OPTIONS]"] + operands.map(\.synopsis)).joined(separator: " ")
    let operandRows = operands.map { ($0.name, $0.help) }
    let optionRows = options.map { ($0.synopsis, $0.help) }
    let standard = [("-h, --help", "show this text"), ("--version", "show the version")]

    var sections = [summary, "usage: \(usage)"]
    sections.append(HelpTable(rows: operandRows + optionRows + standard).text)
    let modes = manual.choices.map { ($0.options.joined(separator: ", "), $0.form.summary) }
    if !modes.isEmpty {
      sections.append("other modes; with --help, each shows its own options:\n\n" + HelpTable(rows: modes).text)
    }
    if !exitCodes.isEmpty { sections.append("exit codes:\n\n" + HelpTable(exitCodes).text) }
    if !examples.isEmpty {
      sections.append("examples:\n" + examples.map { "  # \($0.meaning)\n  \($0.line)" }.joined(separator: "\n"))
    }
    return sections.joined(separator: "\n\n")
  }
}

/// A table of terms and their meanings in two columns, wrapped at 80 characters.
struct HelpTable {
  var rows: [(term: String, meaning: String)]

  init(rows: [(term: String, meaning: String)]) { self.rows = rows }

  /// What exit codes mean.
  init(_ codes: [ExitCode]) {
    rows = codes.map { code in
      let digits = String(code.rawValue)
      return (String(repeating: " ", count: 3 - digits.count) + digits, code.meaning)
    }
  }

  private static let width = 80
  private static let widestTerm = 24

  var text: String {
    let column = rows.map(\.term.count).filter { $0 <= Self.widestTerm }.max() ?? 0
    return rows.flatMap { row -> [String] in
      let meaning = wrapped(row.meaning, to: Self.width - column - 4)
      let indent = String(repeating: " ", count: column + 4)
      guard row.term.count <= column else { return ["  \(row.term)"] + meaning.map { indent + $0 } }
      let padding = String(repeating: " ", count: column - row.term.count)
      return ["  \(row.term)\(padding)  \(meaning.first ?? "")"] + meaning.dropFirst().map { indent + $0 }
    }.joined(separator: "\n")
  }

  private func wrapped(_ text: String, to width: Int) -> [String] {
    text.split(separator: " ").reduce(into: []) { lines, word in
      if let last = lines.last, last.count + 1 + word.count <= width {
        lines[lines.count - 1] += " \(word)"
      } else {
        lines.append(String(word))
      }
    }
  }
}
