import _BonjourishDiscovery
import _BonjourishTerminal

/// The first and the last lines, and messages.
extension Explorer {
  // MARK: - The first line

  /// What is looked for, how it is shown, and how much of it is there; of that what fits.
  func title(_ columns: Int, _ glyphs: Glyphs) -> (left: String, right: String) {
    var subjects = [settings.sought?.joined(separator: ", ") ?? "all services"]
    if let sought = settings.sought, sought.count == 1, let title = (try? ServiceType(sought[0])).flatMap(settings.title) {
      subjects.insert("\(sought[0]) (\(title))", at: 0)
    }
    let filter = tree.filter.map { "/\($0.text.escapedForDisplay)" }.map { settings.isUnicode ? $0 : $0.escapedForASCII }
    let states = [
      frozen.map { "frozen, \(Texts.count($0.count, "change"))" }, filter, tree.listsMarkedOnly ? "marked only" : nil,
      tree.grouping == .flat ? nil : tree.grouping.words, tree.order == .name ? nil : "sorted by \(tree.order)",
    ].compactMap(\.self)
    // What hides or holds something comes first, and is left out last.
    let left = subjects.flatMap { subject in
      (0...states.count).reversed().map { ([subject] + states.prefix($0)).joined(separator: glyphs.separator) }
    }
    let isPart = tree.filter != nil || tree.listsMarkedOnly
    let noun = "\(settings.isSelective ? "matching " : "")service\((isPart ? tree.presentCount : count) == 1 ? "" : "s")"
    let number = isPart ? "\(count) of \(tree.presentCount)" : "\(count)"
    let summaries = ["\(number) \(noun)\(isSettled ? "" : ", looking")", "\(number) \(noun)", number]
    // A state that hides or holds something matters more than words.
    let needed = frozen != nil || isPart ? [subjects[subjects.count - 1], states[0]].joined(separator: glyphs.separator) : nil
    for summary in summaries {
      let fitting = left.first { $0.columns + summary.columns <= columns }
      if let fitting, needed == nil || fitting.contains(states[0]) { return (fitting, summary) }
    }
    return (states.first.flatMap { needed == nil ? nil : $0 } ?? subjects[subjects.count - 1], summaries[2])
  }

  // MARK: - The last lines

  /// Draws the last lines: a menu, a line that is being written, or where discovery runs, the keys, and the command.
  ///
  /// - Returns: The first of these rows.
  func drawBottom(on canvas: inout Canvas, _ appearance: Appearance, at now: Duration) -> Int {
    let (columns, rows, glyphs) = (canvas.size.columns, canvas.size.rows, appearance.glyphs)
    switch mode {
    case .writing(let prompt):
      var label = prompt.label
      if columns < 40 { label = String(label.prefix(1)) }
      let shown = prompt.editor.window(columns: columns - 2 - label.columns)
      canvas.write(label, row: rows - 1, column: 1, style: .bold)
      canvas.write(shown.text, row: rows - 1, column: 1 + label.columns)
      canvas.cursor = Canvas.Position(row: rows - 1, column: min(columns - 1, 1 + label.columns + shown.cursor))
      guard rows >= 8 else { return rows - 1 }
      canvas.write(prompt.advice.truncated(to: columns - 2, ellipsis: glyphs.ellipsis), row: rows - 2, column: 1, style: .dim)
      return rows - 2
    case .choosing(let menu): return draw(menu, on: &canvas, glyphs)
    case .exploring, .reading: break
    }
    guard rows >= 8 else {
      // There is no line of its own for the keys.
      write(commandLines(columns, most: 1)[0], barKeys[0], on: &canvas, row: rows - 1, .plain, glyphs)
      return rows - 1
    }
    let lines = commandLines(columns - 2, most: rows >= 16 ? 3 : 1)
    let first = rows - lines.count
    for (place, line) in lines.enumerated() {
      canvas.write(line.truncated(to: columns - 2, ellipsis: glyphs.ellipsis), row: first + place, column: 1)
    }
    let status = status(columns - 2, glyphs, at: now)
    write(status.left, status.right, on: &canvas, row: first - 1, .dim, glyphs)
    return first - 1
  }

  /// The command of what is seen, in several lines if it fits in no other way; else in one, of which the end is not shown.
  private func commandLines(_ columns: Int, most: Int) -> [String] {
    guard let words = commandWords else { return [command] }
    let lines = ShellWords.lines(words, isUnicode: settings.isUnicode, columns: columns - 2)
    guard lines.count <= most, lines.allSatisfy({ $0.columns <= columns - 2 }) else { return ["$ " + line(words)] }
    return zip(lines, 0...).map { ($1 == 0 ? "$ " : "") + $0 }
  }

  private func draw(_ menu: Menu, on canvas: inout Canvas, _ glyphs: Glyphs) -> Int {
    let rows = canvas.size.rows
    let count = max(1, min(menu.items.count, rows - 4))
    let scroll = max(0, min(menu.selected - count + 1, menu.items.count - count))
    let advice = "\(menu.title): a letter, or \(glyphs.arrows) and Enter; Esc: leave"
    canvas.write(
      advice.truncated(to: canvas.size.columns - 2, ellipsis: glyphs.ellipsis), row: rows - 1 - count, column: 1, style: .dim)
    for (place, item) in menu.items.dropFirst(scroll).prefix(count).enumerated() {
      let text =
        "\(item.key.map { String($0) } ?? " ")  \(item.label.padded(to: min(19, canvas.size.columns / 3)))  \(item.text)"
      let shown = settings.isUnicode ? text : text.escapedForASCII
      canvas.write(
        shown.truncated(to: canvas.size.columns - 2, ellipsis: glyphs.ellipsis), row: rows - count + place, column: 1)
      if scroll + place == menu.selected { canvas.reverse(row: rows - count + place, columns: 0..<canvas.size.columns) }
    }
    return rows - 1 - count
  }

  /// Where, through which backend and for how long; of that what fits, and the keys that matter.
  private func status(_ columns: Int, _ glyphs: Glyphs, at now: Duration) -> (left: String, right: String) {
    // A directory alone has no backend of the local network, and no interfaces.
    let isLocal = backend != "directory"
    let backend = backend.map { $0 == "avahi" ? "avahi-daemon" : "built-in engine" }
    let own = publications.isEmpty ? nil : "publishing \(publications.count)"
    let places = isLocal ? reach.map(Self.places) : nil
    let region = settings.region.map { "directory \($0.escapedForDisplay)" }
    let (engine, time) = (isLocal ? backend : nil, Texts.duration(now))
    var keys = barKeys
    // The first key stays whatever is left out.
    let parts = [
      [places, region, engine, own, time], [places, region, engine, own], [places, region, own], [places, own], [own],
    ]
    let lefts = parts.map { $0.compactMap(\.self).joined(separator: glyphs.separator) }
    let left = lefts.first { $0.columns + 2 + keys[0].columns <= columns } ?? ""
    while keys.count > 1, left.columns + 2 + keys.joined(separator: "  ").columns > columns {
      keys.remove(at: max(1, keys.count - 2))
    }
    return (left, keys.joined(separator: "  "))
  }

  /// The interfaces on which the network is reached.
  private static func places(_ reach: Reach) -> String {
    let links = reach.items.filter { $0.state == .works || $0.state == .unproven }.map(\.link)
    let names = Set(links.map(\.source)).sorted().map { source in
      let families = Set(links.filter { $0.source == source }.map(\.family))
      return "\(source)" + (families.count > 1 ? "" : families.contains(.ipv4) ? " (IPv4)" : " (IPv6)")
    }
    if names.isEmpty { return "on no interface" }
    let rest = names.count - 3
    return "on " + names.prefix(rest > 1 ? 3 : 4).joined(separator: ", ") + (rest > 1 ? " and \(rest) more" : "")
  }

  // MARK: - Messages

  func messageLines(columns: Int, most: Int, _ glyphs: Glyphs) -> [(text: String, style: Style)] {
    var texts: [(String, Style)] = []
    if let note { texts.append((note.text, .bold)) }
    if let outage { texts.append((outage.message.escapedForDisplay, .bold.colored(.red))) }
    if let reach {
      // An outage tells the causes too.
      let causes = outage == nil ? reach.causes.map(\.description) : []
      texts += (causes + Self.failures(reach)).map { ($0, .bold) }
    }
    texts += messages.map { ($0, .bold) }
    guard most > 0 else { return [] }
    let lines = texts.flatMap { text, style in
      (settings.isUnicode ? text : text.escapedForASCII).wrapped(to: columns).map { (text: $0, style: style) }
    }
    guard lines.count > most else { return lines }
    guard most > 1 else {
      return [((lines[0].text + glyphs.ellipsis).truncated(to: columns, ellipsis: glyphs.ellipsis), lines[0].style)]
    }
    return lines.prefix(most - 1) + [(glyphs.ellipsis, .bold)]
  }

  /// The links that should work and do not. A cable that is not plugged in does not matter while another one is, and the loopback
  /// interface never does.
  private static func failures(_ reach: Reach) -> [String] {
    if reach.causes.contains(where: { $0.code == .thisMachineOnly }) { return [] }
    let idle: Set<Reach.Cause.Code> = [.notUp, .noCarrier, .noAddress, .noFamily]
    let failing = reach.failing.filter { !idle.contains($0.cause.code) || reach.working.isEmpty }
    var texts: [String] = []
    for (link, cause) in failing {
      let hasSameCause = failing.count { $0.link.source == link.source && $0.cause == cause } > 1
      let text = "\(hasSameCause ? "\(link.source)" : "\(link)"): \(cause)"
      if !texts.contains(text) { texts.append(text) }
    }
    return Array(texts.prefix(3))
  }
}
