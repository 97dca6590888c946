import _BonjourishBase
import _BonjourishConsole
import _BonjourishDoctor
import _BonjourishTerminal

/// The report of `doctor` for people.
struct ReportText {
  private let report: Report
  /// The longest line in columns.
  private let width: Int

  /// The terminal's appearance; nil for anything but a terminal.
  private let appearance: Appearance?

  /// - Parameter width: The longest line in columns; by default, what every terminal has.
  init(_ report: Report, appearance: Appearance? = nil, width: Int = 80) {
    self.report = report
    self.width = width
    self.appearance = appearance
  }

  private static let indent = String(repeating: " ", count: 13)

  var lines: [String] {
    var lines = report.findings.flatMap { self.lines(of: $0) }
    for healthy in report.healthy { lines += labelled("ok", Style.plain.colored(.green), healthy) }
    for unseen in report.unseen { lines += labelled("?", .dim, "not seen: \(unseen)") }
    return report.isHealthy ? lines + [""] + wrapped(verdict, first: "", next: "") : lines
  }

  /// What is known of discovery here, where no problem was found.
  private var verdict: String {
    let counts = counts.isEmpty ? "" : ": \(counts)"
    return switch report.trial {
    case .others: "Discovery works here\(counts)."
    case .alone: "Nothing was found that keeps discovery from working here, and nobody else was heard\(counts)."
    case .unsteady: "Others answer now and then, because packets are lost\(counts)."
    case .none(let reason): "Nothing was found that keeps discovery from working here. It was not tried: \(reason)\(counts)."
    }
  }

  private func lines(of finding: Finding) -> [String] {
    let (label, style): (String, Style) =
      switch finding.severity {
      case .problem: ("problem", .bold.colored(.red))
      case .warning: ("warning", .bold.colored(.yellow))
      case .information: ("note", .bold)
      }
    var lines = labelled(label, style, "\(finding.seen) [\(finding.identifier.rawValue)]")
    let indent = Self.indent
    lines += wrapped(finding.reason, first: indent, next: indent)
    for remedy in finding.remedies {
      switch remedy {
      case .advice(let advice): lines += wrapped(advice, first: indent + "- ", next: indent + "  ")
      // A command is not broken, so that it can be copied.
      case .command(let command): lines.append(indent + "  # " + command.escapedForDisplay)
      case .example(let command): lines.append(indent + "  e.g. " + command.escapedForDisplay)
      }
    }
    return lines
  }

  /// The text, with a label in front.
  private func labelled(_ label: String, _ style: Style, _ text: String) -> [String] {
    var lines = wrapped(text, first: Self.indent, next: Self.indent)
    let shown =
      appearance.map { style.sequence(hasColor: $0.hasColor) + label + Style.plain.sequence(hasColor: $0.hasColor) } ?? label
    lines[0] = shown + lines[0].dropFirst(label.count)
    return lines
  }

  /// The numbers of findings, such as "1 problem, 2 warnings"; empty for none.
  var counts: String {
    let counts = [
      (report.count(.problem), "problem"), (report.count(.warning), "warning"), (report.count(.information), "note"),
    ]
    return counts.filter { $0.0 > 0 }.map { "\($0) \($1)\($0 == 1 ? "" : "s")" }.joined(separator: ", ")
  }

  /// The text in lines that are at most ``width`` columns long, unless a word is longer.
  private func wrapped(_ text: String, first: String, next: String) -> [String] {
    var lines: [String] = []
    var line = first
    var isEmpty = true
    for word in text.escapedForDisplay.split(separator: " ") {
      if !isEmpty, line.columns + 1 + word.columns > width {
        lines.append(line)
        line = next
        isEmpty = true
      }
      line += (isEmpty ? "" : " ") + word
      isEmpty = false
    }
    return lines + [line]
  }
}
